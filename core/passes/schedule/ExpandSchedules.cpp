// tile-expand-schedules (SchedulePasses.td): executes the ops of scheduled loops when their schedules say.
#include "core/passes/Passes.h"
#include "core/passes/RingPlace.h"
#include "core/passes/loops/LoopProducts.h"
#include "core/passes/loops/ProducerRules.h"
#include "core/passes/schedule/LoopSchedule.h"
#include "core/passes/schedule/ProducerLoop.h"
#include "core/passes/schedule/StepEmitter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <algorithm>

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_EXPANDSCHEDULES
#include "core/passes/Passes.h.inc"

namespace {

class ScheduleExpander {
public:
  explicit ScheduleExpander(scf::ForOp loop) : schedule_(loop) { expanded_.loop = loop; }

  /// Checks the loop's schedule; fails with a message at an op that must not run when its schedule says.
  LogicalResult check() {
    for (const ScheduledOp &each : schedule_.ops())
      if (std::string obstacle = schedule_.obstacleTo(each.op, each.ahead, each.time.place); !obstacle.empty())
        return each.op->emitOpError() << "cannot run " << each.ahead << " iterations ahead at place " << each.time.place
                                      << ": " << obstacle;
    indices_ = schedule_.indices();
    return success();
  }
  bool hasIndices() const { return !indices_.empty(); }
  func::FuncOp kernel() { return loop()->getParentOfType<func::FuncOp>(); }

  /// Expands the loop. `axes`: of the kernel before any expansion; null if no loop of it has indices.
  void run(const AxisAnalysis *axes) {
    expanded_.axes = axes;
    expanded_.far.ahead = schedule_.carriedAhead(expanded_.far.arguments);
    producer_.emplace(loop(), schedule_);
    findRings();
    if (producer_->isUsed())
      producer_->make();
    findViews();
    findLaterProducts();
    carryFirst();
    rewriteStep();
    finish();
    dropUnusedCarried(loop());
  }

private:
  scf::ForOp &loop() { return expanded_.loop; }
  MadeAhead &made() { return expanded_.made; }

  void findRings() {
    for (const ScheduledOp &each : schedule_.ops()) {
      std::optional<RingCopy> copy = RingCopy::of(each.op);
      if (!copy) {
        if (auto wait = dyn_cast<simt::WaitProductsOp>(each.op))
          addRingsReadUntil(wait);
        continue;
      }
      rings_.insert(copy->ring());
      if (copy->isByProducer()) {
        ofProducer_.insert(copy->op);
        ofProducer_.insert(copy->op->user_begin(), copy->op->user_end());
      } else if (simt::CopyTileOp tile = copy->byHardware()) {
        expanded_.phases[{each.ahead, copy->stages()}] = {};
        barriers_.insert(tile.getBarriers());
      }
    }
    for (Operation *ring : rings_)
      expanded_.stages[cast<simt::SharedAllocOp>(ring).getType().getStages()] = {};
  }

  /// Adds the rings of computed operands that the wait's product reads. It runs on into the next iteration, so each
  /// iteration fills a stage of its own.
  void addRingsReadUntil(simt::WaitProductsOp wait) {
    auto product = wait.getProduct().getDefiningOp<simt::ProductOp>();
    for (Value operand : {product.getA(), Value(product.getB())})
      if (simt::SharedAllocOp ring = ringOf(operand); ring && fillingStore(loop(), ring))
        rings_.insert(ring);
  }

  bool isBehind(Operation *op) { return op->getBlock() == loop()->getBlock() && loop()->isBeforeInBlock(op); }

  /// Finds the views that name stage 0 of a ring, but for those of a producer's parts behind the loop.
  void findViews() {
    for (Operation *ring : rings_)
      for (Operation *user : ring->getUsers())
        if (auto view = dyn_cast<simt::StageOp>(user);
            view && getConstantIntValue(view.getIndex()) == 0 && !isBehind(view))
          views_.push_back(view);
  }

  void findLaterProducts() {
    for (const ScheduledOp &each : schedule_.ops()) {
      auto wait = dyn_cast<simt::WaitProductsOp>(each.op);
      if (!wait)
        continue;
      if (simt::scheduleOf(wait.getProduct().getDefiningOp()))
        delayed_.push_back(*delayedBy(loop(), wait));
      else
        runningOn_.push_back(wait);
    }
  }

