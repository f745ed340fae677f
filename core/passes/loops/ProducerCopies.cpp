// Moves the copies that PipelineCopies.cpp has selected to a producer: one thread of additional warps
// (docs/matrix/producer.md).
#include "core/passes/ProducerBudget.h"
#include "core/passes/RingPlace.h"
#include "core/passes/layouts/ProductLayouts.h"
#include "core/passes/loops/CopyPipeline.h"
#include "core/passes/loops/TileCopies.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace tegula::tile {
namespace {

constexpr int32_t kProducerWarps = 4;      // hardware moves registers between groups of four warps
constexpr int32_t kProducerRegisters = 40; // of each of the producer's threads
// The most consumer warps of a kernel with a producer. With 16, a thread would have only 104 registers; without a
// producer, it has 128.
constexpr int64_t kMostConsumerWarps = 8;

/// The ring that the operand is a view of, or was loaded from; null for other operands.
simt::SharedAllocOp ringOf(Value operand) {
  simt::StageOp stage = stageReadBy(operand);
  return stage ? stage.getSrc().getDefiningOp<simt::SharedAllocOp>() : simt::SharedAllocOp();
}

/// Whether the producer, too, can execute the op, an op of the kernel's body.
bool canRepeat(Operation *op) {
  return op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         llvm::none_of(op->getResultTypes(), llvm::IsaPred<TensorType>);
}

bool isOfKernel(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && isa<func::FuncOp>(argument.getOwner()->getParentOp());
}

} // namespace

Value CopyPipeline::viewAt(OpBuilder &builder, Value operand, Value stage) {
  if (auto transpose = operand.getDefiningOp<simt::TransposeOp>())
    return simt::TransposeOp::create(builder, transpose.getLoc(), transpose.getType(),
                                     viewAt(builder, transpose.getSrc(), stage));
  for (Candidate &each : candidates_)
    if (each.store && each.buffer().getResult() == operand)
      return stageOf(builder, each, stage);
  return operand;
}

Value CopyPipeline::stageBefore(OpBuilder &builder, Value stage) {
  return simt::stageBefore(builder, loop_.getLoc(), stage, stages_);
}

bool CopyPipeline::onlyProductsReadRings() {
  auto isWritten = [&](Value operand) {
    simt::SharedAllocOp buffer = bufferReadBy(operand);
    return buffer && loop_->isAncestor(buffer) &&
           llvm::none_of(candidates_, [&](Candidate &each) { return each.buffer() == buffer; });
  };
  for (Operation &op : *loop_.getBody())
    if (auto product = dyn_cast<simt::ProductOp>(op);
        isa<DotOp>(op) || (product && (isWritten(product.getA()) || isWritten(product.getB()))))
      return false;
  return llvm::all_of(candidates_, [&](Candidate &each) {
    return llvm::all_of(each.buffer()->getUsers(), [&](Operation *user) {
      return isa<simt::ProductOp, simt::TransposeOp, simt::SharedLoadOp, simt::SharedStoreOp>(user) &&
             user->getBlock() == loop_.getBody();
    });
  });
}

bool CopyPipeline::canBeginWithKernel() {
  auto isInTheWay = [&](Operation *op) {
    auto buffer = dyn_cast<simt::SharedAllocOp>(op);
    return !mayBePassedByCopies(op) || (buffer && !isAliveIn(loop_, buffer)) ? WalkResult::interrupt()
                                                                             : WalkResult::advance();
  };
  for (Operation *before = loop_->getPrevNode(); before; before = before->getPrevNode())
    if (before->walk(isInTheWay).wasInterrupted())
      return false;
  return true;
}

