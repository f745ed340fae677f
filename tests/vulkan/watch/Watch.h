// A Vulkan library between the driver and the real library, for tests: TEGULA_VULKAN_LIBRARY names it. It collects the
// validation layer's messages, passes each module to spirv-val, and makes calls fail where a test has planted a fault.
//
// The process opens it twice but has one instance of it: the driver opens it as a Vulkan library; `openWatch` returns
// its findings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tegula::vulkan::test {

enum class Fault : uint8_t {
  DeviceLost,         // the device is lost at the next submission; later calls report the loss
  OutOfMemory,        // no memory is available
  ModuleLacksInt64,   // modules lose the capability Int64, which all of them need
  BufferLacksAddress, // buffers are created without the usage that their address requires
  Count,
};

struct Findings {
  std::vector<std::string> messages; // warnings and errors of the validation layer
  std::vector<std::string> refusals; // spirv-val's messages for invalid modules
  size_t modules = 0;                // number of modules that spirv-val checked
  size_t tooNew = 0;                 // modules with capabilities that spirv-val does not know
  size_t withLines = 0;              // modules with OpLine, of those that spirv-val checked
};

/// The pipeline caches that were created, and their content.
struct CacheTraffic {
  size_t made = 0, filled = 0;
};

class Watch {
public:
  /// The findings since the last call.
  virtual Findings takeFindings() = 0;
  virtual CacheTraffic takeCacheTraffic() = 0;
  virtual void plant(Fault fault, bool isPlanted) = 0;
  /// From now on each device of the machine is listed twice.
  virtual void showDevicesTwice() = 0;

protected:
  ~Watch() = default;
};

/// Sets TEGULA_VULKAN_LIBRARY. Throws std::runtime_error where the library cannot be opened.
Watch &openWatch(const std::string &path);

} // namespace tegula::vulkan::test
