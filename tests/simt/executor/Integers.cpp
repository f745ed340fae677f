// arith on integers, constants, selects and casts.
#include "Flatten.h"
#include "Machine.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace tegula::simt_test {
namespace {

enum class IntegerOp : uint8_t {
  Add,
  Sub,
  Mul,
  DivS,
  DivU,
  RemS,
  RemU,
  CeilDivS,
  CeilDivU,
  FloorDivS,
  And,
  Or,
  Xor,
  ShiftLeft,
  ShiftRightS,
  ShiftRightU,
  MinS,
  MaxS,
  MinU,
  MaxU,
  MulHighS,
  MulHighU,
  LeadingZeros,
  TrailingZeros,
  PopCount,
  AbsS,
};

bool divides(IntegerOp op) { return op >= IntegerOp::DivS && op <= IntegerOp::FloorDivS; }
bool shifts(IntegerOp op) { return op >= IntegerOp::ShiftLeft && op <= IntegerOp::ShiftRightU; }

int64_t divideSigned(IntegerOp op, int64_t x, int64_t y) {
  if (y == -1)
    return op == IntegerOp::RemS ? 0 : static_cast<int64_t>(0 - static_cast<uint64_t>(x));
  int64_t quotient = x / y, rest = x % y;
  switch (op) {
  case IntegerOp::RemS: return rest;
  case IntegerOp::CeilDivS: return quotient + (rest != 0 && (rest < 0) == (y < 0));
  case IntegerOp::FloorDivS: return quotient - (rest != 0 && (rest < 0) != (y < 0));
  default: return quotient;
  }
}

/// The result for one element; bits above the type's width are arbitrary. Requires a non-zero divisor and a valid
/// shift.
uint64_t compute(IntegerOp op, ScalarType type, uint64_t x, uint64_t y) {
  int64_t xs = toSigned(type, x), ys = toSigned(type, y);
  unsigned width = bitWidth(type);
  switch (op) {
  case IntegerOp::Add: return x + y;
  case IntegerOp::Sub: return x - y;
  case IntegerOp::Mul: return x * y;
  case IntegerOp::DivS:
  case IntegerOp::RemS:
  case IntegerOp::CeilDivS:
  case IntegerOp::FloorDivS: return static_cast<uint64_t>(divideSigned(op, xs, ys));
  case IntegerOp::DivU: return x / y;
  case IntegerOp::RemU: return x % y;
  case IntegerOp::CeilDivU: return x / y + (x % y != 0);
  case IntegerOp::And: return x & y;
  case IntegerOp::Or: return x | y;
  case IntegerOp::Xor: return x ^ y;
  case IntegerOp::ShiftLeft: return x << y;
  case IntegerOp::ShiftRightS: return static_cast<uint64_t>(xs >> y);
  case IntegerOp::ShiftRightU: return x >> y;
  case IntegerOp::MinS: return xs < ys ? x : y;
  case IntegerOp::MaxS: return xs > ys ? x : y;
  case IntegerOp::MinU: return std::min(x, y);
  case IntegerOp::MaxU: return std::max(x, y);
  case IntegerOp::MulHighS: return static_cast<uint64_t>((static_cast<__int128>(xs) * ys) >> width);
  case IntegerOp::MulHighU: return static_cast<uint64_t>((static_cast<unsigned __int128>(x) * y) >> width);
  case IntegerOp::LeadingZeros: return static_cast<uint64_t>(std::countl_zero(x)) - (64 - width);
  case IntegerOp::TrailingZeros: return std::min<uint64_t>(static_cast<uint64_t>(std::countr_zero(x)), width);
  case IntegerOp::PopCount: return static_cast<uint64_t>(std::popcount(x));
  case IntegerOp::AbsS: return xs < 0 ? 0 - static_cast<uint64_t>(xs) : x;
  }
  return 0;
}

/// detail: an IntegerOp. One or two operands.
Step integer(Workgroup &group, Thread &thread, const Instruction &next) {
  auto op = static_cast<IntegerOp>(next.detail);
  const Slot &result = next.results[0];
  const uint64_t *x = thread.at(next.operands[0]), *y = thread.at(next.operands.back());
  uint64_t *out = thread.at(result);
  for (uint32_t i = 0; i < result.lanes; ++i) {
    uint64_t right = y[i];
    if (divides(op) && right == 0) {
      group.report(ReportKind::Undefined, thread.index, next, nullptr, [] { return std::string("divides by zero"); });
      right = 1;
    }
    if (shifts(op) && right >= bitWidth(result.type)) {
      group.report(ReportKind::Undefined, thread.index, next, nullptr, [&] {
        return "shifts " + std::to_string(bitWidth(result.type)) + " bits by " + std::to_string(right);
      });
      right = 0;
    }
    out[i] = truncated(result.type, compute(op, result.type, x[i], right));
  }
  return Step::Next;
}

/// Low and high halves of a product. detail: whether signed.
Step multiplyExtended(Workgroup &, Thread &thread, const Instruction &next) {
  const Slot &low = next.results[0], &high = next.results[1];
  for (uint32_t i = 0; i < low.lanes; ++i) {
    uint64_t x = thread.at(next.operands[0])[i], y = thread.at(next.operands[1])[i];
    uint64_t upper = compute(next.detail ? IntegerOp::MulHighS : IntegerOp::MulHighU, low.type, x, y);
    thread.at(low)[i] = truncated(low.type, x * y);
    thread.at(high)[i] = truncated(high.type, upper);
  }
  return Step::Next;
}

Step addExtended(Workgroup &, Thread &thread, const Instruction &next) {
  const Slot &sum = next.results[0];
  for (uint32_t i = 0; i < sum.lanes; ++i) {
    uint64_t x = thread.at(next.operands[0])[i];
    uint64_t total = truncated(sum.type, x + thread.at(next.operands[1])[i]);
    thread.at(sum)[i] = total;
    thread.at(next.results[1])[i] = total < x;
  }
  return Step::Next;
}

bool compare(arith::CmpIPredicate predicate, ScalarType type, uint64_t x, uint64_t y) {
  int64_t xs = toSigned(type, x), ys = toSigned(type, y);
  switch (predicate) {
  case arith::CmpIPredicate::eq: return x == y;
  case arith::CmpIPredicate::ne: return x != y;
  case arith::CmpIPredicate::slt: return xs < ys;
  case arith::CmpIPredicate::sle: return xs <= ys;
  case arith::CmpIPredicate::sgt: return xs > ys;
  case arith::CmpIPredicate::sge: return xs >= ys;
  case arith::CmpIPredicate::ult: return x < y;
  case arith::CmpIPredicate::ule: return x <= y;
  case arith::CmpIPredicate::ugt: return x > y;
  case arith::CmpIPredicate::uge: return x >= y;
  }
  return false;
}

Step compareIntegers(Workgroup &, Thread &thread, const Instruction &next) {
  auto predicate = static_cast<arith::CmpIPredicate>(next.detail);
  const Slot &left = next.operands[0];
  for (uint32_t i = 0; i < left.lanes; ++i)
    thread.at(next.results[0])[i] = compare(predicate, left.type, thread.at(left)[i], thread.at(next.operands[1])[i]);
  return Step::Next;
}

Step select(Workgroup &, Thread &thread, const Instruction &next) {
  const Slot &condition = next.operands[0], &result = next.results[0];
  for (uint32_t i = 0; i < result.lanes; ++i) {
    bool first = thread.at(condition)[condition.lanes == 1 ? 0 : i] != 0;
    thread.at(result)[i] = thread.at(next.operands[first ? 1 : 2])[i];
  }
  return Step::Next;
}

Step constant(Workgroup &, Thread &thread, const Instruction &next) {
  std::copy(next.data.begin(), next.data.end(), thread.at(next.results[0]));
  return Step::Next;
}

/// detail: whether signed. Widens or narrows.
Step castInteger(Workgroup &, Thread &thread, const Instruction &next) {
  const Slot &from = next.operands[0], &to = next.results[0];
  for (uint32_t i = 0; i < to.lanes; ++i) {
    uint64_t bits = thread.at(from)[i];
    thread.at(to)[i] = truncated(to.type, next.detail ? static_cast<uint64_t>(toSigned(from.type, bits)) : bits);
  }
  return Step::Next;
}

/// The same bits in elements of another width, lowest first.
Step bitcast(Workgroup &, Thread &thread, const Instruction &next) {
  const Slot &from = next.operands[0], &to = next.results[0];
  unsigned fromBits = bitWidth(from.type), toBits = bitWidth(to.type);
  if (fromBits == toBits) {
    std::copy(thread.at(from), thread.at(from) + from.lanes, thread.at(to));
    return Step::Next;
  }
  for (uint32_t i = 0; i < to.lanes; ++i) {
    uint64_t bits = 0;
    for (unsigned bit = 0; bit < toBits; ++bit) {
      uint64_t place = uint64_t(i) * toBits + bit;
      bits |= (thread.at(from)[place / fromBits] >> (place % fromBits) & 1) << bit;
    }
    thread.at(to)[i] = bits;
  }
  return Step::Next;
}

std::vector<uint64_t> constantBits(Flattener &flattener, arith::ConstantOp op) {
  Slot slot = flattener.slot(op);
  auto bitsOf = [&](Attribute attribute) -> uint64_t {
    if (auto number = dyn_cast<FloatAttr>(attribute))
      return number.getValue().bitcastToAPInt().getZExtValue();
    return truncated(slot.type, static_cast<uint64_t>(cast<IntegerAttr>(attribute).getValue().getSExtValue()));
  };
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!dense)
    return {bitsOf(op.getValue())};
  std::vector<uint64_t> bits;
  for (Attribute element : dense.getValues<Attribute>())
    bits.push_back(bitsOf(element));
  return bits;
}

