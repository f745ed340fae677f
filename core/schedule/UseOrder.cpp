#include "core/schedule/UseOrder.h"

#include <algorithm>
#include <numeric>

namespace tegula::schedule {
namespace {

/// Up to this many registers, a code generator's own scheduling copes with the pressure: on 114 kernels of public
/// repositories it used more registers for the new order than for the given one.
constexpr uint32_t kFewRegisters = 128;

std::vector<uint32_t> asGiven(size_t count) {
  std::vector<uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  return order;
}

/// Appends instructions to an order, each after the instructions whose results it uses.
class Order {
public:
  explicit Order(std::span<const Instruction> code) : code_(code), isDone_(code.size()) {}

  void add(uint32_t number) {
    struct Visit {
      uint32_t number;
      size_t next; // index of the next operand
    };
    std::vector<Visit> open = {{number, 0}};
    while (!open.empty()) {
      auto &[at, next] = open.back();
      const std::vector<uint32_t> &operands = code_[at].operands;
      while (next < operands.size() && isDone_[operands[next]])
        ++next;
      if (isDone_[at]) {
        open.pop_back();
      } else if (next < operands.size()) {
        open.push_back({operands[next], 0});
      } else {
        isDone_[at] = true;
        order.push_back(at);
        open.pop_back();
      }
    }
  }

  std::vector<uint32_t> order;

private:
  std::span<const Instruction> code_;
  std::vector<bool> isDone_;
};

} // namespace

uint32_t registerPressure(std::span<const Instruction> code, std::span<const uint32_t> order) {
  std::vector<uint32_t> usesLeft(code.size());
  for (const Instruction &instruction : code)
    for (uint32_t operand : instruction.operands)
      ++usesLeft[operand];
  uint32_t alive = 0, most = 0;
  for (uint32_t number : order) {
    for (uint32_t operand : code[number].operands)
      if (--usesLeft[operand] == 0 && !code[operand].isUsedAfter)
        alive -= code[operand].registers;
    if (usesLeft[number] == 0 && !code[number].isUsedAfter) {
      most = std::max(most, alive + code[number].registers);
      continue;
    }
    alive += code[number].registers;
    most = std::max(most, alive);
  }
  return most;
}

std::vector<uint32_t> orderedByUse(std::span<const Instruction> code) {
  Order result(code);
  for (uint32_t number = 0; number + 1 < code.size(); ++number)
    if (code[number].isFixed)
      result.add(number);
  for (uint32_t number = 0; number + 1 < code.size(); ++number)
    if (code[number].isUsedAfter)
      result.add(number);
  for (uint32_t number = 0; number < code.size(); ++number)
    result.add(number);
  return std::move(result.order);
}

std::optional<std::vector<uint32_t>> orderForPressure(std::span<const Instruction> code) {
  uint32_t given = registerPressure(code, asGiven(code.size()));
  if (given <= kFewRegisters)
    return std::nullopt;
  std::vector<uint32_t> order = orderedByUse(code);
  if (registerPressure(code, order) > given - given / 3)
    return std::nullopt;
  return order;
}

} // namespace tegula::schedule
