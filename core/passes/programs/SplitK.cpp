// tile-split-k (TilePasses.td): divides the iterations of a summing loop among several programs (split-K).
//
// Split-K: several programs share the loop that computes one block of a result. Each program, called a split, executes
// a part of the iterations and stores a partial sum. Then it adds 1 to a counter of the block. The split that finds the
// counter complete adds the partial sums, in the order of the parts, so that the result does not depend on which split
// is last.
#include "core/passes/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_SPLITK
#include "core/passes/Passes.h.inc"

namespace {

/// The amount, computed outside of the loop, that a loop adds to a carried value in each iteration.
struct Advance {
  Operation *op = nullptr; // addi, subi or addptr
  Value amount;
};

/// Splits the depth of one kernel.
class SplitKRewriter {
public:
  SplitKRewriter(func::FuncOp kernel, int64_t parts) : kernel_(kernel), parts_(parts), b_(kernel.getContext()) {}

  LogicalResult run() {
    if (failed(findLoop()) || failed(checkEffects()) || failed(classify()))
      return failure();
    b_.setInsertionPointToStart(&kernel_.getBody().front());
    location_ = loop_.getLoc();
    dividePrograms();
    shortenLoop();
    finishInLast();
    kernel_->setAttr(kGridFactorAttr, b_.getI32IntegerAttr(int32_t(parts_)));
    return success();
  }

private:
  InFlightDiagnostic refuse(Location location, const Twine &why) {
    return emitError(location) << "depth_splits is " << parts_ << ", but " << why;
  }

  LogicalResult findLoop();
  LogicalResult checkEffects();
  LogicalResult classify();
  bool isSum(BlockArgument carried);
  std::optional<Advance> advanceOf(BlockArgument carried);

  void dividePrograms();
  void shortenLoop();
  Value moved(Value init, const Advance &advance, Value iterations);
  void finishInLast();
  Value partAt(Value base, Value program, Type sum);
  Value loadPart(Value base, Value program, Type sum);
  void store(Value pointers, Value value);
  Value add(Value a, Value b);
  SmallVector<Value> addParts(ArrayRef<Value> bases, ArrayRef<Value> inits);
  BlockArgument addWorkspace(Type element, StringRef name, int64_t bytesPerProgram, bool isZero);

  Value number(int64_t value, Type type) {
    return arith::ConstantOp::create(b_, location_, b_.getIntegerAttr(type, value));
  }
  Value cast(Value integer, Type type);
  Value plus(Value a, Value b) { return arith::AddIOp::create(b_, location_, a, b); }

