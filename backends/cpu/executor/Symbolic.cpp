#include "backends/cpu/executor/Symbolic.h"

#include <algorithm>

namespace tegula::cpu {

namespace {

uint64_t unsignedOf(int64_t value, unsigned bits) {
  return bits >= 64 ? static_cast<uint64_t>(value) : static_cast<uint64_t>(value) & ((uint64_t{1} << bits) - 1);
}

int64_t wrappingAdd(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
int64_t wrappingMul(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}

int64_t floorDivide(int64_t a, int64_t b) {
  const int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

uint64_t evaluateUnsigned(Opcode opcode, uint64_t a, uint64_t b, unsigned bits) {
  switch (opcode) {
  case Opcode::DivU: return b == 0 ? 0 : a / b;
  case Opcode::RemU: return b == 0 ? a : a % b;
  case Opcode::Shl: return b >= bits ? 0 : a << b;
  case Opcode::ShrU: return b >= bits ? 0 : a >> b;
  case Opcode::MinU: return std::min(a, b);
  case Opcode::MaxU: return std::max(a, b);
  case Opcode::MulHiU: return static_cast<uint64_t>(static_cast<unsigned __int128>(a) * b >> bits);
  default: throw InternalError("not an integer operation: " + std::string(name(opcode)));
  }
}

/// Returns `v` if all its elements fit its type, otherwise nothing. 64-bit elements always fit, because Affine wraps at
/// 64 bits.
std::optional<Value> fitted(Value v) {
  const unsigned bits = bitWidth(v.element);
  if (bits >= 64)
    return v;
  const std::optional<Range> range = affineRange(v);
  if (!range || !fitsSigned(*range, bits))
    return std::nullopt;
  return v;
}

Value resultLike(const Value &v, const Shape &shape) {
  Value result = Value::affine(v.element, shape, 0);
  result.pointee = v.pointee;
  return result;
}

std::optional<Value> sum(const Value &a, const Value &b, const Shape &shape, int64_t sign) {
  Value r = resultLike(a, shape);
  r.scalar = wrappingAdd(a.scalar, wrappingMul(sign, b.scalar));
  for (unsigned d = 0; d < shape.rank; ++d)
    r.step[d] = wrappingAdd(a.step[d], wrappingMul(sign, b.step[d]));
  return fitted(std::move(r));
}

std::optional<Value> multiple(const Value &a, int64_t factor, const Shape &shape) {
  Value r = resultLike(a, shape);
  const bool wide = bitWidth(a.element) >= 64;
  auto times = [&](int64_t x, int64_t &product) {
    if (wide)
      product = wrappingMul(x, factor);
    else if (__builtin_mul_overflow(x, factor, &product))
      return false;
    return true;
  };
  if (!times(a.scalar, r.scalar))
    return std::nullopt;
  for (unsigned d = 0; d < shape.rank; ++d)
    if (!times(a.step[d], r.step[d]))
      return std::nullopt;
  return fitted(std::move(r));
}

/// a / divisor or a % divisor for a positive divisor, if the result is Affine: all steps of `a` are multiples of the
/// divisor, or all elements have the same quotient.
std::optional<Value> divide(const Value &a, int64_t divisor, const Shape &shape, bool remainder) {
  const std::optional<Range> range = affineRange(a);
  if (!range)
    return std::nullopt;
  Value r = resultLike(a, shape);
  if (floorDivide(range->low, divisor) == floorDivide(range->high, divisor)) {
    const int64_t quotient = floorDivide(range->low, divisor);
    r.scalar = remainder ? a.scalar - quotient * divisor : quotient;
    if (remainder)
      r.step = a.step;
    return r;
  }
  for (unsigned d = 0; d < shape.rank; ++d)
    if (a.step[d] % divisor != 0)
      return std::nullopt;
  const int64_t quotient = floorDivide(a.scalar, divisor);
  r.scalar = remainder ? a.scalar - quotient * divisor : quotient;
  if (!remainder)
    for (unsigned d = 0; d < shape.rank; ++d)
      r.step[d] = a.step[d] / divisor;
  return r;
}

std::optional<Value> divideOrRemain(Opcode opcode, const Value &a, const Value &b, const Shape &shape) {
  const std::optional<Range> range = affineRange(a);
  const int64_t divisor = b.scalar;
  // Only a non-negative dividend and a positive divisor are handled: then truncating, flooring, signed and unsigned
  // division give the same result.
  if (!b.isUniform() || divisor <= 0 || !range || range->low < 0)
    return std::nullopt;
  return divide(a, divisor, shape, opcode == Opcode::RemS || opcode == Opcode::RemU);
}

std::optional<Value> shift(Opcode opcode, const Value &a, const Value &b, const Shape &shape) {
  const unsigned bits = bitWidth(a.element);
  if (!b.isUniform() || b.scalar < 0 || b.scalar >= static_cast<int64_t>(bits) || b.scalar > 62)
    return std::nullopt;
  const int64_t power = int64_t{1} << b.scalar;
  if (opcode == Opcode::Shl)
    return multiple(a, power, shape);
  const std::optional<Range> range = affineRange(a);
  if (!range || (opcode == Opcode::ShrU && range->low < 0))
    return std::nullopt;
  return divide(a, power, shape, false);
}

/// The minimum or maximum, if in every element the same operand is the smaller one.
std::optional<Value> extremum(Opcode opcode, const Value &a, const Value &b, const Shape &shape) {
  const std::optional<Range> ra = affineRange(a), rb = affineRange(b);
  if (!ra || !rb)
    return std::nullopt;
  const bool isUnsigned = opcode == Opcode::MinU || opcode == Opcode::MaxU;
  if (isUnsigned && (ra->low < 0 || rb->low < 0))
    return std::nullopt;
  const bool minimum = opcode == Opcode::MinS || opcode == Opcode::MinU;
  const Value *chosen = nullptr;
  if (ra->high <= rb->low)
    chosen = minimum ? &a : &b;
  else if (rb->high <= ra->low)
    chosen = minimum ? &b : &a;
  if (!chosen)
    return std::nullopt;
  Value r = *chosen;
  r.shape = shape;
  return r;
}

} // namespace

int64_t evaluate(Opcode opcode, int64_t a, int64_t b, unsigned bits) {
  switch (opcode) {
  case Opcode::Add: return wrapToWidth(wrappingAdd(a, b), bits);
  case Opcode::Sub: return wrapToWidth(static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b)), bits);
  case Opcode::Mul: return wrapToWidth(wrappingMul(a, b), bits);
  case Opcode::And: return a & b;
  case Opcode::Or: return a | b;
  case Opcode::Xor: return a ^ b;
  case Opcode::DivS: return b == 0 ? 0 : b == -1 ? wrapToWidth(wrappingMul(a, -1), bits) : a / b;
  case Opcode::RemS: return b == 0 ? a : b == -1 ? 0 : a % b;
  case Opcode::ShrS: return a >> std::min<uint64_t>(unsignedOf(b, bits), bits - 1);
  case Opcode::MinS: return std::min(a, b);
  case Opcode::MaxS: return std::max(a, b);
  case Opcode::MulHiS: return static_cast<int64_t>(static_cast<__int128>(a) * b >> bits);
  default:
    return wrapToWidth(static_cast<int64_t>(evaluateUnsigned(opcode, unsignedOf(a, bits), unsignedOf(b, bits), bits)),
                       bits);
  }
}

bool evaluate(IntPredicate predicate, int64_t a, int64_t b, unsigned bits) {
  const uint64_t ua = unsignedOf(a, bits), ub = unsignedOf(b, bits);
  switch (predicate) {
  case IntPredicate::Eq: return ua == ub;
  case IntPredicate::Ne: return ua != ub;
  case IntPredicate::LtS: return a < b;
  case IntPredicate::LeS: return a <= b;
  case IntPredicate::GtS: return a > b;
  case IntPredicate::GeS: return a >= b;
  case IntPredicate::LtU: return ua < ub;
  case IntPredicate::LeU: return ua <= ub;
  case IntPredicate::GtU: return ua > ub;
  case IntPredicate::GeU: return ua >= ub;
  }
  return false;
}

Value uniformToAffine(Value value) {
  if (value.form != Value::Form::Strided || !value.isUniform())
    return value;
  Value r = Value::affine(value.element, value.shape, value.integer());
  r.pointee = value.pointee;
  return r;
}

Value uniformToBox(Value value) {
  return value.form == Value::Form::Strided && value.isUniform() ? Value::boolean(value.shape, value.integer()) : value;
}

std::optional<Value> combineAffine(Opcode opcode, const Value &a, const Value &b, const Shape &shape) {
  if (a.form != Value::Form::Affine || b.form != Value::Form::Affine)
    return std::nullopt;
  const bool aUniform = a.isUniform(), bUniform = b.isUniform();
  if (aUniform && bUniform) {
    Value r = resultLike(a, shape);
    r.scalar = evaluate(opcode, a.scalar, b.scalar, bitWidth(a.element));
    return r;
  }
  switch (opcode) {
  case Opcode::Add: return sum(a, b, shape, 1);
  case Opcode::Sub: return sum(a, b, shape, -1);
  case Opcode::Mul:
    if (bUniform)
      return multiple(a, b.scalar, shape);
    return aUniform ? multiple(b, a.scalar, shape) : std::nullopt;
  case Opcode::DivS:
  case Opcode::DivU:
  case Opcode::RemS:
  case Opcode::RemU: return divideOrRemain(opcode, a, b, shape);
  case Opcode::Shl:
  case Opcode::ShrS:
  case Opcode::ShrU: return shift(opcode, a, b, shape);
  case Opcode::MinS:
  case Opcode::MaxS:
  case Opcode::MinU:
  case Opcode::MaxU: return extremum(opcode, a, b, shape);
  default: return std::nullopt;
  }
}

namespace {

/// The signed predicate that agrees with `p` on non-negative operands.
IntPredicate signedPredicate(IntPredicate p) {
  switch (p) {
  case IntPredicate::LtU: return IntPredicate::LtS;
  case IntPredicate::LeU: return IntPredicate::LeS;
  case IntPredicate::GtU: return IntPredicate::GtS;
  case IntPredicate::GeU: return IntPredicate::GeS;
  default: return p;
  }
}

int64_t ceilDivide(int64_t a, int64_t b) { return -floorDivide(-a, b); }

/// Sets [low, high) to the interval of those i in [0, extent) for which base + step * i < 0. `step` must not be 0.
void negativePart(int64_t base, int64_t step, int64_t extent, int64_t &low, int64_t &high) {
  if (step > 0) {
    low = 0;
    high = std::clamp<int64_t>(ceilDivide(-base, step), 0, extent);
  } else { // base - |step| i < 0  <=>  i > base / |step|
    low = std::clamp<int64_t>(floorDivide(base, -step) + 1, 0, extent);
    high = extent;
  }
}

/// Sets [low, high) to the one i in [0, extent) for which base + step * i == 0; to an empty interval if there is none.
void zeroPart(int64_t base, int64_t step, int64_t extent, int64_t &low, int64_t &high) {
  low = high = 0;
  if (base % step != 0)
    return;
  const int64_t at = -(base / step);
  if (at >= 0 && at < extent) {
    low = at;
    high = at + 1;
  }
}

/// The difference a - b of two Affine values; computed only if it varies along at most one axis and all its elements
/// fit 64 bits.
struct Difference {
  int64_t base = 0, step = 0;
  unsigned axis = 0;
};
std::optional<Difference> differenceOf(const Value &a, const Value &b, const Shape &shape) {
  constexpr int64_t kLimit = INT64_MAX / 4;
  const std::optional<Range> ra = affineRange(a), rb = affineRange(b);
  if (!ra || !rb || ra->low < -kLimit || ra->high > kLimit || rb->low < -kLimit || rb->high > kLimit)
    return std::nullopt;
  Difference result;
  result.base = a.scalar - b.scalar;
  for (unsigned d = 0; d < shape.rank; ++d) {
    int64_t step = 0;
    if (shape.extent[d] == 1)
      continue;
    if (__builtin_sub_overflow(a.step[d], b.step[d], &step))
      return std::nullopt;
    if (step == 0)
      continue;
    if (result.step != 0)
      return std::nullopt;
    result.step = step;
    result.axis = d;
  }
  return result;
}

Value boxAlong(const Shape &shape, unsigned axis, int64_t low, int64_t high) {
  Value box = Value::boolean(shape, low < high);
  if (low < high) {
    box.step[axis] = low;
    box.high[axis] = high;
  }
  return box;
}

} // namespace

std::optional<Value> compareAffine(IntPredicate predicate, const Value &a, const Value &b, const Shape &shape) {
  if (a.form != Value::Form::Affine || b.form != Value::Form::Affine)
    return std::nullopt;
  if (a.isUniform() && b.isUniform())
    return Value::boolean(shape, evaluate(predicate, a.scalar, b.scalar, bitWidth(a.element)));
  const IntPredicate asSigned = signedPredicate(predicate);
  if (asSigned != predicate) {
    const std::optional<Range> ra = affineRange(a), rb = affineRange(b);
    if (!ra || !rb || ra->low < 0 || rb->low < 0)
      return std::nullopt;
  }
  const std::optional<Difference> difference = differenceOf(a, b, shape);
  if (!difference)
    return std::nullopt;
  const auto [base, step, axis] = *difference;
  if (step == 0)
    return Value::boolean(shape, evaluate(asSigned, base, 0, 64));
  const int64_t extent = shape.extent[axis];
  int64_t low = 0, high = 0;
  switch (asSigned) {
  case IntPredicate::LtS: negativePart(base, step, extent, low, high); break;
  case IntPredicate::LeS: negativePart(base - 1, step, extent, low, high); break;
  case IntPredicate::GtS: negativePart(-base, -step, extent, low, high); break;
  case IntPredicate::GeS: negativePart(-base - 1, -step, extent, low, high); break;
  case IntPredicate::Eq: zeroPart(base, step, extent, low, high); break;
  default: // Ne: all elements but at most one; a box only if that element is the first or the last
    zeroPart(base, step, extent, low, high);
    if (low == high)
      return Value::boolean(shape, true);
    if (low == 0)
      return boxAlong(shape, axis, high, extent);
    if (high == extent)
      return boxAlong(shape, axis, 0, low);
    return std::nullopt;
  }
  return boxAlong(shape, axis, low, high);
}

std::optional<Value> combineBoxes(Opcode opcode, const Value &a, const Value &b, const Shape &shape) {
  if (a.form != Value::Form::Box || b.form != Value::Form::Box)
    return std::nullopt;
  auto splat = [&](const Value &v) {
    Value r = v;
    if (r.shape.rank < shape.rank)
      r.splatTo(shape);
    return r;
  };
  const bool aUniform = a.isUniform(), bUniform = b.isUniform();
  switch (opcode) {
  case Opcode::And: {
    Value r = splat(a);
    const Value other = splat(b);
    if (!r.scalar || !other.scalar)
      return Value::boolean(shape, false);
    for (unsigned d = 0; d < shape.rank; ++d) {
      r.step[d] = std::max(r.step[d], other.step[d]);
      r.high[d] = std::min(r.high[d], other.high[d]);
      if (r.step[d] >= r.high[d])
        return Value::boolean(shape, false);
    }
    return r;
  }
  case Opcode::Or:
    if ((aUniform && a.scalar) || (bUniform && b.scalar))
      return Value::boolean(shape, true);
    if (aUniform)
      return splat(b);
    return bUniform ? std::optional(splat(a)) : std::nullopt;
  case Opcode::Xor: {
    if (aUniform && bUniform)
      return Value::boolean(shape, (a.scalar != 0) != (b.scalar != 0));
    if ((aUniform && !a.scalar) || (bUniform && !b.scalar))
      return splat(aUniform ? b : a);
    if (!aUniform && !bUniform)
      return std::nullopt;
    // The other operand is true everywhere, so the result is the complement of `box`. That is a box only if `box`
    // covers all axes but one, and along this one begins at 0 or ends at the extent.
    const Value &box = aUniform ? b : a;
    std::optional<unsigned> cut;
    for (unsigned d = 0; d < shape.rank; ++d)
      if (box.step[d] > 0 || box.high[d] < shape.extent[d]) {
        if (cut)
          return std::nullopt;
        cut = d;
      }
    if (box.step[*cut] == 0)
      return boxAlong(shape, *cut, box.high[*cut], shape.extent[*cut]);
    if (box.high[*cut] == shape.extent[*cut])
      return boxAlong(shape, *cut, 0, box.step[*cut]);
    return std::nullopt;
  }
  default: return std::nullopt;
  }
}

} // namespace tegula::cpu