std::optional<IntegerOp> integerOp(Operation *op) {
  return TypeSwitch<Operation *, std::optional<IntegerOp>>(op)
      .Case<arith::AddIOp>([](auto) { return IntegerOp::Add; })
      .Case<arith::SubIOp>([](auto) { return IntegerOp::Sub; })
      .Case<arith::MulIOp>([](auto) { return IntegerOp::Mul; })
      .Case<arith::DivSIOp>([](auto) { return IntegerOp::DivS; })
      .Case<arith::DivUIOp>([](auto) { return IntegerOp::DivU; })
      .Case<arith::RemSIOp>([](auto) { return IntegerOp::RemS; })
      .Case<arith::RemUIOp>([](auto) { return IntegerOp::RemU; })
      .Case<arith::CeilDivSIOp>([](auto) { return IntegerOp::CeilDivS; })
      .Case<arith::CeilDivUIOp>([](auto) { return IntegerOp::CeilDivU; })
      .Case<arith::FloorDivSIOp>([](auto) { return IntegerOp::FloorDivS; })
      .Case<arith::AndIOp>([](auto) { return IntegerOp::And; })
      .Case<arith::OrIOp>([](auto) { return IntegerOp::Or; })
      .Case<arith::XOrIOp>([](auto) { return IntegerOp::Xor; })
      .Case<arith::ShLIOp>([](auto) { return IntegerOp::ShiftLeft; })
      .Case<arith::ShRSIOp>([](auto) { return IntegerOp::ShiftRightS; })
      .Case<arith::ShRUIOp>([](auto) { return IntegerOp::ShiftRightU; })
      .Case<arith::MinSIOp>([](auto) { return IntegerOp::MinS; })
      .Case<arith::MaxSIOp>([](auto) { return IntegerOp::MaxS; })
      .Case<arith::MinUIOp>([](auto) { return IntegerOp::MinU; })
      .Case<arith::MaxUIOp>([](auto) { return IntegerOp::MaxU; })
      .Case<math::CountLeadingZerosOp>([](auto) { return IntegerOp::LeadingZeros; })
      .Case<math::CountTrailingZerosOp>([](auto) { return IntegerOp::TrailingZeros; })
      .Case<math::CtPopOp>([](auto) { return IntegerOp::PopCount; })
      .Case<math::AbsIOp>([](auto) { return IntegerOp::AbsS; })
      .Default([](Operation *) { return std::nullopt; });
}

} // namespace

