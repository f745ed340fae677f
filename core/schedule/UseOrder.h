// The order of the instructions of straight-line code in which values are computed right before they are used. Code
// generators print each op on a tile for all elements of the thread before the next op, so that all intermediate values
// of a chain of ops are alive together:
//
//   a0 a1 a2 a3 = exp x0 .. x3          a0 = exp x0;  b0 = a0 * s;  store b0
//   b0 b1 b2 b3 = a0 .. a3 * s     ->   a1 = exp x1;  b1 = a1 * s;  store b1
//   store b0;  store b1; ...            ...
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tegula::schedule {

struct Instruction {
  std::vector<uint32_t> operands; // numbers of other instructions of the list
  uint32_t registers = 1;         // of 32 bits, that its results take
  bool isFixed = false;           // it keeps its place among all that are fixed: loads, stores, barriers, ...
  bool isUsedBehind = false;      // behind the list
};

/// The most registers that are alive together if the instructions are executed in this order.
uint32_t mostAlive(std::span<const Instruction> code, std::span<const uint32_t> order);

/// The numbers of all instructions in an order in which fixed ones keep theirs, and each other one stands right before
/// the first that uses it, its operands before it from left to right. Values that are only used behind the list are
/// computed before the last instruction. An instruction's operands have lower numbers than it has itself.
std::vector<uint32_t> orderedByUse(std::span<const Instruction> code);

/// That order, if far fewer registers are alive in it than in the order of the numbers, where these are many; else
/// nothing. The given order hides latencies better, because it has more independent instructions side by side.
std::optional<std::vector<uint32_t>> orderForRegisters(std::span<const Instruction> code);

} // namespace tegula::schedule
