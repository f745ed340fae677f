// Implements gpu::Platform with the CUDA driver API.
#pragma once

#include "backends/cuda/Declarations.h"
#include "backends/gpu/Platform.h"

#include <memory>
#include <string>

namespace tegula::cuda {

class CudaPlatform final : public gpu::Platform {
public:
  /// Opens the library and initialises it. Throws tegula::Error if the library, a required function or a device is
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

/// The platform of the library that $TEGULA_CUDA_LIBRARY names, or else of the system's library. It is opened once,
/// then shared. Throws the errors of CudaPlatform's constructor; after a failure the next call tries again.
std::shared_ptr<const CudaPlatform> cudaPlatform();

/// True if code for `target` runs on a device of this version (major * 10 + minor). Code for `sm_90a` runs on version
/// 90 only. PTX text for sm_N or compute_N runs on version N and all later ones. A binary for sm_N runs on N and later
/// minor versions of the same major version. Throws tegula::Error if `target` is malformed.
bool runsOn(const std::string &target, bool isText, uint32_t version);

/// Implements Driver::suitability. Code for the device's own target ranks first, then binaries for the nearest
/// architecture, then PTX text. `sm_N` is taken to be a binary, `compute_N` to be PTX text. Code compiled for more
/// shared memory than the device has ranks after all code that fits.
int suitabilityOf(const std::string &target, const std::string &own, uint32_t version, uint32_t sharedBytes);

} // namespace tegula::cuda
