#include "core/contracts/KernelOptions.h"

namespace tegula {
namespace {

int64_t integer(std::string_view option, const ConstantValue &value, int64_t low, int64_t high) {
  const auto *number = std::get_if<int64_t>(&value);
  if (!number || *number < low || *number > high)
    throw Error(std::string(option) + " is " + (number ? std::to_string(*number) : "no integer") +
                "; it must be an integer from " + std::to_string(low) + " to " + std::to_string(high));
  return *number;
}

bool flag(std::string_view option, const ConstantValue &value) {
  const auto *given = std::get_if<bool>(&value);
  if (!given)
    throw Error(std::string(option) + " is no bool; it must be True or False");
  return *given;
}

std::string text(std::string_view option, const ConstantValue &value) {
  const auto *given = std::get_if<std::string>(&value);
  if (!given)
    throw Error(std::string(option) + " is no text; it must be a precision that tl.dot takes, such as 'ieee'");
  return *given;
}

} // namespace

bool isTunedOption(const KernelInfo &kernel, std::string_view name) {
  return (name == kDepthSplits || name == kMaxRegisters) && !isParameter(kernel, name);
}

bool isNeutral(std::string_view option, const ConstantValue &value) {
  return (option == kDepthSplits && value == ConstantValue(int64_t(1))) ||
         ((option == kOverflowChecks || option == kAssertions) && value == ConstantValue(false));
}

KernelOptions optionsOf(const Constants &constants, const std::function<bool(std::string_view)> &isParameter) {
  KernelOptions options;
  for (const auto &[name, value] : constants) {
    if (isParameter(name))
      continue;
    if (name == kDepthSplits)
      options.depthSplits = integer(name, value, 1, kMostDepthSplits);
    else if (name == kMaxRegisters)
      options.maxRegisters = uint32_t(integer(name, value, kFewestRegisters, kMostRegisters));
    else if (name == kOverflowChecks)
      options.checksOverflow = flag(name, value);
    else if (name == kAssertions)
      options.hasAssertions = flag(name, value);
    else if (name == kDotPrecision)
      options.dotPrecision = text(name, value);
    else if (name == kImpreciseSums)
      options.impreciseSums = integer(name, value, 0, INT32_MAX);
  }
  return options;
}

KernelOptions optionsOf(const KernelInfo &kernel, const Constants &constants) {
  return optionsOf(constants, [&](std::string_view name) { return isParameter(kernel, name); });
}

KernelOptions optionsOf(const Constants &constants) {
  return optionsOf(constants, [](std::string_view) { return false; });
}

} // namespace tegula