bool CopyPipeline::canRepeatPositions() {
  SmallVector<Value> work = {loop_.getLowerBound(), loop_.getUpperBound(), loop_.getStep()};
  for (Candidate &each : candidates_)
    llvm::append_range(work, each.descLoad().getOffsets());
  DenseSet<Value> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (isOfKernel(value) || value == loop_.getInductionVar() || !seen.insert(value).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() != loop_.getBody())
        return false;
      work.push_back(loop_.getTiedLoopInit(argument)->get());
      work.push_back(loop_.getTiedLoopYieldedValue(argument)->get());
    } else if (canRepeat(value.getDefiningOp())) {
      llvm::append_range(work, value.getDefiningOp()->getOperands());
    } else {
      return false;
    }
  }
  return true;
}

bool CopyPipeline::canHaveProducer() {
  auto kernel = dyn_cast<func::FuncOp>(loop_->getParentOp());
  int64_t warps = threads_ / simt::targetOf(loop_).features.threadsPerWarp;
  if (!movesRegisters_ || !kernel || hardwareCopies() == 0 || hardwareCopies() != int64_t(candidates_.size()) ||
      warps % kProducerWarps != 0 || warps > kMostConsumerWarps)
    return false;
  auto excludesProducer = [](Operation *op) {
    return isa<simt::ProducerOp, PrintOp, AssertOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
  };
  return onlyProductsReadRings() && canBeginWithKernel() && !kernel.walk(excludesProducer).wasInterrupted() &&
         canRepeatPositions();
}

bool CopyPipeline::leavesRegisters() {
  // Measured: two programs of four warps on a multiprocessor are faster than one program with a producer, both with a
  // producer each and without one, when they have all registers (docs/lab/2026-11-28-attention-forward.md). So a kernel
  // of four warps gets a producer only if two programs with producers fit.
  TargetFeatures features = simt::targetOf(loop_).features;
  if (candidates_.empty() || threads_ != kProducerWarps * features.threadsPerWarp)
    return true;
  int64_t bytes = registerBytesOf(loop_, threads_);
  for (auto product : loop_.getBody()->getOps<simt::ProductOp>())
    if (isa<RankedTensorType>(product.getA().getType()))
      bytes += bytesOfWhole(product.getA().getType()) / threads_;
  return bytes / 4 + simt::kRegistersBesideLoop <= simt::producerBudget(features, kProducerWarps, kProducerWarps,
                                                                        kProducerRegisters, features.threadsPerWarp,
                                                                        /*programs=*/2)
                                                       .consumer;
}

void CopyPipeline::makeRingGroups() {
  Location location = loop_.getLoc();
  OpBuilder top = OpBuilder::atBlockBegin(loop_->getBlock());
  makeRings(top);
  llvm::MapVector<Operation *, SmallVector<Candidate *>> byReader;
  for (Candidate &each : candidates_) {
    Operation *reader = nullptr; // the first product that reads the buffer
    for (auto product : loop_.getBody()->getOps<simt::ProductOp>())
      if (!reader && (bufferReadBy(product.getA()) == each.buffer() || bufferOf(product.getB()) == each.buffer()))
        reader = product;
    byReader[reader].push_back(&each);
  }
  auto type = simt::BarriersType::get(loop_.getContext(), stages_);
  for (auto &[reader, members] : byReader) {
    RingGroup &group = groups_.emplace_back();
    group.members = members;
    group.isLate = llvm::any_of(loop_.getBody()->getOps<simt::ProductOp>(), [&](simt::ProductOp product) {
      return products_.endsLater(product) && llvm::any_of(members, [&](Candidate *each) {
               return bufferReadBy(product.getA()) == each->buffer() || bufferOf(product.getB()) == each->buffer();
             });
    });
    group.full = simt::BarrierAllocOp::create(top, location, type, IntegerAttr());
    group.empty = simt::BarrierAllocOp::create(top, location, type, IntegerAttr());
  }
  uint32_t warps = uint32_t(threads_ / simt::targetOf(loop_).features.threadsPerWarp);
  for (RingGroup &group : groups_) {
    simt::StartBarriersOp::create(top, location, group.full, uint32_t(group.members.size()));
    simt::StartBarriersOp::create(top, location, group.empty, warps);
  }
  producerAt_ = &*std::prev(top.getInsertionPoint());
}

