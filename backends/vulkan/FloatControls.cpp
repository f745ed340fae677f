#include "backends/vulkan/FloatControls.h"
#include "core/support/Diagnostic.h"

#include <spirv/unified1/spirv.hpp11>

namespace tegula::vulkan {
namespace {

/// A float control, and for each width the feature that reports whether a device supports it.
struct Control {
  spv::ExecutionMode mode;
  spv::Capability capability;
  Feature of16, of32, of64;
};
constexpr Control kControls[] = {
    {spv::ExecutionMode::SignedZeroInfNanPreserve, spv::Capability::SignedZeroInfNanPreserve,
     Feature::SignedZeroInfNan16, Feature::SignedZeroInfNan32, Feature::SignedZeroInfNan64},
    {spv::ExecutionMode::RoundingModeRTE, spv::Capability::RoundingModeRTE, Feature::RoundToNearest16,
     Feature::RoundToNearest32, Feature::RoundToNearest64},
    {spv::ExecutionMode::DenormPreserve, spv::Capability::DenormPreserve, Feature::DenormPreserve16,
     Feature::DenormPreserve32, Feature::DenormPreserve64},
};
constexpr const Control &kRounding = kControls[1], &kDenormals = kControls[2];

void keepDeclarable(FeatureSet &device, const Control &control, Independence independence) {
  bool has16 = device.has(control.of16) || !device.has(Feature::Float16);
  bool has64 = device.has(control.of64) || !device.has(Feature::Float64);
  bool together = has16 && has64 && (independence == Independence::Only32 || device.has(control.of32));
  if (independence == Independence::All || together)
    return;
  device.remove(control.of16);
  device.remove(control.of64);
  if (independence == Independence::None)
    device.remove(control.of32);
}

constexpr size_t kHeaderWords = 5;
spv::Op opAt(std::span<const uint32_t> words, size_t at) { return spv::Op(words[at] & 0xffff); }

/// The index, from `at` on, of the first instruction whose opcode is not `op`.
size_t endOf(spv::Op op, std::span<const uint32_t> words, size_t at) {
  while (at < words.size() && opAt(words, at) == op && words[at] >> 16)
    at += words[at] >> 16;
  return at;
}

size_t beginOf(spv::Op op, std::span<const uint32_t> words, size_t at) {
  while (at < words.size() && opAt(words, at) != op && words[at] >> 16)
    at += words[at] >> 16;
  if (at + 2 >= words.size() || opAt(words, at) != op)
    throw Error("damaged kernel for Vulkan: its module has no entry point");
  return at;
}

} // namespace

void keepDeclarable(FeatureSet &device, Independence rounding, Independence denormals) {
  keepDeclarable(device, kRounding, rounding);
  keepDeclarable(device, kDenormals, denormals);
}

std::vector<uint32_t> withFloatControls(std::span<const uint32_t> words, const FeatureSet &device) {
  size_t capabilities = endOf(spv::Op::OpCapability, words, kHeaderWords);
  size_t entry = beginOf(spv::Op::OpEntryPoint, words, capabilities);
  size_t modes = beginOf(spv::Op::OpExecutionMode, words, entry);
  uint32_t kernel = words[entry + 2];
  std::vector<uint32_t> result(words.begin(), words.begin() + ptrdiff_t(capabilities)), asked;
  for (const Control &control : kControls) {
    size_t before = asked.size();
    for (auto [feature, bits] : {std::pair(control.of16, 16u), {control.of32, 32u}, {control.of64, 64u}})
      if (device.has(feature))
        asked.insert(asked.end(),
                     {4u << 16 | uint32_t(spv::Op::OpExecutionMode), kernel, uint32_t(control.mode), bits});
    if (asked.size() > before)
      result.insert(result.end(), {2u << 16 | uint32_t(spv::Op::OpCapability), uint32_t(control.capability)});
  }
  result.insert(result.end(), words.begin() + ptrdiff_t(capabilities), words.begin() + ptrdiff_t(modes));
  result.insert(result.end(), asked.begin(), asked.end());
  result.insert(result.end(), words.begin() + ptrdiff_t(modes), words.end());
  return result;
}

} // namespace tegula::vulkan
