// The CUDA driver API as a platform of backends/gpu.
#pragma once

#include "backends/cuda/Declarations.h"
#include "backends/gpu/Platform.h"

#include <memory>
#include <string>

namespace tegula::cuda {

class CudaPlatform final : public gpu::Platform {
public:
  /// Opens the library and initialises it. Throws tegula::Error where the library, a required function or a device is
  /// missing.
  explicit CudaPlatform(const std::string &path);

  bool isKernelFault(Status status, Call call) const override;
  gpu::DeviceTraits describe(int ordinal) const override;
  int suitability(const std::string &target, const gpu::DeviceTraits &device) const override;
  void checkTarget(const Artifact &artifact, const gpu::DeviceTraits &device) const override;
  gpu::ModuleHandle loadModule(const Artifact &artifact, const gpu::DeviceTraits &device) const override;
  void prepare(FunctionHandle function, const Artifact &artifact, const gpu::DeviceTraits &device) const override;
  std::optional<size_t> parameterCount(const Artifact &artifact) const override;
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

/// The platform of $TEGULA_CUDA_LIBRARY, or of the system's library: opened once, then shared. Throws like the
/// constructor; after a failure the next call tries again.
std::shared_ptr<const CudaPlatform> cudaPlatform();

/// Whether code for `target` runs on a device of this version (major * 10 + minor). Code for `sm_90a` runs on 90 alone;
/// PTX text for sm_N or compute_N on N and all later versions; a binary for sm_N on N and later minor versions of the
/// same major one. Throws tegula::Error where `target` is malformed.
bool runsOn(const std::string &target, bool isText, uint32_t version);

/// As Driver::suitability: the device's own target, then binaries for the nearest architecture, then text. Binaries are
/// expected for sm_N, text for compute_N.
/// Code that may plan more shared memory than the device has comes after all that does not.
int suitabilityOf(const std::string &target, const std::string &own, uint32_t version, uint32_t sharedBytes);

} // namespace tegula::cuda