bool flattenIntegers(Flattener &flattener, Operation *op) {
  if (std::optional<IntegerOp> simple = integerOp(op))
    flattener.emit(op, integer).detail = static_cast<int64_t>(*simple);
  else if (auto number = dyn_cast<arith::ConstantOp>(op))
    flattener.emit(op, constant).data = constantBits(flattener, number);
  else if (auto comparison = dyn_cast<arith::CmpIOp>(op))
    flattener.emit(op, compareIntegers).detail = static_cast<int64_t>(comparison.getPredicate());
  else if (isa<arith::SelectOp>(op))
    flattener.emit(op, select);
  else if (isa<arith::MulSIExtendedOp, arith::MulUIExtendedOp>(op))
    flattener.emit(op, multiplyExtended).detail = isa<arith::MulSIExtendedOp>(op);
  else if (isa<arith::AddUIExtendedOp>(op))
    flattener.emit(op, addExtended);
  else if (isa<arith::ExtSIOp, arith::IndexCastOp>(op))
    flattener.emit(op, castInteger).detail = 1;
  else if (isa<arith::ExtUIOp, arith::TruncIOp, arith::IndexCastUIOp>(op))
    flattener.emit(op, castInteger).detail = 0;
  else if (isa<arith::BitcastOp>(op))
    flattener.emit(op, bitcast);
  else
    return false;
  return true;
}

} // namespace tegula::simt_test
