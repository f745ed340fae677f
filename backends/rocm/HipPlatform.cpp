#include "backends/rocm/HipPlatform.h"
#include "backends/gpu/Library.h"
#include "core/support/Diagnostic.h"
#include "core/support/Environment.h"

#include <array>
#include <atomic>
#include <mutex>

namespace tegula::gpu {

/// Lets gpu::Library look up a function that returns a text.
template <> struct EntryPoint<rocm::ErrorText> {
  using Pointer = rocm::ErrorText *;
  Pointer function = nullptr;
  const char *name = "";
  explicit operator bool() const { return function != nullptr; }
};

} // namespace tegula::gpu

namespace tegula::rocm {
namespace {

constexpr const char *kVariable = "TEGULA_HIP_LIBRARY";

/// Names that the library may have on the system. AMD's development files install the first one; the last one is the
/// path of AMD's installer, whose folder the dynamic linker may not search.
constexpr std::array<const char *, 5> kSystemLibraries = {"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6",
                                                          "libamdhip64.so.5", "/opt/rocm/lib/libamdhip64.so"};

/// Opens `path`; if it is empty, opens the first of the system's libraries that can be opened.
gpu::Library openLibrary(const std::string &path) {
  if (!path.empty())
    return {path, kVariable};
  std::string whyNot;
  for (const char *name : kSystemLibraries) {
    try {
      return {name, kVariable};
    } catch (const Error &e) {
      // A message that does not name the library itself names a library that it depends on and that is missing. Such a
      // message is kept, because it helps the user more than the message that a name was not found.
      const std::string &message = e.diagnostic().message;
      if (whyNot.empty() || message.find(name) == std::string::npos)
        whyNot = message;
    }
  }
  throw Error(whyNot);
}

// hipGetErrorName and hipGetErrorString of the library that was opened last. HIP's functions return the text; the
// function table of backends/gpu has functions that write it through a pointer, and the adapters below convert between
// the two forms.
std::atomic<ErrorText *> errorName, errorText;

template <std::atomic<ErrorText *> &Function> Status textThroughPointer(Status status, const char **text) {
  *text = Function.load()(status);
  return gpu::kSuccess;
}

template <std::atomic<ErrorText *> &Function>
void adaptText(EntryPoint<Status(Status, const char **)> &entry, const gpu::Library &library, const char *name) {
  EntryPoint<ErrorText> found;
  library.require(found, name);
  Function = found.function;
  entry.function = textThroughPointer<Function>;
  entry.name = name;
}

/// Looks up the functions of the table. HIP declares device addresses as pointers, which are passed like the table's
/// integers.
void fill(gpu::Api &api, const gpu::Library &library) {
  library.require(api.init, "hipInit");
  adaptText<errorName>(api.errorName, library, "hipGetErrorName");
  adaptText<errorText>(api.errorText, library, "hipGetErrorString");
  library.require(api.deviceCount, "hipGetDeviceCount");
  library.require(api.deviceGet, "hipDeviceGet");
  library.require(api.deviceName, "hipDeviceGetName");
  library.require(api.deviceMemory, "hipDeviceTotalMem");
  library.require(api.deviceAttribute, "hipDeviceGetAttribute");
  library.require(api.contextRetain, "hipDevicePrimaryCtxRetain");
  library.require(api.contextRelease, "hipDevicePrimaryCtxRelease");
  library.require(api.contextGetCurrent, "hipCtxGetCurrent");
  library.require(api.contextSetCurrent, "hipCtxSetCurrent");
  library.require(api.allocate, "hipMalloc");
  library.require(api.free, "hipFree");
  library.require(api.copyToDevice, "hipMemcpyHtoDAsync");
  library.require(api.copyToHost, "hipMemcpyDtoHAsync");
  library.require(api.copyOnDevice, "hipMemcpyDtoDAsync");
  library.require(api.fill, "hipMemsetD8Async");
  library.require(api.streamCreate, "hipStreamCreateWithFlags");
  library.require(api.streamDestroy, "hipStreamDestroy");
  library.require(api.streamSynchronize, "hipStreamSynchronize");
  library.require(api.eventCreate, "hipEventCreateWithFlags");
  library.require(api.eventDestroy, "hipEventDestroy");
  library.require(api.eventRecord, "hipEventRecord");
  library.require(api.eventSynchronize, "hipEventSynchronize");
  library.require(api.eventElapsed, "hipEventElapsedTime");
  library.require(api.moduleLoad, "hipModuleLoadDataEx");
  library.require(api.moduleFunction, "hipModuleGetFunction");
  library.require(api.functionAttribute, "hipFuncGetAttribute");
  library.require(api.launch, "hipModuleLaunchKernel");
  library.find(api.streamWaitEvent, "hipStreamWaitEvent");
  library.find(api.captureBegin, "hipStreamBeginCapture");
  library.find(api.captureEnd, "hipStreamEndCapture");
  library.find(api.graphInstantiate, "hipGraphInstantiateWithFlags");
  library.find(api.graphLaunch, "hipGraphLaunch");
  library.find(api.graphProgramDestroy, "hipGraphExecDestroy");
  library.find(api.graphDestroy, "hipGraphDestroy");
  library.find(api.captureState, "hipStreamIsCapturing");
  library.find(api.exchangeCaptureMode, "hipThreadExchangeStreamCaptureMode");
}

} // namespace

HipPlatform::HipPlatform(const std::string &path) {
  gpu::Library library = openLibrary(path);
  fill(api, library);
  library.require(unload_, "hipModuleUnload");
  api.moduleUnload.function = unloadModule;
  api.moduleUnload.name = unload_.name;
  library.find(deviceProperties_, properties_.entry);
  if (!deviceProperties_) {
    properties_ = kProperties5;
    library.require(deviceProperties_, properties_.entry);
  }
  library.require(driverVersion_, "hipDriverGetVersion");
  library.find(launchCooperative_, "hipModuleLaunchCooperativeKernel");
  library.find(counts_, "tegulaEmulatorCounts");

  // Without a device, either initialisation or the count of devices fails, with one of two errors.
  Status status = api.init(0u);
  const char *entry = api.init.name;
  if (status == gpu::kSuccess) {
    status = api.deviceCount(&deviceCount_);
    entry = api.deviceCount.name;
  }
  if (status == kErrorInvalidDevice || status == kErrorNoDevice || (status == gpu::kSuccess && deviceCount_ == 0))
    throw Error(
        "HIP's library finds no AMD device; where the machine has one, the kernel's driver amdgpu must be "
        "loaded, and this user must be allowed to open /dev/kfd and /dev/dri/renderD* (groups render and video)");
  if (status != gpu::kSuccess)
    fail(entry, status, "initialise HIP and count its devices");
}

bool HipPlatform::isKernelFault(Status status, Call call) const {
  switch (status) {
  case kErrorPriorLaunchFailure:
  case kErrorIllegalAddress:
  case kErrorAssert: return true;
  case kErrorLaunchFailure: return call != Call::Launch; // a launch also returns it for wrong parameters
  default: return false;
  }
}

Counts HipPlatform::counted(gpu::DeviceId device) const {
  if (!counts_)
    return {};
  std::array<const char *, 16> names = {};
  std::array<uint64_t, 16> values = {};
  int count = std::min(counts_(device, names.data(), values.data(), int(names.size())), int(names.size()));
  Counts made;
  for (size_t i = 0; i < size_t(count); ++i)
    made.emplace_back(names[i], values[i]);
  return made;
}

std::shared_ptr<const HipPlatform> hipPlatform() {
  static std::mutex mutex;
  static std::string openedPath;
  // Never destroyed: devices may be closed during static destruction.
  static auto &opened = *new std::shared_ptr<const HipPlatform>;
  const char *chosen = environmentValue(Variable::HipLibrary);
  std::string path = chosen ? chosen : "";
  std::lock_guard lock(mutex);
  if (!opened || openedPath != path) {
    opened = std::make_shared<HipPlatform>(path);
    openedPath = path;
  }
  return opened;
}

} // namespace tegula::rocm
