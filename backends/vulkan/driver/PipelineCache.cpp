#include "backends/vulkan/driver/PipelineCache.h"
#include "core/support/Environment.h"

namespace tegula::vulkan {
namespace {

constexpr size_t kHeaderBytes = sizeof(VkPipelineCacheHeaderVersionOne); // a cache of this size is empty

} // namespace

PipelineCache::PipelineCache(const Context &context, const std::string &entry, std::span<const uint8_t> binary)
    : context_(context), disk_(DiskCache::open()), key_(deviceCodeKey(entry, context.facts().code, binary)) {
  // A damaged entry counts as absent. The key contains the device and its driver, so the entry is never another
  // device's or driver's.
  if (!environmentFlag(Variable::AlwaysCompile))
    known_ = disk_.load(key_).value_or(std::vector<uint8_t>());
  VkPipelineCacheCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
  info.initialDataSize = known_.size();
  info.pInitialData = known_.data();
  if (context.api().CreatePipelineCache(context.device(), &info, nullptr, &handle_) != VK_SUCCESS)
    handle_ = VK_NULL_HANDLE;
}

PipelineCache::~PipelineCache() { context_.api().DestroyPipelineCache(context_.device(), handle_, nullptr); }

void PipelineCache::keep() {
  if (!handle_ || !disk_.isUsable())
    return;
  const DeviceFunctions &api = context_.api();
  size_t size = 0;
  if (api.GetPipelineCacheData(context_.device(), handle_, &size, nullptr) != VK_SUCCESS || size <= kHeaderBytes)
    return;
  std::vector<uint8_t> data(size);
  if (api.GetPipelineCacheData(context_.device(), handle_, &size, data.data()) != VK_SUCCESS)
    return;
  data.resize(size);
  if (data != known_)
    disk_.store(key_, data);
}

} // namespace tegula::vulkan
