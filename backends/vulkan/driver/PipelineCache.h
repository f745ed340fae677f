// Keeps machine code that the device driver's compiler produced for a kernel, on disk, in the folder of the compiled
// kernels (core/support/DiskCache.h). Each kernel and device has its own entry, so that processes never overwrite each
// other's. For drivers with a cache of their own this costs nothing; drivers without one compile each kernel only once.
#pragma once

#include "backends/vulkan/driver/Context.h"
#include "core/support/DiskCache.h"

#include <span>

namespace tegula::vulkan {

/// The disk cache's entry of one pipeline, while the pipeline is created. Never throws: on any failure the kernel is
/// loaded without a cache.
class PipelineCache {
public:
  /// Loads the pipeline's entry from the disk. Its key consists of `entry` (the kernel's name), the device and a hash
  /// of `binary`, so `binary` must contain everything that the pipeline depends on: module, subgroup size, passing of
  /// arguments.
  PipelineCache(const Context &context, const std::string &entry, std::span<const uint8_t> binary);
  ~PipelineCache();
  PipelineCache(const PipelineCache &) = delete;

  /// Null if the device cannot create a cache.
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