  /// Emits, before the loop, the ops of the first iterations that the loop does not execute itself, and lets the loop
  /// carry their results, the far iteration and the stages that it reads.
  void carryFirst() {
    StepEmitter before(expanded_, OpBuilder(loop()), /*isBeforeLoop=*/true);
    auto emit = [&](const ScheduledOp &each, int64_t ahead) {
      // Hardware may write where threads exchanged indices before only after a fence: the one of the objects' start.
      if (auto copy = dyn_cast<simt::CopyTileOp>(each.op); copy && started_.insert(copy.getBarriers()))
        startOf(copy.getBarriers())->moveBefore(loop());
      before.emit(each.op, ahead, indices_.contains(each.op));
    };
    int64_t most = 0;
    for (const ScheduledOp &each : schedule_.ops())
      most = std::max(most, ofProducer_.contains(each.op) ? 0 : each.ahead);
    // Copies by hardware come first: behind the fence of their objects' start, no exchange of threads' addresses may
    // use the storage that they are about to fill.
    SmallVector<ScheduledOp> order(schedule_.ops());
    std::stable_partition(order.begin(), order.end(),
                          [](const ScheduledOp &each) { return isa<simt::CopyTileOp>(each.op); });
    for (int64_t step = -most; step < 0; ++step)
      for (const ScheduledOp &each : order)
        if (step + each.ahead >= 0 && !ofProducer_.contains(each.op))
          emit(each, step + each.ahead);
    SmallVector<Value> inits;
    FarIteration &far = expanded_.far;
    if (far.ahead > 0) {
      inits = {before.runsIn(far.ahead), before.inductionOf(far.ahead)};
      for (BlockArgument argument : far.arguments)
        inits.push_back(before.valueOf(argument, far.ahead));
    }
    OpBuilder builder(loop());
    for (const auto &[stages, read] : expanded_.stages)
      inits.push_back(producer_->firstStage(builder, stages));
    for (const auto &[ring, phase] : expanded_.phases)
      inits.push_back(number(builder, ring.first / ring.second % 2));
    SmallVector<Value> forProducer = producer_->isUsed() ? producer_->inits(builder) : SmallVector<Value>();
    llvm::append_range(inits, forProducer);
    SmallVector<Value> forDelayed = firstCarried(builder, delayed_);
    llvm::append_range(inits, forDelayed);
    for (const auto &[op, values] : made())
      llvm::append_range(inits, values);

    ArrayRef<BlockArgument> carried = carryMore(loop(), inits);
    auto take = [&](size_t count) {
      ArrayRef<BlockArgument> taken = carried.take_front(count);
      carried = carried.drop_front(count);
      return taken;
    };
    if (far.ahead > 0) {
      far.runs = take(1).front();
      far.induction = take(1).front();
      far.carried = llvm::to_vector_of<Value>(take(far.arguments.size()));
    }
    for (auto &[stages, read] : expanded_.stages)
      read = take(1).front();
    for (auto &[ring, phase] : expanded_.phases)
      phase = take(1).front();
    if (producer_->isUsed())
      producer_->take(cast<BlockArgument>(expanded_.stages.at(producer_->stages())), take(forProducer.size()));
    ofDelayed_ = take(forDelayed.size());
    for (auto &[op, values] : made())
      llvm::copy(take(values.size()), values.begin());
  }

