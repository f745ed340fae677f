// The part of the CPU backend that is in the runtime library: the device's description, and the opening of the library
// with the driver and the executor when the device is opened.
#include "backends/cpu/Driver.h"
#include "backends/cpu/DriverInfo.h"
#include "core/contracts/Compiler.h"
#include "core/support/Diagnostic.h"
#include "core/support/SiblingLibrary.h"
#include "core/support/process/Fork.h"

#include <mutex>

namespace tegula {
namespace {

constexpr SiblingLibrary kLibrary = {"libtegula-cpu", "CPU backend's library", "cannot open the device cpu",
                                     "tegulaCpuDevices"};

class CpuLoader final : public DriverFactory {
public:
  std::string_view backend() const override { return "cpu"; }
  int priority() const override { return 0; }
  std::vector<DeviceInfo> enumerate(std::string &) override { return {cpu::describeHost()}; }
  bool survivesFork() const override { return true; }
  std::unique_ptr<Driver> open(const std::string &deviceName) override {
    static ForkSafeMutex mutex;
    static DriverFactory *opened = nullptr; // null after a failure: the next call tries again
    std::lock_guard lock(mutex);
    if (!opened)
      opened = &openSibling<DriverFactory>(kLibrary, ownDirectory(), buildId());
    return opened->open(deviceName);
  }
};

} // namespace

DriverFactory *cpuDriverFactory() {
  static CpuLoader loader;
  return &loader;
}

} // namespace tegula
