#include "backends/cuda/CudaPlatform.h"
#include "backends/cuda/Driver.h"
#include "core/support/Diagnostic.h"

namespace tegula::cuda {
namespace {

/// A variant of a device is another target to compile for: `cuda:0/compute_80` runs the code for older devices, which
/// the driver assembles.
void checkVariant(const CudaPlatform &platform, int ordinal, const std::string &target) {
  gpu::DeviceTraits traits = platform.describe(ordinal);
  if (!target.starts_with("compute_") || !runsOn(target, true, traits.version))
    throw Error("device " + traits.info.name + " has no variant '" + target +
                "'; behind the slash stands a target of PTX code that it runs, compute_75 to compute_" +
                std::to_string(traits.version));
}

class CudaFactory final : public DriverFactory {
public:
  std::string_view backend() const override { return "cuda"; }
  int priority() const override { return 30; }

  std::vector<DeviceInfo> enumerate(std::string &whyNone) override {
    std::vector<DeviceInfo> devices;
    try {
      std::shared_ptr<const CudaPlatform> platform = cudaPlatform();
      for (int ordinal = 0; ordinal < platform->deviceCount(); ++ordinal) {
        try {
          devices.push_back(platform->describe(ordinal).info);
        } catch (const Error &e) {
          whyNone = e.diagnostic().message; // other devices may still answer
        }
      }
    } catch (const Error &e) {
      whyNone = e.diagnostic().message;
    } catch (const std::exception &e) {
      whyNone = e.what();
    }
    return devices;
  }

  std::unique_ptr<Driver> open(const std::string &deviceName) override {
    std::shared_ptr<const CudaPlatform> platform = cudaPlatform();
    size_t slash = deviceName.find('/');
    std::string target = slash == std::string::npos ? "" : deviceName.substr(slash + 1);
    for (int ordinal = 0; ordinal < platform->deviceCount(); ++ordinal)
      if (deviceName.substr(0, slash) == "cuda:" + std::to_string(ordinal)) {
        if (slash != std::string::npos)
          checkVariant(*platform, ordinal, target);
        return gpu::openDriver(platform, ordinal, target);
      }
    throw Error("unknown device '" + deviceName + "'; the cuda backend has cuda:0" +
                (platform->deviceCount() > 1 ? " to cuda:" + std::to_string(platform->deviceCount() - 1) : ""));
  }
};

} // namespace
} // namespace tegula::cuda

tegula::DriverFactory *tegula::cudaDriverFactory() {
  static cuda::CudaFactory factory;
  return &factory;
}
