#include "backends/vulkan/driver/Facts.h"
#include "backends/vulkan/driver/Result.h"
#include "core/support/Hash.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace tegula::vulkan {
namespace {

/// Extensions that the driver enables if a device has them.
constexpr std::array<std::string_view, 8> kUsed = {
    "VK_EXT_subgroup_size_control", "VK_KHR_workgroup_memory_explicit_layout",
    "VK_EXT_shader_atomic_float",   "VK_EXT_shader_atomic_float2",
    "VK_KHR_cooperative_matrix",    "VK_NV_cooperative_matrix2",
    "VK_KHR_shader_bfloat16",       "VK_EXT_shader_float8"};

struct Properties {
  VkPhysicalDeviceProperties2 core{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
  VkPhysicalDeviceVulkan11Properties v11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES};
  VkPhysicalDeviceVulkan12Properties v12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES};
  VkPhysicalDeviceSubgroupSizeControlProperties subgroupSize{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES};
};

std::set<std::string, std::less<>> usedExtensions(const Instance &instance, VkPhysicalDevice device) {
  uint32_t count = 0;
  auto ask = instance.api().EnumerateDeviceExtensionProperties;
  check(ask(device, nullptr, &count, nullptr), "vkEnumerateDeviceExtensionProperties", "count a device's extensions");
  std::vector<VkExtensionProperties> all(count);
  check(ask(device, nullptr, &count, all.data()), "vkEnumerateDeviceExtensionProperties", "list a device's extensions");
  std::set<std::string, std::less<>> used;
  for (const VkExtensionProperties &extension : all)
    if (std::find(kUsed.begin(), kUsed.end(), extension.extensionName) != kUsed.end())
      used.insert(extension.extensionName);
  // VK_EXT_shader_atomic_float2 and VK_NV_cooperative_matrix2 extend structures of another extension; each is used only
  // if the device also has that one.
  if (!used.contains("VK_EXT_shader_atomic_float"))
    used.erase("VK_EXT_shader_atomic_float2");
  if (!used.contains("VK_KHR_cooperative_matrix"))
    used.erase("VK_NV_cooperative_matrix2");
  return used;
}

Independence independence(VkShaderFloatControlsIndependence reported) {
  switch (reported) {
  case VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_ALL: return Independence::All;
  case VK_SHADER_FLOAT_CONTROLS_INDEPENDENCE_32_BIT_ONLY: return Independence::Only32;
  default: return Independence::None;
  }
}

/// True if the driver silently ends all loops of a subgroup after 65,535 rounds in total, as Mesa's software device did
/// (LP_MAX_TGSI_LOOP_ITERATIONS in its sources). Measured: version 22.3 ends them, 25.0 and 26.1 do not. A version
/// between, or one that the driver does not report, is assumed to end them: a needless check costs little.
bool boundsLoops(const VkPhysicalDeviceVulkan12Properties &v12) {
  constexpr int kFirstWithoutBound = 25;
  int version = 0;
  return v12.driverID == VK_DRIVER_ID_MESA_LLVMPIPE &&
         (std::sscanf(v12.driverInfo, "Mesa %d.", &version) != 1 || version < kFirstWithoutBound);
}

