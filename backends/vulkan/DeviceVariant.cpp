#include "backends/vulkan/DeviceVariant.h"
#include "core/support/Diagnostic.h"

namespace tegula::vulkan {
namespace {

constexpr std::string_view kWithout = "without=";
constexpr std::string_view kSubgroupFeatures = "subgroup*,shaderSubgroupExtendedTypes,computeFullSubgroups";

void apply(DeviceVariant &variant, std::string_view part) {
  FeatureSet without;
  if (part == "validated")
    variant.validated = true;
  else if (part == "generic")
    without = parseFeatures(kSubgroupFeatures);
  else if (part == "minimal")
    without = parseFeatures("optional");
  else if (part.starts_with(kWithout))
    without = parseFeatures(part.substr(kWithout.size()));
  else
    throw Error("a Vulkan device has no variant '" + std::string(part) +
                "'; there are generic, minimal, validated and without=FEATURES, joined by +");
  for (const FeatureRow &row : featureTable())
    if (without.has(row.feature))
      variant.without.add(row.feature);
}

} // namespace

DeviceVariant parseVariant(std::string_view parts) {
  DeviceVariant variant;
  while (!parts.empty()) {
    size_t end = parts.find('+');
    apply(variant, parts.substr(0, end));
    parts = end == std::string_view::npos ? std::string_view() : parts.substr(end + 1);
  }
  return variant;
}

} // namespace tegula::vulkan
