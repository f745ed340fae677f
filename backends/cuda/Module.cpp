// Loads code onto the device, sets function attributes before the first launch, and launches kernels with attributes.
#include "backends/cuda/CudaPlatform.h"
#include "backends/cuda/Parameters.h"
#include "core/support/Diagnostic.h"

#include <array>
#include <vector>

namespace tegula::cuda {
namespace {

constexpr size_t kLogBytes = 8192;
constexpr uint32_t kPortableCluster = 8;       // programs; a larger cluster needs kFunctionNonPortableCluster
constexpr uint32_t kUnaskedShared = 48 * 1024; // bytes; more dynamic shared memory needs kFunctionMaxDynamicShared

/// Indents each line of the driver assembler's log, for use in a message.
std::string indented(const std::vector<char> &log) {
  std::string_view text(log.data());
  std::string result;
  while (!text.empty()) {
    size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (!line.empty())
      result += "\n  " + std::string(line);
  }
  return result;
}

} // namespace

int CudaPlatform::suitability(const std::string &target, const gpu::DeviceTraits &device) const {
  try {
    return suitabilityOf(target, device.info.target, device.version, device.sharedBytes);
  } catch (const Error &) {
    return 0; // `target` is no target of this backend
  }
}

void CudaPlatform::checkTarget(const Artifact &artifact, const gpu::DeviceTraits &device) const {
  if (!runsOn(artifact.target, !isCubin(artifact.binary), device.version))
    throw Error("an artifact for target " + artifact.target + " cannot be loaded on device " + device.info.name +
                ", which runs " + device.info.target);
}

gpu::ModuleHandle CudaPlatform::loadModule(const Artifact &artifact, const gpu::DeviceTraits &device) const {
  std::vector<char> errors(kLogBytes), notes(kLogBytes);
  std::vector<int> options = {kJitErrorLog, kJitErrorLogBytes, kJitInfoLog, kJitInfoLogBytes};
  // The driver takes integer option values cast to pointers.
  auto number = [](uintptr_t value) { return reinterpret_cast<void *>(value); };
  std::vector<void *> values = {errors.data(), number(kLogBytes - 1), notes.data(), number(kLogBytes - 1)};
  std::vector<uint8_t> text;
  const void *image = artifact.binary.data();
  if (!isCubin(artifact.binary)) { // PTX text
    text = artifact.binary;
    text.push_back(0); // the driver takes PTX text zero-terminated, without a length
    image = text.data();
    options.push_back(kJitLineInfo); // keeps the text's .loc lines; a cubin has its line table already
    values.push_back(number(1));
    if (artifact.registerCap) {
      options.push_back(kJitMaxRegisters);
      values.push_back(number(artifact.registerCap));
    }
  }
  gpu::ModuleHandle module = nullptr;
  Status status = api.moduleLoad(&module, image, static_cast<unsigned>(options.size()), options.data(), values.data());
  if (status != gpu::kSuccess) {
    const char *remedy = status == kErrorUnsupportedPtxVersion
                             ? "; the driver is older than the kernel's code: update the driver, or compile with the "
                               "ptxas of a toolkit that is not newer than it (TRITON_PTXAS_PATH)"
                             : "";
    throw Error("cannot load kernel '" + artifact.entry + "' for " + artifact.target + " on device " +
                device.info.name + ": " + statusText(api.moduleLoad.name, status) + remedy + indented(errors) +
                indented(notes));
  }
  return module;
}

std::optional<size_t> CudaPlatform::parameterCount(const Artifact &artifact) const {
  return parametersOf(artifact.binary, artifact.entry);
}

uint32_t CudaPlatform::maxThreads(FunctionHandle function) const {
  int value = 0;
  call(
      api.functionAttribute, [] { return "ask for the threads that a kernel can run"; }, &value,
      static_cast<int>(kFunctionMaxThreads), function);
  return static_cast<uint32_t>(value);
}

void CudaPlatform::prepare(FunctionHandle function, const Artifact &artifact, const gpu::DeviceTraits &device) const {
  auto named = [&] { return " for kernel '" + artifact.entry + "' on device " + device.info.name; };
  uint64_t bytes = checkSharedBytes(function, kFunctionSharedBytes, artifact, device);
  if (bytes > kUnaskedShared)
    call(
        functionSetAttribute_,
        [&] { return "reserve " + std::to_string(artifact.sharedBytes) + " bytes of shared memory" + named(); },
        function, static_cast<int>(kFunctionMaxDynamicShared), static_cast<int>(artifact.sharedBytes));
  if (artifact.clusterSize > kPortableCluster)
    call(
        functionSetAttribute_, [&] { return "allow clusters of " + std::to_string(artifact.clusterSize) + named(); },
        function, static_cast<int>(kFunctionNonPortableCluster), 1);
}

Status CudaPlatform::launchShaped(const gpu::LaunchShape &shape, FunctionHandle function, StreamHandle stream,
                                  void **params, const char *&entry) const {
  std::array<LaunchAttribute, 3> attributes = {};
  unsigned count = 0;
  if (shape.clusterSize > 1) {
    attributes[count].id = kAttributeCluster;
    attributes[count++].value.cluster = {shape.clusterSize, 1, 1};
  }
  if (shape.flags & kLaunchTogether) {
    attributes[count].id = kAttributeCooperative;
    attributes[count++].value.flag = 1;
  }
  if (shape.flags & kLaunchEarly) {
    attributes[count].id = kAttributeProgrammaticSerialization;
    attributes[count++].value.flag = 1;
  }
  LaunchConfig config = {shape.grid[0],     shape.grid[1], shape.grid[2],     shape.threads, 1, 1,
                         shape.sharedBytes, stream,        attributes.data(), count};
  entry = launchEx_.name;
  return launchEx_(&config, function, params, nullptr);
}

} // namespace tegula::cuda
