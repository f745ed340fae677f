#include "tests/cuda/FakeCuda.h"
#include "backends/cuda/Declarations.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <regex>

#define FAKE extern "C" __attribute__((visibility("default")))

namespace tegula::fakecuda {
namespace {

constexpr int kInvalidValue = 1, kOutOfMemory = 2, kNoDevice = 100, kInvalidContext = 201, kInvalidPtx = 218,
              kUnsupportedPtx = 222, kInvalidHandle = 400, kNotFound = 500, kIllegalAddress = 700,
              kCaptureUnsupported = 900, kInvalidCluster = 912;

State state;

struct Error {
  int status;
  const char *name, *text;
};
constexpr Error kErrors[] = {
    {kInvalidValue, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {kOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {kNoDevice, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {kInvalidContext, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {kInvalidPtx, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {kUnsupportedPtx, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
     "the provided PTX was compiled with an unsupported toolchain."},
    {kInvalidHandle, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {kNotFound, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {kIllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {kCaptureUnsupported, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "operation not permitted when stream is capturing"},
    {kInvalidCluster, "CUDA_ERROR_INVALID_CLUSTER_SIZE", "invalid cluster size"},
};

/// An H100's attributes.
const std::map<int, int> kAttributes = {{1, 1024},    {5, 2147483647}, {6, 65535}, {7, 65535}, {8, 49152},
                                        {16, 132},    {38, 52428800},  {75, 9},    {76, 0},    {95, 1},
                                        {97, 232448}, {120, 1},        {127, 1}};

struct Device {
  int ordinal, retained = 0;
};
std::array<Device, 8> devices = {{{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}}};
thread_local Device *current = nullptr;
int captures = 0;             // streams that are captured
thread_local int captureMode; // 2: the thread may do what a capture forbids

struct Stream {
  Device *context;
  std::vector<std::function<void()>> work;
  double clock = 0; // in milliseconds; each operation takes 0.25
  bool capturing = false;
  size_t captureBegin = 0; // in `work`, of what is captured
  void drain() {
    std::vector<std::function<void()>> now;
    std::swap(now, work);
    for (auto &piece : now) {
      piece();
      clock += 0.25;
    }
  }
};
using Graph = std::vector<std::function<void()>>;
struct Event {
  Stream *stream = nullptr;
  double time = -1;
};

struct Function {
  std::string name;
  std::vector<size_t> sizes;
  int dynamicShared = 48 * 1024;
  bool anyCluster = false;
};
struct Module {
  std::map<std::string, std::unique_ptr<Function>> functions;
};

/// The status that the call was told to return, else the error of a wrong calling thread, else 0.
int entered(const char *name, bool needsContext = true) {
  if (state.quiet)
    return 0;
  if (auto told = state.failures.find(name); told != state.failures.end()) {
    int status = told->second;
    state.failures.erase(told);
    return status;
  }
  return needsContext && !current ? kInvalidContext : 0;
}

/// Reads the parameters of each entry of a PTX text.
void parse(const std::string &text, Module &module) {
  static const std::regex entry(R"(\.entry\s+(\w+)\s*\(([^)]*)\))");
  static const std::regex param(R"(\.param\s+(\.align\s+\d+\s+)?\.[a-z](\d+)\s+\w+(\[(\d+)\])?)");
  for (std::sregex_iterator found(text.begin(), text.end(), entry), end; found != end; ++found) {
    auto function = std::make_unique<Function>();
    function->name = (*found)[1];
    std::string params = (*found)[2];
    for (std::sregex_iterator one(params.begin(), params.end(), param); one != end; ++one)
      function->sizes.push_back(std::stoul((*one)[2]) / 8 * ((*one)[4].matched ? std::stoul((*one)[4]) : 1));
    module.functions[function->name] = std::move(function);
  }
}

int launch(Launch record, Function *function, Stream *stream, void **params) {
  ++state.launchCount;
  if (state.quiet)
    return 0;
  if (!stream || stream->context != current)
    return kInvalidHandle;
  for (size_t axis = 0; axis < 3; ++axis) {
    int attribute = 5 + static_cast<int>(axis);
    auto limit = state.attributes.count(attribute) ? state.attributes[attribute] : kAttributes.at(attribute);
    if (record.grid[axis] == 0 || record.grid[axis] > static_cast<unsigned>(limit))
      return kInvalidValue;
  }
  if (record.sharedBytes > static_cast<unsigned>(function->dynamicShared))
    return kInvalidValue;
  if (record.cluster && (record.grid[0] % record.cluster || (record.cluster > 8 && !function->anyCluster)))
    return kInvalidCluster;
  record.kernel = function->name;
  for (size_t i = 0; i < function->sizes.size(); ++i) {
    auto *bytes = static_cast<const uint8_t *>(params[i]);
    record.params.emplace_back(bytes, bytes + function->sizes[i]);
  }
  stream->work.push_back([record] {
    if (auto body = state.kernels.find(record.kernel); body != state.kernels.end())
      body->second(record);
  });
  state.launches.push_back(std::move(record));
  return 0;
}

} // namespace
} // namespace tegula::fakecuda

using namespace tegula::fakecuda;
namespace cuda = tegula::cuda;

FAKE State *tegulaFakeCudaState() { return &state; }

FAKE int cuInit(unsigned) { return entered("cuInit", false); }
FAKE int cuDriverGetVersion(int *version) {
  *version = 12040;
  return entered("cuDriverGetVersion", false);
}
FAKE int cuGetErrorName(int status, const char **name) {
  auto *found = std::find_if(std::begin(kErrors), std::end(kErrors), [&](auto &e) { return e.status == status; });
  *name = found == std::end(kErrors) ? nullptr : found->name;
  return *name ? 0 : kInvalidValue;
}
FAKE int cuGetErrorString(int status, const char **text) {
  auto *found = std::find_if(std::begin(kErrors), std::end(kErrors), [&](auto &e) { return e.status == status; });
  *text = found == std::end(kErrors) ? nullptr : found->text;
  return *text ? 0 : kInvalidValue;
}

FAKE int cuDeviceGetCount(int *count) {
  *count = state.deviceCount;
  return entered("cuDeviceGetCount", false);
}
FAKE int cuDeviceGet(int *device, int ordinal) {
  *device = 10 + ordinal; // ids are not ordinals
  return entered("cuDeviceGet", false);
}
FAKE int cuDeviceGetName(char *name, int size, int device) {
  std::snprintf(name, static_cast<size_t>(size), "Fake H100 %d", device - 10);
  return entered("cuDeviceGetName", false);
}
FAKE int cuDeviceTotalMem_v2(size_t *bytes, int) {
  *bytes = state.memoryBytes;
  return entered("cuDeviceTotalMem_v2", false);
}
FAKE int cuDeviceGetAttribute(int *value, int attribute, int) {
  if (int status = entered("cuDeviceGetAttribute", false))
    return status;
  if (!kAttributes.count(attribute))
    return kInvalidValue;
  *value = state.attributes.count(attribute) ? state.attributes[attribute] : kAttributes.at(attribute);
  return 0;
}

FAKE int cuDevicePrimaryCtxRetain(void **context, int device) {
  if (int status = entered("cuDevicePrimaryCtxRetain", false))
    return status;
  Device &owner = devices.at(static_cast<size_t>(device - 10));
  ++owner.retained;
  ++state.contexts;
  *context = &owner;
  return 0;
}
FAKE int cuDevicePrimaryCtxRelease_v2(int device) {
  --devices.at(static_cast<size_t>(device - 10)).retained;
  --state.contexts;
  return 0;
}
FAKE int cuCtxGetCurrent(void **context) {
  *context = current;
  return 0;
}
FAKE int cuCtxSetCurrent(void *context) {
  current = static_cast<Device *>(context);
  return 0;
}

#ifndef FAKE_WITHOUT_ALLOCATE
FAKE int cuMemAlloc_v2(uint64_t *address, size_t bytes) {
  if (int status = entered("cuMemAlloc_v2"))
    return status;
  if (bytes > state.memoryBytes)
    return kOutOfMemory;
  if (captures && captureMode != 2)
    return kCaptureUnsupported;
  ++state.liveAllocations;
  *address = reinterpret_cast<uint64_t>(std::aligned_alloc(256, (bytes + 255) / 256 * 256));
  return 0;
}
#endif
FAKE int cuMemFree_v2(uint64_t address) {
  if (int status = entered("cuMemFree_v2"))
    return status;
  if (captures && captureMode != 2)
    return kCaptureUnsupported;
  --state.liveAllocations;
  std::free(reinterpret_cast<void *>(address));
  return 0;
}
FAKE int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, void *stream) {
  if (int status = entered("cuMemcpyHtoDAsync_v2"))
    return status;
  static_cast<Stream *>(stream)->work.push_back([=] { std::memcpy(reinterpret_cast<void *>(to), from, bytes); });
  return 0;
}
FAKE int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, void *stream) {
  if (int status = entered("cuMemcpyDtoHAsync_v2"))
    return status;
  static_cast<Stream *>(stream)->work.push_back([=] { std::memcpy(to, reinterpret_cast<void *>(from), bytes); });
  return 0;
}
FAKE int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *stream) {
  if (int status = entered("cuMemcpyDtoDAsync_v2"))
    return status;
  static_cast<Stream *>(stream)->work.push_back(
      [=] { std::memcpy(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from), bytes); });
  return 0;
}
FAKE int cuMemsetD8Async(uint64_t to, unsigned char value, size_t bytes, void *stream) {
  if (int status = entered("cuMemsetD8Async"))
    return status;
  static_cast<Stream *>(stream)->work.push_back([=] { std::memset(reinterpret_cast<void *>(to), value, bytes); });
  return 0;
}

FAKE int cuStreamCreate(void **stream, unsigned flags) {
  if (int status = entered("cuStreamCreate"))
    return status;
  if (flags != 1)
    return kInvalidValue; // a stream that waits for the default stream is an error
  ++state.liveStreams;
  *stream = new Stream{current, {}};
  return 0;
}
FAKE int cuStreamDestroy_v2(void *stream) {
  --state.liveStreams;
  static_cast<Stream *>(stream)->drain();
  delete static_cast<Stream *>(stream);
  return entered("cuStreamDestroy_v2");
}
FAKE int cuStreamSynchronize(void *stream) {
  if (int status = entered("cuStreamSynchronize"))
    return status;
  if (static_cast<Stream *>(stream)->capturing)
    return kCaptureUnsupported;
  static_cast<Stream *>(stream)->drain();
  return 0;
}

FAKE int cuEventCreate(void **event, unsigned) {
  if (int status = entered("cuEventCreate"))
    return status;
  ++state.liveEvents;
  *event = new Event;
  return 0;
}
FAKE int cuEventDestroy_v2(void *event) {
  --state.liveEvents;
  delete static_cast<Event *>(event);
  return 0;
}
FAKE int cuEventRecord(void *handle, void *stream) {
  if (int status = entered("cuEventRecord"))
    return status;
  auto *event = static_cast<Event *>(handle);
  event->stream = static_cast<Stream *>(stream);
  event->stream->work.push_back([event] { event->time = event->stream->clock; });
  return 0;
}
FAKE int cuEventSynchronize(void *event) {
  if (int status = entered("cuEventSynchronize"))
    return status;
  static_cast<Event *>(event)->stream->drain();
  return 0;
}
FAKE int cuEventElapsedTime(float *milliseconds, void *start, void *end) {
  auto *from = static_cast<Event *>(start), *to = static_cast<Event *>(end);
  if (from->time < 0 || to->time < 0)
    return 600; // CUDA_ERROR_NOT_READY
  *milliseconds = static_cast<float>(to->time - from->time);
  return entered("cuEventElapsedTime");
}

FAKE int cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options, void **values) {
  state.jitOptions.clear();
  for (unsigned i = 0; i < count; ++i)
    if (options[i] != cuda::kJitErrorLog && options[i] != cuda::kJitInfoLog)
      state.jitOptions[options[i]] = static_cast<int>(reinterpret_cast<uintptr_t>(values[i]));
  if (int status = entered("cuModuleLoadDataEx")) {
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == cuda::kJitErrorLog)
        std::snprintf(static_cast<char *>(values[i]), static_cast<size_t>(state.jitOptions[cuda::kJitErrorLogBytes]),
                      "%s", state.jitLog.c_str());
    return status;
  }
  // Text ends in 0; the tests' binaries are text behind an ELF file's first bytes.
  state.images.emplace_back(static_cast<const char *>(image));
  auto made = std::make_unique<Module>();
  parse(state.images.back(), *made);
  ++state.liveModules;
  *module = made.release();
  return 0;
}
FAKE int cuModuleUnload(void *module) {
  --state.liveModules;
  delete static_cast<Module *>(module);
  return 0;
}
FAKE int cuModuleGetFunction(void **function, void *module, const char *name) {
  auto &functions = static_cast<Module *>(module)->functions;
  auto found = functions.find(name);
  if (found == functions.end())
    return kNotFound;
  *function = found->second.get();
  return entered("cuModuleGetFunction");
}
FAKE int cuFuncGetAttribute(int *value, int attribute, void *) {
  *value = state.functionAttributes.count(attribute) ? state.functionAttributes[attribute] : attribute == 0 ? 1024 : 0;
  return entered("cuFuncGetAttribute");
}
FAKE int cuFuncSetAttribute(void *handle, int attribute, int value) {
  auto *function = static_cast<Function *>(handle);
  state.functionSettings[function->name + ":" + std::to_string(attribute)] = value;
  if (attribute == 8)
    function->dynamicShared = value;
  if (attribute == 14)
    function->anyCluster = value != 0;
  return entered("cuFuncSetAttribute");
}
FAKE int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                        unsigned sharedBytes, void *stream, void **params, void **) {
  if (int status = entered("cuLaunchKernel"))
    return status;
  Launch record;
  if (!state.quiet)
    record.entryPoint = "cuLaunchKernel";
  record.grid = {gx, gy, gz};
  record.block = {bx, by, bz};
  record.sharedBytes = sharedBytes;
  return launch(std::move(record), static_cast<Function *>(function), static_cast<Stream *>(stream), params);
}

#ifndef FAKE_OLD
FAKE int cuStreamWaitEvent(void *stream, void *handle, unsigned) {
  if (int status = entered("cuStreamWaitEvent"))
    return status;
  auto *event = static_cast<Event *>(handle);
  static_cast<Stream *>(stream)->work.push_back([event] { event->stream->drain(); });
  return 0;
}
FAKE int cuStreamBeginCapture_v2(void *stream, int mode) {
  if (int status = entered("cuStreamBeginCapture_v2"))
    return status;
  auto *captured = static_cast<Stream *>(stream);
  if (mode != 1 || captured->capturing)
    return kInvalidValue;
  captured->capturing = true;
  ++captures;
  captured->captureBegin = captured->work.size();
  return 0;
}
FAKE int cuThreadExchangeStreamCaptureMode(int *mode) {
  std::swap(captureMode, *mode);
  return 0;
}
FAKE int cuStreamIsCapturing(void *stream, int *state) {
  *state = static_cast<Stream *>(stream)->capturing;
  return 0;
}
FAKE int cuStreamEndCapture(void *stream, void **graph) {
  auto *captured = static_cast<Stream *>(stream);
  if (!captured->capturing)
    return kInvalidValue;
  captured->capturing = false;
  --captures;
  auto begin = captured->work.begin() + static_cast<std::ptrdiff_t>(captured->captureBegin);
  auto made = std::make_unique<Graph>(begin, captured->work.end());
  captured->work.erase(begin, captured->work.end());
  if (int status = entered("cuStreamEndCapture"))
    return status;
  ++state.liveGraphs;
  *graph = made.release();
  return 0;
}
FAKE int cuGraphInstantiateWithFlags(void **program, void *graph, unsigned long long) {
  if (int status = entered("cuGraphInstantiateWithFlags"))
    return status;
  ++state.liveGraphs;
  *program = new Graph(*static_cast<Graph *>(graph));
  return 0;
}
FAKE int cuGraphLaunch(void *program, void *stream) {
  if (int status = entered("cuGraphLaunch"))
    return status;
  auto *graph = static_cast<Graph *>(program);
  auto &work = static_cast<Stream *>(stream)->work;
  work.insert(work.end(), graph->begin(), graph->end());
  return 0;
}
FAKE int cuGraphExecDestroy(void *program) {
  --state.liveGraphs;
  delete static_cast<Graph *>(program);
  return entered("cuGraphExecDestroy");
}
FAKE int cuGraphDestroy(void *graph) {
  --state.liveGraphs;
  delete static_cast<Graph *>(graph);
  return entered("cuGraphDestroy");
}
FAKE int cuFuncGetParamInfo(void *handle, size_t index, size_t *offset, size_t *size) {
  auto *function = static_cast<Function *>(handle);
  if (index >= function->sizes.size())
    return kInvalidValue;
  *offset = 0;
  *size = function->sizes[index];
  return 0;
}
FAKE int cuLaunchKernelEx(const cuda::LaunchConfig *config, void *function, void **params, void **) {
  if (int status = entered("cuLaunchKernelEx"))
    return status;
  Launch record;
  if (!state.quiet)
    record.entryPoint = "cuLaunchKernelEx";
  record.grid = {config->gridX, config->gridY, config->gridZ};
  record.block = {config->blockX, config->blockY, config->blockZ};
  record.sharedBytes = config->sharedBytes;
  for (unsigned i = 0; i < config->attributeCount; ++i) {
    const cuda::LaunchAttribute &attribute = config->attributes[i];
    if (attribute.id == 4 && attribute.value.cluster.y == 1 && attribute.value.cluster.z == 1)
      record.cluster = attribute.value.cluster.x;
    else if (attribute.id == 2)
      record.cooperative = attribute.value.flag;
    else if (attribute.id == 6)
      record.programmatic = attribute.value.flag;
    else
      return kInvalidValue;
  }
  return launch(std::move(record), static_cast<Function *>(function), static_cast<Stream *>(config->stream), params);
}
FAKE int cuTensorMapEncodeTiled(void *map, cuda::TensorMapType type, uint32_t rank, void *address,
                                const uint64_t *extents, const uint64_t *strides, const uint32_t *box,
                                const uint32_t *steps, int interleave, cuda::TensorMapSwizzle swizzle, int promotion,
                                cuda::TensorMapFill fill) {
  ++state.encodingCount;
  if (int status = entered("cuTensorMapEncodeTiled"))
    return status;
  if (reinterpret_cast<uintptr_t>(map) % 128)
    return kInvalidValue;
  Encoding encoding;
  encoding.type = static_cast<int>(type);
  encoding.interleave = interleave;
  encoding.swizzle = static_cast<int>(swizzle);
  encoding.promotion = promotion;
  encoding.fill = static_cast<int>(fill);
  encoding.address = reinterpret_cast<uint64_t>(address);
  encoding.extents.assign(extents, extents + rank);
  encoding.strides.assign(strides, strides + rank - 1);
  encoding.box.assign(box, box + rank);
  encoding.steps.assign(steps, steps + rank);
  // Every byte depends on the number of encodings so far, so that a stale or torn map is detected.
  for (size_t i = 0; i < 128; ++i)
    encoding.map.push_back(static_cast<uint8_t>(i * 7 + state.encodingCount * 31));
  std::memcpy(map, encoding.map.data(), 128);
  state.encodings.push_back(std::move(encoding));
  return 0;
}
#endif
