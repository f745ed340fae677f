#include "tests/conformance/Skips.h"
#include "tests/conformance/Host.h"

namespace tegula::conformance {

namespace {

/// A device's optional feature, as its property `features` names it, and what cannot do without it: the cases of a name
/// that use the type.
struct NeededFeature {
  const char *devices, *feature, *cases;
  DType type;
  const char *reason;
};

constexpr NeededFeature kFeatures[] = {
    {"vulkan:*", "shaderFloat64", "*", DType::F64, "the device has no 64-bit floats"},
    {"vulkan:*", "shaderFloat64", "libdevice/extern_promoted/*", DType::I32, "the device has no 64-bit floats"},
    {"vulkan:*", "shaderBufferInt64Atomics", "atomics/*", DType::I64, "the device has no 64-bit atomics"},
    {"vulkan:*", "shaderBufferInt64Atomics", "atomics/*", DType::U64, "the device has no 64-bit atomics"},
    {"vulkan:*", "shaderBufferInt64Atomics", "descriptors/bit_atomics/*", DType::I64,
     "the device has no 64-bit atomics"},
};

/// Cases by name, on devices by name.
struct Skip {
  const char *devices, *cases, *reason;
};

/// Empty so far, and the place for what a device truly cannot do.
constexpr std::array<Skip, 0> kSkips = {};

/// Cases by name that the driver of a target compiles for as long as a worker waits (WorkerPlan::limitSeconds), or
/// nearly.
struct SlowCompilation {
  const char *targets, *cases, *reason;
};

constexpr SlowCompilation kSlowCompilations[] = {
    {"spirv:lavapipe-cm*", "programs/attention_gradients/128x128,*",
     "Mesa writes products of matrices out as instructions of the CPU; for so many LLVM takes 11 minutes and more"},
    {"spirv:generic-bounded", "derived/joined/f16,*200x320,*warps=8",
     "llvmpipe makes each thread a coroutine, and LLVM 15 takes 4 to 15 minutes for the frame of hundreds of values "
     "that live across tens of barriers"},
};

bool hasFeature(const Device::Info &device, std::string_view feature) {
  for (const auto &[property, value] : device.properties)
    if (property == "features" && value.find(feature) != std::string::npos)
      return true;
  return false;
}

} // namespace

std::optional<std::string> skipReason(const Case &made, const Device::Info &device) {
  for (const Skip &skip : kSkips)
    if (matches(skip.devices, device.name) && matches(skip.cases, made.name))
      return skip.reason;
  for (const NeededFeature &needed : kFeatures)
    if (matches(needed.devices, device.name) && matches(needed.cases, made.name) && uses(made, needed.type) &&
        !hasFeature(device, needed.feature))
      return needed.reason;
  return std::nullopt;
}

std::optional<std::string> untriedReason(const Case &made, const Device::Info &device) {
  for (const SlowCompilation &slow : kSlowCompilations)
    if (matches(slow.targets, device.target) && matches(slow.cases, made.name))
      return slow.reason;
  return std::nullopt;
}

bool matches(std::string_view pattern, std::string_view text) {
  if (pattern.empty())
    return text.empty();
  if (pattern[0] == '*')
    return matches(pattern.substr(1), text) || (!text.empty() && matches(pattern, text.substr(1)));
  return !text.empty() && (pattern[0] == '?' || pattern[0] == text[0]) && matches(pattern.substr(1), text.substr(1));
}

} // namespace tegula::conformance
