#include "core/passes/analysis/LinearForm.h"

#include "core/passes/analysis/Uniform.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tegula::tile {
namespace {

bool isWide(Value integers) { return getElementTypeOrSelf(integers.getType()).isInteger(64); }

bool mayWrap(Operation *op) {
  auto arithmetic = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op);
  return !isWide(op->getResult(0)) && !(arithmetic && arithmetic.hasNoSignedWrap());
}

/// Whether the op is an expand_dims, broadcast, trans or hint.
bool movesElements(Operation *op) { return isa<ExpandDimsOp, BroadcastOp, TransOp, HintOp>(op); }

} // namespace

// --- scalars ---

Value LinearForms::constant(int64_t value) {
  return arith::ConstantOp::create(b_, location_, b_.getI64IntegerAttr(value));
}

Value LinearForms::plus(Value a, Value b) { return !a ? b : !b ? a : b_.createOrFold<arith::AddIOp>(location_, a, b); }

Value LinearForms::times(Value a, Value b) {
  return a && b ? b_.createOrFold<arith::MulIOp>(location_, a, b) : Value();
}

void LinearForms::require(Value condition) {
  if (matchPattern(condition, m_One()))
    return;
  mayHold_ &= !matchPattern(condition, m_Zero());
  conditions_.push_back(condition);
}

void LinearForms::requireWithin(Value value, int64_t low, unsigned bits) {
  Value above = plus(value, low ? constant(-low) : Value());
  require(b_.createOrFold<arith::CmpIOp>(location_, arith::CmpIPredicate::ult, above, constant(int64_t(1) << bits)));
}

void LinearForms::requireNoWrap(const LinearForm &form, ArrayRef<int64_t> shape) {
  constexpr int64_t kLow = std::numeric_limits<int32_t>::min(), kCount = int64_t(1) << 32;
  // `start + least` is the least and `start + most` the greatest element of the form, if all of its steps are
  // constants. Along each axis, `length` is the last element minus the first one: it is added to `most` if it is
  // positive, else to `least`.
  int64_t least = 0, most = 0;
  for (auto [step, extent] : llvm::zip_equal(form.steps, shape)) {
    APInt number;
    int64_t length;
    if (!step || extent == 1)
      continue;
    if (!matchPattern(step, m_ConstantInt(&number)) || llvm::MulOverflow(number.getSExtValue(), extent - 1, length) ||
        length <= -kCount || length >= kCount) {
      for (Value corner : corners(form, shape))
        requireWithin(corner, kLow, 32);
      return;
    }
    (length < 0 ? least : most) += length;
  }
  if (most - least >= kCount) {
    mayHold_ = false;
    return;
  }
  // All elements fit 32 bits if the least is at least -2^31 and the greatest, which is `most - least` further, is below
  // 2^31. One unsigned comparison of the least element's distance from -2^31 tests both.
  Value aboveLow = plus(form.start, constant(least - kLow));
  require(b_.createOrFold<arith::CmpIOp>(location_, arith::CmpIPredicate::ult, aboveLow,
                                         constant(kCount - (most - least))));
}

// --- forms ---

LinearForm LinearForms::sum(const LinearForm &a, const LinearForm &b) {
  LinearForm result{plus(a.start, b.start), {}};
  for (auto [left, right] : llvm::zip_equal(a.steps, b.steps))
    result.steps.push_back(plus(left, right));
  return result;
}

LinearForm LinearForms::scaled(const LinearForm &form, Value factor) {
  LinearForm result{times(form.start, factor), {}};
  for (Value step : form.steps)
    result.steps.push_back(times(step, factor));
  return result;
}

SmallVector<Value, 4> LinearForms::corners(const LinearForm &form, ArrayRef<int64_t> shape) {
  SmallVector<Value, 4> result = {form.start ? form.start : constant(0)};
  for (auto [step, extent] : llvm::zip_equal(form.steps, shape)) {
    if (!step || extent == 1)
      continue;
    Value length = times(step, constant(extent - 1));
    for (size_t i = 0, count = result.size(); i < count; ++i)
      result.push_back(plus(result[i], length));
  }
  return result;
}

LinearForm LinearForms::moved(Operation *op, const LinearForm &form) {
  LinearForm result = form;
  if (auto expand = dyn_cast<ExpandDimsOp>(op)) {
    result.steps.insert(result.steps.begin() + expand.getAxis(), Value());
  } else if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    for (auto [step, extent] : llvm::zip_equal(result.steps, shapeOf(broadcast.getSrc().getType())))
      if (extent == 1)
        step = {};
  } else if (auto trans = dyn_cast<TransOp>(op)) {
    for (auto [axis, from] : llvm::enumerate(trans.getOrder()))
      result.steps[axis] = form.steps[from];
  }
  return result;
}

