#include "backends/vulkan/Features.h"
#include "backends/vulkan/spirv/Newer.h"
#include "core/support/Diagnostic.h"

#include <array>

namespace tegula::vulkan {
namespace {

constexpr std::array<FeatureRow, kFeatureCount> kTable = {{
    {Feature::BufferDeviceAddress, "bufferDeviceAddress", true},
    {Feature::TimelineSemaphore, "timelineSemaphore", true},
    {Feature::HostQueryReset, "hostQueryReset", true},
    {Feature::Int64, "shaderInt64", true},
    {Feature::MemoryModel, "vulkanMemoryModel", true},
    {Feature::Float16, "shaderFloat16", false},
    {Feature::Float64, "shaderFloat64", false},
    {Feature::Int8, "shaderInt8", false},
    {Feature::Int16, "shaderInt16", false},
    {Feature::BFloat16, "shaderBFloat16Type", false},
    {Feature::Float8, "shaderFloat8", false},
    {Feature::Storage8, "storageBuffer8BitAccess", false},
    {Feature::Storage16, "storageBuffer16BitAccess", false},
    {Feature::Int64Atomics, "shaderBufferInt64Atomics", false},
    {Feature::SharedInt64Atomics, "shaderSharedInt64Atomics", false},
    {Feature::Float32Add, "shaderBufferFloat32AtomicAdd", false},
    {Feature::SharedFloat32Add, "shaderSharedFloat32AtomicAdd", false},
    {Feature::Float64Add, "shaderBufferFloat64AtomicAdd", false},
    {Feature::Float16Add, "shaderBufferFloat16AtomicAdd", false},
    {Feature::Float32MinMax, "shaderBufferFloat32AtomicMinMax", false},
    {Feature::MemoryModelDeviceScope, "vulkanMemoryModelDeviceScope", false},
    {Feature::SubgroupBasic, "subgroup operations: basic", false},
    {Feature::SubgroupVote, "subgroup operations: vote", false},
    {Feature::SubgroupArithmetic, "subgroup operations: arithmetic", false},
    {Feature::SubgroupBallot, "subgroup operations: ballot", false},
    {Feature::SubgroupShuffle, "subgroup operations: shuffle", false},
    {Feature::SubgroupShuffleRelative, "subgroup operations: shuffle relative", false},
    {Feature::SubgroupClustered, "subgroup operations: clustered", false},
    {Feature::SubgroupExtendedTypes, "shaderSubgroupExtendedTypes", false},
    {Feature::SubgroupSizeControl, "subgroupSizeControl", false},
    {Feature::FullSubgroups, "computeFullSubgroups", false},
    {Feature::SignedZeroInfNan16, "shaderSignedZeroInfNanPreserveFloat16", false},
    {Feature::SignedZeroInfNan32, "shaderSignedZeroInfNanPreserveFloat32", false},
    {Feature::SignedZeroInfNan64, "shaderSignedZeroInfNanPreserveFloat64", false},
    {Feature::RoundToNearest16, "shaderRoundingModeRTEFloat16", false},
    {Feature::RoundToNearest32, "shaderRoundingModeRTEFloat32", false},
    {Feature::RoundToNearest64, "shaderRoundingModeRTEFloat64", false},
    {Feature::DenormPreserve16, "shaderDenormPreserveFloat16", false},
    {Feature::DenormPreserve32, "shaderDenormPreserveFloat32", false},
    {Feature::DenormPreserve64, "shaderDenormPreserveFloat64", false},
    {Feature::FusedMultiplyAdd32, "fused multiply-add of f32", false},
    {Feature::Exp2, "exp2 of f32 within 2.5 ulp", false},
    {Feature::UnboundedLoops, "unbounded loops", false},
    {Feature::PredicatedBranches, "predicates for short branches", false},
    {Feature::FragmentsFromMemory, "fragments faster from global than from shared memory", false},
    {Feature::SharedExplicitLayout, "workgroupMemoryExplicitLayout", false},
    {Feature::SharedExplicitLayout8, "workgroupMemoryExplicitLayout8BitAccess", false},
    {Feature::SharedExplicitLayout16, "workgroupMemoryExplicitLayout16BitAccess", false},
    {Feature::CooperativeMatrix, "cooperativeMatrix", false},
    {Feature::BFloat16Matrix, "shaderBFloat16CooperativeMatrix", false},
    {Feature::Float8Matrix, "shaderFloat8CooperativeMatrix", false},
    {Feature::MatrixWorkgroupScope, "cooperativeMatrixWorkgroupScope", false},
    {Feature::MatrixFlexibleDimensions, "cooperativeMatrixFlexibleDimensions", false},
    {Feature::MatrixReductions, "cooperativeMatrixReductions", false},
    {Feature::MatrixConversions, "cooperativeMatrixConversions", false},
    {Feature::MatrixPerElement, "cooperativeMatrixPerElementOperations", false},
    {Feature::MatrixTensorAddressing, "cooperativeMatrixTensorAddressing", false},
    {Feature::MatrixBlockLoads, "cooperativeMatrixBlockLoads", false},
}};

constexpr bool inOrder() {
  for (size_t i = 0; i < kTable.size(); ++i)
    if (static_cast<size_t>(kTable[i].feature) != i)
      return false;
  return true;
}
static_assert(inOrder(), "featureName indexes the table by the enumerator");

} // namespace

std::span<const FeatureRow> featureTable() { return kTable; }
std::string_view featureName(Feature feature) { return kTable[static_cast<size_t>(feature)].name; }

std::optional<Feature> parseFeature(std::string_view name) {
  for (const FeatureRow &row : kTable)
    if (row.name == name)
      return row.feature;
  return std::nullopt;
}

FeatureSet parseFeatures(std::string_view list) {
  FeatureSet features;
  while (!list.empty()) {
    size_t end = std::min(list.find(','), list.size());
    std::string_view name = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    bool isBeginning = name.ends_with('*'), isKnown = false;
    std::string_view beginning = isBeginning ? name.substr(0, name.size() - 1) : name;
    for (const FeatureRow &row : kTable) {
      bool isMeant = name == "optional" ? !row.required
                     : isBeginning      ? row.name.starts_with(beginning)
                                        : row.name == name;
      if (!isMeant)
        continue;
      if (row.required)
        throw Error("feature '" + std::string(row.name) + "' is required of a Vulkan device, it cannot be left out");
      features.add(row.feature);
      isKnown = true;
    }
    if (!isKnown)
      throw Error("unknown Vulkan feature '" + std::string(name) +
                  "'; `tegula devices --json` lists those of a device");
  }
  return features;
}

std::vector<Feature> featuresOfCapability(uint32_t capability) {
  using spv::Capability;
  namespace newer = spirv::newer;
  switch (Capability(capability)) {
  case Capability::PhysicalStorageBufferAddresses: return {Feature::BufferDeviceAddress};
  case Capability::VulkanMemoryModel: return {Feature::MemoryModel};
  case Capability::VulkanMemoryModelDeviceScope: return {Feature::MemoryModelDeviceScope};
  case Capability::Int64: return {Feature::Int64};
  case Capability::Float16: return {Feature::Float16};
  case Capability::Float64: return {Feature::Float64};
  case Capability::Int8: return {Feature::Int8};
  case Capability::Int16: return {Feature::Int16};
  case newer::BFloat16TypeKHR: return {Feature::BFloat16};
  case newer::BFloat16CooperativeMatrixKHR: return {Feature::BFloat16Matrix};
  case newer::Float8EXT: return {Feature::Float8};
  case newer::Float8CooperativeMatrixEXT: return {Feature::Float8Matrix};
  case Capability::StorageBuffer8BitAccess: return {Feature::Storage8};
  case Capability::StorageBuffer16BitAccess: return {Feature::Storage16};
  case Capability::Int64Atomics: return {Feature::Int64Atomics};
  case Capability::AtomicFloat32AddEXT: return {Feature::Float32Add};
  case Capability::AtomicFloat64AddEXT: return {Feature::Float64Add};
  case Capability::AtomicFloat16AddEXT: return {Feature::Float16Add};
  case Capability::AtomicFloat32MinMaxEXT: return {Feature::Float32MinMax};
  case Capability::GroupNonUniform: return {Feature::SubgroupBasic};
  case Capability::GroupNonUniformVote: return {Feature::SubgroupVote};
  case Capability::GroupNonUniformArithmetic: return {Feature::SubgroupArithmetic};
  case Capability::GroupNonUniformBallot: return {Feature::SubgroupBallot};
  case Capability::GroupNonUniformShuffle: return {Feature::SubgroupShuffle};
  case Capability::GroupNonUniformShuffleRelative: return {Feature::SubgroupShuffleRelative};
  case Capability::GroupNonUniformClustered: return {Feature::SubgroupClustered};
  case Capability::WorkgroupMemoryExplicitLayoutKHR: return {Feature::SharedExplicitLayout};
  case Capability::WorkgroupMemoryExplicitLayout8BitAccessKHR: return {Feature::SharedExplicitLayout8};
  case Capability::WorkgroupMemoryExplicitLayout16BitAccessKHR: return {Feature::SharedExplicitLayout16};
  case newer::CooperativeMatrixKHR: return {Feature::CooperativeMatrix};
  case newer::CooperativeMatrixReductionsNV: return {Feature::MatrixReductions};
  case newer::CooperativeMatrixConversionsNV: return {Feature::MatrixConversions};
  case newer::CooperativeMatrixPerElementOperationsNV: return {Feature::MatrixPerElement};
  case newer::CooperativeMatrixTensorAddressingNV:
  case newer::TensorAddressingNV: return {Feature::MatrixTensorAddressing};
  case newer::CooperativeMatrixBlockLoadsNV: return {Feature::MatrixBlockLoads};
  default: return {};
  }
}

} // namespace tegula::vulkan
