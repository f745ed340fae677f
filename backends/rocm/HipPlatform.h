// Implements gpu::Platform with HIP's runtime library.
#pragma once

#include "backends/gpu/Platform.h"
#include "backends/rocm/Declarations.h"

#include <memory>
#include <string>

namespace tegula::rocm {

class HipPlatform final : public gpu::Platform {
public:
  /// Opens the library, by default the system's, and initialises it. Throws tegula::Error if the library, a required
  /// function or a device is missing.
  explicit HipPlatform(const std::string &path = "");

  bool isKernelFault(Status status, Call call) const override;
  gpu::DeviceTraits describe(int ordinal) const override;
  void checkTarget(const Artifact &artifact, const gpu::DeviceTraits &device) const override;
  gpu::ModuleHandle loadModule(const Artifact &artifact, const gpu::DeviceTraits &device) const override;
  void prepare(FunctionHandle function, const Artifact &artifact, const gpu::DeviceTraits &device) const override;
  std::optional<size_t> parameterCount(const Artifact &artifact) const override;
  uint32_t maxThreads(FunctionHandle function) const override;
  Status launchShaped(const gpu::LaunchShape &shape, FunctionHandle function, StreamHandle stream, void **params,
                      const char *&entry) const override;
  Counts counted(gpu::DeviceId device) const override;
  void encodeDescriptor(const DescriptorRecipe &recipe, const ArtifactParam &param, const DescriptorValue &value,
                        gpu::EncodedDescriptor &out) const override;

  int deviceCount() const { return deviceCount_; }

private:
  uint32_t attribute(DeviceAttribute which, gpu::DeviceId device, const std::string &deviceName) const;
  /// The architecture's name with its settings, such as "gfx942:sramecc+:xnack-".
  std::string architecture(gpu::DeviceId device, const std::string &deviceName) const;

  EntryPoint<GetDeviceProperties> deviceProperties_;
  PropertiesLayout properties_ = kProperties6;
  EntryPoint<DriverGetVersion> driverVersion_;
  EntryPoint<ModuleUnload> unload_;
  EntryPoint<LaunchCooperative> launchCooperative_; // optional: from HIP 5.5
  EntryPoint<EmulatorCounts> counts_;               // optional: only the emulator has it
  int deviceCount_ = 0;
};

/// The platform of the library that $TEGULA_HIP_LIBRARY names, or else of the system's library. It is opened once, then
/// shared. Throws the errors of HipPlatform's constructor; after a failure the next call tries again.
std::shared_ptr<const HipPlatform> hipPlatform();

/// The part of an architecture's name that is the target's name: "gfx942" for "gfx942:sramecc+:xnack-".
std::string targetOf(const std::string &architecture);

/// Unloads a module that loadModule has returned, and frees the module's image. If several HIP libraries are open,
/// calls the unload function of the library that loaded the module.
Status unloadModule(gpu::ModuleHandle module);

} // namespace tegula::rocm
