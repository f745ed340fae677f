// Execution modes that define the behaviour of a module's floats beyond Vulkan's guarantees ("float controls"): NaN,
// infinities and signs of zeros are kept, results are rounded to nearest, denormals are kept. A target promises few of
// them, a device often has more, and declaring one never makes a result worse. So modules are compiled without any, and
// the driver declares all that the device has when it loads a module. The controls of the target's profile are among
// them.
#pragma once

#include "backends/vulkan/Features.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tegula::vulkan {

/// Which widths may differ in a float control (VkShaderFloatControlsIndependence).
enum class Independence : uint8_t {
  Only32, // 32 bits may differ; 16 and 64 bits behave alike
  All,
  None, // all widths behave alike
};

/// Keeps the float controls that a kernel can declare. Where widths must behave alike, a control remains only if the
/// device has it for all widths in which it computes.
void keepDeclarable(FeatureSet &device, Independence rounding, Independence denormals);

/// The module with each float control among the features declared. It must be a kernel of SPIR-V 1.4 or later that
/// declares none.
std::vector<uint32_t> withFloatControls(std::span<const uint32_t> words, const FeatureSet &device);

} // namespace tegula::vulkan
