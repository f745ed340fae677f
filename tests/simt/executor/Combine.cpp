#include "Combine.h"

#include <algorithm>
#include <cmath>

namespace tegula::simt_test {
namespace {

enum class Extremum : uint8_t { Minimum, Maximum };

/// `propagates`: a NaN operand gives NaN; otherwise it gives the other operand.
uint64_t extremum(Extremum which, bool propagates, ScalarType type, uint64_t x, uint64_t y) {
  double xd = toDouble(type, x), yd = toDouble(type, y);
  if (std::isnan(xd))
    return propagates ? x : y;
  if (std::isnan(yd))
    return propagates ? y : x;
  bool less = xd == yd ? std::signbit(xd) : xd < yd;
  return less == (which == Extremum::Minimum) ? x : y;
}

uint64_t signedExtremum(Extremum which, ScalarType type, uint64_t x, uint64_t y) {
  return (toSigned(type, x) < toSigned(type, y)) == (which == Extremum::Minimum) ? x : y;
}

uint64_t addFloats(ScalarType type, uint64_t x, uint64_t y) {
  return fromDouble(type, toDouble(type, x) + toDouble(type, y));
}

} // namespace

uint64_t combine(simt::CombineKind kind, ScalarType type, uint64_t x, uint64_t y) {
  switch (kind) {
  case simt::CombineKind::AddF: return addFloats(type, x, y);
  case simt::CombineKind::MulF: return fromDouble(type, toDouble(type, x) * toDouble(type, y));
  case simt::CombineKind::MaxNumF: return extremum(Extremum::Maximum, false, type, x, y);
  case simt::CombineKind::MinNumF: return extremum(Extremum::Minimum, false, type, x, y);
  case simt::CombineKind::MaximumF: return extremum(Extremum::Maximum, true, type, x, y);
  case simt::CombineKind::MinimumF: return extremum(Extremum::Minimum, true, type, x, y);
  case simt::CombineKind::AddI: return truncated(type, x + y);
  case simt::CombineKind::MulI: return truncated(type, x * y);
  case simt::CombineKind::MaxSI: return signedExtremum(Extremum::Maximum, type, x, y);
  case simt::CombineKind::MinSI: return signedExtremum(Extremum::Minimum, type, x, y);
  case simt::CombineKind::MaxUI: return std::max(x, y);
  case simt::CombineKind::MinUI: return std::min(x, y);
  case simt::CombineKind::AndI: return x & y;
  case simt::CombineKind::OrI: return x | y;
  case simt::CombineKind::XOrI: return x ^ y;
  }
  return 0;
}

uint64_t combine(tile::AtomicKind kind, ScalarType type, uint64_t old, uint64_t value) {
  switch (kind) {
  case tile::AtomicKind::Add: return truncated(type, old + value);
  case tile::AtomicKind::FAdd: return addFloats(type, old, value);
  case tile::AtomicKind::Min: return signedExtremum(Extremum::Minimum, type, old, value);
  case tile::AtomicKind::Max: return signedExtremum(Extremum::Maximum, type, old, value);
  case tile::AtomicKind::UMin: return std::min(old, value);
  case tile::AtomicKind::UMax: return std::max(old, value);
  case tile::AtomicKind::FMin: return extremum(Extremum::Minimum, false, type, old, value);
  case tile::AtomicKind::FMax: return extremum(Extremum::Maximum, false, type, old, value);
  case tile::AtomicKind::And: return old & value;
  case tile::AtomicKind::Or: return old | value;
  case tile::AtomicKind::Xor: return old ^ value;
  case tile::AtomicKind::Exchange: return value;
  }
  return 0;
}

} // namespace tegula::simt_test
