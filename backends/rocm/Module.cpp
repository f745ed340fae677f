// Checks that code fits a device, loads it, and launches it with flags.
#include "backends/rocm/HipPlatform.h"
#include "backends/rocm/instructions/Architecture.h"
#include "core/support/Diagnostic.h"

#include <map>
#include <mutex>
#include <vector>

namespace tegula::rocm {
namespace {

/// The code of a loaded module. HIP reads it in place and keeps its address, so it must stay until the module is
/// unloaded.
struct Image {
  std::vector<uint8_t> bytes;
  EntryPoint<ModuleUnload> unload; // from the library that created the module
};

struct Images {
  std::mutex mutex;
  std::map<gpu::ModuleHandle, Image> ofModules;
};

Images &images() {
  static auto &all = *new Images; // never destroyed: modules may be unloaded during process exit
  return all;
}

/// True if the bytes begin like a code object. HIP takes an image without its size, so it must not get other bytes.
bool isCodeObject(const std::vector<uint8_t> &binary) {
  constexpr size_t kElfHeaderBytes = 64;
  return binary.size() >= kElfHeaderBytes && binary[0] == 0x7f && binary[1] == 'E' && binary[2] == 'L' &&
         binary[3] == 'F';
}

} // namespace

void HipPlatform::checkTarget(const Artifact &artifact, const gpu::DeviceTraits &device) const {
  const std::string &target = device.info.target;
  if (artifact.target != target)
    throw Error("an artifact for target " + artifact.target + " cannot be loaded on device " + device.info.name +
                ", whose architecture is " + target + ": code runs on one architecture alone; compile it for " +
                target);
  const Architecture *known = findArchitecture(target);
  if (!known)
    throw Error("no code is generated for " + target + ", the architecture of device " + device.info.name);
  uint32_t expected = uint32_t(known->warpSize), found = attribute(kWarpSize, device.id, device.info.name);
  if (found != expected)
    throw Error("an artifact for target " + target + " has warps of " + std::to_string(expected) +
                " lanes, but device " + device.info.name + " has warps of " + std::to_string(found) +
                ": HIP's library does not know the device's mode; install the version that is made for this device");
}

gpu::ModuleHandle HipPlatform::loadModule(const Artifact &artifact, const gpu::DeviceTraits &device) const {
  if (!isCodeObject(artifact.binary))
    throw Error("damaged artifact: the binary of kernel '" + artifact.entry + "' for " + artifact.target +
                " is no code object (ELF file); compile it again");
  Image image = {artifact.binary, unload_};
  gpu::ModuleHandle module = nullptr;
  Status status = api.moduleLoad(&module, image.bytes.data(), 0u, nullptr, nullptr);
  if (status != gpu::kSuccess)
    throw Error("cannot load kernel '" + artifact.entry + "' for " + artifact.target + " on device " +
                device.info.name + ": " + statusText(api.moduleLoad.name, status) +
                "; the code is damaged or for another architecture: compile it for " + device.info.target);
  std::lock_guard lock(images().mutex);
  images().ofModules[module] = std::move(image); // moving a vector does not move its bytes
  return module;
}

Status unloadModule(gpu::ModuleHandle module) {
  std::unique_lock lock(images().mutex);
  auto image = images().ofModules.extract(module);
  lock.unlock();
  if (!image)
    throw InternalError("unloading a module that was not loaded");
  return image.mapped().unload(module);
}

std::optional<size_t> HipPlatform::parameterCount(const Artifact &) const { return std::nullopt; }

uint32_t HipPlatform::maxThreads(FunctionHandle function) const {
  int value = 0;
  call(
      api.functionAttribute, [] { return "ask for the threads that a kernel can run"; }, &value,
      static_cast<int>(kFunctionMaxThreads), function);
  return static_cast<uint32_t>(value);
}

void HipPlatform::prepare(FunctionHandle function, const Artifact &artifact, const gpu::DeviceTraits &device) const {
  checkSharedBytes(function, kFunctionSharedBytes, artifact, device);
}

// Makes a cooperative launch: all programs of the grid run at the same time. No other special launch arrives here,
// because gpu::Kernel has refused artifacts that need a feature which no AMD device has (clusters, an early launch,
// encoded descriptors).
Status HipPlatform::launchShaped(const gpu::LaunchShape &shape, FunctionHandle function, StreamHandle stream,
                                 void **params, const char *&entry) const {
  if (shape.clusterSize > 1 || shape.flags != kLaunchTogether)
    throw InternalError("a launch with clusters of " + std::to_string(shape.clusterSize) + " and flags " +
                        std::to_string(shape.flags) + " on an AMD device, which has no clusters and knows flag " +
                        std::to_string(kLaunchTogether) + " alone");
  entry = launchCooperative_.name;
  return launchCooperative_(function, shape.grid[0], shape.grid[1], shape.grid[2], shape.threads, 1, 1,
                            shape.sharedBytes, stream, params);
}

void HipPlatform::encodeDescriptor(const DescriptorRecipe &, const ArtifactParam &param, const DescriptorValue &,
                                   gpu::EncodedDescriptor &) const {
  throw InternalError("a descriptor to encode for parameter '" + param.name +
                      "' on an AMD device, which takes descriptors as their parts");
}

} // namespace tegula::rocm
