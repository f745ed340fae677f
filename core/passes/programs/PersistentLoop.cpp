// tile-persistent-loop (LoopPasses.td): makes a kernel with a producer persistent: a launched program executes several
// programs of the grid.
#include "core/ir/simt/Target.h"
#include "core/passes/Passes.h"
#include "core/passes/ProducerBudget.h"
#include "core/passes/RingPlace.h"
#include "core/passes/layouts/OperandBuffer.h"
#include "core/passes/layouts/ProductLayouts.h"
#include "core/passes/programs/PrologueBlocks.h"
#include "core/passes/programs/RingLoop.h"
#include "core/passes/programs/TileScheduler.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_PERSISTENTLOOP
#include "core/passes/Passes.h.inc"

namespace {

// Bytes of shared memory for barrier objects, and for exchanges between threads: up to 8 bytes a thread in reductions,
// and the parts of results.
constexpr int64_t kSpareBytes = 2 << 10, kSpareForReductions = 10 << 10;
// the shortest line, in bytes, of a part of a result: the unit in which hardware copies
constexpr int64_t kLeastLine = 128;

/// Whether one launched program may execute `op` for several programs of the grid, one after another. Allowed are pure
/// ops and accesses to memory without ordering; excluded are ops by which a program could wait for another, or reveal
/// the order of programs.
bool servesSeveral(Operation *op) {
  if (auto load = dyn_cast<LoadOp>(op))
    return !load.getIsVolatile();
  return isa<StoreOp, DescLoadOp, simt::SharedAllocOp, simt::SharedStoreOp, simt::SharedLoadOp, simt::MoveRingOp,
             simt::FenceOp, simt::ProductOp, simt::WaitProductsOp, simt::BarrierWaitOp, simt::ArriveWarpsOp,
             simt::CopyTileOp, simt::CopyOutOp, scf::ForOp, scf::IfOp, scf::YieldOp, simt::EndGroupOp>(op) ||
         isMemoryEffectFree(op);
}

/// Whether the loop has the same number of iterations in all programs: its bounds depend on arguments and constants
/// only.
bool isAlike(scf::ForOp loop) {
  SmallVector<Value> pending = {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()};
  llvm::SmallPtrSet<Value, 16> seen;
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!seen.insert(value).second || !op)
      continue;
    if (isa<ProgramIdOp>(op) || op->getNumRegions() || !isMemoryEffectFree(op))
      return false;
    llvm::append_range(pending, op->getOperands());
  }
  return true;
}

/// Makes one kernel persistent.
class Programs {
public:
  Programs(func::FuncOp kernel, simt::ProducerOp producer, ThreadShape threads, const TargetFeatures &features)
      : kernel_(kernel), producer_(producer), threads_(threads), features_(features),
        sharedBytes_(features.sharedBytes) {}

