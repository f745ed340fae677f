#include "backends/cuda/CudaPlatform.h"
#include "backends/cuda/Driver.h"
#include "backends/cuda/Versions.h"
#include "core/support/Diagnostic.h"

#include <algorithm>

namespace tegula::cuda {
namespace {

void checkVariant(const CudaPlatform &platform, int ordinal, const std::string &target) {
  gpu::DeviceTraits traits = platform.describe(ordinal);
  std::vector<std::string> known = variantsOf(traits.version, traits.sharedBytes);
  if (std::ranges::count(known, target))
    return;
  std::string names;
  for (const std::string &name : known)
    names += (names.empty() ? "" : ", ") + name;
  throw Error("device " + traits.info.name + " has no variant '" + target +
              "'; its variants are targets of PTX code that it runs: " + names);
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
          whyNone = e.diagnostic().message; // devices with other ordinals may still answer
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