  /// Emits the scheduled ops at their places in the body, and removes the ops that they replace.
  void rewriteStep() {
    Operation *top = &loop().getBody()->front(), *end = loop().getBody()->getTerminator();
    readStages(top);
    StepEmitter atTop(expanded_, OpBuilder(top), /*isBeforeLoop=*/false);
    StepEmitter atEnd(expanded_, OpBuilder(end), /*isBeforeLoop=*/false);
    for (const ScheduledOp &each : schedule_.ops()) {
      if (each.ahead < 0 || ofProducer_.contains(each.op))
        continue;
      if (each.stays()) {
        each.op->removeAttr(simt::kScheduleAttr);
        if (each.op->getNumResults() == 1)
          made()[each.op].push_back(each.op->getResult(0));
        continue;
      }
      if (auto store = dyn_cast<simt::SharedStoreOp>(each.op))
        store.getDst().getDefiningOp()->moveBefore(top);
      StepEmitter inPlace(expanded_, OpBuilder(each.op), /*isBeforeLoop=*/false);
      StepEmitter &emitter = each.time.place < 0 ? atTop : each.time.place > 0 ? atEnd : inPlace;
      emitter.emit(each.op, each.ahead, indices_.contains(each.op));
    }
    SmallVector<Value> next;
    if (int64_t far = expanded_.far.ahead; far > 0) {
      next = {atTop.runsIn(far + 1), atTop.inductionOf(far + 1)};
      for (BlockArgument argument : expanded_.far.arguments)
        next.push_back(atTop.valueOf(argument, far + 1));
    }
    OpBuilder builder(top);
    for (auto [stages, read] : expanded_.stages)
      next.push_back(simt::stageAfter(builder, loop().getLoc(), read, stages));
    for (auto [ring, phase] : expanded_.phases)
      next.push_back(
          simt::phaseAfter(builder, loop().getLoc(), atTop.stageIn(ring.first, ring.second), phase, ring.second));
    if (producer_->isUsed())
      llvm::append_range(next, producer_->next(builder));
    llvm::append_range(next, delay());
    for (const auto &[op, values] : made()) {
      llvm::append_range(next, ArrayRef(values).drop_front());
      if (values.front() != op->getResult(0))
        op->getResult(0).replaceAllUsesWith(values.front());
    }
    for (Value &value : next) // operands of delayed products may be results of scheduled ops, which are erased below
      if (auto *found = made().find(value.getDefiningOp()); found != made().end())
        value = found->second.front();
    end->insertOperands(end->getNumOperands(), next);
    for (const ScheduledOp &each : llvm::reverse(schedule_.ops()))
      if (each.ahead >= 0 && !each.stays() && !ofProducer_.contains(each.op))
        each.op->erase();
    if (producer_->isUsed())
      producer_->replaceCopies();
    // What computed the addresses and masks of the replaced ops has no use left.
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*loop().getBody())))
      if (op.getNumRegions() == 0 && isOpTriviallyDead(&op))
        op.erase();
  }

  /// The unexpanded loop names stage 0 of a ring. Lets it name the stage that the iteration reads.
  void readStages(Operation *top) {
    for (simt::StageOp view : views_) {
      sink(view, top);
      view.getIndexMutable().assign(expanded_.stages.at(view.getSrc().getType().getStages()));
    }
  }

  /// Moves a view of a buffer, and views of that view, from before the loop to its beginning.
  void sink(Operation *view, Operation *top) {
    if (!isa<simt::StageOp, simt::TransposeOp>(view) || loop()->isAncestor(view))
      return;
    view->moveBefore(top);
    for (Operation *user : llvm::to_vector(view->getUsers()))
      sink(user, top);
  }

  Value number(OpBuilder &builder, int64_t value) { return simt::placeNumber(builder, loop().getLoc(), value); }

  /// Lets delayed products start in the next step, and in the code after the loop. Returns the values that they need
  /// there.
  SmallVector<Value> delay() {
    OpBuilder after(loop()->getContext());
    after.setInsertionPointAfter(loop());
    if (!delayed_.empty() && !producer_->isUsed())
      simt::FenceOp::create(after, loop().getLoc(), simt::FenceKind::Async);
    for (DelayedProduct &each : delayed_)
      each.wait->removeAttr(simt::kScheduleAttr);
    return delayProducts(loop(), delayed_, ofDelayed_, after, [&](OpBuilder &builder, Value operand, bool isAfterLoop) {
      return viewBefore(builder, operand, isAfterLoop);
    });
  }

  /// A view of the stage before the one that the iteration, or the last one, reads.
  Value viewBefore(OpBuilder &builder, Value operand, bool isAfterLoop) {
    Location location = operand.getLoc();
    if (auto transpose = operand.getDefiningOp<simt::TransposeOp>())
      return simt::TransposeOp::create(builder, location, transpose.getType(),
                                       viewBefore(builder, transpose.getSrc(), isAfterLoop));
    auto view = operand.getDefiningOp<simt::StageOp>();
    int64_t stages = view.getSrc().getType().getStages();
    auto read = cast<BlockArgument>(expanded_.stages.at(stages));
    Value before = simt::stageBefore(builder, loop().getLoc(),
                                     isAfterLoop ? Value(loop().getTiedLoopResult(read)) : Value(read), stages);
    return simt::StageOp::create(builder, location, view.getType(), view.getSrc(), before);
  }

  /// After the loop: the ends of barrier objects, then the wait for copies that are still in flight. Those are copies
  /// by threads for iterations past the end, which write zeros; hardware starts none for such iterations.
  void finish() {
    SmallVector<Value> unfinished;
    for (const auto &[op, values] : made())
      for (Value value : ArrayRef(values).drop_back())
        if (isa<simt::TokenType>(value.getType()))
          unfinished.push_back(loop().getTiedLoopResult(cast<BlockArgument>(value)));
    OpBuilder after(loop()->getContext());
    after.setInsertionPointAfter(loop());
    if (!unfinished.empty())
      simt::WaitCopiesOp::create(after, loop().getLoc(), unfinished);
    for (simt::WaitProductsOp wait : runningOn_) {
      wait->removeAttr(simt::kScheduleAttr);
      runOn(loop(), wait);
    }
    for (Value barriers : barriers_)
      for (Operation *user : llvm::to_vector(barriers.getUsers()))
        if (isa<simt::EndBarriersOp>(user))
          user->moveAfter(loop());
    if (producer_->isUsed())
      producer_->finish();
  }

  LoopSchedule schedule_;
  llvm::SmallPtrSet<Operation *, 4> indices_;
  llvm::SetVector<Operation *> rings_;        // simt.shared_alloc, each once
  SmallVector<simt::StageOp> views_;          // of the rings, in the code that is expanded
  llvm::SetVector<Value> barriers_, started_; // of copies by hardware
  SmallVector<DelayedProduct> delayed_;
  SmallVector<simt::WaitProductsOp> runningOn_;
  ArrayRef<BlockArgument> ofDelayed_;
  ExpandedLoop expanded_;
  std::optional<ProducerLoop> producer_;    // from the beginning of run() on
  llvm::SetVector<Operation *> ofProducer_; // its copies, and the waits for them
};