Value CopyPipeline::phaseBefore(OpBuilder &builder, Value stage, Value phase) {
  Location location = loop_.getLoc();
  Value isFirst = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq, stage, number(builder, 0));
  Value other = arith::XOrIOp::create(builder, location, phase, number(builder, 1));
  return arith::SelectOp::create(builder, location, isFirst, other, phase);
}

std::pair<Value, Value> CopyPipeline::nextStage(OpBuilder &builder, Value stage, Value phase) {
  return simt::placeAfter(builder, loop_.getLoc(), stage, phase, stages_);
}

/// Whether operand A or B of the product is in one of the group's rings.
static bool reads(simt::ProductOp product, const RingGroup &group) {
  simt::SharedAllocOp a = ringOf(product.getA()), b = ringOf(product.getB());
  return llvm::any_of(group.members, [&](Candidate *each) {
    Operation *ring = each->ring.getDefiningOp();
    return (a && a == ring) || (b && b == ring);
  });
}

/// The index of the ring stage that the product reads: all of its operands in rings are views of this stage.
static Value stageRead(simt::ProductOp product) {
  return stageReadBy(ringOf(product.getB()) ? product.getB() : product.getA()).getIndex();
}

void CopyPipeline::waitUntilFull(simt::ProductOp product, const RingGroup &group, Value stage, Value phase) {
  OpBuilder builder(tile::loadsLeft(product) ? product.getA().getDefiningOp() : product);
  Value read = stageRead(product);
  Value parity = read == stage ? phase : phaseBefore(builder, stage, phase);
  simt::BarrierWaitOp::create(builder, loop_.getLoc(), group.full, read, parity);
}

bool CopyPipeline::loadsLeft(const RingGroup &group) {
  return llvm::any_of(loop_.getBody()->getOps<simt::ProductOp>(),
                      [&](simt::ProductOp product) { return tile::loadsLeft(product) && reads(product, group); });
}

void CopyPipeline::synchronise(RingGroup &group, BlockArgument stage, BlockArgument phase) {
  // of the products that read the group's rings: the first that reads the iteration's own stage, and the first that
  // reads the stage before
  SmallVector<simt::ProductOp> firsts;
  simt::WaitProductsOp last; // the wait after which no product of this iteration reads the group's stage
  for (Operation &op : *loop_.getBody()) {
    auto started = dyn_cast<simt::ProductOp>(op);
    if (started && reads(started, group) && llvm::none_of(firsts, [&](simt::ProductOp first) {
          return (stageRead(first) == stage) == (stageRead(started) == stage);
        }))
      firsts.push_back(started);
    auto wait = dyn_cast<simt::WaitProductsOp>(op);
    if (!wait)
      continue;
    auto argument = dyn_cast<BlockArgument>(wait.getProduct());
    Value of = argument ? loop_.getTiedLoopYieldedValue(argument)->get() : wait.getProduct();
    auto product = of.getDefiningOp<simt::ProductOp>();
    if (product && reads(product, group))
      last = wait;
  }
  for (simt::ProductOp first : firsts)
    waitUntilFull(first, group, stage, phase);
  OpBuilder builder(loop_.getContext());
  builder.setInsertionPointAfter(last);
  Value read = group.isLate ? stageBefore(builder, stage) : Value(stage);
  auto arrive = simt::ArriveWarpsOp::create(builder, loop_.getLoc(), group.empty, read);
  arrive.setLoaded(loadsLeft(group));
  // The delayed products of the last iteration start after the loop; they wait for their stages, too.
  for (Operation *op = loop_->getNextNode(); op; op = op->getNextNode())
    if (auto product = dyn_cast<simt::ProductOp>(op); product && reads(product, group))
      waitUntilFull(product, group, loop_.getTiedLoopResult(stage), loop_.getTiedLoopResult(phase));
}

