// Scalars that each program of a launch computes from the kernel's parameters and its own position in the grid, such as
// the row of its tile; and bounds on them that a launch can compute before it starts.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tegula {

/// A 32-bit scalar: arithmetic on integer parameters and program ids.
struct ProgramExpression {
  enum class Kind : uint8_t {
    Constant, // value
    Param,    // integer parameter: `value` is its index in Artifact::params
    Program,  // the program's position along grid axis `value`
    Add,
    Subtract,
    Multiply,
    Divide, // towards zero
    Remainder,
    Minimum,
    Maximum,
  };
  struct Node {
    Kind kind = Kind::Constant;
    int64_t value = 0;            // only of the first three kinds
    uint32_t left = 0, right = 0; // operands of the other kinds: indices of earlier nodes
    bool operator==(const Node &) const = default;
  };
  static constexpr size_t kMostNodes = 64;
  std::vector<Node> nodes; // at most kMostNodes; the last one is the scalar
  bool operator==(const ProgramExpression &) const = default;
};

/// Conditions on a launch that neither the types nor the facts of its arguments express: for example, that no program
/// lies beyond the last tile, or that no range exceeds 32 bits (docs/passes/facts.md, "Conditional code"). The code is
/// correct only if no integer parameter of the kernel is negative (if `nonNegative`), if in every program of the grid
/// all expressions in `positive` are at least 1, and if the memory of the two pointers or descriptors of each pair in
/// `apart` does not overlap.
struct LaunchConditions {
  std::vector<ProgramExpression> positive;
  std::vector<std::pair<uint32_t, uint32_t>> apart; // indices in Artifact::params
  bool nonNegative = true;
  bool operator==(const LaunchConditions &) const = default;
};

/// True if the scalar is at least 1 in every program of the grid, by interval arithmetic: for each node, an interval of
/// its values over all programs is computed. False if that cannot be shown, in particular if a value may not fit 32
/// bits, a dividend may be negative, or a divisor may be less than 1. `values`: those of the parameters; integers are
/// sign-extended to 64 bits.
bool isPositive(const ProgramExpression &expression, std::span<const int64_t> values,
                const std::array<uint32_t, 3> &grid);

} // namespace tegula
