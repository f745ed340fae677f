// Variants of a device, named after a slash in the device's name: `vulkan:0/minimal` is vulkan:0 with all optional
// features disabled. They serve tests and debugging; one process may open several at the same time.
//
//   generic          no subgroup operations: code is compiled for the profile spirv:generic
//   minimal          no optional feature at all
//   validated        through VK_LAYER_KHRONOS_validation, which must be installed
//   without=NAMES    without the features in a list for parseFeatures: without=shaderInt8,subgroup*
//
// Several variants are joined by +: vulkan:0/validated+generic.
#pragma once

#include "backends/vulkan/Features.h"

namespace tegula::vulkan {

struct DeviceVariant {
  FeatureSet without;
  bool validated = false;
};

/// Parses the name of a variant. `parts`: the text after the slash; empty for the device without changes. Throws
/// tegula::Error for an unknown part; the message lists the known ones.
DeviceVariant parseVariant(std::string_view parts);

} // namespace tegula::vulkan