void CopyPipeline::waitUntilEmpty(OpBuilder &builder, const RingGroup &group, Value stage, Value phase) {
  Location location = loop_.getLoc();
  // The wait returns once stage s has become empty for the r-th time (r from 0): its barrier object has then completed
  // r phases. In a late group, one more phase for the last stage: the consumer warps' first iteration hands this stage
  // back although no copy filled it.
  Value parity = arith::XOrIOp::create(builder, location, phase, number(builder, 1));
  if (group.isLate) {
    Value isLast =
        arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq, stage, number(builder, stages_ - 1));
    parity = arith::SelectOp::create(builder, location, isLast, phase, parity);
  }
  simt::BarrierWaitOp::create(builder, location, group.empty, stage, parity);
}

void CopyPipeline::makeProducer() {
  Location location = loop_.getLoc();
  OpBuilder builder(loop_.getContext());
  builder.setInsertionPointAfter(producerAt_);
  auto producer =
      simt::ProducerOp::create(builder, location, ValueRange(), uint32_t(kProducerWarps), uint32_t(kProducerRegisters));
  Block *body = builder.createBlock(&producer.getBody());
  simt::EndGroupOp::create(builder, location);
  builder.setInsertionPointToStart(body);
  SmallVector<Value> inits;
  for (BlockArgument argument : carried_)
    inits.push_back(loop_.getTiedLoopInit(argument)->get());
  inits.append({number(builder, 0), number(builder, 0)});
  auto loop =
      scf::ForOp::create(builder, location, loop_.getLowerBound(), loop_.getUpperBound(), loop_.getStep(), inits);
  builder.setInsertionPointToStart(loop.getBody());
  Value stage = loop.getRegionIterArgs().drop_back().back(), phase = loop.getRegionIterArgs().back();
  LoopCloner cloner(loop_, builder, [&](BlockArgument argument) -> Value {
    if (argument == loop_.getInductionVar())
      return loop.getInductionVar();
    return loop.getRegionIterArg(unsigned(llvm::find(carried_, argument) - carried_.begin()));
  });
  Value always = arith::ConstantOp::create(builder, location, builder.getBoolAttr(true));
  for (RingGroup &group : groups_) {
    waitUntilEmpty(builder, group, stage, phase);
    for (Candidate *each : group.members) {
      DescLoadOp load = each->descLoad();
      SmallVector<Value> position;
      for (Value offset : load.getOffsets())
        position.push_back(cloner.clone(offset));
      simt::CopyTileOp::create(builder, load.getLoc(), load.getDesc(), position, stageOf(builder, *each, stage),
                               group.full, stage, phase, always, each->store.getTf32(), each->once);
    }
  }
  SmallVector<Value> next;
  for (BlockArgument argument : carried_)
    next.push_back(cloner.clone(loop_.getTiedLoopYieldedValue(argument)->get()));
  auto [stageNext, phaseNext] = nextStage(builder, stage, phase);
  next.append({stageNext, phaseNext});
  scf::YieldOp::create(builder, location, next);
  if (epilogue_) {
    builder.setInsertionPointAfter(loop);
    copyEpilogueOperand(builder, loop.getResults().drop_back().back(), loop.getResults().back());
  }
  isolateProducer(producer);
}

void isolateProducer(simt::ProducerOp producer) {
  Block &body = producer.getBody().front();
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  IRMapping inside;
  inside.map(producer.getCaptures(), body.getArguments());
  std::function<Value(Value)> bring = [&](Value value) {
    if (Value known = inside.lookupOrNull(value))
      return known;
    Operation *op = value.getDefiningOp();
    if (!op || !canRepeat(op)) {
      producer.getCapturesMutable().append(value);
      Value argument = body.addArgument(value.getType(), value.getLoc());
      inside.map(value, argument);
      return argument;
    }
    for (Value operand : op->getOperands())
      bring(operand);
    builder.clone(*op, inside);
    return inside.lookup(value);
  };
  SmallVector<OpOperand *> outside;
  visitUsedValuesDefinedAbove(producer.getBody(), producer.getBody(), [&](OpOperand *use) { outside.push_back(use); });
  for (OpOperand *use : outside)
    use->set(bring(use->get()));
}

