// tile-multicast-copies (LoopPasses.td): two programs that read the same block each copy one half of it, to both
// programs.
#include "core/ir/simt/Target.h"
#include "core/ir/tile/DerivedTensorAttr.h"
#include "core/passes/ClusterPeer.h"
#include "core/passes/Explain.h"
#include "core/passes/Passes.h"
#include "core/passes/loops/LoopAdvance.h"
#include "core/passes/programs/MisalignedRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_MULTICASTCOPIES
#include "core/passes/Passes.h.inc"

namespace {

constexpr int64_t kSectorBytes = 32; // what the second-level cache reads and sends at once
// the longest span of a line in shared memory (operandBuffer): hardware copies whole spans
constexpr int64_t kSpanBytes = 128;
constexpr StringLiteral kTopic = "copies";

/// The largest power of two that divides the product in every launch; nothing if some launches may have a larger one. A
/// launch states for an argument that 16 divides it, or else that 8 divides it.
std::optional<int64_t> exactPower(func::FuncOp kernel, const ArgumentProduct &product) {
  int64_t power = product.factor & -product.factor;
  for (uint32_t param : product.params) {
    auto known = kernel.getArgAttrOfType<IntegerAttr>(param, kDivisibilityAttr);
    if (!known || known.getInt() != 8)
      return std::nullopt;
    power *= 8;
  }
  return power;
}

/// Whether each program of a cluster can copy a share of the tile's columns: a share consists of whole spans of the
/// lines, and the shares follow one another in shared memory.
bool hasShares(simt::SharedType tile) {
  layout_ir::SharedAttr layout = tile.getTileLayout();
  int64_t share = tile.getShape().back() / simt::kClusterPrograms;
  return tile.getShape().back() % simt::kClusterPrograms == 0 &&
         share * simt::elementBytes(tile.getElementType()) % kSpanBytes == 0 &&
         layout.getBasis(layout.getBits() - 1).back() == share;
}

} // namespace

bool areRowsMisaligned(simt::CopyTileOp copy) {
  auto kernel = copy->getParentOfType<func::FuncOp>();
  auto descriptor = dyn_cast<BlockArgument>(copy.getDescriptor());
  std::optional<DerivedTensor> tensor;
  if (descriptor)
    tensor = derivedTensor(kernel.getArgAttr(descriptor.getArgNumber(), kTensorAttr));
  if (!tensor)
    return false;
  int64_t bytes = simt::elementBytes(cast<DescType>(descriptor.getType()).getElementType());
  return llvm::any_of(ArrayRef(tensor->axes).drop_back(), [&](const DerivedTensor::Axis &axis) {
    std::optional<int64_t> power = exactPower(kernel, axis.stride);
    return power && *power * bytes < kSectorBytes;
  });
}

namespace {

class Multicaster {
public:
  /// `programs`: the kernel's loop over programs.
  Multicaster(func::FuncOp kernel, scf::ForOp programs) : kernel_(kernel), programs_(programs) {}

  void run() {
    if (!findCopies())
      return;
    kernel_->setAttr(simt::kClusterAttr,
                     IntegerAttr::get(IntegerType::get(kernel_.getContext(), 32), simt::kClusterPrograms));
    shareCopies();
  }

private:
  static constexpr const char *kShared = "programs that read the same block copy one half each, to both: rows are no "
                                         "multiple of 32 bytes apart";

  /// Finds the copies that clusters can share: the producer's, in its loop. False if there are none.
  bool findCopies() {
    for (auto loop : programs_.getBody()->getOps<scf::ForOp>())
      for (auto copy : loop.getBody()->getOps<simt::CopyTileOp>()) {
        if (simt::issuerOf(copy) != simt::Issuer::Producer)
          continue;
        std::optional<SmallVector<Value>> roots = rootsOf(copy, loop);
        if (roots && areRowsMisaligned(copy) && hasShares(copy.getDst().getType()))
          copies_.push_back({copy, std::move(*roots)});
      }
    return !copies_.empty();
  }

