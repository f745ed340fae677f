#include "core/contracts/ProgramExpression.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace tegula {
namespace {

struct Interval {
  int64_t least = 0, most = 0;
};

using Kind = ProgramExpression::Kind;

/// Operands have 32 bits, so no result exceeds 64 bits.
std::optional<Interval> combined(Kind kind, const Interval &a, const Interval &b) {
  switch (kind) {
  case Kind::Add: return Interval{a.least + b.least, a.most + b.most};
  case Kind::Subtract: return Interval{a.least - b.most, a.most - b.least};
  case Kind::Multiply: {
    auto [least, most] = std::minmax({a.least * b.least, a.least * b.most, a.most * b.least, a.most * b.most});
    return Interval{least, most};
  }
  case Kind::Minimum: return Interval{std::min(a.least, b.least), std::min(a.most, b.most)};
  case Kind::Maximum: return Interval{std::max(a.least, b.least), std::max(a.most, b.most)};
  case Kind::Divide:
  case Kind::Remainder:
    if (a.least < 0 || b.least < 1)
      return std::nullopt;
    return kind == Kind::Divide ? Interval{a.least / b.most, a.most / b.least}
                                : Interval{0, std::min(a.most, b.most - 1)};
  default: return std::nullopt;
  }
}

bool fits(int64_t value) {
  return value >= std::numeric_limits<int32_t>::min() && value <= std::numeric_limits<int32_t>::max();
}

} // namespace

bool isPositive(const ProgramExpression &expression, std::span<const int64_t> values,
                const std::array<uint32_t, 3> &grid) {
  Interval intervals[ProgramExpression::kMostNodes];
  size_t count = 0;
  for (const ProgramExpression::Node &node : expression.nodes) {
    std::optional<Interval> made;
    switch (node.kind) {
    case Kind::Constant: made = {node.value, node.value}; break;
    case Kind::Param: made = {values[size_t(node.value)], values[size_t(node.value)]}; break;
    case Kind::Program: made = {0, int64_t(grid[size_t(node.value)]) - 1}; break;
    default: made = combined(node.kind, intervals[node.left], intervals[node.right]);
    }
    if (!made || !fits(made->least) || !fits(made->most))
      return false;
    intervals[count++] = *made;
  }
  return count != 0 && intervals[count - 1].least >= 1;
}

} // namespace tegula
