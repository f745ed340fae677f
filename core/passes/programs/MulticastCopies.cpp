// tile-multicast-copies (LoopPasses.td): two programs that read the same block each copy one half of it, to both
// programs.
#include "core/ir/simt/Target.h"
#include "core/ir/tile/DerivedTensorAttr.h"
#include "core/passes/Explain.h"
#include "core/passes/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_MULTICASTCOPIES
#include "core/passes/Passes.h.inc"

namespace {

constexpr int32_t kCluster = 2;      // programs
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

/// Whether the distance of the tensor's rows is known not to be a multiple of a sector, so that some rows begin in the
/// middle of a sector.
bool areRowsMisaligned(func::FuncOp kernel, BlockArgument descriptor) {
  std::optional<DerivedTensor> tensor = derivedTensor(kernel.getArgAttr(descriptor.getArgNumber(), kTensorAttr));
  if (!tensor)
    return false;
  int64_t bytes = simt::elementBytes(cast<DescType>(descriptor.getType()).getElementType());
  return llvm::any_of(ArrayRef(tensor->axes).drop_back(), [&](const DerivedTensor::Axis &axis) {
    std::optional<int64_t> power = exactPower(kernel, axis.stride);
    return power && *power * bytes < kSectorBytes;
  });
}

/// Whether each program of a cluster can copy a share of the tile's columns: a share consists of whole spans of the
/// lines, and the shares follow one another in shared memory.
bool hasShares(simt::SharedType tile) {
  layout_ir::SharedAttr layout = tile.getTileLayout();
  int64_t share = tile.getShape().back() / kCluster;
  return tile.getShape().back() % kCluster == 0 &&
         share * simt::elementBytes(tile.getElementType()) % kSpanBytes == 0 &&
         layout.getBasis(layout.getBits() - 1).back() == share;
}

/// The other program of the cluster. `number`: its number in the grid, which differs from the program's own in the last
/// bit only (simt.cluster_rank). `exists`: whether the grid has a program with this number.
struct Peer {
  Value number, exists;
};

class Multicaster {
public:
  Multicaster(func::FuncOp kernel, simt::ProducerOp producer) : kernel_(kernel), producer_(producer) {}

  void run() {
    auto copying = programLoopIn(producer_.getBody().front());
    auto own = programLoopIn(*producer_->getBlock());
    if (!copying || !own || !findCopies(*copying) || !findObjects(*own))
      return;
    kernel_->setAttr(simt::kClusterAttr, IntegerAttr::get(IntegerType::get(kernel_.getContext(), 32), kCluster));
    shareCopies(*copying);
    waitForArrivals(*copying);
    synchronise(*own);
  }

private:
  static constexpr const char *kShared = "programs that read the same block copy one half each, to both: rows are no "
                                         "multiple of 32 bytes apart";

  /// The loop over programs in this block.
  static std::optional<scf::ForOp> programLoopIn(Block &block) {
    for (auto loop : block.getOps<scf::ForOp>())
      if (loop.getLowerBound().getDefiningOp<simt::ResidentIdOp>())
        return loop;
    return std::nullopt;
  }

  /// The value that the producer captured, for an argument of its region; other values unchanged.
  Value captured(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner() == &producer_.getBody().front()
               ? producer_.getCaptures()[argument.getArgNumber()]
               : value;
  }

  /// Finds the copies that clusters can share: copies in a loop over the stages of rings (a ring loop), which is in the
  /// loop over programs. False if there are none.
  bool findCopies(scf::ForOp programs) {
    for (auto ring : programs.getBody()->getOps<scf::ForOp>())
      for (auto copy : ring.getBody()->getOps<simt::CopyTileOp>()) {
        auto descriptor = dyn_cast<BlockArgument>(captured(copy.getDescriptor()));
        std::optional<SmallVector<Value>> roots = rootsOf(copy, ring, programs);
        if (descriptor && roots && areRowsMisaligned(kernel_, descriptor) && hasShares(copy.getDst().getType()))
          copies_.push_back({copy, std::move(*roots)});
      }
    return !copies_.empty();
  }

  /// The values in the body of the loop over programs on which the copy's position depends, in addition to values of
  /// the ring loop. Nothing if the position also depends on other values, such as a load.
  static std::optional<SmallVector<Value>> rootsOf(simt::CopyTileOp copy, scf::ForOp ring, scf::ForOp programs) {
    SmallVector<Value> pending(copy.getPosition()), roots;
    llvm::SmallPtrSet<Value, 16> seen;
    while (!pending.empty()) {
      Value value = pending.pop_back_val();
      if (!seen.insert(value).second || value == ring.getInductionVar())
        continue; // the ring loop has the same bounds in all programs (tile-persistent-loop)
      Operation *op = value.getDefiningOp();
      if (auto argument = dyn_cast<BlockArgument>(value); argument && argument.getOwner() == ring.getBody()) {
        pending.push_back(ring.getTiedLoopInit(argument)->get());
        pending.push_back(ring.getTiedLoopYieldedValue(argument)->get());
      } else if (op && op->getBlock() == ring.getBody()) {
        if (op->getNumRegions() || !isMemoryEffectFree(op))
          return std::nullopt;
        llvm::append_range(pending, op->getOperands());
      } else if (value.getParentBlock() == programs.getBody()) {
        if (!isComputed(value, programs))
          return std::nullopt;
        roots.push_back(value);
      }
    }
    return roots;
  }

