#include "frontend/language/emit/RangeCounter.h"

#include <utility>

namespace tegula::lang {

using namespace mlir;

namespace {

constexpr Int kHalf = Int(1) << 63;

/// The value of a bound that is known at compile time.
std::optional<Int> known(Emitter &emitter, Loc loc, const Value &value) {
  auto *tensor = value.as<Tensor>();
  if (!value.as<Const>() && !(tensor && tensor->known))
    return std::nullopt;
  return emitter.constantInt(loc, value, "the bound of a range");
}

} // namespace

Tensor RangeCounter::bound(const Value &value, const char *what) {
  Tensor tensor = e_.tensor(loc_, value, what);
  if (!tensor.shape.empty() || !tensor.type.isInteger())
    e_.fail(loc_, std::string(what) + " must be an integer scalar, found " + value.describe());
  return tensor;
}

RangeCounter::RangeCounter(Emitter &emitter, Loc loc, const RangeValue &range) : e_(emitter), loc_(loc) {
  Value start = range.start, stop = range.stop, step = range.step;
  // Steps that are not constant must be positive, as in Triton.
  if (std::optional<Int> value = known(e_, loc, step)) {
    if (*value == 0)
      e_.fail(loc, "the step of a range must not be zero");
    if (*value <= -kHalf)
      e_.fail(loc, "the step of a range must be above -2^63");
    if (*value < 0) {
      isMirrored_ = true;
      std::swap(start, stop);
      step = Const(-*value);
    }
  }
  Tensor lower = bound(start, "the start of a range"), upper = bound(stop, "the end of a range"),
         stride = bound(step, "the step of a range");
  isUnsignedStep_ = stride.type.isUnsigned() && stride.type.bits() == 64;
  std::optional<Int> by = known(e_, loc, step);
  bool mayExceed = isUnsignedStep_ && (!by || (*by & kHalf)); // i64
  type_ = e_.promotedType(loc, e_.promotedType(loc, lower.type, false, upper.type, false, false), false, stride.type,
                          false, false);
  if (type_.bits() < 32)
    type_ = ScalarType::I32;
  isBiased_ = type_.isUnsigned() && type_.bits() == 64;
  std::optional<Int> low = known(e_, loc, start), high = known(e_, loc, stop);
  for (std::optional<Int> *limit : {&low, &high})
    if (*limit && isBiased_)
      **limit &= 2 * kHalf - 1;
  auto exceeds = [&](ElementType counter) { return low && high && *high - *low > rangeOf(counter).second; };
  counter_ = type_.isUnsigned() || exceeds(type_) ? ElementType(ScalarType::I64) : type_;
  start_ = lower_ = counted(lower);
  stop_ = upper_ = counted(upper);
  stride_ = step_ = e_.cast(loc, stride, counter_);
  if (low && high && *low >= *high)
    upper_ = lower_;
  else if (exceeds(type_) || exceeds(counter_) || mayExceed)
    countIterations();
}

Tensor RangeCounter::counted(const Tensor &bound) {
  if (!isBiased_)
    return e_.cast(loc_, bound, counter_);
  Tensor value = e_.cast(loc_, e_.cast(loc_, bound, type_), counter_);
  return e_.wrap(arith::AddIOp::create(e_.builder, e_.at(loc_), value.value, number(-kHalf)), counter_, {});
}

mlir::Value RangeCounter::number(Int value) { return e_.scalarConstant(loc_, Const(value), counter_).value; }

void RangeCounter::countIterations() {
  countsIterations_ = true;
  Location location = e_.at(loc_);
  OpBuilder &b = e_.builder;
  // Where the bounds rise, the distance d is positive and exact as an unsigned number, so ceil(d / s) = (d - 1) / s
  // + 1. A loop of 2^63 iterations does not end within anyone's life, and may end earlier.
  mlir::Value distance = arith::SubIOp::create(b, location, stop_.value, start_.value);
  mlir::Value last = arith::SubIOp::create(b, location, distance, number(1));
  mlir::Value divisor = arith::MaxUIOp::create(b, location, stride_.value, number(1));
  last = arith::DivUIOp::create(b, location, last, divisor);
  last = arith::MinUIOp::create(b, location, last, number(kHalf - 2));
  lower_ = e_.wrap(number(0), counter_, {});
  // No iteration if the bounds do not rise, or the step is not positive, which only a launch may tell.
  using Predicate = arith::CmpIPredicate;
  mlir::Value rises = arith::CmpIOp::create(b, location, Predicate::slt, start_.value, stop_.value);
  mlir::Value isPositive =
      arith::CmpIOp::create(b, location, isUnsignedStep_ ? Predicate::ne : Predicate::sgt, stride_.value, number(0));
  mlir::Value count = arith::SelectOp::create(b, location, arith::AndIOp::create(b, location, rises, isPositive),
                                              arith::AddIOp::create(b, location, last, number(1)), number(0));
  upper_ = e_.wrap(count, counter_, {});
  step_ = e_.wrap(number(1), counter_, {});
}

Tensor RangeCounter::variable(mlir::Value counter) {
  Location location = e_.at(loc_);
  OpBuilder &b = e_.builder;
  mlir::Value value = counter;
  if (countsIterations_)
    value = arith::AddIOp::create(b, location, start_.value, arith::MulIOp::create(b, location, value, stride_.value));
  if (isMirrored_)
    value = arith::SubIOp::create(b, location, stop_.value, arith::SubIOp::create(b, location, value, start_.value));
  if (isBiased_)
    value = arith::AddIOp::create(b, location, value, number(-kHalf));
  return e_.cast(loc_, e_.wrap(value, counter_, {}), type_);
}

} // namespace tegula::lang
