#include "core/passes/shared/ThreadValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tegula::simt {
namespace {

constexpr int64_t kMaxNumbers = int64_t(1) << 18;

/// The bit width of an integer type or of a vector's integers; 0 for other types.
unsigned widthOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (element.isIndex())
    return 64;
  auto integer = dyn_cast<IntegerType>(element);
  return integer && integer.getWidth() <= 64 ? integer.getWidth() : 0;
}

int64_t signExtended(uint64_t value, unsigned width) {
  unsigned unused = 64 - width;
  return static_cast<int64_t>(value << unused) >> unused;
}

uint64_t zeroExtended(int64_t value, unsigned width) {
  return static_cast<uint64_t>(value) << (64 - width) >> (64 - width);
}

/// The result of an op on two numbers of `width` bits; nothing if the result is undefined.
std::optional<uint64_t> combine(Operation *op, int64_t a, int64_t b, unsigned width) {
  uint64_t x = zeroExtended(a, width), y = zeroExtended(b, width);
  bool tooFar = y >= width, overflows = b == -1; // the quotient by -1 is the negated dividend
  using Result = std::optional<uint64_t>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](arith::AddIOp) { return Result(x + y); })
      .Case([&](arith::SubIOp) { return Result(x - y); })
      .Case([&](arith::MulIOp) { return Result(x * y); })
      .Case([&](arith::AndIOp) { return Result(x & y); })
      .Case([&](arith::OrIOp) { return Result(x | y); })
      .Case([&](arith::XOrIOp) { return Result(x ^ y); })
      .Case([&](arith::ShLIOp) { return tooFar ? Result() : Result(x << y); })
      .Case([&](arith::ShRUIOp) { return tooFar ? Result() : Result(x >> y); })
      .Case([&](arith::ShRSIOp) { return tooFar ? Result() : Result(uint64_t(a >> y)); })
      .Case([&](arith::DivUIOp) { return y == 0 ? Result() : Result(x / y); })
      .Case([&](arith::RemUIOp) { return y == 0 ? Result() : Result(x % y); })
      .Case([&](arith::DivSIOp) { return y == 0 || overflows ? Result() : Result(uint64_t(a / b)); })
      .Case([&](arith::RemSIOp) { return y == 0 || overflows ? Result() : Result(uint64_t(a % b)); })
      .Case([&](arith::MaxSIOp) { return Result(uint64_t(std::max(a, b))); })
      .Case([&](arith::MinSIOp) { return Result(uint64_t(std::min(a, b))); })
      .Case([&](arith::MaxUIOp) { return Result(std::max(x, y)); })
      .Case([&](arith::MinUIOp) { return Result(std::min(x, y)); })
      .Case([&](arith::CmpIOp compare) {
        return Result(arith::applyCmpPredicate(compare.getPredicate(), APInt(64, uint64_t(a), true),
                                               APInt(64, uint64_t(b), true)));
      })
      .Default([](Operation *) { return Result(); });
}

} // namespace

ThreadValues::ThreadValues(func::FuncOp kernel)
    : threads_(kernelWarps(kernel) * kernelWarpSize(kernel)), warpSize_(kernelWarpSize(kernel)) {}

const std::vector<int64_t> *ThreadValues::of(Value value) {
  auto it = known_.find(value);
  if (it == known_.end()) {
    std::optional<Numbers> numbers = evaluate(value); // the evaluation may insert into the map
    it = known_.insert({value, std::move(numbers)}).first;
  }
  return it->second ? &*it->second : nullptr;
}

std::optional<ThreadValues::Numbers> ThreadValues::evaluate(Value value) {
  Operation *op = value.getDefiningOp();
  unsigned width = widthOf(value.getType());
  if (!op || width == 0 || isa<TensorType>(value.getType()) || op->getParentOfType<WarpGroupsOp>() ||
      op->getParentOfType<ProducerOp>())
    return std::nullopt;
  int64_t lanes = elementsOf(value.getType());
  if (threads_ * lanes > kMaxNumbers)
    return std::nullopt;
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant))) {
    Numbers numbers;
    if (auto single = dyn_cast<IntegerAttr>(constant))
      numbers.assign(size_t(threads_), signExtended(single.getValue().getZExtValue(), width));
    else if (auto many = dyn_cast<DenseIntElementsAttr>(constant))
      for (int64_t thread = 0; thread < threads_; ++thread)
        for (const APInt &element : many.getValues<APInt>())
          numbers.push_back(signExtended(element.getZExtValue(), width));
    else
      return std::nullopt;
    return numbers;
  }
  if (std::optional<Numbers> registers = evaluateRegisters(op, lanes))
    return registers;
  return evaluateArithmetic(op, lanes);
}

