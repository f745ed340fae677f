// tile-pipeline-copies; see Passes.td.
#include "core/ir/simt/Target.h"
#include "core/passes/Explain.h"
#include "core/passes/Passes.h"
#include "core/passes/analysis/AxisInfo.h"
#include "core/passes/layouts/OperandBuffer.h"
#include "core/passes/loops/LoopAdvance.h"
#include "core/passes/loops/LoopLoads.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_PIPELINECOPIES
#include "core/passes/Passes.h.inc"

namespace {

constexpr int64_t kLeastPieceBytes = 4; // of an asynchronous copy of a thread
constexpr int64_t kKeptBytes = 8 << 10; // of shared memory, for the loop's other exchanges
constexpr int64_t kMostStages = 8;      // each adds a group of copies before the loop

bool isZero(Value value) { return matchPattern(value, m_Zero()) || matchPattern(value, m_PosZeroFloat()); }

/// Whether each use of the value, also through transposes, is operand A or B of a dot whose instruction takes its
/// operands from registers.
bool onlyFeedsProducts(Value value) {
  return llvm::all_of(value.getUses(), [](OpOperand &use) {
    if (auto trans = dyn_cast<TransOp>(use.getOwner()))
      return onlyFeedsProducts(trans.getResult());
    auto dot = dyn_cast<DotOp>(use.getOwner());
    simt::InstructionAttr instruction = dot ? simt::instructionOf(dot) : simt::InstructionAttr();
    return instruction && !instruction.isOpaque() && use.get() != dot.getC();
  });
}

/// A load of the loop that becomes a copy into a ring of buffers.
struct Candidate {
  LoadOp load;
  unsigned fast; // the axis along which its elements lie side by side in memory
  int64_t bytes; // of one tile
  Value ring;    // the buffer, once it is made
};

/// The values of an iteration that is not the current one: whether it takes place; its induction variable, that of the
/// last iteration where it does not; and the carried arguments that addresses depend on.
struct Iteration {
  Value takesPlace, induction;
  DenseMap<Value, Value> carried;
};

class CopyPipeline {
public:
  CopyPipeline(scf::ForOp loop, const AxisAnalysis &axes, int64_t threads, int64_t sharedBytes)
      : loop_(loop), axes_(axes), writes_(loop), threads_(threads), sharedBytes_(sharedBytes),
        stages_(std::min(stagesOf(loop), kMostStages)) {}

  void run() {
    bool hasProduct =
        loop_
            .walk([](DotOp dot) {
              simt::InstructionAttr instruction = simt::instructionOf(dot);
              return instruction && !instruction.isOpaque() ? WalkResult::interrupt() : WalkResult::advance();
            })
            .wasInterrupted();
    if (!hasProduct || stages_ < 2 || !writes_.obstacle().empty())
      return; // tile-pipeline-loads says why
    InFlightDiagnostic remark = explain(loop_.getLoc(), kPipelineTopic);
    loop_.walk([&](LoadOp load) {
      if (!isa<RankedTensorType>(load.getType()) || load->use_empty() || !onlyFeedsProducts(load.getResult()))
        return;
      if (std::string obstacle = consider(load); !obstacle.empty())
        remark.attachNote(load.getLoc()) << "not copied asynchronously: " << obstacle;
    });
    int64_t stageBytes = 0;
    for (const Candidate &each : candidates_)
      stageBytes += each.bytes;
    int64_t most = stageBytes ? std::max<int64_t>(sharedBytes_ - otherBytes(), 0) / stageBytes : 0;
    if (candidates_.empty() || most < 2) {
      remark << "no load of the loop is copied to shared memory ahead of its product";
      if (!candidates_.empty())
        remark << ": two stages of " << stageBytes << " bytes do not fit";
      return;
    }
    remark << candidates_.size() << " of the loop's loads are copied to shared memory ahead of their products, in "
           << std::min(stages_, most) << " stages of " << stageBytes << " bytes together";
    if (most < stages_)
      remark << "; " << stages_ << " do not fit";
    stages_ = std::min(stages_, most);
    rewrite();
  }

private:
  /// Takes the load as a candidate, or says why not.
  std::string consider(LoadOp load);
  /// Bytes of shared memory that the loop's products need for operands that are no candidates.
  int64_t otherBytes();
  void rewrite();

  /// The iteration after `now`.
  Iteration next(OpBuilder &builder, const Iteration &now);
  LoopCloner clonerFor(OpBuilder &builder, const Iteration &iteration);
  /// Emits a copy for each candidate: of the tile that its load reads in `iteration`, to stage `stage` of its ring.
  /// Returns the tokens, in the order of the candidates.
  SmallVector<Value> startCopies(OpBuilder &builder, const Iteration &iteration, Value stage);

