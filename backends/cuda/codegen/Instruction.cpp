#include "backends/cuda/codegen/Instruction.h"

#include <charconv>

namespace tegula::cuda {
namespace {

bool take(std::string_view &text, std::string_view prefix) {
  if (!text.starts_with(prefix))
    return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool takeNumber(std::string_view &text, unsigned &number) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number == 0)
    return false;
  text.remove_prefix(size_t(end - text.data()));
  return true;
}

unsigned bitsOf(std::string_view type) {
  if (type == "f16" || type == "bf16")
    return 16;
  if (type == "f32" || type == "tf32" || type == "s32")
    return 32;
  if (type == "s8" || type == "u8" || type == "e4m3" || type == "e5m2")
    return 8;
  return type == "f64" ? 64 : 0;
}

} // namespace

std::optional<Instruction> Instruction::parse(std::string_view name) {
  Instruction found;
  found.asynchronous = take(name, "async.");
  if (!found.asynchronous && !take(name, "mma."))
    return std::nullopt;
  if (!take(name, "m") || !takeNumber(name, found.m) || !take(name, "n") || !takeNumber(name, found.n) ||
      !take(name, "k") || !takeNumber(name, found.k) || !take(name, "."))
    return std::nullopt;
  size_t dot = name.find('.');
  if (dot == std::string_view::npos)
    return std::nullopt;
  found.accumulator = name.substr(0, dot);
  found.operand = name.substr(dot + 1);
  if (!bitsOf(found.accumulator) || !bitsOf(found.operand))
    return std::nullopt;
  return found;
}

unsigned Instruction::operandBits() const { return bitsOf(operand); }
unsigned Instruction::accumulatorBits() const { return bitsOf(accumulator); }

} // namespace tegula::cuda
