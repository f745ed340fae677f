// A kernel loaded on a device, with all state that its launches need.
#pragma once

#include "backends/gpu/DescriptorCache.h"
#include "backends/gpu/Grid.h"
#include "backends/gpu/Platform.h"

#include <vector>

namespace tegula::gpu {

/// A launch's arguments. Each thread keeps one buffer and reuses its memory for later launches.
struct ArgumentBuffer {
  std::vector<void *> pointers; // address of each argument's bytes, in the order of the code's parameters
  std::vector<EncodedDescriptor> descriptors;
  std::vector<uint64_t> parts; // words of descriptors without a recipe, one descriptor after the other
  Extent3 gridBase = {}, gridSize = {};
  Address printBuffer = 0;
};

class Kernel final : public DriverKernel {
public:
  /// Loads the artifact on the device, whose context must be current. Throws if the device lacks a feature that the
  /// artifact needs, or if the artifact's metadata and code disagree.
  Kernel(std::shared_ptr<const OpenDevice> device, const Artifact &artifact);

  /// Launches the kernel. The device's context must be current. Takes no lock; allocates only at a thread's first
  /// launches. `printBuffer` is used only by kernels that print.
  void launch(StreamHandle stream, const LaunchRequest &request, Address printBuffer = 0) const;
  /// The message texts that records in the print buffer refer to; null if the kernel takes no print buffer.
  const std::shared_ptr<const std::vector<DeviceMessage>> &messages() const { return messages_; }
  KernelUsage usage() const override;
  bool canDescribe(size_t param, const DescriptorValue &tensor) const override;

private:
  struct Module {
    ~Module();
    const OpenDevice *device = nullptr;
    ModuleHandle handle = nullptr;
  };
  /// A descriptor parameter that is passed in encoded form.
  struct Descriptor {
    DescriptorRecipe recipe;
    mutable DescriptorCache cache;
  };

  void checkDemands(const Artifact &artifact) const;
  void takeRecipes(const Artifact &artifact);
  void checkParams(const Artifact &artifact) const;
  std::string named() const { return "kernel '" + entry_ + "'"; }
  /// Throws InternalError if the value is missing or has another rank.
  void checkRank(size_t param, size_t rank, const DescriptorValue *value) const;
  /// Appends the words of a descriptor that is passed in parts. Returns the address of the first word.
  void *appendParts(ArgumentBuffer &buffer, size_t param, const DescriptorValue *value) const;
  /// Copies the descriptor's encoding from the parameter's cache, or encodes it.
  void encode(EncodedDescriptor &encoded, size_t param, const DescriptorValue *value) const;
  void setArguments(ArgumentBuffer &buffer, const LaunchRequest &request) const;
  /// Launches a kernel in which each launched program executes several programs of the grid; see kLaunchSeveral.
  void launchSeveral(StreamHandle stream, ArgumentBuffer &buffer, const Extent3 &grid) const;
  void launchPiece(StreamHandle stream, ArgumentBuffer &buffer, const Extent3 &size) const;

  std::shared_ptr<const OpenDevice> device_;
  std::string entry_;
  std::vector<ArtifactParam> params_;
  std::vector<std::unique_ptr<Descriptor>> descriptors_; // one for each parameter; null if it has no recipe
  /// The form in which the code gets a parameter.
  enum class Passed : uint8_t {
    Bits,    // a scalar or an address
    Encoded, // a tensor descriptor, encoded for hardware that copies blocks
    Parts,   // a tensor descriptor as words: address, extents, strides, padding
  };
  std::vector<Passed> passed_; // one for each parameter
  size_t descriptorCount_ = 0, partWords_ = 0, pointerCount_ = 0;
  std::vector<HiddenArgument> hidden_;
  std::shared_ptr<const std::vector<DeviceMessage>> messages_;
  bool canSplit_ = false;
  LaunchShape shape_;
  Module module_;
  FunctionHandle function_ = nullptr;
};

} // namespace tegula::gpu
