// Required and optional features of Vulkan devices as one table: the feature's name in messages and artifacts, the
// SPIR-V capabilities that need it, the API structure that reports it, and whether a device without it is refused. No
// API header is included, because the code generator reads these tables, too.
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
  UnboundedLoops, // a loop runs until its condition is false; without it, the device may end a loop earlier
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
  std::string_view name; // the Vulkan specification's name
  bool required;         // a device without the feature is refused
};

/// One entry for each Feature, in the order of the enumeration.
std::span<const FeatureRow> featureTable();
std::string_view featureName(Feature feature);
std::optional<Feature> parseFeature(std::string_view name);
/// Parses feature names separated by commas. A name that ends in * stands for all features whose names begin so;
/// `optional` stands for all features that are not required. Throws tegula::Error for an unknown name and for a
/// required feature.
FeatureSet parseFeatures(std::string_view list);

/// The features that a device needs for a module's capability. `capability` is a number of the SPIR-V registry. For an
/// unknown capability the list is empty: then only the device's driver can refuse the module.
std::vector<Feature> featuresOfCapability(uint32_t capability);

} // namespace tegula::vulkan