void CopyPipeline::rewriteWithProducer() {
  makeRingGroups();
  findEpilogueOperand();
  makeProducer();
  OpBuilder before(loop_);
  clearStages(before);
  SmallVector<Value> inits = {number(before, 0), number(before, 0)};
  SmallVector<Value> forDelayed = firstCarried(before, products_.delayed);
  llvm::append_range(inits, forDelayed);
  std::optional<WarpGroups> groups;
  if (mayPingPong())
    inits.push_back((groups = warpGroups(before))->other); // the turn that the first iteration waits for: PingPong.cpp
  ArrayRef<BlockArgument> own = carryMore(loop_, inits);
  BlockArgument stage = own[0], phase = own[1];
  OpBuilder top = OpBuilder::atBlockBegin(loop_.getBody()), after(loop_->getContext());
  auto [stageNext, phaseNext] = nextStage(top, stage, phase);
  after.setInsertionPointAfter(loop_);
  auto viewBefore = [&](OpBuilder &builder, Value operand, bool isAfterLoop) {
    Value of = isAfterLoop ? Value(loop_.getTiedLoopResult(stage)) : Value(stage);
    return viewAt(builder, operand, stageBefore(builder, of));
  };
  // This op is emitted before the call of delayProducts, which may erase the op that is the insertion point of `top`.
  Value turnNext =
      groups ? arith::XOrIOp::create(top, loop_.getLoc(), own.back(), number(top, 1)).getResult() : Value();
  SmallVector<Value> ofNext =
      delayProducts(loop_, products_.delayed, own.slice(2, forDelayed.size()), after, viewBefore);
  SmallVector<Value> yielded = {stageNext, phaseNext};
  llvm::append_range(yielded, ofNext);
  if (groups)
    yielded.push_back(turnNext);
  Operation *yield = loop_.getBody()->getTerminator();
  yield->insertOperands(yield->getNumOperands(), yielded);
  for (Candidate &each : candidates_) {
    OpBuilder at(each.load);
    readStage(each, stageOf(at, each, stage));
  }
  for (simt::WaitProductsOp wait : products_.runningOn)
    runOn(loop_, wait);
  for (RingGroup &group : groups_)
    synchronise(group, stage, phase);
  Value turns = groups ? pingPong(*groups, own.back()) : Value();
  // The rings' barrier objects end after the last wait for a copy, right before the wait for the last product that
  // reads a ring. Exchanges in the code that uses this product's result may then reuse the rings' storage.
  after.setInsertionPointAfter(loop_);
  for (Operation *op = loop_->getNextNode(); op; op = op->getNextNode())
    if (auto wait = dyn_cast<simt::WaitProductsOp>(op))
      if (auto product = wait.getProduct().getDefiningOp<simt::ProductOp>();
          product && llvm::any_of(groups_, [&](const RingGroup &group) { return reads(product, group); }))
        after.setInsertionPoint(wait);
  if (epilogue_)
    after.setInsertionPointAfter(readEpilogueOperand(loop_.getTiedLoopResult(stage), loop_.getTiedLoopResult(phase)));
  for (RingGroup &group : groups_)
    for (Value objects : {group.full, group.empty})
      simt::EndBarriersOp::create(after, loop_.getLoc(), objects);
  if (turns)
    simt::EndBarriersOp::create(after, loop_.getLoc(), turns);
  dropUnusedCarried(loop_);
}

} // namespace tegula::tile
