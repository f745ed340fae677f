#include "backends/vulkan/driver/Facts.h"

namespace tegula::vulkan {
namespace {

template <class Next> void link(VkPhysicalDeviceFeatures2 &first, Next &next) {
  next.pNext = first.pNext;
  first.pNext = &next;
}

/// Copies the flags from the caller's structure of the same type, if the chain has one.
template <class Structure> void takeOne(Structure &ours, const VkBaseInStructure *given) {
  for (; given; given = given->pNext) {
    if (given->sType != ours.sType)
      continue;
    void *next = ours.pNext;
    ours = *reinterpret_cast<const Structure *>(given);
    ours.pNext = next;
  }
}

} // namespace

void FeatureChain::take(const VkPhysicalDeviceFeatures2 &given) {
  auto *chain = reinterpret_cast<const VkBaseInStructure *>(&given);
  takeOne(core_, chain);
  takeOne(v11_, chain);
  takeOne(v12_, chain);
  takeOne(subgroupSize_, chain);
  takeOne(explicitLayout_, chain);
  takeOne(atomicFloat_, chain);
  takeOne(atomicFloat2_, chain);
  takeOne(matrix_, chain);
  takeOne(matrix2_, chain);
  takeOne(bfloat16_, chain);
  takeOne(float8_, chain);
  VkPhysicalDeviceVulkan13Features v13{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
  takeOne(v13, chain); // Vulkan 1.3's structure includes the extension's
  subgroupSize_.subgroupSizeControl |= v13.subgroupSizeControl;
  subgroupSize_.computeFullSubgroups |= v13.computeFullSubgroups;
}

FeatureChain::FeatureChain(const std::set<std::string, std::less<>> &extensions) {
  link(core_, v11_);
  link(core_, v12_);
  auto linkIf = [&](std::string_view extension, auto &structure) {
    if (extensions.contains(extension))
      link(core_, structure);
  };
  linkIf("VK_EXT_subgroup_size_control", subgroupSize_);
  linkIf("VK_KHR_workgroup_memory_explicit_layout", explicitLayout_);
  linkIf("VK_EXT_shader_atomic_float", atomicFloat_);
  linkIf("VK_EXT_shader_atomic_float2", atomicFloat2_);
  linkIf("VK_KHR_cooperative_matrix", matrix_);
  linkIf("VK_NV_cooperative_matrix2", matrix2_);
  linkIf("VK_KHR_shader_bfloat16", bfloat16_);
  linkIf("VK_EXT_shader_float8", float8_);
}

VkBool32 *FeatureChain::flag(Feature feature) {
  switch (feature) {
  case Feature::BufferDeviceAddress: return &v12_.bufferDeviceAddress;
  case Feature::TimelineSemaphore: return &v12_.timelineSemaphore;
  case Feature::HostQueryReset: return &v12_.hostQueryReset;
  case Feature::Int64: return &core_.features.shaderInt64;
  case Feature::MemoryModel: return &v12_.vulkanMemoryModel;
  case Feature::Float16: return &v12_.shaderFloat16;
  case Feature::Float64: return &core_.features.shaderFloat64;
  case Feature::Int8: return &v12_.shaderInt8;
  case Feature::Int16: return &core_.features.shaderInt16;
  case Feature::BFloat16: return &bfloat16_.type;
  case Feature::Float8: return &float8_.type;
  case Feature::Storage8: return &v12_.storageBuffer8BitAccess;
  case Feature::Storage16: return &v11_.storageBuffer16BitAccess;
  case Feature::Int64Atomics: return &v12_.shaderBufferInt64Atomics;
  case Feature::SharedInt64Atomics: return &v12_.shaderSharedInt64Atomics;
  case Feature::Float32Add: return &atomicFloat_.shaderBufferFloat32AtomicAdd;
  case Feature::SharedFloat32Add: return &atomicFloat_.shaderSharedFloat32AtomicAdd;
  case Feature::Float64Add: return &atomicFloat_.shaderBufferFloat64AtomicAdd;
  case Feature::Float16Add: return &atomicFloat2_.shaderBufferFloat16AtomicAdd;
  case Feature::Float32MinMax: return &atomicFloat2_.shaderBufferFloat32AtomicMinMax;
  case Feature::MemoryModelDeviceScope: return &v12_.vulkanMemoryModelDeviceScope;
  case Feature::SubgroupExtendedTypes: return &v12_.shaderSubgroupExtendedTypes;
  case Feature::SubgroupSizeControl: return &subgroupSize_.subgroupSizeControl;
  case Feature::FullSubgroups: return &subgroupSize_.computeFullSubgroups;
  case Feature::SharedExplicitLayout: return &explicitLayout_.workgroupMemoryExplicitLayout;
  case Feature::SharedExplicitLayout8: return &explicitLayout_.workgroupMemoryExplicitLayout8BitAccess;
  case Feature::SharedExplicitLayout16: return &explicitLayout_.workgroupMemoryExplicitLayout16BitAccess;
  case Feature::CooperativeMatrix: return &matrix_.cooperativeMatrix;
  case Feature::BFloat16Matrix: return &bfloat16_.cooperativeMatrix;
  case Feature::Float8Matrix: return &float8_.cooperativeMatrix;
  case Feature::MatrixWorkgroupScope: return &matrix2_.workgroupScope;
  case Feature::MatrixFlexibleDimensions: return &matrix2_.flexibleDimensions;
  case Feature::MatrixReductions: return &matrix2_.reductions;
  case Feature::MatrixConversions: return &matrix2_.conversions;
  case Feature::MatrixPerElement: return &matrix2_.perElementOperations;
  case Feature::MatrixTensorAddressing: return &matrix2_.tensorAddressing;
  case Feature::MatrixBlockLoads: return &matrix2_.blockLoads;
  default: return nullptr;
  }
}

} // namespace tegula::vulkan