void addPropertyFeatures(DeviceFacts &facts, const Properties &properties) {
  FeatureSet &features = facts.capacity.features;
  auto add = [&](bool has, Feature feature) {
    if (has)
      features.add(feature);
  };
  bool compute = properties.v11.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT;
  auto subgroup = [&](VkSubgroupFeatureFlagBits bit, Feature feature) {
    add(compute && properties.v11.subgroupSupportedOperations & bit, feature);
  };
  subgroup(VK_SUBGROUP_FEATURE_BASIC_BIT, Feature::SubgroupBasic);
  subgroup(VK_SUBGROUP_FEATURE_VOTE_BIT, Feature::SubgroupVote);
  subgroup(VK_SUBGROUP_FEATURE_ARITHMETIC_BIT, Feature::SubgroupArithmetic);
  subgroup(VK_SUBGROUP_FEATURE_BALLOT_BIT, Feature::SubgroupBallot);
  subgroup(VK_SUBGROUP_FEATURE_SHUFFLE_BIT, Feature::SubgroupShuffle);
  subgroup(VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT, Feature::SubgroupShuffleRelative);
  subgroup(VK_SUBGROUP_FEATURE_CLUSTERED_BIT, Feature::SubgroupClustered);
  const VkPhysicalDeviceVulkan12Properties &v12 = properties.v12;
  add(v12.shaderSignedZeroInfNanPreserveFloat16, Feature::SignedZeroInfNan16);
  add(v12.shaderSignedZeroInfNanPreserveFloat32, Feature::SignedZeroInfNan32);
  add(v12.shaderSignedZeroInfNanPreserveFloat64, Feature::SignedZeroInfNan64);
  add(v12.shaderRoundingModeRTEFloat16, Feature::RoundToNearest16);
  add(v12.shaderRoundingModeRTEFloat32, Feature::RoundToNearest32);
  add(v12.shaderRoundingModeRTEFloat64, Feature::RoundToNearest64);
  add(v12.shaderDenormPreserveFloat16, Feature::DenormPreserve16);
  add(v12.shaderDenormPreserveFloat32, Feature::DenormPreserve32);
  add(v12.shaderDenormPreserveFloat64, Feature::DenormPreserve64);
  // Vulkan allows Fma to round twice and Exp2 to have an error of 3 + 2 |x| ulp. NVIDIA's devices have no multiply-add
  // that rounds twice; their Exp2 is PTX's instruction ex2.approx, which has an error of 2 ulp.
  bool isNvidia = v12.driverID == VK_DRIVER_ID_NVIDIA_PROPRIETARY;
  add(isNvidia, Feature::FusedMultiplyAdd32);
  add(isNvidia, Feature::Exp2);
  add(isNvidia, Feature::PredicatedBranches); // its compiler turns a branch around one load into a predicated load
  add(!boundsLoops(v12), Feature::UnboundedLoops);
  // llvmpipe loads cooperative matrices faster from global memory: for shared memory it checks bounds lane by lane.
  add(v12.driverID == VK_DRIVER_ID_MESA_LLVMPIPE, Feature::FragmentsFromMemory);
  facts.rounding = independence(v12.roundingModeIndependence);
  facts.denormals = independence(v12.denormBehaviorIndependence);
}

void askFeatures(const Instance &instance, DeviceFacts &facts, const NativeDevice *adopted) {
  FeatureChain chain(facts.extensions);
  if (adopted)
    chain.take(*static_cast<const VkPhysicalDeviceFeatures2 *>(adopted->features));
  else
    instance.api().GetPhysicalDeviceFeatures2(facts.handle, chain.first());
  for (const FeatureRow &row : featureTable())
    if (VkBool32 *flag = chain.flag(row.feature); flag && *flag)
      facts.capacity.features.add(row.feature);
}

void askProperties(const Instance &instance, DeviceFacts &facts) {
  Properties properties;
  properties.core.pNext = &properties.v11;
  properties.v11.pNext = &properties.v12;
  bool control = facts.extensions.contains("VK_EXT_subgroup_size_control");
  if (control)
    properties.v12.pNext = &properties.subgroupSize;
  instance.api().GetPhysicalDeviceProperties2(facts.handle, &properties.core);
  const VkPhysicalDeviceProperties &core = properties.core.properties;
  facts.code = toHex(std::to_array(core.pipelineCacheUUID)) + toHex(std::to_array(properties.v11.driverUUID)) + "-" +
               std::to_string(core.vendorID) + "-" + std::to_string(core.deviceID) + "-" +
               std::to_string(core.driverVersion);
  facts.driver = std::string(properties.v12.driverName) + " " + properties.v12.driverInfo;
  facts.limits = properties.core.properties.limits;
  facts.maxAllocation = properties.v11.maxMemoryAllocationSize;
  facts.subgroupSize = properties.v11.subgroupSize;
  Capacity &capacity = facts.capacity;
  capacity.minSubgroupSize = capacity.maxSubgroupSize = facts.subgroupSize;
  if (control && properties.subgroupSize.requiredSubgroupSizeStages & VK_SHADER_STAGE_COMPUTE_BIT &&
      capacity.features.has(Feature::SubgroupSizeControl)) {
    capacity.minSubgroupSize = properties.subgroupSize.minSubgroupSize;
    capacity.maxSubgroupSize = properties.subgroupSize.maxSubgroupSize;
    facts.maxRequiredSubgroups = properties.subgroupSize.maxComputeWorkgroupSubgroups;
  } else {
    capacity.features.remove(Feature::SubgroupSizeControl);
  }
  capacity.sharedBytes = facts.limits.maxComputeSharedMemorySize;
  capacity.pushBytes = facts.limits.maxPushConstantsSize;
  addPropertyFeatures(facts, properties);
}

/// Finds out whether layers or tools are active, such as validation or a debugger; they report themselves through
/// VK_EXT_tooling_info. If the device does not have this extension, Vulkan's loader answers the query.
void askTools(const Instance &instance, DeviceFacts &facts) {
  PFN_vkGetPhysicalDeviceToolPropertiesEXT ask = instance.api().GetPhysicalDeviceToolProperties;
  uint32_t count = 0;
  if (ask)
    check(ask(facts.handle, &count, nullptr), "vkGetPhysicalDeviceToolPropertiesEXT", "count the active tools");
  facts.hasTools = count > 0;
}

