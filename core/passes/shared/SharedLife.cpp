#include "core/passes/shared/SharedLife.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <map>

using namespace mlir;

namespace tegula::simt {
namespace {

class Lives {
public:
  Lives(func::FuncOp kernel, SharedAccesses &accesses) : accesses_(accesses) {
    number(kernel);
    kernel.walk([&](SharedAllocOp buffer) { lives_[buffer] = {}; });
    for (unsigned a = 0; a < accesses.all().size(); ++a) {
      const SharedAccess &access = accesses.all()[a];
      if (access.buffer)
        byBuffer_[access.buffer].push_back(a);
      else // the view may be of any buffer
        for (auto &[buffer, life] : lives_)
          extend(life, kernel);
    }
    for (auto &[buffer, ids] : byBuffer_)
      for (unsigned a : ids)
        add(lives_[buffer], accesses.all()[a]);
  }
  llvm::MapVector<Operation *, SharedLife> take() { return std::move(lives_); }

private:
  void number(Operation *op) {
    int64_t first = next_++;
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Operation &inner : block)
          number(&inner);
    if (op->getNumRegions() != 0)
      ++next_;
    span_[op] = {first, next_ - 1};
  }

  void extend(SharedLife &life, Operation *over) { extend(life, span_.at(over).first, span_.at(over).last); }
  static void extend(SharedLife &life, int64_t first, int64_t last) {
    life = life.last < life.first ? SharedLife{first, last}
                                  : SharedLife{std::min(life.first, first), std::max(life.last, last)};
  }

  /// Whether an asynchronous access is no longer in flight after `later`.
  static bool isOver(const SharedAccess &access, Operation *later) {
    if (access.kind == AccessKind::TileLoad)
      return endsTileLoads(later, cast<AsyncCopy>(access.op).getCompletionBarriers());
    return waitedKind(later) == access.kind && waitsForAll(later);
  }

  void add(SharedLife &life, const SharedAccess &access) {
    if (auto producer = access.op->getParentOfType<ProducerOp>())
      return addBeside(life, access, producer);
    extend(life, access.op);
    bool underWay = access.kind != AccessKind::Ordinary;
    bool kept = true; // data is kept: an iteration may read what an earlier iteration wrote
    Operation *alloc = SharedAllocOp(access.buffer);
    for (Operation *op = access.op;; op = op->getParentOp()) {
      if (underWay)
        for (Operation *later = op->getNextNode(); later; later = later->getNextNode())
          if (isOver(access, later)) {
            extend(life, later);
            underWay = false;
            break;
          }
      Operation *parent = op->getParentOp();
      if (isa<func::FuncOp>(parent)) {
        if (underWay) // in flight until the end of the kernel
          extend(life, life.first, span_.at(parent).last);
        return;
      }
      bool loop = isa<scf::ForOp, scf::WhileOp>(parent);
      kept &= !parent->isAncestor(alloc);
      if (loop && kept && allAgree(parent) && everyIterationWritesFirst(alloc, parent))
        kept = false; // so does each iteration of the loops around this one
      if (isa<WarpGroupsOp>(parent) || !allAgree(parent) || (loop && (kept || underWay)))
        extend(life, parent);
    }
  }

  /// Extends a life by an access of the producer, which runs concurrently with the ops after it: until its barrier
  /// objects end, else to the kernel's end.
  void addBeside(SharedLife &life, const SharedAccess &access, ProducerOp producer) {
    extend(life, producer);
    for (Operation *later = producer->getNextNode(); later; later = later->getNextNode())
      if (isOver(access, later))
        return extend(life, later);
    extend(life, life.first, span_.at(producer->getParentOp()).last);
  }

  /// Whether all accesses to the buffer are in this loop, and in each iteration every byte is written before it is
  /// read, by stores that all threads execute.
  bool everyIterationWritesFirst(Operation *alloc, Operation *parent) {
    auto loop = dyn_cast<scf::ForOp>(parent);
    for (Operation *op = parent; loop && !isa<func::FuncOp>(op); op = op->getParentOp())
      if (isa<WarpGroupsOp>(op) || !allAgree(op))
        return false; // some threads may not execute the stores
    if (!loop)
      return false;
    auto [it, isNew] = writesFirst_.try_emplace({alloc, parent}, false);
    if (isNew)
      it->second = proveWritesFirst(alloc, loop);
    return it->second;
  }

  bool proveWritesFirst(Operation *alloc, scf::ForOp loop) {
    llvm::BitVector written(unsigned(cast<SharedAllocOp>(alloc).getType().getBytes()));
    for (unsigned a : byBuffer_[alloc]) { // in source order
      const SharedAccess &access = accesses_.all()[a];
      if (!loop->isAncestor(access.op) || access.kind != AccessKind::Ordinary)
        return false;
      if (access.writes && !isa<SharedStoreOp>(access.op))
        return false; // the op may also read
      std::optional<llvm::BitVector> touched = accesses_.touchedBytes(a);
      if (access.writes) {
        if (touched && access.op->getBlock() == loop.getBody())
          written |= *touched;
        continue;
      }
      if (!touched) {
        touched.emplace(written.size());
        touched->set(unsigned(access.begin), unsigned(access.end));
      }
      touched->reset(written);
      if (touched->any())
        return false;
    }
    return true;
  }

  SharedAccesses &accesses_;
  int64_t next_ = 0;
  llvm::DenseMap<Operation *, SharedLife> span_;
  llvm::MapVector<Operation *, SharedLife> lives_;
  llvm::MapVector<Operation *, SmallVector<unsigned>> byBuffer_;
  std::map<std::pair<Operation *, Operation *>, bool> writesFirst_;
};

} // namespace

llvm::MapVector<Operation *, SharedLife> sharedLives(func::FuncOp kernel, SharedAccesses &accesses) {
  return Lives(kernel, accesses).take();
}

} // namespace tegula::simt
