#include "core/passes/analysis/ArgumentAccess.h"
#include "core/ir/tile/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace tegula::tile {
namespace {

/// Booleans are not followed: a mask such as `x + i < end` is computed from the addresses x and end, but does not say
/// which memory is accessed.
bool canCarryAddress(Value value) { return !getElementTypeOrSelf(value).isInteger(1); }

/// Whether the op's write effects are never writes to memory that an argument points to: they stand for output, for
/// order, or for the reads of a volatile load.
bool writesElsewhere(Operation *op) { return isa<PrintOp, AssertOp, AssumeOp, BarrierOp, LoadOp>(op); }

bool mayWrite(Operation *op) {
  if (auto effects = dyn_cast<MemoryEffectOpInterface>(op))
    return effects.hasEffect<MemoryEffects::Write>() && !writesElsewhere(op);
  return !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
}

/// The pointers or the descriptor of an atomic that changes the result each time it is executed: an addition or an xor.
/// Null for all other ops.
Value accumulatesTo(Operation *op) {
  auto adds = [](AtomicKind kind) {
    return kind == AtomicKind::Add || kind == AtomicKind::FAdd || kind == AtomicKind::Xor;
  };
  if (auto atomic = dyn_cast<AtomicRmwOp>(op); atomic && adds(atomic.getKind()))
    return atomic.getPtr();
  if (auto atomic = dyn_cast<DescAtomicOp>(op); atomic && adds(atomic.getKind()))
    return atomic.getDesc();
  return {};
}

/// The arguments whose addresses a value may hold, as the least fixed point over the kernel's ops.
class Origins {
public:
  explicit Origins(func::FuncOp kernel) : none_(kernel.getNumArguments()) {
    for (BlockArgument argument : kernel.getArguments())
      if (isa<PtrType, DescType>(argument.getType()))
        (of_[argument] = none_).set(argument.getArgNumber());
    do {
      changed_ = false;
      kernel->walk([&](Operation *op) { visit(op); });
    } while (changed_);
  }

  const llvm::BitVector &of(Value value) const {
    auto found = of_.find(value);
    return found == of_.end() ? none_ : found->second;
  }

private:
  /// Adds `origins` to the arguments whose addresses `to` may hold. `origins` is passed by value, because the caller's
  /// vector may lie in the map, which grows here.
  void add(Value to, llvm::BitVector origins) {
    if (origins.none() || !canCarryAddress(to))
      return;
    llvm::BitVector &known = of_.try_emplace(to, none_).first->second;
    changed_ |= origins.test(known);
    known |= origins;
  }
  void add(ValueRange to, ValueRange from) {
    for (auto [target, source] : llvm::zip_equal(to, from))
      add(target, of(source));
  }

  void visit(Operation *op) {
    if (auto branch = dyn_cast<RegionBranchOpInterface>(op))
      return visitBranch(branch);
    llvm::BitVector all = none_;
    for (Value operand : op->getOperands())
      all |= of(operand);
    if (isa<DescLoadOp, DescGatherOp>(op))
      return; // elements of a descriptor are numbers
    if (auto load = dyn_cast<LoadOp>(op)) {
      bool isOfPointers = isa<PtrType>(getElementTypeOrSelf(load.getResult()));
      return add(load.getResult(), isOfPointers ? all : load.getOther() ? of(load.getOther()) : none_);
    }
    if (isa<LoadStridedOp>(op))
      return;
    for (Value result : op->getResults())
      add(result, all);
    for (Region &region : op->getRegions()) // the region of a combination: each operand may flow to each result
      for (mlir::Block &block : region) {
        for (BlockArgument argument : block.getArguments())
          add(argument, all);
        for (Value yielded : block.getTerminator()->getOperands())
          for (Value result : op->getResults())
            add(result, of(yielded));
      }
  }

  void visitBranch(RegionBranchOpInterface op) {
    SmallVector<RegionSuccessor> successors;
    op.getSuccessorRegions(RegionBranchPoint::parent(), successors);
    for (RegionSuccessor &successor : successors)
      add(successor.getSuccessorInputs(), op.getEntrySuccessorOperands(successor));
    if (auto loop = dyn_cast<scf::ForOp>(op.getOperation()))
      for (Value bound : {loop.getLowerBound(), loop.getStep()})
        add(loop.getInductionVar(), of(bound));
    for (Region &region : op->getRegions())
      for (mlir::Block &block : region) {
        auto end = dyn_cast<RegionBranchTerminatorOpInterface>(block.getTerminator());
        successors.clear();
        op.getSuccessorRegions(region, successors);
        for (RegionSuccessor &successor : successors)
          if (end)
            add(successor.getSuccessorInputs(), end.getSuccessorOperands(successor));
      }
  }

  llvm::BitVector none_;
  DenseMap<Value, llvm::BitVector> of_;
  bool changed_ = false;
};

} // namespace

SmallVector<ArtifactParam::Access> argumentAccess(func::FuncOp kernel) {
  using Access = ArtifactParam::Access;
  SmallVector<Access> result(kernel.getNumArguments(), Access::Writes);
  if (!kernel.getBody().hasOneBlock())
    return result; // jumps between blocks are not analysed
  Origins origins(kernel);
  llvm::BitVector written(result.size()), accumulated(result.size());
  kernel->walk([&](Operation *op) {
    if (op == kernel.getOperation() || isa<RegionBranchOpInterface>(op) || !mayWrite(op))
      return;
    for (Value operand : op->getOperands())
      written |= origins.of(operand);
    if (Value to = accumulatesTo(op))
      accumulated |= origins.of(to);
  });
  for (unsigned i = 0; i < result.size(); ++i)
    result[i] = accumulated[i] ? Access::Accumulates : written[i] ? Access::Writes : Access::Reads;
  return result;
}

} // namespace tegula::tile