  void run() {
    collectOwn();
    for (Operation &op : producer_.getBody().front().without_terminator())
      copying_.push_back(&op);
    FailureOr<std::optional<PrologueBlocks>> ahead = PrologueBlocks::find(producer_, consumer_);
    if (!isAllowed() || failed(ahead))
      return;
    prologue_ = *ahead;
    auto others = [&](ArrayRef<Operation *> ops) {
      return prologue_ ? prologue_->without(ops) : SmallVector<Operation *>(ops);
    };
    std::optional<RingLoop> own = ringLoopOf(others(consumer_)), copying = ringLoopOf(others(copying_));
    if (!own || !copying || !chooseOrder(*own) || !fits(own->loop))
      return;
    if (share_ > 1)
      divideResult();
    for (Operation *op : llvm::reverse(buffers_)) // one buffer for all programs: it is alive during the whole loop
      op->moveBefore(producer_);
    llvm::erase_if(consumer_, [](Operation *op) { return isa<simt::SharedAllocOp>(op); });
    scf::ForOp programs = repeat(consumer_, *own, simt::kUniformAttr);
    for (RingLoop::Cleared each : own->cleared)
      clearBefore(each, own->loop.getInitArgs()[each.number]);
    sinkAfterLoop(own->loop);
    waitLater(programs);
    scf::ForOp copies = repeat(copying_, *copying, simt::kDivergentAttr);
    if (prologue_)
      prologue_->makeRings(programs, copies, uint32_t(threads_.warps));
    kernel_->setAttr(simt::kResidentAttr, UnitAttr::get(kernel_.getContext()));
    if (inPairs_)
      kernel_->setAttr(simt::kPairsAttr, UnitAttr::get(kernel_.getContext()));
  }

private:
  bool isAllowed() {
    auto allServe = [](ArrayRef<Operation *> ops) {
      return llvm::none_of(
          ops, [](Operation *op) { return anyInside(op, [](Operation *inner) { return !servesSeveral(inner); }); });
    };
    // The code before the producer runs once, so it must not depend on the program.
    bool isOnce = llvm::none_of(*producer_->getBlock(), [&](Operation &op) {
      return op.isBeforeInBlock(producer_) && anyInside(&op, [](Operation *inner) { return isa<ProgramIdOp>(inner); });
    });
    return isOnce && allServe(consumer_) && allServe(copying_);
  }

  void collectOwn() {
    consumer_.clear();
    buffers_.clear();
    for (Operation *op = producer_->getNextNode(); !op->hasTrait<OpTrait::IsTerminator>(); op = op->getNextNode()) {
      if (!isa<simt::EndBarriersOp>(op)) // these stay after the loop
        consumer_.push_back(op);
      if (isa<simt::SharedAllocOp>(op))
        buffers_.push_back(op);
    }
  }

  /// Chooses whether launched programs execute pairs, and along which axis pairs are numbered. They do if programs have
  /// different iteration counts, so that the device balances the load. False (not persistent) if the counts differ in
  /// no known order. Also false if the counts are equal and blocks are copied before the loop or products are delayed:
  /// whether such kernels become faster was not measured.
  bool chooseOrder(const RingLoop &own) {
    if (isAlike(own.loop))
      return !prologue_ && own.cleared.empty();
    auto axis = kernel_->getAttrOfType<IntegerAttr>(kLongestFirstAttr);
    inPairs_ = true;
    along_ = axis ? unsigned(axis.getInt()) : 0;
    return bool(axis);
  }

  /// The occupancy that registers allow: how many programs can run on a multiprocessor at a time.
  /// simt-specialize-warps, a later pass, decides the occupancy by the same rule.
  int64_t programsByRegisters(scf::ForOp loop) {
    int64_t ofLoop = registerBytesOf(loop, threads_.count()) / 4;
    const auto *found = llvm::find_if(simt::kOccupancies, [&](const simt::Occupancy &each) {
      return each.isEnough(simt::producerBudget(features_, threads_.warps, producer_.getWarps(),
                                                producer_.getRegisters(), threads_.warpSize, each.programs),
                           ofLoop);
    });
    return found == std::end(simt::kOccupancies) ? 1 : found->programs;
  }

