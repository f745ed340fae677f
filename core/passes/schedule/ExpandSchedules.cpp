// tile-expand-schedules (SchedulePasses.td): executes the ops of scheduled loops when their schedules say.
#include "core/passes/Passes.h"
#include "core/passes/loops/LoopAdvance.h"
#include "core/passes/schedule/LoopSchedule.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <deque>

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_EXPANDSCHEDULES
#include "core/passes/Passes.h.inc"

namespace {

/// The results of scheduled loads: for each load the values of consecutive iterations, from the current one on. In the
/// loop: those that it carries, and behind them the one that this step has loaded.
using Loaded = llvm::MapVector<Operation *, SmallVector<Value>>;

/// Emits scheduled ops, and what they need, for the iteration that runs now and later ones: at one place of the loop's
/// body, or before the loop, where the first iteration counts as the one that runs.
class StepEmitter {
public:
  StepEmitter(scf::ForOp loop, OpBuilder builder, bool isBeforeLoop, Loaded &loaded)
      : loop_(loop), builder_(builder), isBeforeLoop_(isBeforeLoop), loaded_(loaded) {}

  /// Emits the op for the iteration `ahead` iterations later.
  void emit(Operation *op, size_t ahead, bool isIndex) {
    LoopCloner &cloner = clonerFor(ahead);
    if (auto store = dyn_cast<simt::SharedStoreOp>(op)) // the buffer is the iteration's own, not to be allocated again
      cloner.substitute(store.getDst(), store.getDst());
    IRMapping operands;
    for (Value operand : op->getOperands())
      operands.map(operand, cloner.clone(operand));
    Operation *made = builder_.clone(*op, operands);
    made->removeAttr(simt::kScheduleAttr);
    auto load = dyn_cast<LoadOp>(made);
    if (!load)
      return;
    // An iteration that does not take place reads nothing. A branch around the load would keep the device's assembler
    // from interleaving it with the products.
    Value runs = runsIn(ahead);
    if (runs && isIndex)
      guardIndices(runs, load);
    else if (runs)
      maskBy(runs, load);
    loaded_[op].push_back(load.getResult());
    cloner.substitute(op->getResult(0), load.getResult());
  }

private:
  /// The state of one iteration, computed when it is first needed.
  struct Iteration {
    Value induction; // past the end: that of the last iteration
    Value runs;      // whether the iteration takes place; null if it certainly does
    std::unique_ptr<LoopCloner> cloner;
  };

  Iteration &at(size_t ahead) {
    while (iterations_.size() <= ahead)
      iterations_.push_back(next());
    return iterations_[ahead];
  }

  Iteration next() {
    Location location = loop_.getLoc();
    if (iterations_.empty()) {
      if (!isBeforeLoop_)
        return {loop_.getInductionVar(), Value(), nullptr};
      Value runs = hasIteration(builder_, loop_);
      return {loop_.getLowerBound(), matchPattern(runs, m_One()) ? Value() : runs, nullptr};
    }
    const Iteration &before = iterations_.back();
    // The condition induction + step < upper, written as upper - induction > step: the sum could wrap, but within the
    // loop the difference is at least 1.
    Value left = arith::SubIOp::create(builder_, location, loop_.getUpperBound(), before.induction);
    Value runs = arith::CmpIOp::create(builder_, location, arith::CmpIPredicate::ugt, left, loop_.getStep());
    if (before.runs)
      runs = arith::AndIOp::create(builder_, location, runs, before.runs);
    Value sum =
        arith::AddIOp::create(builder_, location, before.induction, loop_.getStep(), arith::IntegerOverflowFlags::nsw);
    return {arith::SelectOp::create(builder_, location, runs, sum, before.induction), runs, nullptr};
  }

  Value runsIn(size_t ahead) { return at(ahead).runs; }

  LoopCloner &clonerFor(size_t ahead) {
    if (std::unique_ptr<LoopCloner> &made = at(ahead).cloner)
      return *made;
    auto cloner = std::make_unique<LoopCloner>(loop_, builder_, [this, ahead](BlockArgument argument) -> Value {
      if (argument == loop_.getInductionVar())
        return at(ahead).induction;
      if (ahead > 0)
        return clonerFor(ahead - 1).clone(loop_.getTiedLoopYieldedValue(argument)->get());
      return isBeforeLoop_ ? loop_.getTiedLoopInit(argument)->get() : argument;
    });
    if (isBeforeLoop_ && runsIn(0)) // before a loop that does not run, its divisors may be zero
      cloner->guardBy(runsIn(0));
    for (auto &[load, values] : loaded_)
      if (ahead < values.size())
        cloner->substitute(load->getResult(0), values[ahead]);
    return *(at(ahead).cloner = std::move(cloner));
  }