  func::FuncOp kernel_;
  int64_t parts_;
  OpBuilder b_;
  Location location_ = kernel_.getLoc(); // later the loop's location
  scf::ForOp loop_;
  int64_t step_ = 0;
  SmallVector<unsigned> sums_; // indices of the carried values that are sums
  llvm::MapVector<unsigned, Advance> advances_;
  Value part_;         // the part of the depth of this program, i32
  Value firstOfBlock_; // the number, among all launched programs, of the program with this block's first part; i64
};

/// Finds the loop to split: the only loop in the kernel's body whose results are used.
LogicalResult SplitKRewriter::findLoop() {
  for (auto loop : kernel_.getOps<scf::ForOp>()) {
    if (loop->use_empty())
      continue;
    if (loop_)
      return refuse(loop.getLoc(), "the kernel uses the results of two loops; only one loop's sums can be split");
    loop_ = loop;
    location_ = loop.getLoc();
  }
  if (!loop_)
    return refuse(kernel_.getLoc(), "the kernel has no loop that adds to a sum; the loop must stand in the kernel's "
                                    "body, not in another loop or an 'if' (code behind an early return is in an 'if')");
  APInt step;
  if (!isa<IntegerType>(loop_.getInductionVar().getType()) || !matchPattern(loop_.getStep(), m_ConstantInt(&step)) ||
      !step.isStrictlyPositive())
    return refuse(loop_.getLoc(), "the loop does not count integers in constant steps above 0");
  step_ = step.getSExtValue();
  return success();
}

/// Every split runs the ops before and in the loop: they must not write. Only the last split runs the ops after it.
LogicalResult SplitKRewriter::checkEffects() {
  auto result = kernel_.walk<WalkOrder::PreOrder>([&](Operation *op) {
    Operation *inBody = kernel_.getBody().front().findAncestorOpInBlock(*op);
    if (isa<PrintOp, AssertOp>(op)) {
      refuse(op->getLoc(), "the kernel prints or asserts, and the numbers of programs in such messages "
                           "would not be those of the caller's grid");
      return WalkResult::interrupt();
    }
    bool isBehind = inBody && loop_->isBeforeInBlock(inBody);
    auto load = dyn_cast<LoadOp>(op);
    bool reads = isa<DescLoadOp, DescGatherOp, LoadStridedOp>(op) || (load && !load.getIsVolatile());
    if (isBehind || op->getNumRegions() || reads || accessesNoMemory(op))
      return WalkResult::advance();
    refuse(op->getLoc(), "this stands before or in the loop, which the programs of all parts execute; only loads "
                         "may stand there");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Whether the loop does nothing with the carried value but add to it: by products that accumulate, and by additions. A
/// sum of 8-bit floats is converted to f32, added to, and rounded again (tile-widen-fp8).
bool SplitKRewriter::isSum(BlockArgument carried) {
  Type element = getElementTypeOrSelf(carried.getType());
  if (!element.isIntOrFloat() || element.isInteger(1) || !carried.hasOneUse())
    return false;
  Operation *yield = loop_.getBody()->getTerminator();
  for (Value value = carried;;) { // each sum on the way has one use: the next sum, or the yield
    OpOperand &use = *value.use_begin();
    Operation *user = use.getOwner();
    if (user == yield)
      return use.getOperandNumber() == carried.getArgNumber() - 1;
    auto dot = dyn_cast<DotOp>(user);
    bool adds = dot ? value == dot.getC()
                    : isa<arith::AddFOp, arith::AddIOp>(user) || (isFp8Scalar(element) && isa<FpCastOp>(user));
    if (!adds || user->getBlock() != loop_.getBody() || !user->hasOneUse())
      return false;
    value = user->getResult(0);
  }
}

std::optional<Advance> SplitKRewriter::advanceOf(BlockArgument carried) {
  Operation *op = loop_.getTiedLoopYieldedValue(carried)->get().getDefiningOp();
  if (!op || !isa<arith::AddIOp, arith::SubIOp, AddPtrOp>(op) || op->getBlock() != loop_.getBody())
    return std::nullopt;
  bool isSecond = isa<arith::AddIOp>(op) && op->getOperand(1) == carried;
  Value amount = op->getOperand(isSecond ? 0 : 1);
  if (op->getOperand(isSecond ? 1 : 0) != carried || !loop_.isDefinedOutsideOfLoop(amount))
    return std::nullopt;
  return Advance{op, amount};
}

LogicalResult SplitKRewriter::classify() {
  for (BlockArgument carried : loop_.getRegionIterArgs()) {
    unsigned index = carried.getArgNumber() - 1;
    if (isSum(carried)) {
      if (!loop_.getResult(index).use_empty())
        sums_.push_back(index);
    } else if (std::optional<Advance> advance = advanceOf(carried)) {
      advances_.insert({index, *advance});
    } else if (Value next = loop_.getTiedLoopYieldedValue(carried)->get(); next != carried) {
      return refuse(next.getLoc(), "the loop carries this to its next iteration, and it is no sum of what iterations "
                                   "add, such as a maximum, or the loop also reads the sum");
    }
  }
  return sums_.empty() ? refuse(loop_.getLoc(), "the loop adds to no sum that is used behind it") : success();
}

Value SplitKRewriter::cast(Value integer, Type type) {
  unsigned from = integer.getType().getIntOrFloatBitWidth(), to = type.getIntOrFloatBitWidth();
  if (from == to)
    return integer;
  return from < to ? arith::ExtSIOp::create(b_, location_, type, integer).getResult()
                   : arith::TruncIOp::create(b_, location_, type, integer).getResult();
}

/// Divides the launched programs among blocks: the programs that share one block, its splits, are neighbours along axis
/// 0 of the grid. Ops that ask for the program's coordinates get those of the block.
void SplitKRewriter::dividePrograms() {
  SmallVector<Operation *> places;
  kernel_.walk([&](Operation *op) {
    auto id = dyn_cast<ProgramIdOp>(op);
    auto count = dyn_cast<NumProgramsOp>(op);
    if ((id && id.getAxis() == 0) || (count && count.getAxis() == 0))
      places.push_back(op);
  });
  Type i64 = b_.getI64Type();
  Value all = number(parts_, b_.getI32Type());
  auto program = [&](int axis) -> Value { return ProgramIdOp::create(b_, location_, axis); };
  auto size = [&](int axis) -> Value { return NumProgramsOp::create(b_, location_, axis); };
  Value launched = program(0), row = size(0);
  Value block = arith::DivSIOp::create(b_, location_, launched, all);
  Value blocks = arith::DivSIOp::create(b_, location_, row, all);
  part_ = arith::RemSIOp::create(b_, location_, launched, all);
  Value plane = arith::MulIOp::create(b_, location_, cast(program(2), i64), cast(size(1), i64));
  Value line = arith::AddIOp::create(b_, location_, plane, cast(program(1), i64));
  Value before = arith::MulIOp::create(b_, location_, line, cast(row, i64));
  Value own = arith::SubIOp::create(b_, location_, launched, part_);
  firstOfBlock_ = arith::AddIOp::create(b_, location_, before, cast(own, i64));
  for (Operation *op : places) {
    op->getResult(0).replaceAllUsesWith(isa<ProgramIdOp>(op) ? block : blocks);
    op->erase();
  }
}

/// The carried value after `iterations` iterations, if it is `init` at first.
Value SplitKRewriter::moved(Value init, const Advance &advance, Value iterations) {
  Type element = getElementTypeOrSelf(advance.amount.getType());
  bool isPointer = isa<AddPtrOp>(advance.op); // the offset must be the sum of the amounts without a wrap
  Type wide = isPointer ? b_.getI64Type() : element;
  Value times = cast(iterations, wide), amount = advance.amount;
  if (auto tensor = dyn_cast<RankedTensorType>(amount.getType())) {
    auto type = RankedTensorType::get(tensor.getShape(), wide);
    times = SplatOp::create(b_, location_, type, times);
    if (wide != element)
      amount = arith::ExtSIOp::create(b_, location_, type, amount);
  } else {
    amount = cast(amount, wide);
  }
  Value way = arith::MulIOp::create(b_, location_, amount, times);
  if (isPointer)
    return AddPtrOp::create(b_, location_, init.getType(), init, way);
  return isa<arith::SubIOp>(advance.op) ? arith::SubIOp::create(b_, location_, init, way).getResult()
                                        : arith::AddIOp::create(b_, location_, init, way).getResult();
}

/// Restricts the loop to the iterations of this program's part. Parts differ by at most one iteration.
void SplitKRewriter::shortenLoop() {
  b_.setInsertionPoint(loop_);
  Value induction = loop_.getInductionVar(), lower = loop_.getLowerBound();
  Type type = induction.getType(), wide = type;
  APInt begin;
  // A 32-bit loop that begins below 0 may have an extent of 33 bits.
  if (!matchPattern(lower, m_ConstantInt(&begin)) || begin.isNegative())
    wide = b_.getI64Type();
  auto constant = [&](int64_t value) { return number(value, wide); };
  Value zero = constant(0), one = constant(1), all = constant(parts_), part = cast(part_, wide);
  lower = cast(lower, wide);
  Value upper = arith::MaxSIOp::create(b_, location_, cast(loop_.getUpperBound(), wide), lower);
  Value extent = arith::SubIOp::create(b_, location_, upper, lower);
  auto oneIf = [&](Value condition) -> Value { return arith::SelectOp::create(b_, location_, condition, one, zero); };
  Value step = constant(step_), rest = arith::RemSIOp::create(b_, location_, extent, step);
  Value isMore = arith::CmpIOp::create(b_, location_, arith::CmpIPredicate::ne, rest, zero);
  Value count = plus(arith::DivSIOp::create(b_, location_, extent, step), oneIf(isMore));
  Value each = arith::DivSIOp::create(b_, location_, count, all);
  Value longer = arith::RemSIOp::create(b_, location_, count, all); // number of parts with one more iteration
  Value isLonger = arith::CmpIOp::create(b_, location_, arith::CmpIPredicate::slt, part, longer);
  Value start =
      plus(arith::MulIOp::create(b_, location_, part, each), arith::MinSIOp::create(b_, location_, part, longer));
  Value end = arith::MulIOp::create(b_, location_, plus(each, oneIf(isLonger)), step);
  Value shift = arith::MulIOp::create(b_, location_, start, step);
  shift = plus(shift, lower);
  for (auto &[index, advance] : advances_) {
    OpOperand &init = loop_.getInitArgsMutable()[index];
    loop_.getResult(index).replaceAllUsesWith(moved(init.get(), advance, count));
    init.set(moved(init.get(), advance, start));
  }
  // The loop counts from 0, because the analyses of addresses (Polynomials) derive the iteration number from the
  // induction variable only in such loops. Its end does not wrap: there are at least two parts, so a part has either
  // one iteration or fewer than all, and the end is one step or less than the extent.
  loop_.setLowerBound(zero);
  loop_.setUpperBound(end);
  loop_.setStep(step);
  induction.setType(wide);
  b_.setInsertionPointToStart(loop_.getBody());
  Value shifted = plus(induction, shift);
  induction.replaceAllUsesExcept(cast(shifted, type), shifted.getDefiningOp());
}

/// Appends a parameter for memory that the launch supplies: `bytesPerProgram` for each launched program. `isZero`: the
/// memory holds zeros when the launch begins (`tile.zeroed`).
BlockArgument SplitKRewriter::addWorkspace(Type element, StringRef name, int64_t bytesPerProgram, bool isZero) {
  constexpr int64_t kAlignment = 16; // the launch aligns the memory at least so
  NamedAttrList attributes;
  attributes.append(kNameAttr, b_.getStringAttr(name));
  attributes.append(kDivisibilityAttr, b_.getI64IntegerAttr(kAlignment));
  attributes.append(kWorkspaceAttr, b_.getI64IntegerAttr(bytesPerProgram));
  if (isZero)
    attributes.append(kZeroedAttr, b_.getUnitAttr());
  unsigned index = kernel_.getNumArguments();
  (void)kernel_.insertArgument(index, PtrType::get(element), attributes.getDictionary(b_.getContext()), location_);
  return kernel_.getArgument(index);
}

/// The address of launched program `program`'s partial sum, of type `sum`, in the workspace `base`: a tensor of
/// pointers in row-major order, or a single pointer if the sum is a scalar.
Value SplitKRewriter::partAt(Value base, Value program, Type sum) {
  ArrayRef<int64_t> shape = shapeOf(sum);
  int64_t elements = ShapedType::getNumElements(shape);
  Value place = arith::MulIOp::create(b_, location_, program, number(elements, program.getType()));
  Value start = AddPtrOp::create(b_, location_, base.getType(), base, place);
  if (shape.empty())
    return start;
  Value numbers = MakeRangeOp::create(b_, location_, uint32_t(0), uint32_t(elements));
  Value offsets = ReshapeOp::create(b_, location_, withElement(sum, b_.getI32Type()), numbers, false);
  auto pointers = withElement(sum, base.getType());
  return AddPtrOp::create(b_, location_, pointers, SplatOp::create(b_, location_, pointers, start), offsets);
}

Value SplitKRewriter::loadPart(Value base, Value program, Type sum) {
  return LoadOp::create(b_, location_, partAt(base, program, sum), Value(), Value(), CacheModifier::None,
                        EvictionPolicy::Normal, false);
}

void SplitKRewriter::store(Value pointers, Value value) {
  StoreOp::create(b_, location_, pointers, value, Value(), CacheModifier::None, EvictionPolicy::Normal);
}

Value SplitKRewriter::add(Value a, Value b) {
  return isa<FloatType>(getElementTypeOrSelf(a.getType())) ? arith::AddFOp::create(b_, location_, a, b).getResult()
                                                           : arith::AddIOp::create(b_, location_, a, b).getResult();
}

/// Emits the sums that the loop would have computed without the split: each initial value plus the partial sums of all
/// parts of a block.
SmallVector<Value> SplitKRewriter::addParts(ArrayRef<Value> bases, ArrayRef<Value> inits) {
  SmallVector<Value> firsts;
  for (auto [base, init] : llvm::zip_equal(bases, inits)) {
    Value first = loadPart(base, firstOfBlock_, init.getType());
    bool isZero = matchPattern(init, m_Zero()) || matchPattern(init, m_PosZeroFloat());
    firsts.push_back(isZero ? first : add(init, first));
  }
  Type i32 = b_.getI32Type();
  auto rest = scf::ForOp::create(b_, location_, number(1, i32), number(parts_, i32), number(1, i32), firsts);
  OpBuilder::InsertionGuard guard(b_);
  b_.setInsertionPointToStart(rest.getBody());
  Value program =
      arith::AddIOp::create(b_, location_, firstOfBlock_, cast(rest.getInductionVar(), firstOfBlock_.getType()));
  SmallVector<Value> next;
  for (auto [base, total] : llvm::zip_equal(bases, rest.getRegionIterArgs()))
    next.push_back(add(total, loadPart(base, program, total.getType())));
  scf::YieldOp::create(b_, location_, next);
  return rest.getResults();
}

/// Makes each program store its partial sums, and makes the last program of a block add them and execute the ops after
/// the loop.
void SplitKRewriter::finishInLast() {
  SmallVector<Operation *> behind;
  for (Operation *op = loop_->getNextNode(); !op->hasTrait<OpTrait::IsTerminator>(); op = op->getNextNode())
    behind.push_back(op);
  b_.setInsertionPointAfter(loop_);
  Value own = arith::AddIOp::create(b_, location_, firstOfBlock_, cast(part_, firstOfBlock_.getType()));
  SmallVector<Value> bases, inits;
  SmallVector<Operation *> stores;
  for (unsigned index : sums_) {
    Value sum = loop_.getResult(index);
    OpOperand &init = loop_.getInitArgsMutable()[index];
    Type element = getElementTypeOrSelf(sum.getType());
    int64_t bytes = ShapedType::getNumElements(shapeOf(sum.getType())) * element.getIntOrFloatBitWidth() / 8;
    bases.push_back(addWorkspace(element, "partial sums " + std::to_string(bases.size()), bytes, false));
    inits.push_back(init.get());
    store(partAt(bases.back(), own, sum.getType()), sum);
    stores.push_back(&*std::prev(b_.getInsertionPoint()));
    OpBuilder before(loop_);
    init.set(arith::ConstantOp::create(before, location_, before.getZeroAttr(sum.getType())));
  }
  Type i32 = b_.getI32Type();
  Value counters = addWorkspace(i32, "parts that arrived", sizeof(int32_t), true);
  Value counter = AddPtrOp::create(b_, location_, counters.getType(), counters, firstOfBlock_);
  // Orders this program's stores before the atomic, and, in the last program, the other programs' stores before the
  // loads below.
  Value arrived = AtomicRmwOp::create(b_, location_, AtomicKind::Add, MemoryOrder::AcquireRelease, Scope::Device,
                                      counter, number(1, i32), Value());
  Value isLast = arith::CmpIOp::create(b_, location_, arith::CmpIPredicate::eq, arrived, number(parts_ - 1, i32));
  auto finish = scf::IfOp::create(b_, location_, isLast, /*withElseRegion=*/false);
  b_.setInsertionPointToStart(finish.thenBlock());
  store(counter, number(0, i32)); // zero again for the next launch
  for (auto [index, total] : llvm::zip_equal(sums_, addParts(bases, inits)))
    loop_.getResult(index).replaceUsesWithIf(
        total, [&](OpOperand &use) { return !llvm::is_contained(stores, use.getOwner()); });
  for (Operation *op : behind)
    op->moveBefore(finish.thenYield());
}

struct SplitKPass : impl::SplitKBase<SplitKPass> {
  void runOnOperation() override {
    for (auto kernel : getOperation().getOps<func::FuncOp>()) {
      auto parts = kernel->getAttrOfType<IntegerAttr>(kDepthSplitsAttr);
      if (!parts)
        continue;
      kernel->removeAttr(kDepthSplitsAttr);
      if (failed(SplitKRewriter(kernel, parts.getInt()).run()))
        return signalPassFailure();
    }
  }
};

} // namespace
} // namespace tegula::tile
