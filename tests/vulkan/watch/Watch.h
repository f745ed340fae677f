// A Vulkan library that stands between the driver and the real one, for tests: TEGULA_VULKAN_LIBRARY names it. It
// counts what the validation layer says, hands each module to spirv-val, and makes calls fail where a test plants a
// fault.
//
// Opened twice, it is one library of the process: by the driver as any Vulkan library, and by `openWatch`, which
// returns what it has seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tegula::vulkan::test {

enum class Fault : uint8_t {
  DeviceLost,         // the device is lost at the next submission, and all that asks it says so
  OutOfMemory,        // no memory is given
  ModuleLacksInt64,   // modules arrive without the capability Int64, which all of them need
  BufferLacksAddress, // buffers are made without the usage that asking for their address needs
  Count,
};

struct Findings {
  std::vector<std::string> messages; // of the validation layer: warnings and errors
  std::vector<std::string> refusals; // of modules by spirv-val
  size_t modules = 0;                // that spirv-val has seen
  size_t tooNew = 0;                 // modules that use what it does not know yet
};

/// Pipeline caches that were made, and what was in them.
struct CacheTraffic {
  size_t made = 0, filled = 0;
};

class Watch {
public:
  /// The instance is made with the validation layer, without which making it fails. To be called before it is made.
  virtual void useValidationLayer() = 0;
  /// What there was since the last call.
  virtual Findings takeFindings() = 0;
  virtual CacheTraffic takeCacheTraffic() = 0;
  virtual void plant(Fault fault, bool isPlanted) = 0;
  /// From now on each device of the machine is there twice.
  virtual void showDevicesTwice() = 0;

protected:
  ~Watch() = default;
};

/// Sets TEGULA_VULKAN_LIBRARY. Throws std::runtime_error where the library cannot be opened.
Watch &openWatch(const std::string &path);

} // namespace tegula::vulkan::test