  scf::ForOp loop_;
  OpBuilder builder_;
  bool isBeforeLoop_;
  Loaded &loaded_;
  std::deque<Iteration> iterations_; // a deque: references stay valid when iterations are added
};

class ScheduleExpander {
public:
  explicit ScheduleExpander(scf::ForOp loop) : loop_(loop), schedule_(loop) {}

  LogicalResult run() {
    for (const ScheduledOp &each : schedule_.ops())
      if (std::string obstacle = schedule_.obstacleTo(each.op, each.ahead, each.time.place); !obstacle.empty())
        return each.op->emitOpError() << "cannot run " << each.ahead << " iterations ahead at place " << each.time.place
                                      << ": " << obstacle;
    indices_ = schedule_.indices();
    carryFirst();
    rewriteStep();
    return success();
  }

private:
  /// Emits, before the loop, the loads of the first iterations that the loop does not load itself, and lets the loop
  /// carry them.
  void carryFirst() {
    StepEmitter before(loop_, OpBuilder(loop_), /*isBeforeLoop=*/true, loaded_);
    int64_t most = 0;
    for (const ScheduledOp &each : schedule_.ops())
      most = std::max(most, each.ahead);
    for (int64_t step = -most; step < 0; ++step)
      for (const ScheduledOp &each : schedule_.ops())
        if (step + each.ahead >= 0)
          before.emit(each.op, size_t(step + each.ahead), indices_.contains(each.op));
    SmallVector<Value> inits;
    for (const auto &[load, values] : loaded_)
      llvm::append_range(inits, values);
    ArrayRef<BlockArgument> carried = carryMore(loop_, inits);
    for (auto &[load, values] : loaded_) {
      llvm::copy(carried.take_front(values.size()), values.begin());
      carried = carried.drop_front(values.size());
    }
  }

  /// Emits the scheduled ops at their places in the body, and removes the ops that they replace.
  void rewriteStep() {
    Operation *top = &loop_.getBody()->front(), *end = loop_.getBody()->getTerminator();
    StepEmitter atTop(loop_, OpBuilder(top), /*isBeforeLoop=*/false, loaded_);
    StepEmitter atEnd(loop_, OpBuilder(end), /*isBeforeLoop=*/false, loaded_);
    for (const ScheduledOp &each : schedule_.ops()) {
      if (each.stays()) {
        each.op->removeAttr(simt::kScheduleAttr);
        if (each.op->getNumResults() == 1)
          loaded_[each.op].push_back(each.op->getResult(0));
        continue;
      }
      if (auto store = dyn_cast<simt::SharedStoreOp>(each.op))
        store.getDst().getDefiningOp()->moveBefore(top);
      StepEmitter inPlace(loop_, OpBuilder(each.op), /*isBeforeLoop=*/false, loaded_);
      StepEmitter &emitter = each.time.place < 0 ? atTop : each.time.place > 0 ? atEnd : inPlace;
      emitter.emit(each.op, size_t(each.ahead), indices_.contains(each.op));
    }
    SmallVector<Value> next;
    for (const auto &[load, values] : loaded_) {
      llvm::append_range(next, ArrayRef(values).drop_front());
      if (values.front() != load->getResult(0))
        load->getResult(0).replaceAllUsesWith(values.front());
    }
    end->insertOperands(end->getNumOperands(), next);
    for (const ScheduledOp &each : schedule_.ops())
      if (!each.stays())
        each.op->erase();
    // What computed the addresses and masks of the replaced ops has no use left.
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*loop_.getBody())))
      if (op.getNumRegions() == 0 && isOpTriviallyDead(&op))
        op.erase();
  }

  scf::ForOp loop_;
  LoopSchedule schedule_;
  llvm::SmallPtrSet<Operation *, 4> indices_;
  Loaded loaded_;
};

struct ExpandSchedulesPass : impl::ExpandSchedulesBase<ExpandSchedulesPass> {
  void runOnOperation() override {
    llvm::SetVector<Operation *> loops;
    getOperation()->walk([&](Operation *op) {
      if (simt::scheduleOf(op))
        loops.insert(op->getParentOp());
    });
    for (Operation *loop : loops)
      if (failed(ScheduleExpander(cast<scf::ForOp>(loop)).run()))
        return signalPassFailure();
  }
};

} // namespace
} // namespace tegula::tile
