// Options of a kernel's compilation that callers give by name among the values of constexpr parameters, so that they
// are part of every key and travel wherever constants do: configurations, heuristics, records, bundles. A parameter of
// the kernel hides the option of its name.
#pragma once

#include "core/contracts/Compiler.h"

#include <algorithm>
#include <functional>

namespace tegula {

/// How many programs share the loop over the depth of one block of the result (docs/tuning.md, "Splitting the depth").
inline constexpr std::string_view kDepthSplits = "depth_splits";
/// The most registers of a thread, of targets whose compiler can cap them; others ignore it.
inline constexpr std::string_view kMaxRegisters = "maxnreg";
/// Whether the kernel asserts that no integer addition, subtraction or multiplication overflows.
inline constexpr std::string_view kOverflowChecks = "sanitize_overflow";
/// Whether `tl.device_assert` is compiled; else it does nothing (docs/debugging.md, "Assertions").
inline constexpr std::string_view kAssertions = "debug";
/// The input precision of each `tl.dot` that names none.
inline constexpr std::string_view kDotPrecision = "default_dot_input_precision";
/// How many products of 8-bit floats each `tl.dot` that does not say so may add up before the sum enters the f32
/// accumulator.
inline constexpr std::string_view kImpreciseSums = "max_num_imprecise_acc_default";

inline constexpr std::string_view kOptions[] = {kDepthSplits, kMaxRegisters, kOverflowChecks,
                                                kAssertions,  kDotPrecision, kImpreciseSums};

inline constexpr int64_t kMostDepthSplits = 64;
inline constexpr int64_t kFewestRegisters = 16, kMostRegisters = 512;

struct KernelOptions {
  int64_t depthSplits = 1;
  std::optional<uint32_t> maxRegisters;
  bool checksOverflow = false;
  bool hasAssertions = false;
  std::string dotPrecision; // empty: the language's own default
  std::optional<int64_t> impreciseSums;
};

inline bool isParameter(const KernelInfo &kernel, std::string_view name) {
  return std::ranges::any_of(kernel.params, [&](const KernelInfo::Param &param) { return param.name == name; });
}
/// Whether the name stands for an option: one of the above, and no parameter of the kernel. (Inline, as the command
/// line links no contracts.)
inline bool isOption(const KernelInfo &kernel, std::string_view name) {
  return std::ranges::find(kOptions, name) != std::end(kOptions) && !isParameter(kernel, name);
}
/// Whether it stands for one that a search over configurations may set: no grid is computed with it, and it does not
/// change what the kernel means.
bool isTunedOption(const KernelInfo &kernel, std::string_view name);
/// Whether the option of that name means the same with this value as where it is not given.
bool isNeutral(std::string_view option, const ConstantValue &value);

/// The options among the constants. Throws tegula::Error for a value that the option does not take.
KernelOptions optionsOf(const Constants &constants, const std::function<bool(std::string_view)> &isParameter);
KernelOptions optionsOf(const KernelInfo &kernel, const Constants &constants);
/// Of a kernel in IR, whose constants are no parameters any more.
KernelOptions optionsOf(const Constants &constants);

} // namespace tegula
