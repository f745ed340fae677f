// Tests on every device through the watching library.
#pragma once

#include "tests/vulkan/DriverFixture.h"
#include "tests/vulkan/watch/Watch.h"

namespace tegula::vulkan::test {

/// The watching library, opened by the first call.
Watch &watch();

/// Plants a fault for its lifetime.
class Planted {
public:
  explicit Planted(Fault fault) : fault_(fault) { watch().plant(fault_, true); }
  ~Planted() { watch().plant(fault_, false); }
  Planted(const Planted &) = delete;

private:
  Fault fault_;
};

/// Selects the library before devices are enumerated, which happens before main.
class WatchedDevice : public VulkanDevice {
  inline static const Watch &opened = watch();
};

} // namespace tegula::vulkan::test
