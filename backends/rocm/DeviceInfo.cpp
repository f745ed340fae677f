// Reads a device's properties, its target and its limits.
#include "backends/rocm/HipPlatform.h"
#include "core/support/Diagnostic.h"

#include <algorithm>
#include <array>
#include <limits>

namespace tegula::rocm {
namespace {

std::string deviceLabel(int ordinal) { return "rocm:" + std::to_string(ordinal); }

std::string kibibytes(uint32_t bytes) { return std::to_string(bytes / 1024) + " KiB"; }

std::string versionText(int version) {
  return std::to_string(version / 10'000'000) + "." + std::to_string(version / 100'000 % 100) + "." +
         std::to_string(version % 100'000);
}

constexpr uint32_t kMaxGridYZ = 65535; // programs along axes 1 and 2; HIP refuses more than 65,536

} // namespace

uint32_t HipPlatform::attribute(DeviceAttribute which, gpu::DeviceId device, const std::string &deviceName) const {
  int value = 0;
  call(
      api.deviceAttribute, [&] { return "ask device " + deviceName + " for attribute " + std::to_string(which); },
      &value, static_cast<int>(which), device);
  return static_cast<uint32_t>(std::max(value, 0));
}

std::string HipPlatform::architecture(gpu::DeviceId device, const std::string &deviceName) const {
  // HIP writes a hipDeviceProp_t here. The buffer is larger than that struct in all known versions, so that a newer
  // version with appended members does not write past its end.
  alignas(16) std::array<char, 4096> properties = {};
  static_assert(kProperties6.bytes <= properties.size() && kProperties5.bytes <= properties.size());
  call(
      deviceProperties_, [&] { return "ask device " + deviceName + " for its properties"; },
      static_cast<void *>(properties.data()), device);
  std::string_view text(properties.data() + properties_.architectureOffset, kArchitectureBytes);
  text = text.substr(0, text.find('\0'));
  if (!text.starts_with("gfx"))
    throw Error("device " + deviceName + " says that its architecture is '" + std::string(text) +
                "'; expected a name such as gfx942: HIP's library has another version than those known, 5.2 to 7");
  return std::string(text);
}

gpu::DeviceTraits HipPlatform::describe(int ordinal) const {
  gpu::DeviceTraits traits;
  DeviceInfo &info = traits.info;
  info.name = deviceLabel(ordinal);
  auto doing = [&] { return "describe device " + info.name; };
  call(api.deviceGet, doing, &traits.id, ordinal);
  std::array<char, 256> text = {};
  call(api.deviceName, doing, text.data(), static_cast<int>(text.size()) - 1, traits.id);
  std::string model = text[0] ? text.data() : "AMD GPU"; // HIP's table of names may be older than the device
  size_t bytes = 0;
  call(api.deviceMemory, doing, &bytes, traits.id);
  auto get = [&](DeviceAttribute which) { return attribute(which, traits.id, info.name); };

  traits.version = get(kMajor) * 10 + get(kMinor);
  traits.maxThreads = get(kMaxThreadsPerBlock);
  if (traits.maxThreads == 0)
    throw Error("device " + info.name + " (" + model + ") runs no threads, by its attributes");
  // HIP refuses a launch of more than 2^32 - 1 threads along an axis; a program has all of its threads along axis 0.
  constexpr uint32_t kMostThreads = std::numeric_limits<uint32_t>::max();
  traits.maxGrid[0] = std::min(get(kMaxGridX), kMostThreads / traits.maxThreads);
  for (int axis = 1; axis < 3; ++axis)
    traits.maxGrid[static_cast<size_t>(axis)] =
        std::min(get(static_cast<DeviceAttribute>(kMaxGridX + axis)), kMaxGridYZ);
  traits.sharedBytes = get(kSharedPerBlock);
  if (launchCooperative_ && get(kCooperativeLaunch))
    traits.features.push_back(gpu::kFeatureLaunchTogether);

  traits.multiprocessors = std::max<uint32_t>(get(kMultiprocessors), 1);
  std::string named = architecture(traits.id, info.name), units = std::to_string(traits.multiprocessors);
  int version = 0;
  call(driverVersion_, doing, &version);
  info.target = targetOf(named);
  info.memoryBytes = bytes;
  info.isRealGpu = true;
  info.description = model + ", " + info.target + ", " + units + " multiprocessors";
  info.properties = {
      {"model", model},
      {"architecture", named},
      {"multiprocessors", units},
      {"lanes of a warp", std::to_string(get(kWarpSize))},
      {"shared memory a program", kibibytes(traits.sharedBytes)},
      {"L2 cache", kibibytes(get(kL2Bytes))},
      {"driver", versionText(version)},
      {"checked mode", "no"},
  };
  std::string features;
  for (std::string_view feature : traits.features)
    features += (features.empty() ? "" : ", ") + std::string(feature);
  if (!features.empty())
    info.properties.emplace_back("features", features);
  return traits;
}

std::string targetOf(const std::string &architecture) { return architecture.substr(0, architecture.find(':')); }

} // namespace tegula::rocm