/// Evaluates ids of threads, warps and lanes, and ops that rearrange registers.
std::optional<ThreadValues::Numbers> ThreadValues::evaluateRegisters(Operation *op, int64_t lanes) {
  Numbers result;
  result.reserve(size_t(threads_ * lanes));
  if (isa<ThreadIdOp, WarpIdOp, LaneIdOp, WarpSizeOp>(op)) {
    for (int64_t thread = 0; thread < threads_; ++thread)
      result.push_back(isa<ThreadIdOp>(op) ? thread
                       : isa<WarpIdOp>(op) ? thread / warpSize_
                       : isa<LaneIdOp>(op) ? thread % warpSize_
                                           : warpSize_);
    return result;
  }
  if (!isa<SplatOp, PickOp, SliceOp, ConcatOp, SpreadRegistersOp>(op))
    return std::nullopt;
  SmallVector<const Numbers *> sources;
  for (Value operand : op->getOperands()) {
    const Numbers *numbers = of(operand);
    if (!numbers)
      return std::nullopt;
    sources.push_back(nullptr);
  }
  for (auto [source, operand] : llvm::zip(sources, op->getOperands()))
    source = of(operand); // all operands are in the map now, so it does not grow and pointers stay valid
  auto closedUp = [](int64_t number, int64_t keep) {
    int64_t packed = 0;
    for (unsigned bit = 0, to = 0; keep >> bit; ++bit)
      if (keep >> bit & 1)
        packed |= (number >> bit & 1) << to++;
    return packed;
  };
  for (int64_t thread = 0; thread < threads_; ++thread) {
    if (isa<ConcatOp>(op)) {
      for (auto [source, operand] : llvm::zip(sources, op->getOperands())) {
        int64_t count = elementsOf(operand.getType());
        result.insert(result.end(), source->begin() + thread * count, source->begin() + (thread + 1) * count);
      }
      continue;
    }
    const int64_t *mine = sources[0]->data() + thread * elementsOf(op->getOperand(0).getType());
    for (int64_t i = 0; i < lanes; ++i) {
      int64_t from = 0;
      if (auto pick = dyn_cast<PickOp>(op))
        from = pick.getRegisters()[size_t(i)];
      else if (auto slice = dyn_cast<SliceOp>(op))
        from = slice.getStart() + i;
      else if (auto spread = dyn_cast<SpreadRegistersOp>(op))
        from = closedUp(i, spread.getKeep());
      result.push_back(mine[from]);
    }
  }
  return result;
}

std::optional<ThreadValues::Numbers> ThreadValues::evaluateArithmetic(Operation *op, int64_t lanes) {
  size_t count = size_t(threads_ * lanes);
  unsigned width = widthOf(op->getResult(0).getType());
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp, arith::IndexCastUIOp>(op)) {
    const Numbers *source = of(op->getOperand(0));
    if (!source)
      return std::nullopt;
    bool fromUnsigned = isa<arith::ExtUIOp, arith::IndexCastUIOp>(op);
    unsigned before = widthOf(op->getOperand(0).getType());
    Numbers result(count);
    for (size_t i = 0; i < count; ++i)
      result[i] = signExtended(fromUnsigned ? zeroExtended((*source)[i], before) : uint64_t((*source)[i]), width);
    return result;
  }
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    if (!of(select.getCondition()) || !of(select.getTrueValue()) || !of(select.getFalseValue()))
      return std::nullopt;
    const Numbers &yes = *of(select.getTrueValue()), &no = *of(select.getFalseValue());
    const Numbers &condition = *of(select.getCondition());
    bool single = condition.size() == size_t(threads_);
    Numbers result(count);
    for (size_t i = 0; i < count; ++i)
      result[i] = condition[single ? i / size_t(lanes) : i] != 0 ? yes[i] : no[i];
    return result;
  }
  if (op->getNumOperands() != 2 || op->getNumResults() != 1 || !isa<arith::ArithDialect>(op->getDialect()))
    return std::nullopt;
  if (!of(op->getOperand(0)) || !of(op->getOperand(1)))
    return std::nullopt;
  const Numbers &a = *of(op->getOperand(0)), &b = *of(op->getOperand(1));
  unsigned operandWidth = widthOf(op->getOperand(0).getType());
  Numbers result(count);
  for (size_t i = 0; i < count; ++i) {
    std::optional<uint64_t> number = combine(op, a[i], b[i], operandWidth);
    if (!number)
      return std::nullopt;
    result[i] = signExtended(*number, width);
  }
  return result;
}

} // namespace tegula::simt
