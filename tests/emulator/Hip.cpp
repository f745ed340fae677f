// The emulator as a HIP library: the entry points that a driver looks up, over kernels that run on the CPU. A program
// that opens this library in place of AMD's finds a device for each architecture in $TEGULA_EMULATED_GPUS, a list such
// as "gfx1100,gfx942"; by default all that are emulated. Every call ends before it returns. Values and layouts are
// those of HIP 6's public header.
#include "tests/emulator/Allocations.h"
#include "tests/emulator/Launch.h"

#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>

namespace tegula::emulator {
namespace {

enum Status : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kInvalidDevice = 101,
  kInvalidImage = 200,
  kInvalidContext = 201,
  kNotFound = 500,
  kIllegalAddress = 700,
};

constexpr const char *kDefaultGpus = "gfx1100,gfx942,gfx1201,gfx90a,gfx1030";
constexpr size_t kDeviceBytes = size_t(1) << 34; // what a device says that it has

const std::vector<std::string> &gpus() {
  static const std::vector<std::string> names = [] {
    const char *chosen = std::getenv("TEGULA_EMULATED_GPUS");
    std::istringstream text(chosen ? chosen : kDefaultGpus);
    std::vector<std::string> parsed;
    for (std::string name; std::getline(text, name, ',');)
      parsed.push_back(name);
    return parsed;
  }();
  return names;
}

Allocations &allocations() {
  static auto &all = *new Allocations;
  return all;
}

struct Module {
  Program program;
};
struct Function {
  const Program *program;
  const KernelCode *kernel;
};
struct Event {
  std::chrono::steady_clock::time_point time;
};

/// What each device counted since the process began.
struct Totals {
  std::mutex mutex;
  std::map<int, Counters> ofDevices;
};
Totals &totals() {
  static auto &all = *new Totals;
  return all;
}

thread_local intptr_t current = 0; // the device's number plus one; 0: none
thread_local std::string problem;  // what the last failing call of this thread found

Status failed(Status status, const std::string &text) {
  problem = text;
  return status;
}

const char *nameOf(Status status) {
  switch (status) {
  case kSuccess: return "hipSuccess";
  case kInvalidValue: return "hipErrorInvalidValue";
  case kOutOfMemory: return "hipErrorOutOfMemory";
  case kInvalidDevice: return "hipErrorInvalidDevice";
  case kInvalidImage: return "hipErrorInvalidImage";
  case kInvalidContext: return "hipErrorInvalidContext";
  case kNotFound: return "hipErrorNotFound";
  case kIllegalAddress: return "hipErrorIllegalAddress";
  }
  return "hipErrorUnknown";
}

bool isDevice(int device) { return device >= 0 && size_t(device) < gpus().size(); }

/// The argument segment of a launch: the arguments that `params` points to, then what HIP adds.
std::vector<uint8_t> argumentsOf(const KernelCode &kernel, void **params, const std::array<uint32_t, 3> &grid,
                                 uint32_t threads, uint32_t sharedBytes) {
  constexpr size_t kAlignment = 16; // HIP's at least; LLVM reads up to its next multiple
  std::vector<uint8_t> segment((kernel.argumentBytes / kAlignment + 1) * kAlignment, 0);
  auto put = [&](const KernelArgument &argument, const void *from) {
    std::memcpy(segment.data() + argument.offset, from, argument.size);
  };
  size_t next = 0;
  for (const KernelArgument &argument : kernel.arguments) {
    if (!argument.kind.starts_with("hidden_")) {
      put(argument, params[next++]);
      continue;
    }
    uint64_t value = 0;
    for (unsigned axis = 0; axis < 3; ++axis) {
      std::string suffix(1, "xyz"[axis]);
      if (argument.kind == "hidden_block_count_" + suffix)
        value = grid[axis];
      else if (argument.kind == "hidden_group_size_" + suffix)
        value = axis == 0 ? threads : 1;
    }
    if (argument.kind == "hidden_grid_dims")
      value = 3;
    else if (argument.kind == "hidden_dynamic_lds_size")
      value = sharedBytes;
    put(argument, &value);
  }
  return segment;
}

Status launch(const Function &function, const std::array<uint32_t, 3> &grid, uint32_t threads, uint32_t sharedBytes,
              void **params) {
  if (threads == 0 || threads > function.kernel->mostThreads)
    return failed(kInvalidValue, "the kernel runs at most " + std::to_string(function.kernel->mostThreads) +
                                     " threads a workgroup, not " + std::to_string(threads));
  std::vector<uint8_t> arguments = argumentsOf(*function.kernel, params, grid, threads, sharedBytes);
  Launch request{function.program, function.kernel, grid, threads, sharedBytes, arguments, &allocations()};
  try {
    Counters counters = run(request);
    std::lock_guard lock(totals().mutex);
    totals().ofDevices[int(current) - 1].add(counters);
  } catch (const Fault &fault) {
    return failed(kIllegalAddress, fault.what());
  }
  return kSuccess;
}

/// Attributes by their numbers in hipDeviceAttribute_t.
int attributeOf(int which, const std::string &gpu) {
  (void)gpu;
  switch (which) {
  case 19: return 100 << 10;  // L2 cache, bytes
  case 23: return 9;          // major
  case 26: return 1024;       // threads a workgroup, along x
  case 29: return 0x7fffffff; // grid along x
  case 30:
  case 31: return 65535;                                   // y, z
  case 56: return 1024;                                    // threads a workgroup
  case 63: return 1;                                       // multiprocessors
  case 74: return 64 << 10;                                // LDS a workgroup
  case 87: return familyOf(gpu) == Family::Gfx9 ? 64 : 32; // lanes of a wave
  default: return 0;
  }
}

} // namespace
} // namespace tegula::emulator

