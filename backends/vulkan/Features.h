// What a Vulkan device may or may not have, as one table: the name for messages and artifacts, the SPIR-V capabilities
// that need it, where the API says so, and whether a device is refused without it. No API header here: the code
// generator asks these tables too.
#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tegula::vulkan {

enum class Feature : uint8_t {
  // required
  BufferDeviceAddress,
  TimelineSemaphore,
  HostQueryReset,
  Int64,
  MemoryModel,
  // types
  Float16,
  Float64,
  Int8,
  Int16,
  BFloat16,
  Float8,
  Storage8,
  Storage16,
  // atomics
  Int64Atomics,
  SharedInt64Atomics,
  Float32Add,
  SharedFloat32Add,
  Float64Add,
  Float16Add,
  Float32MinMax,
  MemoryModelDeviceScope,
  // subgroups
  SubgroupBasic,
  SubgroupVote,
  SubgroupArithmetic,
  SubgroupBallot,
  SubgroupShuffle,
  SubgroupShuffleRelative,
  SubgroupClustered,
  SubgroupExtendedTypes,
  SubgroupSizeControl,
  FullSubgroups,
  // floats
  SignedZeroInfNan16,
  SignedZeroInfNan32,
  SignedZeroInfNan64,
  RoundToNearest16,
  RoundToNearest32,
  RoundToNearest64,
  DenormPreserve16,
  DenormPreserve32,
  DenormPreserve64,
  FusedMultiplyAdd32,
  Exp2,
  // code
  PredicatedBranches,
  FragmentsFromMemory,
  // memory
  SharedExplicitLayout,
  SharedExplicitLayout8,
  SharedExplicitLayout16,
  // matrices
  CooperativeMatrix,
  BFloat16Matrix,
  Float8Matrix,
  MatrixWorkgroupScope,
  MatrixFlexibleDimensions,
  MatrixReductions,
  MatrixConversions,
  MatrixPerElement,
  MatrixTensorAddressing,
  MatrixBlockLoads,
};
inline constexpr size_t kFeatureCount = static_cast<size_t>(Feature::MatrixBlockLoads) + 1;

class FeatureSet {
public:
  FeatureSet() = default;
  FeatureSet(std::initializer_list<Feature> features) {
    for (Feature feature : features)
      add(feature);
  }
  bool has(Feature feature) const { return bits_[static_cast<size_t>(feature)]; }
  void add(Feature feature) { bits_.set(static_cast<size_t>(feature)); }
  void remove(Feature feature) { bits_.reset(static_cast<size_t>(feature)); }
  bool operator==(const FeatureSet &) const = default;

private:
  std::bitset<kFeatureCount> bits_;
};

struct FeatureRow {
  Feature feature;
  std::string_view name; // as the Vulkan specification calls it
  bool required;         // no device is opened without it
};

/// All rows, in the order of `Feature`.
std::span<const FeatureRow> featureTable();
std::string_view featureName(Feature feature);
std::optional<Feature> parseFeature(std::string_view name);
/// Features by their names, between commas; a name that ends in * is the beginning of several, `optional` stands for
/// all that are not required. Throws tegula::Error for what names none, and for what is required.
FeatureSet parseFeatures(std::string_view list);

/// The features that a capability of a module needs. `capability` is a number of the SPIR-V registry; unknown ones are
/// left to the driver.
std::vector<Feature> featuresOfCapability(uint32_t capability);

} // namespace tegula::vulkan
