// Scalars that each program of a launch computes from the kernel's parameters and its own place in the grid, such as
// the row of its tile; and what a launch can tell of them before it starts.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace tegula {

/// A scalar of 32 bits, as arithmetic on integer parameters and program ids.
struct ProgramExpression {
  enum class Kind : uint8_t {
    Constant, // value
    Param,    // integer parameter: `value` is its index in Artifact::params
    Program,  // the program's place along grid axis `value`
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
    int64_t value = 0;            // of the first three kinds
    uint32_t left = 0, right = 0; // of the others: earlier nodes
    bool operator==(const Node &) const = default;
  };
  static constexpr size_t kMostNodes = 64;
  std::vector<Node> nodes; // at most kMostNodes; the last one is the scalar
  bool operator==(const ProgramExpression &) const = default;
};

/// What code may need of a launch that neither types nor facts of its arguments tell, such as that no program stands
/// beyond the last tile, or that no range leaves 32 bits (docs/passes.md, "Conditional code"): the code is right only
/// if no integer parameter of the kernel is negative, and `positive` are at least 1 in every program of the grid.
struct LaunchConditions {
  std::vector<ProgramExpression> positive;
  bool operator==(const LaunchConditions &) const = default;
};

/// Whether the scalar is at least 1 in every program of the grid, as far as interval arithmetic can tell: an interval
/// of values, over all programs, is computed for each node. False, too, where a value may not fit 32 bits, a dividend
/// may be negative, or a divisor may be less than 1. `values`: of the parameters, integers sign-extended to 64 bits.
bool isPositive(const ProgramExpression &expression, std::span<const int64_t> values,
                const std::array<uint32_t, 3> &grid);

} // namespace tegula
