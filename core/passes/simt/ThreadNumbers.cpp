#include "core/passes/simt/ThreadNumbers.h"

#include "core/ir/simt/Simt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"

#include <bit>
#include <limits>

using namespace mlir;

namespace tegula::simt {
namespace {

/// `value`, if it is between 0 and the largest i32; else nothing.
std::optional<int64_t> within(int64_t value) {
  return value >= 0 && value <= std::numeric_limits<int32_t>::max() ? std::optional(value) : std::nullopt;
}

/// An upper bound, as mostOf gives, of the result of an op with two operands; nothing if there is none.
std::optional<int64_t> mostOfBoth(Operation *op) {
  std::optional<int64_t> left = mostOf(op->getOperand(0)), right = mostOf(op->getOperand(1));
  if (isa<arith::AndIOp>(op) && (left || right))
    return left && right ? std::min(*left, *right) : left ? left : right;
  if (APInt amount; left && isa<arith::ShRUIOp>(op))
    return matchPattern(op->getOperand(1), m_ConstantInt(&amount)) && amount.ult(32) ? *left >> amount.getZExtValue()
                                                                                     : *left;
  if (!left || !right)
    return std::nullopt;
  if (isa<arith::AddIOp>(op))
    return within(*left + *right);
  if (isa<arith::MulIOp>(op))
    return within(*left * *right);
  if (isa<arith::ShLIOp>(op))
    return *right < 31 ? within(*left << *right) : std::nullopt;
  // an or or xor sets no bit above the operands' highest bit
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max(*left, *right)) + 1)) - 1;
}

} // namespace

std::optional<int64_t> mostOf(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return within(constant.getSExtValue());
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  auto kernel = op->getParentOfType<func::FuncOp>();
  if (isa<ThreadIdOp>(op))
    return kernelWarps(kernel) * kernelWarpSize(kernel) - 1;
  if (isa<LaneIdOp>(op))
    return kernelWarpSize(kernel) - 1;
  if (isa<WarpIdOp>(op))
    return kernelWarps(kernel) - 1;
  if (isa<arith::AddIOp, arith::MulIOp, arith::ShLIOp, arith::ShRUIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op))
    return mostOfBoth(op);
  return std::nullopt;
}

std::optional<ThreadNumbers> threadNumbersOf(Value value) {
  auto sum = value.getDefiningOp<arith::AddIOp>();
  auto first = sum ? sum.getLhs().getDefiningOp<SplatOp>() : SplatOp();
  DenseIntElementsAttr constants;
  if (!first || !first.getSrc().getType().isInteger(32) || !matchPattern(sum.getRhs(), m_Constant(&constants)))
    return std::nullopt;
  std::optional<int64_t> most = mostOf(first.getSrc());
  if (!most)
    return std::nullopt;
  ThreadNumbers numbers{first.getSrc(), *most, {}};
  for (const APInt &constant : constants.getValues<APInt>()) {
    if (constant.isNegative() || !within(*most + constant.getSExtValue()))
      return std::nullopt;
    numbers.constants.push_back(constant.getSExtValue());
  }
  return numbers;
}

std::optional<RotatedNumbers> rotatedNumbersOf(Value value) {
  auto wrapped = value.getDefiningOp<arith::AndIOp>();
  auto moved = wrapped ? wrapped.getLhs().getDefiningOp<arith::SubIOp>() : arith::SubIOp();
  auto rotation = moved ? moved.getRhs().getDefiningOp<SplatOp>() : SplatOp();
  APInt last;
  if (!rotation || !matchPattern(wrapped.getRhs(), m_ConstantInt(&last)) || !last.isMask() || last.isNegative())
    return std::nullopt;
  std::optional<ThreadNumbers> numbers = threadNumbersOf(moved.getLhs());
  std::optional<int64_t> mostRotation = mostOf(rotation.getSrc());
  int64_t extent = last.getSExtValue() + 1;
  if (!numbers || !mostRotation || *mostRotation >= extent ||
      llvm::any_of(numbers->constants, [&](int64_t c) { return numbers->mostFirst + c >= extent; }))
    return std::nullopt;
  return RotatedNumbers{*numbers, rotation.getSrc(), *mostRotation, extent};
}

} // namespace tegula::simt