  /// The values in the body of the loop over programs on which the copy's position depends, in addition to values of
  /// the copy's own loop. Nothing if the position also depends on other values, such as a load.
  std::optional<SmallVector<Value>> rootsOf(simt::CopyTileOp copy, scf::ForOp loop) {
    SmallVector<Value> pending(copy.getPosition()), roots;
    llvm::SmallPtrSet<Value, 16> seen;
    while (!pending.empty()) {
      Value value = pending.pop_back_val();
      if (!seen.insert(value).second || value == loop.getInductionVar())
        continue; // the loop has the same bounds in all programs (tile-persistent-loop)
      Operation *op = value.getDefiningOp();
      if (auto argument = dyn_cast<BlockArgument>(value); argument && argument.getOwner() == loop.getBody()) {
        pending.push_back(loop.getTiedLoopInit(argument)->get());
        pending.push_back(loop.getTiedLoopYieldedValue(argument)->get());
      } else if (op && op->getBlock() == loop.getBody()) {
        if (op->getNumRegions() || !isMemoryEffectFree(op))
          return std::nullopt;
        llvm::append_range(pending, op->getOperands());
      } else if (value.getParentBlock() == programs_.getBody()) {
        if (!isComputed(value))
          return std::nullopt;
        roots.push_back(value);
      }
    }
    return roots;
  }

  /// Whether a value in the body of the loop over programs can be recomputed for another program: it depends on the
  /// program's number and on values from outside the loop only.
  bool isComputed(Value value) {
    SmallVector<Value> pending = {value};
    llvm::SmallPtrSet<Value, 16> seen;
    while (!pending.empty()) {
      Value each = pending.pop_back_val();
      if (!seen.insert(each).second || each == programs_.getInductionVar() ||
          each.getParentBlock() != programs_.getBody())
        continue;
      Operation *op = each.getDefiningOp();
      if (!op || !isMemoryEffectFree(op))
        return false;
      llvm::append_range(pending, usesOf(op));
    }
    return true;
  }

  /// The peer's value of a value in the loop over programs: the same value if it does not depend on the program's
  /// number, else recomputed from the peer's number. `map` maps the program's number to the peer's.
  Value inPeer(OpBuilder &builder, Value value, IRMapping &map) {
    if (Value known = map.lookupOrNull(value))
      return known;
    if (value.getParentBlock() != programs_.getBody())
      return value;
    Operation *op = value.getDefiningOp();
    bool isOther = false;
    for (Value input : usesOf(op)) {
      Value there = inPeer(builder, input, map);
      isOther |= there != input;
      map.map(input, there);
    }
    if (!isOther)
      return value;
    for (auto [here, there] : llvm::zip_equal(op->getResults(), builder.clone(*op, map)->getResults()))
      map.map(here, there);
    return map.lookup(value);
  }

  void shareCopies() {
    OpBuilder builder(copies_.front().copy->getParentOp()); // the only loop of a producer
    simt::ClusterPeer peer = simt::clusterPeer(builder, programs_);
    IRMapping map;
    map.map(programs_.getInductionVar(), peer.program);
    for (SharedCopy &each : copies_) {
      Location location = each.copy.getLoc();
      Value shared = peer.exists;
      for (Value root : each.roots) {
        Value there = inPeer(builder, root, map);
        if (there == root)
          continue;
        Value same = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq, root, there);
        shared = arith::AndIOp::create(builder, location, shared, same);
      }
      each.copy.getMulticastMutable().assign(shared);
      explain(location, kTopic) << kShared;
    }
  }

  struct SharedCopy {
    simt::CopyTileOp copy;
    SmallVector<Value> roots; // the two programs copy the same block if these values are equal
  };
  func::FuncOp kernel_;
  scf::ForOp programs_;
  SmallVector<SharedCopy> copies_;
};

struct MulticastCopiesPass : impl::MulticastCopiesBase<MulticastCopiesPass> {
  void runOnOperation() override {
    if (!simt::targetOf(getOperation()).features.multicastsTiles)
      return;
    for (func::FuncOp kernel : getOperation().getOps<func::FuncOp>())
      if (kernel->hasAttr(simt::kResidentAttr) && !kernel->hasAttr(simt::kPairsAttr) &&
          !kernel->hasAttr(simt::kClusterAttr))
        for (auto loop : llvm::to_vector(kernel.getBody().front().getOps<scf::ForOp>()))
          if (loop->hasAttr(simt::kProgramsAttr))
            Multicaster(kernel, loop).run();
  }
};

} // namespace
} // namespace tegula::tile
