#include "backends/rocm/Driver.h"
#include "backends/rocm/HipPlatform.h"
#include "core/support/Diagnostic.h"

namespace tegula::rocm {
namespace {

class RocmFactory final : public DriverFactory {
public:
  std::string_view backend() const override { return "rocm"; }
  int priority() const override { return 25; }

  std::vector<DeviceInfo> enumerate(std::string &whyNone) override {
    std::vector<DeviceInfo> devices;
    try {
      std::shared_ptr<const HipPlatform> platform = hipPlatform();
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
    std::shared_ptr<const HipPlatform> platform = hipPlatform();
    std::string name = deviceName.substr(0, deviceName.find('/'));
    for (int ordinal = 0; ordinal < platform->deviceCount(); ++ordinal)
      if (name == "rocm:" + std::to_string(ordinal)) {
        if (name != deviceName)
          throw Error("unknown device '" + deviceName + "'; AMD devices have no variants: open it as " + name);
        return gpu::openDriver(platform, ordinal);
      }
    throw Error("unknown device '" + deviceName + "'; the rocm backend has rocm:0" +
                (platform->deviceCount() > 1 ? " to rocm:" + std::to_string(platform->deviceCount() - 1) : ""));
  }
};

} // namespace
} // namespace tegula::rocm

tegula::DriverFactory *tegula::rocmDriverFactory() {
  static rocm::RocmFactory factory;
  return &factory;
}