  scf::ForOp loop_;
  const AxisAnalysis &axes_;
  LoopWrites writes_;
  llvm::SetVector<BlockArgument> carried_; // the arguments that the candidates' addresses and masks depend on
  int64_t threads_, sharedBytes_, stages_;
  SmallVector<Candidate> candidates_;
};

std::string CopyPipeline::consider(LoadOp load) {
  if (std::string obstacle = writes_.obstacleOf(load); !obstacle.empty())
    return obstacle;
  if (load.getEviction() != EvictionPolicy::Normal)
    return "it names an eviction policy";
  if (load.getOther() && !isZero(load.getOther()))
    return "elements that are masked off are not zero";
  auto type = cast<RankedTensorType>(load.getType());
  int64_t elementBytes = simt::elementBytes(type.getElementType()), rank = type.getRank();
  AxisInfo info = axes_.of(load.getPtr());
  unsigned fast = info.contiguity[rank - 2] > info.contiguity[rank - 1] ? rank - 2 : rank - 1;
  int64_t width = axes_.accessWidth(load.getPtr(), load.getMask(), fast);
  width = std::min({width, kPieceBytes / elementBytes, type.getDimSize(fast)});
  if (width * elementBytes < kLeastPieceBytes)
    return "no 4 bytes of it are known to be side by side and aligned";
  if (type.getNumElements() / width < threads_)
    return "it has fewer pieces than there are threads";
  LoopSlice slice(loop_);
  for (Value operand : {load.getPtr(), load.getMask()})
    if (operand && !slice.canRunAhead(operand))
      return "it depends on '" + slice.blocker()->getName().getStringRef().str() + "' in the loop";
  carried_.insert(slice.carried().begin(), slice.carried().end());
  candidates_.push_back({load, fast, bytesOfWhole(type), Value()});
  return {};
}

int64_t CopyPipeline::otherBytes() {
  int64_t bytes = kKeptBytes;
  loop_.walk([&](DotOp dot) {
    for (Value operand : {dot.getA(), dot.getB()}) {
      Value source = operand;
      while (auto trans = source.getDefiningOp<TransOp>())
        source = trans.getSrc();
      if (llvm::none_of(candidates_, [&](const Candidate &each) { return each.load == source.getDefiningOp(); }))
        bytes += bytesOfWhole(operand.getType());
    }
  });
  return bytes;
}

LoopCloner CopyPipeline::clonerFor(OpBuilder &builder, const Iteration &iteration) {
  LoopCloner cloner(loop_, builder, [this, &iteration](BlockArgument argument) {
    return argument == loop_.getInductionVar() ? iteration.induction : iteration.carried.at(argument);
  });
  cloner.divideWhere(iteration.takesPlace);
  return cloner;
}

Iteration CopyPipeline::next(OpBuilder &builder, const Iteration &now) {
  Location location = loop_.getLoc();
  Iteration made;
  LoopCloner cloner = clonerFor(builder, now);
  for (BlockArgument argument : carried_)
    made.carried[argument] = cloner.clone(loop_.getTiedLoopYieldedValue(argument)->get());
  // now + step < upper, written as a difference, because the sum could wrap.
  Value left = builder.createOrFold<arith::SubIOp>(location, loop_.getUpperBound(), now.induction);
  Value more = builder.createOrFold<arith::CmpIOp>(location, arith::CmpIPredicate::ugt, left, loop_.getStep());
  made.takesPlace = builder.createOrFold<arith::AndIOp>(location, more, now.takesPlace);
  Value sum = builder.createOrFold<arith::AddIOp>(location, now.induction, loop_.getStep());
  made.induction = builder.createOrFold<arith::SelectOp>(location, made.takesPlace, sum, now.induction);
  return made;
}

SmallVector<Value> CopyPipeline::startCopies(OpBuilder &builder, const Iteration &iteration, Value stage) {
  LoopCloner cloner = clonerFor(builder, iteration);
  SmallVector<Value> tokens;
  for (Candidate &each : candidates_) {
    Location location = each.load.getLoc();
    auto ring = cast<simt::SharedType>(each.ring.getType());
    Value pointers = cloner.clone(each.load.getPtr());
    auto type = cast<RankedTensorType>(each.load.getType()).clone(builder.getI1Type());
    Value mask = builder.create<SplatOp>(location, type, iteration.takesPlace);
    if (each.load.getMask())
      mask = builder.create<arith::AndIOp>(location, cloner.clone(each.load.getMask()), mask);
    Value to = builder.create<simt::StageOp>(location, ring.getStageType(), each.ring, stage);
    tokens.push_back(builder.create<simt::CopyOp>(location, pointers, to, mask));
  }
  return tokens;
}

void CopyPipeline::rewrite() {
  Location location = loop_.getLoc();
  OpBuilder before(loop_);
  auto number = [&](OpBuilder &builder, int64_t value) -> Value {
    return builder.create<arith::ConstantOp>(location, builder.getI32IntegerAttr(int32_t(value)));
  };
  for (Candidate &each : candidates_) {
    auto type = cast<RankedTensorType>(each.load.getType());
    SmallVector<int64_t> shape = {stages_};
    llvm::append_range(shape, type.getShape());
    layout_ir::SharedAttr layout =
        operandBuffer(loop_.getContext(), type.getShape(), each.fast, simt::elementBytes(type.getElementType()));
    auto ring = simt::SharedType::get(loop_.getContext(), shape, type.getElementType(), layout);
    each.ring = before.create<simt::SharedAllocOp>(each.load.getLoc(), ring, IntegerAttr());
  }

  // The copies of the first iterations, before the loop.
  Iteration ahead;
  ahead.takesPlace = before.createOrFold<arith::CmpIOp>(location, arith::CmpIPredicate::slt, loop_.getLowerBound(),
                                                        loop_.getUpperBound());
  ahead.induction = loop_.getLowerBound();
  for (BlockArgument argument : carried_)
    ahead.carried[argument] = loop_.getTiedLoopInit(argument)->get();
  SmallVector<Value> tokens;
  for (int64_t stage = 0; stage < stages_ - 1; ++stage) {
    llvm::append_range(tokens, startCopies(before, ahead, number(before, stage)));
    ahead = next(before, ahead);
  }

  // The loop also carries the iteration `stages - 1` ahead, the stage that it reads, and the tokens of the copies under
  // way, the oldest first.
  SmallVector<Value> inits(loop_.getInitArgs());
  unsigned first = inits.size();
  inits.append({ahead.takesPlace, ahead.induction});
  for (BlockArgument argument : carried_)
    inits.push_back(ahead.carried.at(argument));
  inits.push_back(number(before, 0));
  llvm::append_range(inits, tokens);
  auto made = before.create<scf::ForOp>(location, loop_.getLowerBound(), loop_.getUpperBound(), loop_.getStep(), inits);
  made->setAttrs(loop_->getAttrs());
  made.getRegion().takeBody(loop_.getRegion());
  Block *body = made.getBody();
  for (Value init : ArrayRef(inits).drop_front(first))
    body->addArgument(init.getType(), location);
  loop_->replaceAllUsesWith(made.getResults().take_front(first));
  loop_.erase();
  loop_ = made;

  ArrayRef<BlockArgument> own = made.getRegionIterArgs().drop_front(first);
  ahead.takesPlace = own[0];
  ahead.induction = own[1];
  for (auto [argument, carried] : llvm::zip(carried_, own.drop_front(2)))
    ahead.carried[argument] = carried;
  Value read = own[2 + carried_.size()];
  ArrayRef<BlockArgument> underWay = own.take_back(tokens.size());

  // This iteration's copies have arrived; then those of a later iteration are started, into the stage that the previous
  // iteration has read.
  OpBuilder top = OpBuilder::atBlockBegin(body);
  auto oldest = llvm::to_vector_of<Value>(underWay.take_front(candidates_.size()));
  top.create<simt::WaitCopiesOp>(location, oldest);
  Value zero = number(top, 0), one = number(top, 1), last = number(top, stages_ - 1);
  Value isFirst = top.create<arith::CmpIOp>(location, arith::CmpIPredicate::eq, read, zero);
  Value written = top.create<arith::SelectOp>(location, isFirst, last, top.create<arith::SubIOp>(location, read, one));
  SmallVector<Value> started = startCopies(top, ahead, written);
  ahead = next(top, ahead);
  Value isLast = top.create<arith::CmpIOp>(location, arith::CmpIPredicate::eq, read, last);
  Value readNext = top.create<arith::SelectOp>(location, isLast, zero, top.create<arith::AddIOp>(location, read, one));
  for (Candidate &each : candidates_) {
    OpBuilder at(each.load);
    auto ring = cast<simt::SharedType>(each.ring.getType());
    Value stage = at.create<simt::StageOp>(each.load.getLoc(), ring.getStageType(), each.ring, read);
    Value loaded = at.create<simt::SharedLoadOp>(each.load.getLoc(), each.load.getType(), stage, Value());
    each.load.replaceAllUsesWith(loaded);
    each.load.erase();
  }

  Operation *yield = body->getTerminator();
  SmallVector<Value> yielded = {ahead.takesPlace, ahead.induction};
  for (BlockArgument argument : carried_)
    yielded.push_back(ahead.carried.at(argument));
  yielded.push_back(readNext);
  llvm::append_range(yielded, underWay.drop_front(candidates_.size()));
  llvm::append_range(yielded, started);
  yield->insertOperands(yield->getNumOperands(), yielded);
  // Copies of iterations that do not take place write zeros.
  OpBuilder after(loop_->getContext());
  after.setInsertionPointAfter(loop_);
  after.create<simt::WaitCopiesOp>(location, made.getResults().take_back(tokens.size()));
  dropUnusedCarried(made);
}

struct PipelineCopiesPass : impl::PipelineCopiesBase<PipelineCopiesPass> {
  void runOnOperation() override {
    simt::Target target = simt::targetOf(getOperation());
    if (!target.features.copiesAsync)
      return;
    auto warps = getOperation()->getAttrOfType<IntegerAttr>(kNumWarpsAttr);
    int64_t threads = (warps ? warps.getInt() : 4) * target.features.threadsPerWarp;
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      SmallVector<scf::ForOp> loops = innermostLoops(function);
      AxisAnalysis axes(function);
      for (scf::ForOp loop : loops)
        CopyPipeline(loop, axes, threads, target.features.sharedBytes).run();
    }
  }
};

} // namespace
} // namespace tegula::tile
