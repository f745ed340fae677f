// A kernel on a device: its code, and what its launches need at hand.
#pragma once

#include "backends/gpu/DescriptorCache.h"
#include "backends/gpu/Grid.h"
#include "backends/gpu/Platform.h"

#include <vector>

namespace tegula::gpu {

/// What a launch passes, in memory that a thread keeps from one launch to the next.
struct ArgumentBuffer {
  std::vector<void *> pointers; // to each argument's bytes, in the order of the code's parameters
  std::vector<EncodedDescriptor> descriptors;
  std::vector<uint64_t> parts; // of descriptors without a recipe, one after the other
  Extent3 gridBase = {}, gridSize = {};
  Address printBuffer = 0;
};

class Kernel final : public DriverKernel {
public:
  /// The device's context is current. Throws where the artifact asks for what the device has not, or where its metadata
  /// and its code do not agree.
  Kernel(std::shared_ptr<const OpenDevice> device, const Artifact &artifact);

  /// The device's context is current. Locks nothing; allocates nothing but at a thread's first launches. `printBuffer`
  /// counts where the kernel has messages.
  void launch(StreamHandle stream, const LaunchRequest &request, Address printBuffer = 0) const;
  /// What records of its print buffer name; null where it takes none.
  const std::shared_ptr<const std::vector<DeviceMessage>> &messages() const { return messages_; }

private:
  struct Module {
    ~Module();
    const OpenDevice *device = nullptr;
    ModuleHandle handle = nullptr;
  };
  /// A parameter of kind Descriptor.
  struct Descriptor {
    DescriptorRecipe recipe;
    mutable DescriptorCache cache;
  };

  void checkDemands(const Artifact &artifact) const;
  void takeRecipes(const Artifact &artifact);
  void checkParams() const;
  std::string named() const { return "kernel '" + entry_ + "'"; }
  void appendParts(ArgumentBuffer &buffer, size_t param, const DescriptorValue *value) const;
  void setArguments(ArgumentBuffer &buffer, const LaunchRequest &request) const;
  void launchPiece(StreamHandle stream, ArgumentBuffer &buffer, const Extent3 &size) const;

  std::shared_ptr<const OpenDevice> device_;
  std::string entry_;
  std::vector<ArtifactParam> params_;
  std::vector<std::unique_ptr<Descriptor>> descriptors_; // one a parameter; null where it has no recipe
  size_t descriptorCount_ = 0, partWords_ = 0;
  std::vector<HiddenArgument> hidden_;
  std::shared_ptr<const std::vector<DeviceMessage>> messages_;
  bool canSplit_ = false;
  LaunchShape shape_;
  Module module_;
  FunctionHandle function_ = nullptr;
};

} // namespace tegula::gpu