#define HIP extern "C" __attribute__((visibility("default"), used))

using namespace tegula::emulator;

HIP int hipInit(unsigned) { return kSuccess; }
HIP const char *hipGetErrorName(int status) { return nameOf(Status(status)); }
HIP const char *hipGetErrorString(int status) { return status == kSuccess ? "no error" : problem.c_str(); }
HIP int hipDriverGetVersion(int *version) { return *version = 60000000, kSuccess; }

HIP int hipGetDeviceCount(int *count) { return *count = int(gpus().size()), kSuccess; }
HIP int hipDeviceGet(int *device, int ordinal) {
  return isDevice(ordinal) ? (*device = ordinal, kSuccess) : failed(kInvalidDevice, "there is no such device");
}
HIP int hipDeviceGetName(char *name, int size, int device) {
  if (!isDevice(device))
    return failed(kInvalidDevice, "there is no such device");
  std::snprintf(name, size_t(size), "emulated %s", gpus()[size_t(device)].c_str());
  return kSuccess;
}
HIP int hipDeviceTotalMem(size_t *bytes, int) { return *bytes = kDeviceBytes, kSuccess; }
HIP int hipDeviceGetAttribute(int *value, int which, int device) {
  if (!isDevice(device))
    return failed(kInvalidDevice, "there is no such device");
  return *value = attributeOf(which, gpus()[size_t(device)]), kSuccess;
}
HIP int hipGetDevicePropertiesR0600(void *properties, int device) {
  constexpr size_t kBytes = 1472, kArchitecture = 1160; // of hipDeviceProp_tR0600, and of its gcnArchName
  if (!isDevice(device))
    return failed(kInvalidDevice, "there is no such device");
  std::memset(properties, 0, kBytes);
  std::strncpy(static_cast<char *>(properties) + kArchitecture, gpus()[size_t(device)].c_str(), 255);
  return kSuccess;
}

HIP int hipDevicePrimaryCtxRetain(void **context, int device) {
  return *context = reinterpret_cast<void *>(intptr_t(device) + 1), kSuccess;
}
HIP int hipDevicePrimaryCtxRelease(int) { return kSuccess; }
HIP int hipCtxGetCurrent(void **context) { return *context = reinterpret_cast<void *>(current), kSuccess; }
HIP int hipCtxSetCurrent(void *context) { return current = reinterpret_cast<intptr_t>(context), kSuccess; }

HIP int hipMalloc(void **address, size_t bytes) {
  *address = bytes > kDeviceBytes ? nullptr : allocations().allocate(bytes);
  return *address ? kSuccess : failed(kOutOfMemory, "out of memory");
}
HIP int hipFree(void *address) {
  return !address || allocations().free(address) ? kSuccess : failed(kInvalidValue, "no allocation begins there");
}

static int copy(void *to, const void *from, size_t bytes, const void *device) {
  if (bytes && !allocations().holds(reinterpret_cast<uint64_t>(device), bytes))
    return failed(kInvalidValue, "the copy leaves its allocation");
  std::memmove(to, from, bytes);
  return kSuccess;
}
HIP int hipMemcpyHtoDAsync(void *to, void *from, size_t bytes, void *) { return copy(to, from, bytes, to); }
HIP int hipMemcpyDtoHAsync(void *to, void *from, size_t bytes, void *) { return copy(to, from, bytes, from); }
HIP int hipMemcpyDtoDAsync(void *to, void *from, size_t bytes, void *) {
  if (bytes && !allocations().holds(reinterpret_cast<uint64_t>(from), bytes))
    return failed(kInvalidValue, "the copy leaves its allocation");
  return copy(to, from, bytes, to);
}
HIP int hipMemsetD8Async(void *to, unsigned char value, size_t bytes, void *) {
  if (bytes && !allocations().holds(reinterpret_cast<uint64_t>(to), bytes))
    return failed(kInvalidValue, "the fill leaves its allocation");
  std::memset(to, value, bytes);
  return kSuccess;
}

