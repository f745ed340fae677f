// Options of a kernel's compilation. Callers give them by name among the values of constexpr parameters, so that every
// cache key contains them, and configurations, heuristics, records and bundles can set them. A parameter of the kernel
// hides the option of its name.
#pragma once

#include "core/contracts/Compiler.h"

#include <algorithm>
#include <functional>

namespace tegula {

/// Split-K: the number of programs that share the loop over the depth of one block of the result (docs/tuning.md,
/// "Splitting the depth").
inline constexpr std::string_view kDepthSplits = "depth_splits";
/// The most registers of a thread. Targets whose compiler cannot limit registers ignore it.
inline constexpr std::string_view kMaxRegisters = "maxnreg";
/// True: the kernel asserts that no integer addition, subtraction or multiplication overflows.
inline constexpr std::string_view kOverflowChecks = "sanitize_overflow";
/// True: `tl.device_assert` is compiled; otherwise it does nothing (docs/debugging.md, "Assertions").
inline constexpr std::string_view kAssertions = "debug";
/// The input precision of each `tl.dot` that does not state one.
inline constexpr std::string_view kDotPrecision = "default_dot_input_precision";
/// The number of products of 8-bit floats that a `tl.dot` may add up before the sum is added to the f32 accumulator;
/// for each `tl.dot` that does not state it.
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
  std::string dotPrecision; // empty: the language's default
  std::optional<int64_t> impreciseSums;
};

inline bool isParameter(const KernelInfo &kernel, std::string_view name) {
  return std::ranges::any_of(kernel.params, [&](const KernelInfo::Param &param) { return param.name == name; });
}
/// True if the name is an option: one of the above, and no parameter of the kernel. (Inline, because the command line
/// does not link contracts.)
inline bool isOption(const KernelInfo &kernel, std::string_view name) {
  return std::ranges::find(kOptions, name) != std::end(kOptions) && !isParameter(kernel, name);
}
/// True if the name is an option that a search over configurations may set: callers do not compute grids with it, and
/// it does not change the kernel's meaning.
bool isTunedOption(const KernelInfo &kernel, std::string_view name);
/// True if the option with this value means the same as without the option.
bool isNeutral(std::string_view option, const ConstantValue &value);

/// The options among the constants. Throws tegula::Error for a value that the option does not accept.
KernelOptions optionsOf(const Constants &constants, const std::function<bool(std::string_view)> &isParameter);
KernelOptions optionsOf(const KernelInfo &kernel, const Constants &constants);
/// The options for a kernel in IR, which has no constexpr parameters any more.
KernelOptions optionsOf(const Constants &constants);

} // namespace tegula
