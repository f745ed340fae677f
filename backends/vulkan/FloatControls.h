// Execution modes that define a module's float behaviour beyond Vulkan's guarantees ("float controls"): they keep NaN,
// infinities, signs of zeros and denormals, and they round to nearest. A target's profile promises few of them, a
// device often supports more, and declaring one never makes a result less exact. Therefore modules are compiled without
// any, and the driver, when it loads a module, declares all that the device supports; these include the profile's.
#pragma once

#include "backends/vulkan/Features.h"

#include <cstdint>
#include <span>
#include <vector>

namespace tegula::vulkan {

/// Which float widths may have settings of a float control that differ from those of other widths
/// (VkShaderFloatControlsIndependence). Example: denormals are kept in 16 bits and flushed in 32 bits.
enum class Independence : uint8_t {
  Only32, // 32 bits may differ; 16 and 64 bits must have the same setting
  All,
  None, // all widths must have the same setting
};

/// Removes from `device` the float controls that a kernel cannot declare. If widths must have the same setting, the
/// control must be declared for all of them: it stays only if the device supports the control for each of these widths
/// in which the device can compute.
void keepDeclarable(FeatureSet &device, Independence rounding, Independence denormals);

/// Returns the module with a declaration of each float control in `device`. The module must be a kernel of SPIR-V 1.4
/// or later that declares none.
std::vector<uint32_t> withFloatControls(std::span<const uint32_t> words, const FeatureSet &device);

} // namespace tegula::vulkan
