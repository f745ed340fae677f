// Variants of a device, named behind a slash in the device's name: `vulkan:0/minimal` is vulkan:0 with every optional
// feature masked off. They serve tests and the search for faults: one process may open several side by side.
//
//   generic          no subgroup operation: code is that of the profile spirv:generic
//   minimal          no optional feature at all
//   validated        through VK_LAYER_KHRONOS_validation, which must be installed
//   without=NAMES    without these features, as parseFeatures takes them: without=shaderInt8,subgroup*
//
// Several are joined by +: vulkan:0/validated+generic.
#pragma once

#include "backends/vulkan/Features.h"

namespace tegula::vulkan {

struct DeviceVariant {
  FeatureSet without;
  bool validated = false;
};

/// `parts` is the text behind the slash; empty: the device as it is. Throws tegula::Error for an unknown part, which
/// lists the known ones.
DeviceVariant parseVariant(std::string_view parts);

} // namespace tegula::vulkan
