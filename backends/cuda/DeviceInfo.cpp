// Reads a device's properties and decides which targets' code it runs.
#include "backends/cuda/CudaPlatform.h"
#include "backends/cuda/Versions.h"
#include "core/support/Diagnostic.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace tegula::cuda {
namespace {

std::string deviceLabel(int ordinal) { return "cuda:" + std::to_string(ordinal); }

std::string kibibytes(int bytes) { return std::to_string(bytes / 1024) + " KiB"; }

/// The largest cluster, in programs. All devices with clusters take 8; 16 must be enabled for each kernel
/// (kFunctionNonPortableCluster), and such a kernel must use little shared memory.
constexpr uint32_t kMaxCluster = 16;

} // namespace

int CudaPlatform::attribute(int which, gpu::DeviceId device, int ordinal) const {
  int value = 0;
  call(
      api.deviceAttribute,
      [&] { return "ask device " + deviceLabel(ordinal) + " for attribute " + std::to_string(which); }, &value, which,
      device);
  return value;
}

gpu::DeviceTraits CudaPlatform::describe(int ordinal) const {
  gpu::DeviceTraits traits;
  DeviceInfo &info = traits.info;
  info.name = deviceLabel(ordinal);
  auto doing = [&] { return "describe device " + info.name; };
  call(api.deviceGet, doing, &traits.id, ordinal);
  std::array<char, 256> model = {};
  call(api.deviceName, doing, model.data(), static_cast<int>(model.size()) - 1, traits.id);
  size_t bytes = 0;
  call(api.deviceMemory, doing, &bytes, traits.id);
  auto get = [&](int which) { return attribute(which, traits.id, ordinal); };

  int major = get(kMajor), minor = get(kMinor);
  traits.version = static_cast<uint32_t>(major * 10 + minor);
  traits.maxThreads = static_cast<uint32_t>(get(kMaxThreadsPerBlock));
  for (int axis = 0; axis < 3; ++axis)
    traits.maxGrid[static_cast<size_t>(axis)] = static_cast<uint32_t>(get(kMaxGridX + axis));
  int shared = std::max(get(kSharedPerBlock), get(kSharedPerBlockOptIn));
  traits.sharedBytes = static_cast<uint32_t>(shared);
  if (launchEx_ && get(kCooperativeLaunch))
    traits.features.push_back(gpu::kFeatureLaunchTogether);
  if (launchEx_ && major >= 9)
    traits.features.push_back(gpu::kFeatureLaunchEarly);
  if (launchEx_ && get(kClusterLaunch)) {
    traits.features.push_back(gpu::kFeatureClusters);
    traits.maxCluster = kMaxCluster;
  }
  if (encodeTiled_ && get(kTensorMaps))
    traits.features.push_back(gpu::kFeatureDescriptors);

  int processors = get(kMultiprocessors), version = 0;
  traits.multiprocessors = uint32_t(std::max(processors, 1));
  call(driverVersion_, doing, &version);
  info.target = targetOf(traits.version, traits.sharedBytes);
  info.memoryBytes = bytes;
  info.isRealGpu = true;
  std::string capability = std::to_string(major) + "." + std::to_string(minor);
  info.description = std::string(model.data()) + ", compute capability " + capability + ", " +
                     std::to_string(processors) + " multiprocessors";
  info.properties = {
      {"model", model.data()},
      {"compute capability", capability},
      {"multiprocessors", std::to_string(processors)},
      {"shared memory a program", kibibytes(shared)},
      {"L2 cache", kibibytes(get(kL2Bytes))},
      {"driver", std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10)},
      {"checked mode", "no"},
  };
  std::string features;
  for (std::string_view feature : traits.features)
    features += (features.empty() ? "" : ", ") + std::string(feature);
  if (!features.empty())
    info.properties.emplace_back("features", features);
  return traits;
}

bool runsOn(const std::string &target, bool isText, uint32_t version) {
  constexpr std::string_view real = "sm_", text = "compute_";
  bool isVirtual = target.starts_with(text);
  size_t prefix = isVirtual ? text.size() : target.starts_with(real) ? real.size() : target.size();
  uint32_t wanted = 0;
  const char *end = target.data() + target.size();
  std::from_chars_result parsed = std::from_chars(target.data() + prefix, end, wanted);
  bool isExact = parsed.ec == std::errc() && !isVirtual && end - parsed.ptr == 1 && *parsed.ptr == 'a';
  if (parsed.ec != std::errc() || (parsed.ptr != end && !isExact))
    throw Error("an artifact for target " + target + " is not for a CUDA device; expected sm_NN, sm_NNa or compute_NN");
  if (isExact)
    return wanted == version;
  return wanted <= version && (isText || wanted / 10 == version / 10);
}

int suitabilityOf(const std::string &target, const std::string &own, uint32_t version, uint32_t sharedBytes) {
  if (target == own)
    return 10000;
  bool isBinary = target.starts_with("sm_");
  if ((!isBinary && !target.starts_with("compute_")) || !runsOn(target, !isBinary, version))
    return 0;
  uint32_t number = 0;
  for (char c : target)
    if (c >= '0' && c <= '9')
      number = number * 10 + uint32_t(c - '0');
  auto compiled = std::ranges::find(compiledVersions(), number, &CompiledVersion::number);
  bool fits = compiled == compiledVersions().end() || compiled->sharedBytes <= sharedBytes;
  return 1 + int(number) + (isBinary ? 1000 : 0) + (fits ? 2000 : 0);
}

} // namespace tegula::cuda
