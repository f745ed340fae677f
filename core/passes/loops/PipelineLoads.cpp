// tile-pipeline-loads (LoopPasses.td): loads the operands of the next iteration's products into registers (software
// pipelining).
#include "core/ir/simt/Target.h"
#include "core/passes/Explain.h"
#include "core/passes/Passes.h"
#include "core/passes/analysis/Uniform.h"
#include "core/passes/layouts/LayoutGroups.h"
#include "core/passes/loops/LoopAdvance.h"
#include "core/passes/loops/LoopLoads.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_PIPELINELOADS
#include "core/passes/Passes.h.inc"

namespace {

/// Software pipelining of one innermost loop. `left_` and `leftEarly_` are the bytes of a thread's registers that are
/// still available for loads one iteration ahead, and for loads at the top of the iteration.
class LoopPipeline {
public:
  LoopPipeline(scf::ForOp loop, int64_t stages, int64_t threads, int64_t aheadBytes, int64_t earlyBytes)
      : loop_(loop), writes_(loop), stages_(stages), threads_(threads), left_(aheadBytes), leftEarly_(earlyBytes) {}

  void run() {
    SmallVector<LoadOp> feeding = feedingLoads(loop_), ahead, early;
    if (feeding.empty() &&
        llvm::any_of(*loop_.getBody(), [](Operation &op) { return isa<simt::CopyOp, simt::CopyTileOp>(op); }))
      return; // tile-pipeline-copies has taken all loads
    InFlightDiagnostic remark = explain(loop_.getLoc(), kPipelineTopic);
    std::string problem = feeding.empty() ? "none of its loads reaches a product"
                          : stages_ < 2   ? "num_stages is 1"
                                          : writes_.obstacle();
    if (!problem.empty()) {
      remark << "the loop's loads are not issued ahead: " << problem;
      return;
    }
    for (LoadOp load : feeding) {
      if (std::string obstacle = obstacleOf(load); !obstacle.empty()) {
        remark.attachNote(load.getLoc()) << "not issued ahead: " << obstacle;
        continue;
      }
      int64_t bytes = bytesAThread(load);
      if (bytes <= left_) {
        remark.attachNote(load.getLoc()) << "issued one iteration ahead, " << bytes << " bytes a thread";
        left_ -= bytes;
        ahead.push_back(load);
        continue;
      }
      Diagnostic &note = remark.attachNote(load.getLoc());
      note << "not issued ahead: it takes " << bytes << " bytes a thread of the " << left_ << " that are left";
      if (bytes > leftEarly_)
        continue;
      note << "; issued as its own iteration begins";
      leftEarly_ -= bytes;
      early.push_back(load);
    }
    remark << ahead.size() << " of the loop's " << feeding.size()
           << " loads for products are issued one iteration ahead";
    issueEarly(early);
    if (!ahead.empty())
      rewrite(ahead);
  }

private:
  std::string obstacleOf(LoadOp load);
  void issueEarly(ArrayRef<LoadOp> loads);
  void rewrite(ArrayRef<LoadOp> loads);
  /// The values of `loads` in the first iteration. `first` emits them, in a branch that is taken if `runs` is true; the
  /// other branch yields zeros.
  SmallVector<Value> guarded(OpBuilder &builder, Value runs, ArrayRef<LoadOp> loads,
                             llvm::function_ref<SmallVector<Value>(OpBuilder &)> first);
  int64_t bytesAThread(LoadOp load) const {
    return isa<RankedTensorType>(load.getType()) ? llvm::divideCeil(bytesOfWhole(load.getType()), threads_)
                                                 : bytesOfWhole(load.getType());
  }

