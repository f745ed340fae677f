// tile-pipeline-copies; see Passes.td.
#include "core/ir/simt/Target.h"
#include "core/passes/Explain.h"
#include "core/passes/Passes.h"
#include "core/passes/analysis/AxisInfo.h"
#include "core/passes/layouts/LayoutChoice.h"
#include "core/passes/layouts/OperandBuffer.h"
#include "core/passes/loops/LoopAdvance.h"
#include "core/passes/loops/LoopLoads.h"
#include "core/passes/loops/LoopProducts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_PIPELINECOPIES
#include "core/passes/Passes.h.inc"

namespace {

constexpr int64_t kLeastPieceBytes = 4; // of an asynchronous copy of a thread
// Bytes of shared memory that rings leave to the loop's exchanges between threads. If all products read shared memory
// and each group of warps has whole rows, the loop exchanges neither left operands nor the parts of a row's reduction,
// and less is left.
constexpr int64_t kKeptBytes = 8 << 10, kKeptBesideRows = 2 << 10;
constexpr int64_t kMostStages = 8; // each adds a group of copies before the loop

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

/// The store of the value to a shared buffer that products read, if that is its only use.
simt::SharedStoreOp onlyStore(Value value) {
  return value.hasOneUse() ? dyn_cast<simt::SharedStoreOp>(*value.user_begin()) : simt::SharedStoreOp();
}

bool isProduct(Operation *op) {
  simt::InstructionAttr instruction = isa<DotOp>(op) ? simt::instructionOf(op) : simt::InstructionAttr();
  return isa<simt::ProductOp>(op) || (instruction && !instruction.isOpaque());
}

/// Whether the buffer is in the loop, or is allocated before it and used in it or after it.
bool isAliveIn(scf::ForOp loop, simt::SharedAllocOp buffer) {
  if (loop->isAncestor(buffer))
    return true;
  Block *block = buffer->getBlock();
  Operation *around = block->findAncestorOpInBlock(*loop);
  return around && buffer->isBeforeInBlock(around) && llvm::any_of(buffer->getUsers(), [&](Operation *user) {
           Operation *here = block->findAncestorOpInBlock(*user);
           return here == around || around->isBeforeInBlock(here);
         });
}

/// A load of the loop that becomes a copy into a ring of buffers.
struct Candidate {
  LoadOp load;
  simt::SharedStoreOp store;    // to the buffer that the ring replaces; null: products read it from registers
  layout_ir::SharedAttr layout; // of the ring's buffers
  int64_t bytes;                // of one tile
  Value ring;                   // the buffers, once they are made

  simt::SharedAllocOp buffer() { return store ? bufferOf(store.getDst()) : simt::SharedAllocOp(); }
};

/// The values of an iteration that is not the current one: whether it takes place; its induction variable, that of the
/// last iteration where it does not; and the carried arguments that addresses depend on.
struct Iteration {
  Value takesPlace, induction;
  DenseMap<Value, Value> carried;
};

class CopyPipeline {
public:
  CopyPipeline(scf::ForOp loop, const AxisAnalysis &axes, int64_t threads, const simt::Target &target)
      : loop_(loop), axes_(axes), writes_(loop), threads_(threads), sharedBytes_(target.features.sharedBytes),
        delayedBytes_(std::min(target.policies.delayedBytes, target.features.registerBytes / threads / 4 * 3)),
        stages_(std::min(stagesOf(loop), kMostStages)) {}