  /// Whether all buffers fit shared memory without sharing storage. The buffer of the result cannot share storage with
  /// the rings, because the next program's copies fill the rings while the result is stored. If it does not fit as a
  /// whole, the result may pass through a smaller buffer in parts of its columns. In pairs, the occupancy must stay
  /// what it was before.
  bool fits(scf::ForOp loop) {
    bool reduces = anyInside(kernel_, [](Operation *op) { return isa<ReduceOp, ScanOp>(op); });
    int64_t spare = reduces ? kSpareForReductions : kSpareBytes, bytes = spare, ofResults = 0;
    kernel_.walk([&](simt::SharedAllocOp op) { bytes += op.getType().getBytes(); });
    for (Operation *op : buffers_)
      if (llvm::any_of(op->getUsers(), llvm::IsaPred<simt::CopyOutOp>))
        ofResults += cast<simt::SharedAllocOp>(op).getType().getBytes();
    int64_t most = inPairs_ ? programsByRegisters(loop) : 1;
    auto programs = [&](int64_t each) { return std::min(simt::programsByShared(sharedBytes_, each), most); };
    auto fitsWith = [&](int64_t all) { // both with and without the spare bytes for exchanges
      int64_t before = bytes - ofResults;
      return all <= sharedBytes_ &&
             (most == 1 || (programs(all) == programs(before) && programs(all - spare) == programs(before - spare)));
    };
    if (prologue_ && fitsWith(bytes + prologue_->bytes()))
      prologue_->stages = 2;
    if (fitsWith(bytes))
      return true;
    if (most > 1)
      return false;
    findResult();
    if (!result_)
      return false;
    simt::SharedType type = result_->buffer.getType();
    int64_t line = type.getShape().back() * simt::elementBytes(type.getElementType());
    for (share_ = 2; line % share_ == 0 && line / share_ >= kLeastLine; share_ *= 2)
      if (bytes - type.getBytes() / share_ * (share_ - 1) <= sharedBytes_)
        return true;
    return false;
  }

  /// Finds the result: the only copy out, of a buffer that is written as a whole, once, right before.
  void findResult() {
    simt::CopyOutOp copy;
    for (Operation *op : consumer_)
      if (auto each = dyn_cast<simt::CopyOutOp>(op)) {
        if (copy)
          return;
        copy = each;
      }
    auto buffer = copy ? copy.getSrc().getDefiningOp<simt::SharedAllocOp>() : simt::SharedAllocOp();
    if (!buffer || !llvm::is_contained(buffers_, buffer) || !llvm::hasNItems(buffer->getUsers(), 2))
      return;
    auto fence = dyn_cast_or_null<simt::FenceOp>(copy->getPrevNode());
    auto store = fence ? dyn_cast_or_null<simt::SharedStoreOp>(fence->getPrevNode()) : simt::SharedStoreOp();
    if (store && store.getDst() == copy.getSrc() && !store.getPart())
      result_ = Result{buffer, store, fence, copy};
  }