/// Whether the copy is that of an unexpanded loop: it names object 0 and phase 0 in each iteration, and the iteration
/// waits for it.
bool isUnexpanded(simt::CopyTileOp copy) {
  return isa<scf::ForOp>(copy->getParentOp()) && matchPattern(copy.getIndex(), m_Zero()) &&
         matchPattern(copy.getPhase(), m_Zero()) && llvm::any_of(copy->getUsers(), llvm::IsaPred<simt::WaitTilesOp>);
}

struct ExpandSchedulesPass : impl::ExpandSchedulesBase<ExpandSchedulesPass> {
  void runOnOperation() override {
    llvm::SetVector<Operation *> loops;
    SmallVector<simt::CopyTileOp> outside; // copies by producers, outside of loops
    getOperation()->walk([&](Operation *op) {
      if (auto copy = dyn_cast<simt::CopyTileOp>(op); copy && isUnexpanded(copy) && !simt::scheduleOf(copy)) {
        copy.emitOpError("stands in a loop without a schedule: its phase would be the same in all iterations");
        return signalPassFailure();
      }
      if (simt::scheduleOf(op) && isInLoop(op))
        loops.insert(op->getParentOp());
      else if (simt::scheduleOf(op))
        outside.push_back(cast<simt::CopyTileOp>(op));
    });
    for (simt::CopyTileOp copy : outside)
      if (std::string obstacle = obstacleOutsideLoop(copy); !obstacle.empty()) {
        copy.emitOpError() << "cannot be started by a producer: " << obstacle;
        return signalPassFailure();
      }
    std::vector<ScheduleExpander> expanders;
    llvm::DenseMap<Operation *, std::unique_ptr<AxisAnalysis>> facts; // of kernels
    for (Operation *loop : loops) {
      ScheduleExpander &expander = expanders.emplace_back(cast<scf::ForOp>(loop));
      if (failed(expander.check()))
        return signalPassFailure();
      if (std::unique_ptr<AxisAnalysis> &made = facts[expander.kernel()]; !made && expander.hasIndices())
        made = std::make_unique<AxisAnalysis>(expander.kernel());
    }
    for (ScheduleExpander &expander : expanders)
      expander.run(facts[expander.kernel()].get());
    getOperation()->walk([](scf::ForOp loop) { loop->removeAttr(simt::kProgramsAttr); });
  }
};

} // namespace
} // namespace tegula::tile