  void run() {
    bool hasProduct =
        loop_.walk([](Operation *op) { return isProduct(op) ? WalkResult::interrupt() : WalkResult::advance(); })
            .wasInterrupted();
    if (!hasProduct || stages_ < 2 || !writes_.obstacle().empty())
      return; // tile-pipeline-loads says why
    InFlightDiagnostic remark = explain(loop_.getLoc(), kPipelineTopic);
    loop_.walk([&](LoadOp load) {
      if (!isa<RankedTensorType>(load.getType()) || load->use_empty() ||
          (!onlyFeedsProducts(load.getResult()) && !onlyStore(load.getResult())))
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
    chooseStages(most);
    remark << candidates_.size() << " of the loop's loads are copied to shared memory ahead of their products, in "
           << stages_ << " stages of " << stageBytes << " bytes together";
    if (stages_ < wantedStages_)
      remark << "; " << wantedStages_ << " do not fit";
    if (!products_.runningOn.empty())
      remark << "; products that run on into the next iteration: " << products_.runningOn.size();
    if (!products_.delayed.empty())
      remark << "; products that are delayed by one iteration: " << products_.delayed.size();
    rewrite();
  }

private:
  /// Takes the load as a candidate, or says why not.
  std::string consider(LoadOp load);
  /// Bytes of shared memory that the rings cannot have: operands of the loop's products that do not become rings,
  /// buffers that live across the loop, and room for exchanges.
  int64_t otherBytes();
  /// Chooses how many stages the rings have, at most `most`, for which shared memory has room; and which products are
  /// still under way while later ops, or the next iteration, begin.
  void chooseStages(int64_t most);
  void rewrite();

  /// The iteration after `now`.
  Iteration next(OpBuilder &builder, const Iteration &now);
  LoopCloner clonerFor(OpBuilder &builder, const Iteration &iteration);
  /// A product's operand with the buffers of candidates replaced by one stage of their rings.
  Value viewAt(OpBuilder &builder, Value operand, Value stage);
  /// A constant of type i32.
  Value number(OpBuilder &builder, int64_t value);
  /// The stage of the iteration before that of `stage`.
  Value stageBefore(OpBuilder &builder, Value stage);
  void makeRings();
  /// Emits a copy for a candidate: of the tile that its load reads in the cloner's iteration, to stage `stage` of its
  /// ring; zeros where `takesPlace` is false. Returns the token.
  Value startCopy(OpBuilder &builder, Candidate &candidate, LoopCloner &cloner, Value takesPlace, Value stage);
  /// Emits one copy a candidate, of the tile that its load reads in `iteration`, to stage number `stage` of its ring.
  /// Returns the copies' tokens, in the candidates' order.
  SmallVector<Value> startCopies(OpBuilder &builder, const Iteration &iteration, Value stage);
  /// Fills the stages that delayed products read in the first iteration with zeros.
  void clearStages(OpBuilder &builder, const Iteration &first);
  /// Erases the loads and buffers of the candidates; products read stage `read` of the rings instead.
  void readStages(Value read);

  scf::ForOp loop_;
  const AxisAnalysis &axes_;
  LoopWrites writes_;
  llvm::SetVector<BlockArgument> carried_; // the arguments that the candidates' addresses and masks depend on
  int64_t threads_, sharedBytes_;
  int64_t delayedBytes_; // of registers
  int64_t stages_;       // of a ring
  int64_t wantedStages_ = 0;
  int64_t ahead_ = 0; // how many iterations before its own a tile's copy is started
  SmallVector<Candidate> candidates_;
  LoopProducts products_;
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
  simt::SharedStoreOp store = onlyStore(load.getResult());
  layout_ir::SharedAttr layout =
      store ? store.getDst().getType().getTileLayout()
            : operandBuffer(loop_.getContext(), type.getShape(), fast, elementBytes, type.getDimSize(fast));
  candidates_.push_back({load, store, layout, bytesOfWhole(type), Value()});
  return {};
}

void CopyPipeline::chooseStages(int64_t most) {
  auto isRing = [&](simt::SharedAllocOp buffer) {
    return llvm::any_of(candidates_, [&](Candidate &each) { return each.buffer() == buffer; });
  };
  products_ = findProducts(loop_, isRing, threads_, delayedBytes_);
  // Both kinds of products still read the previous iteration's stage: one stage more.
  wantedStages_ = products_.empty() ? stages_ : std::min(stages_ + 1, kMostStages);
  stages_ = std::min(wantedStages_, most);
  if (stages_ < 3)
    products_ = {};
  ahead_ = stages_ - (products_.empty() ? 1 : 2);
}

Value CopyPipeline::viewAt(OpBuilder &builder, Value operand, Value stage) {
  if (auto transpose = operand.getDefiningOp<simt::TransposeOp>())
    return builder.create<simt::TransposeOp>(transpose.getLoc(), transpose.getType(),
                                             viewAt(builder, transpose.getSrc(), stage));
  for (Candidate &each : candidates_)
    if (each.store && each.buffer().getResult() == operand) {
      auto ring = cast<simt::SharedType>(each.ring.getType());
      return builder.create<simt::StageOp>(operand.getLoc(), ring.getStageType(), each.ring, stage);
    }
  return operand;
}

int64_t CopyPipeline::otherBytes() {
  int64_t bytes = 0, kept = kKeptBesideRows;
  loop_.walk([&](simt::ProductOp product) {
    if (product.getB().getType().getShape()[1] != product.getInstruction().getN())
      kept = kKeptBytes;
  });
  loop_.walk([&](DotOp dot) {
    kept = kKeptBytes;
    for (Value operand : {dot.getA(), dot.getB()}) {
      Value source = operand;
      while (auto trans = source.getDefiningOp<TransOp>())
        source = trans.getSrc();
      if (llvm::none_of(candidates_, [&](const Candidate &each) { return each.load == source.getDefiningOp(); }))
        bytes += bytesOfWhole(operand.getType());
    }
  });
  loop_->getParentOfType<func::FuncOp>().walk([&](simt::SharedAllocOp buffer) {
    bool isCandidate = llvm::any_of(candidates_, [&](Candidate &each) { return each.buffer() == buffer; });
    if (!isCandidate && isAliveIn(loop_, buffer))
      bytes += buffer.getType().getBytes();
  });
  return bytes + kept;
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

Value CopyPipeline::number(OpBuilder &builder, int64_t value) {
  return builder.create<arith::ConstantOp>(loop_.getLoc(), builder.getI32IntegerAttr(int32_t(value)));
}

Value CopyPipeline::stageBefore(OpBuilder &builder, Value stage) {
  Location location = loop_.getLoc();
  Value isFirst = builder.create<arith::CmpIOp>(location, arith::CmpIPredicate::eq, stage, number(builder, 0));
  Value lower = builder.create<arith::SubIOp>(location, stage, number(builder, 1));
  return builder.create<arith::SelectOp>(location, isFirst, number(builder, stages_ - 1), lower);
}

void CopyPipeline::makeRings() {
  OpBuilder before(loop_);
  for (Candidate &each : candidates_) {
    auto type = cast<RankedTensorType>(each.load.getType());
    SmallVector<int64_t> shape = {stages_};
    llvm::append_range(shape, type.getShape());
    auto ring = simt::SharedType::get(loop_.getContext(), shape, type.getElementType(), each.layout);
    each.ring = before.create<simt::SharedAllocOp>(each.load.getLoc(), ring, IntegerAttr());
  }
}

Value CopyPipeline::startCopy(OpBuilder &builder, Candidate &candidate, LoopCloner &cloner, Value takesPlace,
                              Value stage) {
  Location location = candidate.load.getLoc();
  auto ring = cast<simt::SharedType>(candidate.ring.getType());
  Value pointers = cloner.clone(candidate.load.getPtr());
  auto type = cast<RankedTensorType>(candidate.load.getType()).clone(builder.getI1Type());
  Value mask = builder.create<SplatOp>(location, type, takesPlace);
  if (candidate.load.getMask())
    mask = builder.create<arith::AndIOp>(location, cloner.clone(candidate.load.getMask()), mask);
  Value to = builder.create<simt::StageOp>(location, ring.getStageType(), candidate.ring, stage);
  return builder.create<simt::CopyOp>(location, pointers, to, mask);
}

SmallVector<Value> CopyPipeline::startCopies(OpBuilder &builder, const Iteration &iteration, Value stage) {
  LoopCloner cloner = clonerFor(builder, iteration);
  SmallVector<Value> tokens;
  for (Candidate &each : candidates_)
    tokens.push_back(startCopy(builder, each, cloner, iteration.takesPlace, stage));
  return tokens;
}

void CopyPipeline::clearStages(OpBuilder &builder, const Iteration &first) {
  LoopCloner cloner = clonerFor(builder, first);
  Value never = builder.create<arith::ConstantOp>(loop_.getLoc(), builder.getBoolAttr(false));
  for (Candidate &each : candidates_)
    if (llvm::any_of(products_.delayed, [&](DelayedProduct &delayed) {
          return each.store && bufferOf(delayed.product().getB()) == each.buffer();
        }))
      startCopy(builder, each, cloner, never, number(builder, stages_ - 1));
}

void CopyPipeline::readStages(Value read) {
  for (Candidate &each : candidates_) {
    OpBuilder at(each.load);
    auto ring = cast<simt::SharedType>(each.ring.getType());
    Value stage = at.create<simt::StageOp>(each.load.getLoc(), ring.getStageType(), each.ring, read);
    if (each.store) {
      simt::SharedAllocOp buffer = each.buffer();
      buffer.replaceAllUsesWith(stage);
      if (isa<simt::FenceOp>(each.store->getNextNode()))
        each.store->getNextNode()->erase();
      each.store.erase();
      buffer.erase();
    } else {
      Value loaded = at.create<simt::SharedLoadOp>(each.load.getLoc(), each.load.getType(), stage, Value());
      each.load.replaceAllUsesWith(loaded);
    }
    each.load.erase();
  }
}

void CopyPipeline::rewrite() {
  Location location = loop_.getLoc();
  makeRings();
  // The copies of the first iterations, before the loop.
  OpBuilder before(loop_);
  Iteration ahead;
  ahead.takesPlace = before.createOrFold<arith::CmpIOp>(location, arith::CmpIPredicate::slt, loop_.getLowerBound(),
                                                        loop_.getUpperBound());
  ahead.induction = loop_.getLowerBound();
  for (BlockArgument argument : carried_)
    ahead.carried[argument] = loop_.getTiedLoopInit(argument)->get();
  clearStages(before, ahead);
  SmallVector<Value> tokens;
  for (int64_t stage = 0; stage < ahead_; ++stage) {
    llvm::append_range(tokens, startCopies(before, ahead, number(before, stage)));
    ahead = next(before, ahead);
  }

  // The loop also carries the iteration `ahead_` ahead, the stage that it reads, what delayed products need, and the
  // tokens of the copies under way, the oldest first.
  SmallVector<Value> inits = {ahead.takesPlace, ahead.induction};
  for (BlockArgument argument : carried_)
    inits.push_back(ahead.carried.at(argument));
  inits.push_back(number(before, 0));
  SmallVector<Value> forDelayed = firstCarried(before, products_.delayed);
  llvm::append_range(inits, forDelayed);
  llvm::append_range(inits, tokens);
  ArrayRef<BlockArgument> own = carryMore(loop_, inits);
  ahead.takesPlace = own[0];
  ahead.induction = own[1];
  for (auto [argument, carried] : llvm::zip(carried_, own.drop_front(2)))
    ahead.carried[argument] = carried;
  BlockArgument read = own[2 + carried_.size()];
  ArrayRef<BlockArgument> underWay = own.take_back(tokens.size());
  ArrayRef<BlockArgument> ofDelayed = own.drop_back(tokens.size()).take_back(forDelayed.size());

  // This iteration's copies have arrived; then those of a later iteration are started, into the stage that the previous
  // iteration has read, or the one before it if products still read the previous iteration's. (Started after the
  // iteration's product, they made a product of 4096 x 4096 x 4096 slower, by 3 to 14%.)
  OpBuilder top = OpBuilder::atBlockBegin(loop_.getBody());
  top.create<simt::WaitCopiesOp>(location, llvm::to_vector_of<Value>(underWay.take_front(candidates_.size())));
  bool needsFence = llvm::any_of(candidates_, [](Candidate &each) { return bool(each.store); });
  if (needsFence)
    top.create<simt::FenceOp>(location, simt::FenceKind::Async);
  Value zero = number(top, 0), one = number(top, 1), last = number(top, stages_ - 1);
  Value back = number(top, stages_ - ahead_);
  Value wraps = top.create<arith::CmpIOp>(location, arith::CmpIPredicate::ult, read, back);
  Value later = top.create<arith::AddIOp>(location, read, number(top, ahead_));
  Value earlier = top.create<arith::SubIOp>(location, read, back);
  Value written = top.create<arith::SelectOp>(location, wraps, later, earlier);
  SmallVector<Value> started = startCopies(top, ahead, written);
  ahead = next(top, ahead);
  Value isLast = top.create<arith::CmpIOp>(location, arith::CmpIPredicate::eq, read, last);
  Value readNext = top.create<arith::SelectOp>(location, isLast, zero, top.create<arith::AddIOp>(location, read, one));

  // Copies of iterations that do not take place write zeros.
  OpBuilder after(loop_->getContext());
  after.setInsertionPointAfter(loop_);
  after.create<simt::WaitCopiesOp>(location, loop_.getResults().take_back(tokens.size()));
  if (!products_.delayed.empty())
    after.create<simt::FenceOp>(location, simt::FenceKind::Async);
  auto viewBefore = [&](OpBuilder &builder, Value operand, Value stage) {
    return viewAt(builder, operand, stageBefore(builder, stage));
  };
  SmallVector<Value> ofNext = delayProducts(loop_, products_.delayed, ofDelayed, read, after, viewBefore);
  SmallVector<Value> yielded = {ahead.takesPlace, ahead.induction};
  for (BlockArgument argument : carried_)
    yielded.push_back(ahead.carried.at(argument));
  yielded.push_back(readNext);
  llvm::append_range(yielded, ofNext);
  llvm::append_range(yielded, underWay.drop_front(candidates_.size()));
  llvm::append_range(yielded, started);
  Operation *yield = loop_.getBody()->getTerminator();
  yield->insertOperands(yield->getNumOperands(), yielded);
  readStages(read);
  for (simt::WaitProductsOp wait : products_.runningOn)
    runOn(loop_, wait);
  dropUnusedCarried(loop_);
}

struct PipelineCopiesPass : impl::PipelineCopiesBase<PipelineCopiesPass> {
  void runOnOperation() override {
    simt::Target target = simt::targetOf(getOperation());
    if (!target.features.copiesAsync)
      return;
    int64_t threads = threadsOf(getOperation()).count();
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      SmallVector<scf::ForOp> loops = innermostLoops(function);
      AxisAnalysis axes(function);
      for (scf::ForOp loop : loops)
        CopyPipeline(loop, axes, threads, target).run();
    }
  }
};

} // namespace
} // namespace tegula::tile