  /// Whether a value of the loop's body can be recomputed for another program: it depends on the program's number and
  /// on values from outside the loop only.
  static bool isComputed(Value value, scf::ForOp programs) {
    SmallVector<Value> pending = {value};
    llvm::SmallPtrSet<Value, 16> seen;
    while (!pending.empty()) {
      Value each = pending.pop_back_val();
      if (!seen.insert(each).second || each == programs.getInductionVar() ||
          each.getParentBlock() != programs.getBody())
        continue;
      Operation *op = each.getDefiningOp();
      if (!op || !isMemoryEffectFree(op))
        return false;
      llvm::append_range(pending, inputsOf(op));
    }
    return true;
  }

  /// The op's operands, and the values from outside that its regions use.
  static SmallVector<Value> inputsOf(Operation *op) {
    llvm::SetVector<Value> inputs(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), inputs);
    return inputs.takeVector();
  }

  /// Finds the barrier objects on which the producer waits for empty stages. False if warps also arrive at them outside
  /// the loop over programs.
  bool findObjects(scf::ForOp programs) {
    producer_.walk([&](simt::BarrierWaitOp wait) { emptyObjects_.insert(captured(wait.getBarriers())); });
    return llvm::all_of(emptyObjects_, [&](Value objects) {
      return objects.getDefiningOp<simt::BarrierAllocOp>() && llvm::all_of(objects.getUsers(), [&](Operation *user) {
               return !isa<simt::ArriveWarpsOp>(user) || programs->isAncestor(user);
             });
    });
  }

  static Value number(OpBuilder &builder, Location location, int32_t value) {
    return arith::ConstantOp::create(builder, location, builder.getI32IntegerAttr(value));
  }