  /// Stores and copies the result in parts of its columns, one after another, through a buffer of 1 / `share_` of its
  /// size. If lines are long enough, there are twice as many parts, which alternate between the buffer's two halves:
  /// one half is written while the other is copied.
  void divideResult() {
    auto [whole, store, fence, copy] = *result_;
    SmallVector<int64_t> shape(whole.getType().getShape());
    Type element = whole.getType().getElementType();
    int64_t bytes = simt::elementBytes(element), halves = shape.back() / share_ / 2 * bytes >= kLeastLine ? 2 : 1;
    int64_t parts = share_ * halves;
    shape.back() /= parts;
    layout_ir::SharedAttr layout =
        operandBuffer(whole.getContext(), shape, unsigned(shape.size()) - 1, bytes, shape.back());
    auto type = simt::SharedType::get(whole.getContext(), shape, element, layout);
    SmallVector<int64_t> staged = {halves};
    llvm::append_range(staged, shape);
    OpBuilder b(whole);
    Location location = copy.getLoc();
    auto number = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(b, location, b.getI32IntegerAttr(int32_t(value)));
    };
    Value buffer = simt::SharedAllocOp::create(
        b, whole.getLoc(), halves == 1 ? type : simt::SharedType::get(whole.getContext(), staged, element, layout),
        IntegerAttr());
    b.setInsertionPoint(store);
    for (int64_t part = 0; part < parts; ++part) {
      Value place = halves == 1 ? buffer : simt::StageOp::create(b, location, type, buffer, number(part % halves));
      auto stored = simt::SharedStoreOp::create(b, store.getLoc(), place, Value(), store.getValue());
      stored.setPart(uint32_t(part));
      simt::FenceOp::create(b, store.getLoc(), simt::FenceKind::Async);
      SmallVector<Value> position(copy.getPosition());
      position.back() = arith::AddIOp::create(b, location, position.back(), number(part * shape.back()));
      simt::CopyOutOp::create(b, location, place, copy.getDescriptor(), position);
    }
    copy.erase();
    fence.erase();
    store.erase();
    whole.erase();
    collectOwn();
  }

  /// Moves scalars that only ops after the loop need to after the loop: divisions for the position of the result then
  /// run while the last products run.
  static void sinkAfterLoop(scf::ForOp loop) {
    Operation *at = loop->getNextNode();
    for (Operation *op = loop->getPrevNode(), *before; op; op = before) {
      before = op->getPrevNode();
      auto isBehind = [&](Operation *user) {
        Operation *there = loop->getBlock()->findAncestorOpInBlock(*user);
        return there != loop && loop->isBeforeInBlock(there);
      };
      bool isScalar = llvm::none_of(op->getResultTypes(), llvm::IsaPred<TensorType>) &&
                      llvm::none_of(op->getOperandTypes(), llvm::IsaPred<TensorType>);
      if (isScalar && isMemoryEffectFree(op) && llvm::all_of(op->getUsers(), isBehind)) {
        op->moveBefore(at);
        at = op;
      }
    }
  }

  /// Delays the waits for copies out, so that the next program's products start while the result is copied: a wait
  /// remains before the buffer is written again, and after the loop.
  static void waitLater(scf::ForOp programs) {
    auto bufferOf = [](Value view) {
      auto stage = view.getDefiningOp<simt::StageOp>();
      return stage ? stage.getSrc() : view;
    };
    auto copies = llvm::to_vector(programs.getBody()->getOps<simt::CopyOutOp>());
    auto isOther = [&](simt::CopyOutOp copy) { return bufferOf(copy.getSrc()) != bufferOf(copies[0].getSrc()); };
    if (copies.empty() || llvm::any_of(copies, isOther))
      return;
    bool areWritten = false;
    for (auto store : llvm::make_early_inc_range(programs.getBody()->getOps<simt::SharedStoreOp>()))
      if (bufferOf(store.getDst()) == bufferOf(copies[0].getSrc())) {
        // If the store writes one of a buffer's two halves, the wait before it may leave the copy from the other half
        // in flight.
        bool isHalf = bool(store.getDst().getDefiningOp<simt::StageOp>());
        OpBuilder(store).create<simt::WaitCopyOutOp>(store.getLoc(), isHalf ? 1 : 0);
        areWritten = true;
      }
    if (!areWritten)
      return;
    for (simt::CopyOutOp copy : copies)
      copy.setLater(true);
    OpBuilder b(programs->getContext());
    b.setInsertionPointAfter(programs);
    simt::WaitCopyOutOp::create(b, copies[0].getLoc(), 0);
  }

  /// Makes a loop around `ops`, which follow one another, over the programs of the grid that this launched program
  /// executes. The loop carries the places of the rings. If blocks are copied before the loop over the rings, it also
  /// carries the stage and phase of the blocks, as its last values. Returns the loop.
  scf::ForOp repeat(ArrayRef<Operation *> ops, RingLoop &ring, StringRef mark) {
    OpBuilder b(ops.front());
    Location location = ring.loop.getLoc();
    Type i32 = b.getI32Type();
    auto size = [&](int axis) -> Value { return NumProgramsOp::create(b, location, axis); };
    std::array<Value, 3> grid = {size(0), size(1), size(2)};
    Value plane = arith::MulIOp::create(b, location, grid[0], grid[1]);
    Value all = arith::MulIOp::create(b, location, plane, grid[2]);
    Value first = simt::ResidentIdOp::create(b, location, i32), step = simt::ResidentsOp::create(b, location, i32);
    Value end = all, zero = simt::placeNumber(b, location, 0), one = simt::placeNumber(b, location, 1);
    if (inPairs_) { // fewer programs are launched than the grid has
      Value arePairs = arith::CmpIOp::create(b, location, arith::CmpIPredicate::ult, step, all);
      Value each = arith::SelectOp::create(b, location, arePairs, simt::placeNumber(b, location, 2), one);
      first = arith::MulIOp::create(b, location, first, each);
      end = arith::MinUIOp::create(b, location, all, arith::AddIOp::create(b, location, first, each));
      step = one;
    }
    SmallVector<Value> inits(ring.places.size(), zero);
    if (prologue_)
      inits.append({zero, zero});
    auto outer = scf::ForOp::create(b, location, first, end, step, inits);
    outer->setAttr(mark, b.getUnitAttr());
    if (!outer.getBody()->empty())
      outer.getBody()->back().erase();
    b.setInsertionPointToStart(outer.getBody());
    Value program = outer.getInductionVar();
    std::array<Value, 3> place = inPairs_ ? placeInLines(b, location, program, grid, along_)
                                          : placeInGrid(b, location, program, grid, plane, all, mark);
    for (Operation *op : ops)
      op->moveBefore(outer.getBody(), outer.getBody()->end());
    outer.walk([&](ProgramIdOp op) {
      op.replaceAllUsesWith(place[size_t(op.getAxis())]);
      op.erase();
    });
    for (auto [number, argument] : llvm::zip(ring.places, outer.getRegionIterArgs()))
      ring.loop.getInitArgsMutable()[number].assign(argument);
    b.setInsertionPointToEnd(outer.getBody());
    SmallVector<Value> next = ring.next;
    if (prologue_) {
      auto [stage, phase] = PrologueBlocks::placeIn(outer);
      auto [nextStage, nextPhase] = simt::placeAfter(b, location, stage, phase, prologue_->stages);
      next.append({nextStage, nextPhase});
    }
    scf::YieldOp::create(b, location, next);
    return outer;
  }

  /// Makes the zeros of `each` go to the stage before `now`, where `now` is the stage of the program's first iteration.
  /// Before this change they go to the last stage: the stage before stage 0, with which a kernel without a loop over
  /// programs begins.
  static void clearBefore(RingLoop::Cleared each, Value now) {
    OpBuilder b(each.stage);
    int64_t stages = each.stage.getSrc().getType().getShape().front();
    each.stage.getIndexMutable().assign(simt::stageBefore(b, each.stage.getLoc(), now, stages));
  }

  func::FuncOp kernel_;
  simt::ProducerOp producer_;
  ThreadShape threads_;
  const TargetFeatures &features_;
  int64_t sharedBytes_;
  /// The ops by which a program stores its result: threads write a buffer, and a copy stores it.
  struct Result {
    simt::SharedAllocOp buffer;
    simt::SharedStoreOp store;
    simt::FenceOp fence;
    simt::CopyOutOp copy;
  };
  std::optional<PrologueBlocks> prologue_;      // nothing: the producer copies all blocks in its loop
  bool inPairs_ = false;                        // a launched program executes two consecutive programs, or one
  unsigned along_ = 0;                          // for pairs: the axis along which iteration counts decrease
  std::optional<Result> result_;                // only if the result's buffer does not fit as a whole
  int64_t share_ = 1;                           // the result goes through a buffer of 1 / share_ of its size
  SmallVector<Operation *> consumer_, copying_; // top-level ops of the consumer warps and of the producer
  SmallVector<Operation *> buffers_;            // the buffers among them
};

struct PersistentLoopPass : impl::PersistentLoopBase<PersistentLoopPass> {
  void runOnOperation() override {
    simt::Target target = simt::targetOf(getOperation());
    ThreadShape threads = threadsOf(getOperation());
    for (func::FuncOp kernel : getOperation().getOps<func::FuncOp>()) {
      SmallVector<simt::ProducerOp> producers;
      kernel.walk([&](simt::ProducerOp op) { producers.push_back(op); });
      if (producers.size() == 1 && producers[0]->getBlock() == &kernel.getBody().front() &&
          !kernel->hasAttr(simt::kResidentAttr))
        Programs(kernel, producers[0], threads, target.features).run();
    }
  }
};

} // namespace
} // namespace tegula::tile
