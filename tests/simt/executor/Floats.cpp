// arith on floats, and math. Elements are computed in double and rounded once; an f32 fused multiply-add is computed in
// f32, because a sum in double would be rounded twice.
#include "Flatten.h"
#include "Machine.h"

#include "core/support/Diagnostic.h"
#include "core/support/FloatFormats.h"

#include <cmath>

using namespace mlir;

namespace tegula::simt_test {
namespace {

using Unary = double (*)(double);
using Binary = double (*)(double, double);

double minNumber(double x, double y) {
  if (std::isnan(x) || std::isnan(y))
    return std::isnan(x) ? y : x;
  return x == y ? (std::signbit(x) ? x : y) : std::min(x, y);
}
double maxNumber(double x, double y) {
  if (std::isnan(x) || std::isnan(y))
    return std::isnan(x) ? y : x;
  return x == y ? (std::signbit(x) ? y : x) : std::max(x, y);
}
double minimum(double x, double y) { return std::isnan(x) || std::isnan(y) ? std::nan("") : minNumber(x, y); }
double maximum(double x, double y) { return std::isnan(x) || std::isnan(y) ? std::nan("") : maxNumber(x, y); }
double roundEven(double x) { return std::nearbyint(x); }

Step unary(Workgroup &, Thread &thread, const Instruction &next) {
  auto function = reinterpret_cast<Unary>(next.detail);
  const Slot &from = next.operands[0], &to = next.results[0];
  for (uint32_t i = 0; i < to.lanes; ++i)
    thread.at(to)[i] = fromDouble(to.type, function(toDouble(from.type, thread.at(from)[i])));
  return Step::Next;
}

Step binary(Workgroup &, Thread &thread, const Instruction &next) {
  auto function = reinterpret_cast<Binary>(next.detail);
  const Slot &result = next.results[0];
  const uint64_t *x = thread.at(next.operands[0]), *y = thread.at(next.operands[1]);
  for (uint32_t i = 0; i < result.lanes; ++i)
    thread.at(result)[i] = fromDouble(result.type, function(toDouble(result.type, x[i]), toDouble(result.type, y[i])));
  return Step::Next;
}

Step fusedMultiplyAdd(Workgroup &, Thread &thread, const Instruction &next) {
  const Slot &result = next.results[0];
  auto operand = [&](size_t number, uint32_t i) { return toDouble(result.type, thread.at(next.operands[number])[i]); };
  for (uint32_t i = 0; i < result.lanes; ++i) {
    double x = operand(0, i), y = operand(1, i), z = operand(2, i);
    double sum = result.type == ScalarType::F32
                     ? std::fma(static_cast<float>(x), static_cast<float>(y), static_cast<float>(z))
                     : std::fma(x, y, z);
    thread.at(result)[i] = fromDouble(result.type, sum);
  }
  return Step::Next;
}

bool compare(arith::CmpFPredicate predicate, double x, double y) {
  bool unordered = std::isnan(x) || std::isnan(y);
  switch (predicate) {
  case arith::CmpFPredicate::AlwaysFalse: return false;
  case arith::CmpFPredicate::AlwaysTrue: return true;
  case arith::CmpFPredicate::ORD: return !unordered;
  case arith::CmpFPredicate::UNO: return unordered;
  case arith::CmpFPredicate::OEQ: return x == y;
  case arith::CmpFPredicate::OGT: return x > y;
  case arith::CmpFPredicate::OGE: return x >= y;
  case arith::CmpFPredicate::OLT: return x < y;
  case arith::CmpFPredicate::OLE: return x <= y;
  case arith::CmpFPredicate::ONE: return !unordered && x != y;
  case arith::CmpFPredicate::UEQ: return unordered || x == y;
  case arith::CmpFPredicate::UGT: return unordered || x > y;
  case arith::CmpFPredicate::UGE: return unordered || x >= y;
  case arith::CmpFPredicate::ULT: return unordered || x < y;
  case arith::CmpFPredicate::ULE: return unordered || x <= y;
  case arith::CmpFPredicate::UNE: return unordered || x != y;
  }
  return false;
}

Step compareFloats(Workgroup &, Thread &thread, const Instruction &next) {
  auto predicate = static_cast<arith::CmpFPredicate>(next.detail);
  const Slot &left = next.operands[0];
  for (uint32_t i = 0; i < left.lanes; ++i)
    thread.at(next.results[0])[i] = compare(predicate, toDouble(left.type, thread.at(left)[i]),
                                            toDouble(left.type, thread.at(next.operands[1])[i]));
  return Step::Next;
}

/// detail: whether to round toward zero.
Step castFloat(Workgroup &, Thread &thread, const Instruction &next) {
  const Slot &from = next.operands[0], &to = next.results[0];
  for (uint32_t i = 0; i < to.lanes; ++i) {
    double value = toDouble(from.type, thread.at(from)[i]);
    thread.at(to)[i] = next.detail ? encodeFloat(floatFormat(to.type), value, true) : fromDouble(to.type, value);
  }
  return Step::Next;
}

/// detail: whether signed. Rounds once: to f32 directly, and to 16 bits and fewer from a number that double holds,
/// whose last bit is set in place of those that it does not hold.
Step integerToFloat(Workgroup &, Thread &thread, const Instruction &next) {
  const Slot &from = next.operands[0], &to = next.results[0];
  for (uint32_t i = 0; i < to.lanes; ++i) {
    uint64_t bits = thread.at(from)[i];
    double value;
    uint64_t magnitude = next.detail && toSigned(from.type, bits) < 0 ? 0 - uint64_t(toSigned(from.type, bits)) : bits;
    if (bitWidth(to.type) < 32 && magnitude >> 53 != 0 && (bits & 0xfff) != 0)
      bits = (bits & ~uint64_t(0xfff)) | 0x800;
    if (to.type == ScalarType::F32)
      value = next.detail ? static_cast<float>(toSigned(from.type, bits)) : static_cast<float>(bits);
    else
      value = next.detail ? static_cast<double>(toSigned(from.type, bits)) : static_cast<double>(bits);
    thread.at(to)[i] = fromDouble(to.type, value);
  }
  return Step::Next;
}

/// detail: whether signed. Truncates and saturates at the integer's range; NaN becomes 0.
Step floatToInteger(Workgroup &, Thread &thread, const Instruction &next) {
  const Slot &from = next.operands[0], &to = next.results[0];
  int width = static_cast<int>(bitWidth(to.type));
  double low = next.detail ? -std::ldexp(1.0, width - 1) : 0, high = std::ldexp(1.0, next.detail ? width - 1 : width);
  uint64_t lowest = next.detail ? uint64_t(1) << (width - 1) : 0, highest = next.detail ? lowest - 1 : ~uint64_t(0);
  for (uint32_t i = 0; i < to.lanes; ++i) {
    double value = std::trunc(toDouble(from.type, thread.at(from)[i]));
    uint64_t bits = std::isnan(value) ? 0
                    : value < low     ? lowest
                    : value >= high   ? highest
                    : next.detail     ? static_cast<uint64_t>(static_cast<int64_t>(value))
                                      : static_cast<uint64_t>(value);
    thread.at(to)[i] = truncated(to.type, bits);
  }
  return Step::Next;
}

Step floatToIntegerPower(Workgroup &, Thread &thread, const Instruction &next) {
  const Slot &result = next.results[0], &power = next.operands[1];
  for (uint32_t i = 0; i < result.lanes; ++i)
    thread.at(result)[i] = fromDouble(result.type, std::pow(toDouble(result.type, thread.at(next.operands[0])[i]),
                                                            double(toSigned(power.type, thread.at(power)[i]))));
  return Step::Next;
}

Unary unaryFunction(Operation *op) {
  return TypeSwitch<Operation *, Unary>(op)
      .Case<arith::NegFOp>([](auto) { return Unary([](double x) { return -x; }); })
      .Case<math::AbsFOp>([](auto) { return Unary(std::fabs); })
      .Case<math::CeilOp>([](auto) { return Unary(std::ceil); })
      .Case<math::FloorOp>([](auto) { return Unary(std::floor); })
      .Case<math::RoundOp>([](auto) { return Unary(std::round); })
      .Case<math::RoundEvenOp>([](auto) { return Unary(roundEven); })
      .Case<math::TruncOp>([](auto) { return Unary(std::trunc); })
      .Case<math::ExpOp>([](auto) { return Unary(std::exp); })
      .Case<math::Exp2Op>([](auto) { return Unary(std::exp2); })
      .Case<math::ExpM1Op>([](auto) { return Unary(std::expm1); })
      .Case<math::LogOp>([](auto) { return Unary(std::log); })
      .Case<math::Log2Op>([](auto) { return Unary(std::log2); })
      .Case<math::Log10Op>([](auto) { return Unary(std::log10); })
      .Case<math::Log1pOp>([](auto) { return Unary(std::log1p); })
      .Case<math::SqrtOp>([](auto) { return Unary(std::sqrt); })
      .Case<math::RsqrtOp>([](auto) { return Unary([](double x) { return 1 / std::sqrt(x); }); })
      .Case<math::CbrtOp>([](auto) { return Unary(std::cbrt); })
      .Case<math::SinOp>([](auto) { return Unary(std::sin); })
      .Case<math::CosOp>([](auto) { return Unary(std::cos); })
      .Case<math::TanOp>([](auto) { return Unary(std::tan); })
      .Case<math::AsinOp>([](auto) { return Unary(std::asin); })
      .Case<math::AcosOp>([](auto) { return Unary(std::acos); })
      .Case<math::AtanOp>([](auto) { return Unary(std::atan); })
      .Case<math::SinhOp>([](auto) { return Unary(std::sinh); })
      .Case<math::CoshOp>([](auto) { return Unary(std::cosh); })
      .Case<math::TanhOp>([](auto) { return Unary(std::tanh); })
      .Case<math::AsinhOp>([](auto) { return Unary(std::asinh); })
      .Case<math::AcoshOp>([](auto) { return Unary(std::acosh); })
      .Case<math::AtanhOp>([](auto) { return Unary(std::atanh); })
      .Case<math::ErfOp>([](auto) { return Unary(std::erf); })
      .Default([](Operation *) { return nullptr; });
}

Binary binaryFunction(Operation *op) {
  return TypeSwitch<Operation *, Binary>(op)
      .Case<arith::AddFOp>([](auto) { return Binary([](double x, double y) { return x + y; }); })
      .Case<arith::SubFOp>([](auto) { return Binary([](double x, double y) { return x - y; }); })
      .Case<arith::MulFOp>([](auto) { return Binary([](double x, double y) { return x * y; }); })
      .Case<arith::DivFOp>([](auto) { return Binary([](double x, double y) { return x / y; }); })
      .Case<arith::RemFOp>([](auto) { return Binary(std::fmod); })
      .Case<arith::MinNumFOp>([](auto) { return Binary(minNumber); })
      .Case<arith::MaxNumFOp>([](auto) { return Binary(maxNumber); })
      .Case<arith::MinimumFOp>([](auto) { return Binary(minimum); })
      .Case<arith::MaximumFOp>([](auto) { return Binary(maximum); })
      .Case<math::CopySignOp>([](auto) { return Binary(std::copysign); })
      .Case<math::Atan2Op>([](auto) { return Binary(std::atan2); })
      .Case<math::PowFOp>([](auto) { return Binary(std::pow); })
      .Default([](Operation *) { return nullptr; });
}

} // namespace

bool flattenFloats(Flattener &flattener, Operation *op) {
  if (Unary function = unaryFunction(op))
    flattener.emit(op, unary).detail = reinterpret_cast<int64_t>(function);
  else if (Binary function = binaryFunction(op))
    flattener.emit(op, binary).detail = reinterpret_cast<int64_t>(function);
  else if (isa<math::FmaOp>(op))
    flattener.emit(op, fusedMultiplyAdd);
  else if (isa<math::FPowIOp>(op))
    flattener.emit(op, floatToIntegerPower);
  else if (auto comparison = dyn_cast<arith::CmpFOp>(op))
    flattener.emit(op, compareFloats).detail = static_cast<int64_t>(comparison.getPredicate());
  else if (isa<arith::ExtFOp>(op))
    flattener.emit(op, castFloat).detail = 0;
  else if (auto narrow = dyn_cast<arith::TruncFOp>(op))
    flattener.emit(op, castFloat).detail = narrow.getRoundingmode() == arith::RoundingMode::toward_zero;
  else if (auto cast = dyn_cast<tile::FpCastOp>(op))
    flattener.emit(op, castFloat).detail = cast.getRounding() == tile::RoundingMode::TowardZero;
  else if (isa<arith::SIToFPOp, arith::UIToFPOp>(op))
    flattener.emit(op, integerToFloat).detail = isa<arith::SIToFPOp>(op);
  else if (isa<arith::FPToSIOp, arith::FPToUIOp>(op))
    flattener.emit(op, floatToInteger).detail = isa<arith::FPToSIOp>(op);
  else
    return false;
  return true;
}

} // namespace tegula::simt_test
