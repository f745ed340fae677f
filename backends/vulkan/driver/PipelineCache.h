// Machine code that the device's compiler made of a kernel, kept on disk beside the compiled kernels
// (core/support/DiskCache.h): one entry for each kernel and device, so that processes never overwrite each other's.
// Drivers with a cache of their own lose nothing by it; drivers without one then compile each kernel once.
#pragma once

#include "backends/vulkan/driver/Context.h"
#include "core/support/DiskCache.h"

#include <span>

namespace tegula::vulkan {

/// Exists while one pipeline is created. Never throws: on any failure the kernel is loaded without a cache.
class PipelineCache {
public:
  /// `binary` must hold everything that the pipeline depends on: module, subgroup size, passing of arguments.
  PipelineCache(const Context &context, const std::string &entry, std::span<const uint8_t> binary);
  ~PipelineCache();
  PipelineCache(const PipelineCache &) = delete;

  /// Null where the device cannot create a cache.
  VkPipelineCache handle() const { return handle_; }
  /// Called after the pipeline has been created: stores the cache if its content changed.
  void keep();

private:
  const Context &context_;
  DiskCache disk_;
  std::string key_;
  std::vector<uint8_t> known_; // the entry's content when it was loaded
  VkPipelineCache handle_ = VK_NULL_HANDLE;
};

} // namespace tegula::vulkan