  scf::ForOp loop_;
  LoopWrites writes_;
  int64_t stages_, threads_, left_, leftEarly_;
};

std::string LoopPipeline::obstacleOf(LoadOp load) {
  if (std::string obstacle = writes_.obstacleOf(load); !obstacle.empty())
    return obstacle;
  LoopSlice slice(loop_);
  bool canAdvance = slice.canAdvance(load.getPtr());
  for (Value operand : {load.getMask(), load.getOther()})
    canAdvance = canAdvance && (!operand || slice.canAdvance(operand));
  return canAdvance ? "" : "it depends on '" + slice.blocker()->getName().getStringRef().str() + "' in the loop";
}

/// Issues these loads at the top of the loop body, so that they are in flight while the products run; in source order
/// they stand after computations that do not depend on them.
void LoopPipeline::issueEarly(ArrayRef<LoadOp> loads) {
  LoopCloner now(loop_, OpBuilder::atBlockBegin(loop_.getBody()), [](BlockArgument argument) { return argument; });
  for (LoadOp load : loads)
    load.replaceAllUsesWith(now.clone(load.getResult()));
  for (LoadOp load : loads) // only now, because clones are inserted before loads
    load.erase();
}

SmallVector<Value> LoopPipeline::guarded(OpBuilder &builder, Value runs, ArrayRef<LoadOp> loads,
                                         llvm::function_ref<SmallVector<Value>(OpBuilder &)> first) {
  Location location = loop_.getLoc();
  SmallVector<Type> types;
  for (LoadOp load : loads)
    types.push_back(load.getType());
  auto branch = scf::IfOp::create(builder, location, types, runs, /*withElseRegion=*/true);
  OpBuilder inside = branch.getThenBodyBuilder();
  SmallVector<Value> values = first(inside);
  inside.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(inside, location, values);
  OpBuilder otherwise = branch.getElseBodyBuilder();
  SmallVector<Value> zeros;
  for (Type type : types)
    zeros.push_back(arith::ConstantOp::create(otherwise, location, cast<TypedAttr>(otherwise.getZeroAttr(type))));
  scf::YieldOp::create(otherwise, location, zeros);
  return llvm::to_vector_of<Value>(branch.getResults());
}

void LoopPipeline::rewrite(ArrayRef<LoadOp> loads) {
  Location location = loop_.getLoc();
  OpBuilder before(loop_);
  auto first = [&](OpBuilder &builder) {
    LoopCloner cloner(loop_, builder, [&](BlockArgument argument) {
      return argument == loop_.getInductionVar() ? loop_.getLowerBound() : loop_.getTiedLoopInit(argument)->get();
    });
    return llvm::map_to_vector(loads, [&](LoadOp load) { return cloner.clone(load.getResult()); });
  };
  Value runs = hasIteration(before, loop_);
  SmallVector<Value> initial;
  if (matchPattern(runs, m_One()))
    initial = first(before);
  else
    initial = guarded(before, runs, loads, first);

  // The condition induction + step < upper, written as upper - induction > step: the sum could wrap, but within the
  // loop the difference is at least 1.
  OpBuilder top = OpBuilder::atBlockBegin(loop_.getBody());
  Value left = arith::SubIOp::create(top, location, loop_.getUpperBound(), loop_.getInductionVar());
  Value more = arith::CmpIOp::create(top, location, arith::CmpIPredicate::ugt, left, loop_.getStep());
  LoopCloner current(loop_, OpBuilder(left.getDefiningOp()), [](BlockArgument argument) { return argument; });
  LoopCloner advanced(loop_, top, [&](BlockArgument argument) -> Value {
    if (argument != loop_.getInductionVar())
      return current.clone(loop_.getTiedLoopYieldedValue(argument)->get());
    Value next = arith::AddIOp::create(top, location, argument, loop_.getStep(), arith::IntegerOverflowFlags::nsw);
    return arith::SelectOp::create(top, location, more, next, argument);
  });
  // In the last iteration the loads are masked off. A branch around them would keep the device's assembler from
  // interleaving them with the products.
  SmallVector<Value> next;
  for (LoadOp load : loads) {
    Value copy = advanced.clone(load.getResult());
    maskBy(more, cast<LoadOp>(copy.getDefiningOp()));
    next.push_back(copy);
  }

  for (auto [load, argument] : llvm::zip_equal(loads, carryMore(loop_, initial))) {
    LoadOp replaced = load;
    replaced.replaceAllUsesWith(argument);
    replaced.erase();
  }
  Operation *yield = loop_.getBody()->getTerminator();
  yield->insertOperands(yield->getNumOperands(), next);
}

struct PipelineLoadsPass : impl::PipelineLoadsBase<PipelineLoadsPass> {
  void runOnOperation() override {
    simt::Target target = simt::targetOf(getOperation());
    for (scf::ForOp loop : innermostLoops(getOperation())) {
      auto warps = loop->getParentWithTrait<OpTrait::SymbolTable>()->getAttrOfType<IntegerAttr>(kNumWarpsAttr);
      int64_t threads = (warps ? warps.getInt() : 4) * target.features.threadsPerWarp;
      LoopPipeline(loop, stagesOf(loop), threads, target.policies.aheadBytes, target.policies.earlyBytes).run();
    }
  }
};

} // namespace
} // namespace tegula::tile
