// The CUDA driver API as a platform of backends/gpu.
#pragma once

#include "backends/cuda/Declarations.h"
#include "backends/gpu/Platform.h"

#include <memory>
#include <string>

namespace tegula::cuda {

class CudaPlatform final : public gpu::Platform {
public:
  /// Opens the library and initialises it. Throws tegula::Error: no library, not all functions, no device.
  explicit CudaPlatform(const std::string &path);

  bool isKernelFault(Status status) const override;
  gpu::DeviceTraits describe(int ordinal) const override;
  void checkTarget(const Artifact &artifact, const gpu::DeviceTraits &device) const override;
  gpu::ModuleHandle loadModule(const Artifact &artifact, const gpu::DeviceTraits &device) const override;
  void prepare(FunctionHandle function, const Artifact &artifact, const gpu::DeviceTraits &device) const override;
  uint32_t maxThreads(FunctionHandle function) const override;
  Status launchShaped(const gpu::LaunchShape &shape, FunctionHandle function, StreamHandle stream, void **params,
                      const char *&entry) const override;
  void encodeDescriptor(const DescriptorRecipe &recipe, const ArtifactParam &param, const DescriptorValue &value,
                        gpu::EncodedDescriptor &out) const override;

  int deviceCount() const { return deviceCount_; }

private:
  int attribute(int which, gpu::DeviceId device, int ordinal) const;

  EntryPoint<FunctionSetAttribute> functionSetAttribute_;
  EntryPoint<DriverGetVersion> driverVersion_;
  EntryPoint<LaunchKernelEx> launchEx_;          // optional: from driver 11.8
  EntryPoint<TensorMapEncodeTiled> encodeTiled_; // optional: from driver 12.0
  int deviceCount_ = 0;
};

/// The platform of $TEGULA_CUDA_LIBRARY, else of the system's library: opened once, then shared. Throws as its
/// constructor; the next call tries again.
std::shared_ptr<const CudaPlatform> cudaPlatform();

/// Whether code for `target` runs on a device of this version (major * 10 + minor): code for `sm_90a` on 90 alone; text
/// on its version and later ones; a binary on later minor versions of its major one. Throws tegula::Error where not a
/// target.
bool runsOn(const std::string &target, bool isText, uint32_t version);

/// A device's own target: `sm_89`; from 9.0 on with the features of that architecture alone, `sm_90a`.
std::string targetOf(uint32_t version);

} // namespace tegula::cuda
