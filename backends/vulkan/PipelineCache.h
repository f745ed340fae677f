// What the device's own compiler makes of a kernel, kept on disk beside the compiled kernels
// (core/runtime/DiskCache.h): one entry a kernel and device, so that processes never write over each other's. Drivers
// with a cache of their own lose nothing by it; those without compile each kernel once.
#pragma once

#include "backends/vulkan/Context.h"
#include "core/runtime/DiskCache.h"

#include <span>

namespace tegula::vulkan {

/// Used while one pipeline is made. Never throws: a kernel is loaded without it where anything fails.
class PipelineCache {
public:
  /// `binary` holds all that the pipeline is made of: the module, its subgroups, how it takes its arguments.
  PipelineCache(const Context &context, const std::string &entry, std::span<const uint8_t> binary);
  ~PipelineCache();
  PipelineCache(const PipelineCache &) = delete;

  /// Null where the device makes none.
  VkPipelineCache handle() const { return handle_; }
  /// The pipeline has been made: stores what is new.
  void keep();

private:
  const Context &context_;
  DiskCache disk_;
  std::string key_;
  std::vector<uint8_t> known_; // what the entry holds
  VkPipelineCache handle_ = VK_NULL_HANDLE;
};

} // namespace tegula::vulkan