HIP int hipStreamCreateWithFlags(void **stream, unsigned) { return *stream = new char, kSuccess; }
HIP int hipStreamDestroy(void *stream) { return delete static_cast<char *>(stream), kSuccess; }
HIP int hipStreamSynchronize(void *) { return kSuccess; }

HIP int hipEventCreateWithFlags(void **event, unsigned) { return *event = new Event, kSuccess; }
HIP int hipEventDestroy(void *event) { return delete static_cast<Event *>(event), kSuccess; }
HIP int hipEventRecord(void *event, void *) {
  return static_cast<Event *>(event)->time = std::chrono::steady_clock::now(), kSuccess;
}
HIP int hipEventSynchronize(void *) { return kSuccess; }
HIP int hipEventElapsedTime(float *milliseconds, void *from, void *to) {
  *milliseconds =
      std::chrono::duration<float, std::milli>(static_cast<Event *>(to)->time - static_cast<Event *>(from)->time)
          .count();
  return kSuccess;
}

HIP int hipModuleLoadData(void **module, const void *image) {
  if (current == 0)
    return failed(kInvalidContext, "no device is current");
  // The size of an ELF file: where its section headers end, which lld writes last.
  const auto *bytes = static_cast<const uint8_t *>(image);
  uint64_t headers;
  uint16_t each, count;
  std::memcpy(&headers, bytes + 0x28, sizeof headers);
  std::memcpy(&each, bytes + 0x3a, sizeof each);
  std::memcpy(&count, bytes + 0x3c, sizeof count);
  try {
    *module = new Module{Program({bytes, headers + uint64_t(each) * count}, gpus()[size_t(current - 1)])};
  } catch (const std::exception &e) {
    return failed(kInvalidImage, e.what());
  }
  return kSuccess;
}
HIP int hipModuleLoadDataEx(void **module, const void *image, unsigned, int *, void **) {
  return hipModuleLoadData(module, image);
}
HIP int hipModuleUnload(void *module) { return delete static_cast<Module *>(module), kSuccess; }
HIP int hipModuleGetFunction(void **function, void *module, const char *name) {
  const Program &program = static_cast<Module *>(module)->program;
  const KernelCode *kernel = program.find(name);
  if (!kernel)
    return failed(kNotFound, "the code object has no kernel '" + std::string(name) + "'");
  // Functions live as long as the process; a module has one.
  return *function = new Function{&program, kernel}, kSuccess;
}
HIP int hipFuncGetAttribute(int *value, int which, void *function) {
  const KernelCode &kernel = *static_cast<Function *>(function)->kernel;
  constexpr int kMaxThreads = 0, kSharedBytes = 1;
  *value = which == kMaxThreads ? int(kernel.mostThreads) : which == kSharedBytes ? int(kernel.sharedBytes) : 0;
  return kSuccess;
}
HIP int hipModuleLaunchKernel(void *function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned threadsX,
                              unsigned threadsY, unsigned threadsZ, unsigned sharedBytes, void *, void **params,
                              void **) {
  if (threadsY != 1 || threadsZ != 1)
    return failed(kInvalidValue, "the emulator runs workgroups along x only");
  return launch(*static_cast<Function *>(function), {gridX, gridY, gridZ}, threadsX, sharedBytes, params);
}
HIP int hipModuleLaunchCooperativeKernel(void *function, unsigned gridX, unsigned gridY, unsigned gridZ,
                                         unsigned threadsX, unsigned threadsY, unsigned threadsZ, unsigned sharedBytes,
                                         void *stream, void **params) {
  return hipModuleLaunchKernel(function, gridX, gridY, gridZ, threadsX, threadsY, threadsZ, sharedBytes, stream, params,
                               nullptr);
}

/// Beside HIP's functions: what a device counted since the process began. Writes at most `most` names and numbers and
/// returns how many there are.
HIP int tegulaEmulatorCounts(int device, const char **names, uint64_t *values, int most) {
  constexpr const char *kNames[kClasses] = {"scalar instructions", "vector instructions", "matrix instructions",
                                            "global accesses",     "LDS accesses",        "branches",
                                            "waits and hints"};
  std::lock_guard lock(totals().mutex);
  const Counters &counters = totals().ofDevices[device];
  int count = 0;
  auto put = [&](const char *name, uint64_t value) {
    if (count < most) {
      names[count] = name;
      values[count] = value;
    }
    ++count;
  };
  for (size_t i = 0; i < kClasses; ++i)
    put(kNames[i], counters.issued[i]);
  put("64-byte lines of global memory", counters.lines);
  put("cycles lost to LDS bank conflicts", counters.bankConflicts);
  return count;
}