std::optional<LinearForm> LinearForms::ofArithmetic(Operation *op) {
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return std::nullopt;
  std::optional<LinearForm> left = of(op->getOperand(0)), right = of(op->getOperand(1));
  if (!left || !right)
    return std::nullopt;
  LinearForm result;
  if (isa<arith::AddIOp>(op)) {
    result = sum(*left, *right);
  } else if (isa<arith::SubIOp>(op)) {
    result = sum(*left, scaled(*right, constant(-1)));
  } else {
    auto isOneNumber = [](const LinearForm &form) {
      return llvm::none_of(form.steps, [](Value step) { return bool(step); });
    };
    if (!isOneNumber(*right))
      std::swap(left, right);
    if (!isOneNumber(*right))
      return std::nullopt;
    result = scaled(*left, right->start);
  }
  if (mayWrap(op))
    requireNoWrap(result, shapeOf(op->getResult(0).getType()));
  return result;
}

std::optional<LinearForm> LinearForms::of(Value integers) {
  Operation *op = integers.getDefiningOp();
  Type element = getElementTypeOrSelf(integers.getType());
  if (--left_ < 0 || !op || !isa<RankedTensorType>(integers.getType()) ||
      !(element.isInteger(32) || element.isInteger(64)))
    return std::nullopt;
  LinearForm form;
  form.steps.resize(shapeOf(integers.getType()).size());
  if (Value scalar = uniformScalar(b_, integers)) {
    form.start = isWide(integers) ? scalar : b_.createOrFold<arith::ExtSIOp>(location_, b_.getI64Type(), scalar);
    if (matchPattern(form.start, m_Zero()))
      form.start = {};
    return form;
  }
  if (auto range = dyn_cast<MakeRangeOp>(op)) {
    form.start = range.getStart() ? constant(range.getStart()) : Value();
    form.steps[0] = constant(1);
    return form;
  }
  if (movesElements(op) || (isa<arith::ExtSIOp>(op) && !isWide(op->getOperand(0)))) {
    std::optional<LinearForm> from = of(op->getOperand(0));
    return from ? std::optional(moved(op, *from)) : std::nullopt;
  }
  return ofArithmetic(op);
}

std::optional<LinearForms::Pointers> LinearForms::ofPointers(Value pointers) {
  Operation *op = pointers.getDefiningOp();
  if (auto splat = dyn_cast_or_null<SplatOp>(op)) {
    Pointers result{splat.getSrc(), {}};
    result.offsets.steps.resize(shapeOf(pointers.getType()).size());
    return result;
  }
  auto add = dyn_cast_or_null<AddPtrOp>(op);
  if (!add && !(op && movesElements(op)))
    return std::nullopt;
  std::optional<Pointers> result = ofPointers(op->getOperand(0));
  if (!result)
    return std::nullopt;
  if (!add) {
    result->offsets = moved(op, result->offsets);
    return result;
  }
  std::optional<LinearForm> offset = of(add.getOffset());
  if (!offset)
    return std::nullopt;
  result->offsets = sum(result->offsets, *offset);
  return result;
}

bool LinearForms::requireAll(Value mask) {
  if (auto splat = mask.getDefiningOp<SplatOp>()) {
    require(splat.getSrc());
    return true;
  }
  if (matchPattern(mask, m_One()))
    return true;
  Operation *op = mask.getDefiningOp();
  if (!op)
    return false;
  if (isa<arith::AndIOp>(op))
    return requireAll(op->getOperand(0)) && requireAll(op->getOperand(1));
  if (movesElements(op))
    return requireAll(op->getOperand(0));
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (!compare || !getElementTypeOrSelf(compare.getLhs().getType()).isInteger(32))
    return false;
  std::optional<LinearForm> left = of(compare.getLhs()), right = of(compare.getRhs());
  if (!left || !right)
    return false;
  using enum arith::CmpIPredicate;
  arith::CmpIPredicate predicate = compare.getPredicate();
  if (predicate != slt && predicate != sle && predicate != sgt && predicate != sge)
    return false;
  // The difference of two 32-bit numbers does not wrap in 64 bits.
  LinearForm difference = sum(*left, scaled(*right, constant(-1)));
  for (Value corner : corners(difference, shapeOf(mask.getType())))
    require(b_.createOrFold<arith::CmpIOp>(location_, predicate, corner, constant(0)));
  return true;
}

} // namespace tegula::tile