  /// Emits the peer's program number and whether the grid has that program.
  static Peer peerOf(OpBuilder &builder, scf::ForOp programs) {
    Location location = programs.getLoc();
    Value peer =
        arith::XOrIOp::create(builder, location, programs.getInductionVar(), number(builder, location, kCluster - 1));
    return {peer, arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ult, peer, programs.getUpperBound())};
  }

  /// The peer's value of a value in the loop over programs: the same value if it does not depend on the program's
  /// number, else recomputed from the peer's number. `map` maps the program's number to the peer's.
  static Value inPeer(OpBuilder &builder, Value value, scf::ForOp programs, IRMapping &map) {
    if (Value known = map.lookupOrNull(value))
      return known;
    if (value.getParentBlock() != programs.getBody())
      return value;
    Operation *op = value.getDefiningOp();
    bool isOther = false;
    for (Value input : inputsOf(op)) {
      Value there = inPeer(builder, input, programs, map);
      isOther |= there != input;
      map.map(input, there);
    }
    if (!isOther)
      return value;
    for (auto [here, there] : llvm::zip_equal(op->getResults(), builder.clone(*op, map)->getResults()))
      map.map(here, there);
    return map.lookup(value);
  }

  void shareCopies(scf::ForOp programs) {
    OpBuilder builder(copies_.front().copy->getParentOp()); // the only ring loop, by tile-persistent-loop
    Peer peer = peerOf(builder, programs);
    IRMapping map;
    map.map(programs.getInductionVar(), peer.number);
    for (SharedCopy &each : copies_) {
      Location location = each.copy.getLoc();
      Value shared = peer.exists;
      for (Value root : each.roots) {
        Value there = inPeer(builder, root, programs, map);
        if (there == root)
          continue;
        Value same = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq, root, there);
        shared = arith::AndIOp::create(builder, location, shared, same);
      }
      each.copy.getMulticastMutable().assign(shared);
      explain(location, kTopic) << kShared;
    }
  }

  /// Makes the producer wait, after the loop over programs, until all stages that will still be handed back are empty.
  /// The peer has then made its last arrival, and does not access this program's barrier objects after the program's
  /// end. The waits are those of further iterations of the ring loop: as many as stages are handed back.
  void waitForArrivals(scf::ForOp programs) {
    auto ring = cast<scf::ForOp>(copies_.front().copy->getParentOp());
    IRMapping place; // the ring loop's carried values, mapped to the values of a further iteration
    for (auto [init, carried] : llvm::zip_equal(ring.getInitArgs(), ring.getRegionIterArgs()))
      for (auto [argument, result] : llvm::zip_equal(programs.getRegionIterArgs(), programs.getResults()))
        if (init == argument)
          place.map(carried, result);
    OpBuilder builder(programs->getContext());
    builder.setInsertionPointAfter(programs);
    // the producer's waits for empty stages, and for each how many stages it has to wait for
    SmallVector<std::pair<simt::BarrierWaitOp, int64_t>> waits;
    int64_t iterations = 0;
    for (auto wait : ring.getBody()->getOps<simt::BarrierWaitOp>()) {
      waits.push_back({wait, stagesHandedBack(wait)});
      iterations = std::max(iterations, waits.back().second);
    }
    for (int64_t iteration = 0; iteration < iterations; ++iteration) {
      IRMapping next, here = place;
      for (auto [wait, count] : waits)
        if (iteration < count)
          simt::BarrierWaitOp::create(builder, wait.getLoc(), wait.getBarriers(),
                                      inIteration(builder, wait.getIndex(), programs, here),
                                      inIteration(builder, wait.getPhase(), programs, here));
      for (auto [carried, yielded] : llvm::zip_equal(ring.getRegionIterArgs(), ring.getYieldedValues()))
        if (place.contains(carried))
          next.map(carried, inIteration(builder, yielded, programs, here));
      place = next;
    }
  }

  /// How many stages at the end of the ring's use are handed back: all stages, or all but one if an iteration hands
  /// back the stage of the previous iteration (tile-pipeline-copies emits that for products that run on).
  int64_t stagesHandedBack(simt::BarrierWaitOp wait) {
    Value objects = captured(wait.getBarriers());
    bool isLate = llvm::any_of(objects.getUsers(), [](Operation *user) {
      auto arrive = dyn_cast<simt::ArriveWarpsOp>(user);
      // only arrivals in a ring loop count, not those in the loop over programs around it
      bool isInRing = arrive && isa<scf::ForOp>(arrive->getParentOp()->getParentOp());
      return isInRing && !isa<BlockArgument>(arrive.getIndex()); // the stage before the iteration's
    });
    return wait.getBarriers().getType().getCount() - isLate;
  }

  /// Recomputes a place of the ring loop after the loop over programs, for an iteration whose carried values are in
  /// `map`. Places depend on carried values and constants only (tile-persistent-loop).
  static Value inIteration(OpBuilder &builder, Value value, scf::ForOp programs, IRMapping &map) {
    if (Value known = map.lookupOrNull(value))
      return known;
    Operation *op = value.getDefiningOp();
    if (!op || !programs->isAncestor(op))
      return value;
    for (Value operand : op->getOperands())
      map.map(operand, inIteration(builder, operand, programs, map));
    builder.clone(*op, map);
    return map.lookup(value);
  }

  /// Makes a stage empty only when both programs have emptied it. Each program may access the other's barrier objects
  /// once both programs have made theirs.
  void synchronise(scf::ForOp programs) {
    OpBuilder builder = OpBuilder::atBlockBegin(programs.getBody());
    Location location = programs.getLoc();
    Value peerRank;
    auto rankToTell = [&]() -> Value { // the peer's rank; the program's own rank if the grid has no peer
      if (peerRank)
        return peerRank;
      Peer peer = peerOf(builder, programs);
      Value own = simt::ClusterRankOp::create(builder, location, builder.getI32Type());
      Value other = arith::XOrIOp::create(builder, location, own, number(builder, location, kCluster - 1));
      return peerRank = arith::SelectOp::create(builder, location, peer.exists, other, own);
    };
    for (Value objects : emptyObjects_)
      for (Operation *user : llvm::make_early_inc_range(objects.getUsers())) {
        if (auto start = dyn_cast<simt::StartBarriersOp>(user))
          start.setCount(start.getCount() * kCluster);
        else if (auto arrive = dyn_cast<simt::ArriveWarpsOp>(user))
          arrive.getRankMutable().assign(rankToTell());
      }
    // The kernel keeps its barrier objects until its end, because the peer may still arrive at them.
    for (Value captured : producer_.getCaptures())
      for (Operation *user : llvm::make_early_inc_range(captured.getUsers()))
        if (isa<simt::EndBarriersOp>(user))
          user->erase();
    for (auto start : producer_->getBlock()->getOps<simt::StartBarriersOp>()) // all stand before the producer
      builder.setInsertionPointAfter(start);
    simt::ClusterBarrierOp::create(builder, location);
  }

  struct SharedCopy {
    simt::CopyTileOp copy;
    SmallVector<Value> roots; // the two programs copy the same block if these values are equal
  };
  func::FuncOp kernel_;
  simt::ProducerOp producer_;
  SmallVector<SharedCopy> copies_;
  llvm::SetVector<Value> emptyObjects_; // arrays of barrier objects
};

struct MulticastCopiesPass : impl::MulticastCopiesBase<MulticastCopiesPass> {
  void runOnOperation() override {
    if (!simt::targetOf(getOperation()).features.multicastsTiles)
      return;
    for (func::FuncOp kernel : getOperation().getOps<func::FuncOp>())
      if (kernel->hasAttr(simt::kResidentAttr) && !kernel->hasAttr(simt::kPairsAttr) &&
          !kernel->hasAttr(simt::kClusterAttr))
        for (auto producer : llvm::to_vector(kernel.getBody().front().getOps<simt::ProducerOp>()))
          Multicaster(kernel, producer).run();
  }
};

} // namespace
} // namespace tegula::tile
