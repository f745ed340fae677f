// How a module's floats behave beyond what Vulkan guarantees is asked for by execution modes ("float controls"): NaN,
// infinities and the signs of zeros are kept, results are rounded to nearest, small numbers are kept. A target promises
// few of them, a device often has more, and asking for one never makes a result worse: so modules are compiled without
// any, and the driver declares all that the device has when it loads one. Those of the target's profile are among them.
#pragma once

#include "backends/vulkan/Features.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tegula::vulkan {

/// Whether a kernel may ask for one behaviour of some widths and none of others.
enum class Independence : uint8_t {
  Only32, // 16 and 64 bits behave alike
  All,
  None, // all widths behave alike
};

/// Leaves those controls that a kernel can ask for: where widths must behave alike, those that all widths have in which
/// the device computes.
void keepDeclarable(FeatureSet &device, Independence rounding, Independence denormals);

/// The module, a kernel of SPIR-V 1.4 or later that declares none, with each float control among the features.
std::vector<uint32_t> withFloatControls(std::span<const uint32_t> words, const FeatureSet &device);

} // namespace tegula::vulkan