void askMemory(const Instance &instance, DeviceFacts &facts) {
  VkPhysicalDeviceMemoryProperties memory;
  instance.api().GetPhysicalDeviceMemoryProperties(facts.handle, &memory);
  for (uint32_t i = 0; i < memory.memoryHeapCount; ++i)
    if (memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT)
      facts.memoryBytes = std::max<uint64_t>(facts.memoryBytes, memory.memoryHeaps[i].size);
}

/// Chooses a queue family with compute. Families with timestamps are preferred; among these, families without graphics,
/// because their work does not wait for a display's.
void askQueues(const Instance &instance, DeviceFacts &facts) {
  uint32_t count = 0;
  instance.api().GetPhysicalDeviceQueueFamilyProperties(facts.handle, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  instance.api().GetPhysicalDeviceQueueFamilyProperties(facts.handle, &count, families.data());
  int best = -1;
  for (uint32_t i = 0; i < count; ++i) {
    const VkQueueFamilyProperties &family = families[i];
    if (!(family.queueFlags & VK_QUEUE_COMPUTE_BIT) || family.queueCount == 0)
      continue;
    int score = 1 + (family.timestampValidBits ? 2 : 0) + (family.queueFlags & VK_QUEUE_GRAPHICS_BIT ? 0 : 1);
    if (score <= best)
      continue;
    best = score;
    facts.queueFamily = i;
    facts.queueCount = family.queueCount;
    facts.timestampBits = family.timestampValidBits;
  }
}

std::optional<ScalarType> scalarType(newer::ComponentType type) {
  switch (type) {
  case newer::kFloat16: return ScalarType::F16;
  case newer::kFloat32: return ScalarType::F32;
  case newer::kFloat64: return ScalarType::F64;
  case newer::kSint8: return ScalarType::I8;
  case newer::kUint8: return ScalarType::U8;
  case newer::kSint32: return ScalarType::I32;
  case newer::kUint32: return ScalarType::U32;
  case newer::kBFloat16: return ScalarType::BF16;
  case newer::kFloat8E4M3: return ScalarType::F8E4M3;
  case newer::kFloat8E5M2: return ScalarType::F8E5M2;
  default: return std::nullopt;
  }
}

void askMatrices(const Instance &instance, DeviceFacts &facts) {
  const InstanceFunctions &api = instance.api();
  uint32_t count = 0;
  if (facts.capacity.features.has(Feature::CooperativeMatrix) && api.GetCooperativeMatrixRows) {
    check(api.GetCooperativeMatrixRows(facts.handle, &count, nullptr),
          "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR", "count matrix shapes");
    facts.matrices.resize(count);
    check(api.GetCooperativeMatrixRows(facts.handle, &count, facts.matrices.data()),
          "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR", "list matrix shapes");
  }
  if (facts.capacity.features.has(Feature::MatrixFlexibleDimensions) && api.GetFlexibleMatrixRows) {
    check(api.GetFlexibleMatrixRows(facts.handle, &count, nullptr),
          "vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV", "count matrix shapes");
    facts.flexible.resize(count);
    check(api.GetFlexibleMatrixRows(facts.handle, &count, facts.flexible.data()),
          "vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV", "list matrix shapes");
  }
  for (const newer::CooperativeMatrixRow &row : facts.matrices) {
    std::optional<ScalarType> operand = scalarType(row.a), accumulator = scalarType(row.c);
    if (row.scope != newer::kSubgroupScope || row.saturating || row.a != row.b || row.c != row.result || !operand ||
        !accumulator)
      continue;
    facts.capacity.matrices.push_back(fragmentInstruction(row.m, row.n, row.k, *operand, *accumulator));
  }
}

/// Uses only the caller's queue and the extensions that the device was created with.
void takeQueue(const Instance &instance, DeviceFacts &facts, const NativeDevice &adopted) {
  uint32_t count = 0;
  instance.api().GetPhysicalDeviceQueueFamilyProperties(facts.handle, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  instance.api().GetPhysicalDeviceQueueFamilyProperties(facts.handle, &count, families.data());
  if (adopted.queueFamily >= count || !(families[adopted.queueFamily].queueFlags & VK_QUEUE_COMPUTE_BIT))
    throw Error("queue family " + std::to_string(adopted.queueFamily) + " of " + facts.name + " does not compute");
  facts.queueFamily = adopted.queueFamily;
  facts.queueCount = 1;
  facts.timestampBits = families[adopted.queueFamily].timestampValidBits;
}

std::string missing(const DeviceFacts &facts) {
  for (const FeatureRow &row : featureTable())
    if (row.required && !facts.capacity.features.has(row.feature))
      return "it lacks " + std::string(row.name);
  return facts.queueCount ? "" : "it has no queue that computes";
}

std::string typeText(VkPhysicalDeviceType type) {
  switch (type) {
  case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: return "integrated GPU";
  case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: return "discrete GPU";
  case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: return "virtual GPU";
  case VK_PHYSICAL_DEVICE_TYPE_CPU: return "software";
  default: return "other";
  }
}

} // namespace

namespace {

DeviceFacts ask(const Instance &instance, VkPhysicalDevice device, const NativeDevice *adopted) {
  DeviceFacts facts;
  facts.handle = device;
  VkPhysicalDeviceProperties properties;
  instance.api().GetPhysicalDeviceProperties(device, &properties);
  facts.name = properties.deviceName;
  facts.version = properties.apiVersion;
  facts.type = properties.deviceType;
  if (properties.apiVersion < VK_API_VERSION_1_2) {
    facts.unsuitable = "it offers Vulkan " + versionText(properties.apiVersion) + "; at least 1.2 is needed";
    return facts;
  }
  facts.extensions = usedExtensions(instance, device);
  if (std::min(instance.version(), properties.apiVersion) < VK_API_VERSION_1_3)
    facts.extensions.erase("VK_NV_cooperative_matrix2"); // its modules need SPIR-V 1.6
  if (adopted)
    std::erase_if(facts.extensions, [&](const std::string &used) {
      bool isCore = used == "VK_EXT_subgroup_size_control" && adopted->version >= VK_API_VERSION_1_3;
      return !isCore && std::ranges::count(adopted->extensions, used) == 0;
    });
  askFeatures(instance, facts, adopted);
  askProperties(instance, facts);
  askMemory(instance, facts);
  askTools(instance, facts);
  if (adopted)
    takeQueue(instance, facts, *adopted);
  else
    askQueues(instance, facts);
  askMatrices(instance, facts);
  facts.unsuitable = missing(facts);
  return facts;
}

} // namespace

DeviceFacts askDevice(const Instance &instance, VkPhysicalDevice device) { return ask(instance, device, nullptr); }

DeviceFacts askAdopted(const Instance &instance, const NativeDevice &native) {
  DeviceFacts facts = ask(instance, static_cast<VkPhysicalDevice>(native.physicalDevice), &native);
  if (!facts.unsuitable.empty())
    throw Error("the device " + facts.name + " cannot be used as it was opened: " + facts.unsuitable);
  return facts;
}

std::vector<DeviceFacts> askDevices(const Instance &instance) {
  std::vector<DeviceFacts> devices;
  for (VkPhysicalDevice device : instance.physicalDevices())
    devices.push_back(askDevice(instance, device));
  return devices;
}

std::vector<std::pair<std::string, std::string>> describeFacts(const DeviceFacts &facts) {
  std::vector<std::pair<std::string, std::string>> rows;
  rows.emplace_back("driver", facts.driver);
  rows.emplace_back("Vulkan", versionText(facts.version));
  rows.emplace_back("kind", typeText(facts.type));
  const Capacity &capacity = facts.capacity;
  std::string subgroup = std::to_string(facts.subgroupSize);
  if (capacity.minSubgroupSize != capacity.maxSubgroupSize)
    subgroup += " (" + std::to_string(capacity.minSubgroupSize) + " to " + std::to_string(capacity.maxSubgroupSize) +
                " on demand)";
  rows.emplace_back("subgroup size", subgroup);
  rows.emplace_back("shared memory", std::to_string(capacity.sharedBytes) + " bytes");
  rows.emplace_back("push constants", std::to_string(capacity.pushBytes) + " bytes");
  rows.emplace_back("largest workgroup", std::to_string(facts.limits.maxComputeWorkGroupInvocations));
  rows.emplace_back("largest grid", std::to_string(facts.limits.maxComputeWorkGroupCount[0]) + " x " +
                                        std::to_string(facts.limits.maxComputeWorkGroupCount[1]) + " x " +
                                        std::to_string(facts.limits.maxComputeWorkGroupCount[2]));
  rows.emplace_back("largest allocation", std::to_string(facts.maxAllocation) + " bytes");
  rows.emplace_back("queues", std::to_string(facts.queueCount));
  std::string features, matrices;
  for (const FeatureRow &row : featureTable())
    if (!row.required && capacity.features.has(row.feature))
      features += (features.empty() ? "" : ", ") + std::string(row.name);
  rows.emplace_back("features", features);
  for (const MatrixInstruction &product : capacity.matrices)
    matrices += (matrices.empty() ? "" : ", ") + product.name;
  rows.emplace_back("matrices", matrices.empty() ? "none" : matrices);
  std::string fitting;
  for (const Profile &profile : profiles())
    if (whyNot(profile, capacity).empty())
      fitting += (fitting.empty() ? "" : ", ") + targetName(profile);
  rows.emplace_back("targets", fitting);
  return rows;
}

} // namespace tegula::vulkan
