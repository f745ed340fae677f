#include "backends/vulkan/driver/Kernel.h"
#include "backends/vulkan/FloatControls.h"
#include "backends/vulkan/ModuleLines.h"
#include "backends/vulkan/driver/PipelineCache.h"
#include "backends/vulkan/driver/Result.h"
#include "core/support/Diagnostic.h"

#include <algorithm>

namespace tegula::vulkan {
namespace {

[[noreturn]] void refuse(const Artifact &artifact, const DeviceFacts &facts, const std::string &why,
                         const SourceLocation &location = {}, std::optional<Shortage> shortage = {}) {
  Diagnostic diagnostic;
  diagnostic.location = location;
  diagnostic.shortage = std::move(shortage);
  diagnostic.message =
      "kernel '" + artifact.entry + "' for " + artifact.target + " cannot run on " + facts.name + ": " + why;
  throw Error(diagnostic);
}

void checkFeatures(const Artifact &artifact, const KernelBinary &binary, const DeviceFacts &facts) {
  auto need = [&](Feature feature, const SourceLocation &location = {}) {
    if (!facts.capacity.features.has(feature))
      refuse(artifact, facts, "it needs " + std::string(featureName(feature)) + ", which the device lacks", location);
  };
  for (const std::string &name : artifact.requiredFeatures) {
    std::optional<Feature> feature = parseFeature(name);
    if (!feature)
      refuse(artifact, facts, "it needs '" + name + "', which this version of Tegula does not know");
    need(*feature);
  }
  for (const KernelBinary::Need &place : binary.needs)
    for (Feature feature : featuresOfCapability(place.capability))
      need(feature, place.location);
  for (uint32_t capability : capabilitiesOf(binary.words))
    for (Feature feature : featuresOfCapability(capability))
      need(feature);
}

/// True if a pipeline must state the subgroup size that it needs. If the device has only one size, the pipeline gets
/// that size anyway, and does not state it, because larger workgroups are allowed then.
bool requiresSize(const DeviceFacts &facts) { return facts.capacity.minSubgroupSize != facts.capacity.maxSubgroupSize; }

void checkLimits(const Artifact &artifact, const KernelBinary &binary, const DeviceFacts &facts) {
  const Profile *profile = findProfile(artifact.target);
  if (!profile)
    throw Error("an artifact for target " + artifact.target + " cannot be loaded on the Vulkan device " + facts.name);
  if (std::string why = whyNot(*profile, facts.capacity); !why.empty())
    refuse(artifact, facts,
           "the target needs " + why + "; the device's own target is " + targetName(bestProfile(facts.capacity)));
  uint32_t most = std::min(facts.limits.maxComputeWorkGroupInvocations, facts.limits.maxComputeWorkGroupSize[0]);
  if (artifact.threads == 0)
    refuse(artifact, facts, "it has no threads");
  if (artifact.threads > most)
    refuse(artifact, facts,
           "it has " + std::to_string(artifact.threads) + " threads a program, the device's limit is " +
               std::to_string(most),
           {}, Shortage{"threads", artifact.threads, most});
  if (artifact.sharedBytes > facts.capacity.sharedBytes)
    refuse(artifact, facts,
           "it needs " + std::to_string(artifact.sharedBytes) + " bytes of shared memory, the device has " +
               std::to_string(facts.capacity.sharedBytes),
           {}, Shortage{"shared memory", artifact.sharedBytes, facts.capacity.sharedBytes});
  uint32_t wanted = binary.subgroupSize;
  if (wanted && (wanted < facts.capacity.minSubgroupSize || wanted > facts.capacity.maxSubgroupSize))
    refuse(artifact, facts,
           "it needs subgroups of " + std::to_string(wanted) + " invocations, the device has " +
               std::to_string(facts.subgroupSize));
  if (wanted && artifact.threads % wanted)
    refuse(artifact, facts,
           std::to_string(artifact.threads) + " threads are not whole subgroups of " + std::to_string(wanted));
  if (wanted && requiresSize(facts) && artifact.threads / wanted > facts.maxRequiredSubgroups)
    refuse(artifact, facts,
           std::to_string(artifact.threads) + " threads are " + std::to_string(artifact.threads / wanted) +
               " subgroups of " + std::to_string(wanted) + ", the device's limit is " +
               std::to_string(facts.maxRequiredSubgroups) + "; compile with fewer num_warps",
           {}, Shortage{"threads", artifact.threads, uint64_t(facts.maxRequiredSubgroups) * wanted});
}

} // namespace

Kernel::Kernel(std::shared_ptr<Context> context, const Artifact &artifact)
    : context_(std::move(context)), entry_(artifact.entry), params_(artifact.params), hidden_(artifact.hidden),
      arguments_(artifact.params, artifact.hidden), scratchBytes_(artifact.scratchBytesPerProgram) {
  KernelBinary binary = decodeBinary(artifact.binary);
  passing_ = binary.passing;
  const DeviceFacts &facts = context_->facts();
  if (!facts.hasTools)
    binary.words = withoutLines(binary.words);
  checkLimits(artifact, binary, facts);
  checkFeatures(artifact, binary, facts);
  if (!artifact.descriptors.empty() || artifact.clusterSize > 1 ||
      artifact.launchFlags & (kLaunchTogether | kLaunchSeveral))
    refuse(artifact, facts,
           "it needs encoded descriptors, clusters or programs that run together, which Vulkan has not");
  if (has(HiddenArgument::PrintBuffer))
    messages_ = std::make_shared<const std::vector<DeviceMessage>>(artifact.messages);
  if (pushBytes() > facts.capacity.pushBytes)
    refuse(artifact, facts,
           "its arguments take " + std::to_string(pushBytes()) + " bytes of push constants, the device has " +
               std::to_string(facts.capacity.pushBytes));
  create(artifact, binary);
}

void Kernel::create(const Artifact &artifact, const KernelBinary &binary) {
  const DeviceFunctions &api = context_->api();
  VkDevice device = context_->device();
  std::string doing = "load the kernel '" + entry_ + "' on " + context_->facts().name;
  VkShaderModuleCreateInfo moduleInfo{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
  std::vector<uint32_t> words = withFloatControls(binary.words, context_->facts().capacity.features);
  moduleInfo.codeSize = words.size() * sizeof(uint32_t);
  moduleInfo.pCode = words.data();
  VkShaderModule module = VK_NULL_HANDLE;
  check(api.CreateShaderModule(device, &moduleInfo, nullptr, &module), "vkCreateShaderModule", doing);

  VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, pushBytes()};
  VkPipelineLayoutCreateInfo layoutInfo{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  layoutInfo.pushConstantRangeCount = range.size ? 1 : 0;
  layoutInfo.pPushConstantRanges = &range;
  VkResult result = api.CreatePipelineLayout(device, &layoutInfo, nullptr, &layout_);
  if (result < 0) {
    api.DestroyShaderModule(device, module, nullptr);
    fail(result, "vkCreatePipelineLayout", doing);
  }

  const FeatureSet &features = context_->facts().capacity.features;
  VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroup{
      VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO};
  subgroup.requiredSubgroupSize = binary.subgroupSize;
  VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module;
  info.stage.pName = entry_.c_str();
  if (binary.subgroupSize && requiresSize(context_->facts()))
    info.stage.pNext = &subgroup;
  if (binary.subgroupSize && features.has(Feature::FullSubgroups))
    info.stage.flags = VK_PIPELINE_SHADER_STAGE_CREATE_REQUIRE_FULL_SUBGROUPS_BIT;
  info.layout = layout_;
  PipelineCache cache(*context_, entry_, encode({binary.passing, binary.subgroupSize, binary.words, {}}));
  result = api.CreateComputePipelines(device, cache.handle(), 1, &info, nullptr, &pipeline_);
  api.DestroyShaderModule(device, module, nullptr);
  if (result < 0) {
    api.DestroyPipelineLayout(device, layout_, nullptr);
    fail(result, "vkCreateComputePipelines", doing);
  }
  cache.keep();
}

Kernel::~Kernel() {
  try {
    context_->retire([context = context_.get(), pipeline = pipeline_, layout = layout_] {
      context->api().DestroyPipeline(context->device(), pipeline, nullptr);
      context->api().DestroyPipelineLayout(context->device(), layout, nullptr);
    });
  } catch (const std::exception &) {
    // The device is lost, and the pipeline with it.
  }
}

bool Kernel::has(HiddenArgument argument) const {
  return std::find(hidden_.begin(), hidden_.end(), argument) != hidden_.end();
}

} // namespace tegula::vulkan
