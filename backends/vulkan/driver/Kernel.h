// A loaded kernel: the pipeline of a SPIR-V module, and the layout of its arguments.
#pragma once

#include "backends/vulkan/Arguments.h"
#include "backends/vulkan/Binary.h"
#include "backends/vulkan/driver/Stream.h"
#include "core/contracts/Backend.h"

namespace tegula::vulkan {

class Kernel final : public DriverKernel {
public:
  /// Throws tegula::Error if the artifact is damaged, or if the device does not have a feature that it needs.
  Kernel(std::shared_ptr<Context> context, const Artifact &artifact);
  /// The pipeline is destroyed after all work submitted so far is done.
  ~Kernel() override;

  const std::string &entry() const { return entry_; }
  VkPipeline pipeline() const { return pipeline_; }
  VkPipelineLayout layout() const { return layout_; }
  const ArgumentLayout &arguments() const { return arguments_; }
  const std::vector<ArtifactParam> &params() const { return params_; }
  const std::vector<HiddenArgument> &hidden() const { return hidden_; }
  bool has(HiddenArgument argument) const;
  bool throughBuffer() const { return passing_ == KernelBinary::Passing::Buffer; }
  uint32_t pushBytes() const { return throughBuffer() ? sizeof(VkDeviceAddress) : arguments_.bytes; }
  uint64_t scratchBytesPerProgram() const { return scratchBytes_; }
  /// The message texts that records in the print buffer refer to; null if the kernel takes no print buffer.
  const std::shared_ptr<const std::vector<DeviceMessage>> &messages() const { return messages_; }

private:
  void create(const Artifact &artifact, const KernelBinary &binary);

  std::shared_ptr<Context> context_;
  std::string entry_;
  std::vector<ArtifactParam> params_;
  std::vector<HiddenArgument> hidden_;
  ArgumentLayout arguments_;
  KernelBinary::Passing passing_;
  uint64_t scratchBytes_;
  std::shared_ptr<const std::vector<DeviceMessage>> messages_;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
};

} // namespace tegula::vulkan
