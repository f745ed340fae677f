// Instruction order with low register pressure for straight-line code: values are computed right before they are used.
// Code generators print each op on a tile for all elements of the thread before the next op, so that all intermediate
// values of a chain of ops are alive at the same time:
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
  std::vector<uint32_t> operands; // indices of instructions of the list
  uint32_t registers = 1;         // number of 32-bit registers of its results
  bool isFixed = false;     // it keeps its order relative to all other fixed instructions: loads, stores, barriers, ...
  bool isUsedAfter = false; // some result is used after the list
};

/// The register pressure: the most registers alive at one time if the instructions are executed in this order.
uint32_t registerPressure(std::span<const Instruction> code, std::span<const uint32_t> order);

/// The indices of all instructions in a new order. Fixed instructions keep their order; each other instruction is
/// placed right before its first user, after its operands, which are placed from left to right. Values that are only
/// used after the list are computed before the last instruction, one after another with what they alone need. An
/// instruction's operands have lower indices than the instruction.
std::vector<uint32_t> orderedByUse(std::span<const Instruction> code);

/// The order of orderedByUse, if the given order has high register pressure and the new order has far less; else
/// nothing. The given order hides latencies better, because more independent instructions are side by side.
std::optional<std::vector<uint32_t>> orderForPressure(std::span<const Instruction> code);

} // namespace tegula::schedule
