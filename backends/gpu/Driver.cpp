// The Driver that both vendors use. Its streams do not synchronise with the context's default stream.
#include "backends/gpu/Kernel.h"
#include "core/contracts/DeviceOutputStream.h"
#include "core/support/Diagnostic.h"

#include <atomic>
#include <cstdio>
#include <map>
#include <mutex>

namespace tegula::gpu {
namespace {

constexpr unsigned kNonBlockingStream = 1;                     // the same value in both APIs
void *const kStreamOfEachThread = reinterpret_cast<void *>(2); // CU_STREAM_PER_THREAD, hipStreamPerThread
constexpr unsigned kDefaultEvent = 0;                          // records times; the host spins while it waits
constexpr int kCaptureOfThread = 1;                            // only this thread is forbidden unrecordable calls
constexpr int kCaptureRelaxed = 2;                             // no thread is; such calls are not recorded

/// While an object exists, the calling thread may allocate and free device memory, even while it captures a stream
/// (which otherwise forbids these calls). They take effect at once and do not become part of the captured graph.
class OutsideCapture {
public:
  explicit OutsideCapture(const Api &api) : api_(api) { exchange(); }
  ~OutsideCapture() { exchange(); }
  OutsideCapture(const OutsideCapture &) = delete;
  OutsideCapture &operator=(const OutsideCapture &) = delete;

private:
  void exchange() {
    if (api_.exchangeCaptureMode)
      api_.exchangeCaptureMode(&mode_); // cannot fail: both modes are valid
  }
  const Api &api_;
  int mode_ = kCaptureRelaxed;
};

class GpuDriver final : public Driver {
  /// Returns a function that makes the text "WHAT on device NAME", for Platform::call: `what` is the caller's action,
  /// such as "allocate memory". The function is called only if the driver call fails.
  auto on(const char *what) const {
    return [this, what] { return what + (" on device " + info().name); };
  }
  auto on(const char *what, size_t bytes) const {
    return [this, what, bytes] { return what + std::to_string(bytes) + " bytes on device " + info().name; };
  }

public:
  GpuDriver(std::shared_ptr<const Platform> platform, int ordinal, const std::string &target)
      : platform_(std::move(platform)), api_(platform_->api),
        device_(std::make_shared<OpenDevice>(platform_, ordinal, target)) {}

  const DeviceInfo &info() const override { return device_->traits.info; }
  bool supportsChecked() const override { return false; }
  int suitability(const std::string &target) const override { return platform_->suitability(target, device_->traits); }
  Counts counted() const override { return platform_->counted(device_->traits.id); }

  DeviceMemory allocate(size_t bytes) override {
    CurrentContext current(*device_);
    OutsideCapture outside(api_);
    Address address = 0;
    Status status = api_.allocate(&address, bytes);
    if (status == kOutOfMemory)
      throw Error("cannot allocate " + std::to_string(bytes) + " bytes on device " + info().name + ", which has " +
                  std::to_string(info().memoryBytes) + ": " + platform_->statusText(api_.allocate.name, status) +
                  "; free other buffers, or work on smaller parts of the data");
    if (status != kSuccess)
      platform_->fail(api_.allocate.name, status, on("allocate ", bytes)());
    return {reinterpret_cast<void *>(address), address, bytes};
  }
  void free(const DeviceMemory &memory) override {
    CurrentContext current(*device_);
    OutsideCapture outside(api_);
    platform_->call(api_.free, on("free ", memory.size), memory.address);
  }

  void *createStream() override {
    CurrentContext current(*device_);
    StreamHandle stream = nullptr;
    platform_->call(api_.streamCreate, on("create a stream"), &stream, kNonBlockingStream);
    return stream;
  }
  void destroyStream(void *stream) override {
    CurrentContext current(*device_);
    if (hasOutputs_)
      closeOutput(stream);
    platform_->call(api_.streamDestroy, on("destroy a stream"), stream);
  }
  void synchronize(void *stream) override {
    CurrentContext current(*device_);
    wait(stream);
    deliver(stream);
  }

  // Waits until the copy has ended, so that the caller may change `from` after the return. The API's asynchronous copy
  // may read it later, depending on how that host memory was allocated.
  void copyToDevice(void *stream, const DeviceMemory &to, size_t offset, const void *from, size_t bytes) override {
    CurrentContext current(*device_);
    platform_->call(api_.copyToDevice, on("copy to the device: ", bytes), to.address + offset, from, bytes, stream);
    wait(stream);
  }
  void copyToHost(void *stream, void *to, const DeviceMemory &from, size_t offset, size_t bytes) override {
    CurrentContext current(*device_);
    platform_->call(api_.copyToHost, on("copy to the host: ", bytes), to, from.address + offset, bytes, stream);
    wait(stream);
    deliver(stream);
  }
  void copyOnDevice(void *stream, const DeviceMemory &to, size_t toOffset, const DeviceMemory &from, size_t fromOffset,
                    size_t bytes) override {
    CurrentContext current(*device_);
    platform_->call(api_.copyOnDevice, on("copy on the device: ", bytes), to.address + toOffset,
                    from.address + fromOffset, bytes, stream);
  }
  void fill(void *stream, const DeviceMemory &to, size_t offset, uint8_t value, size_t bytes) override {
    CurrentContext current(*device_);
    platform_->call(api_.fill, on("fill ", bytes), to.address + offset, value, bytes, stream);
  }

  std::unique_ptr<DriverKernel> load(const Artifact &artifact) override {
    CurrentContext current(*device_);
    return std::make_unique<Kernel>(device_, artifact);
  }
  void launch(void *stream, const DriverKernel &kernel, const LaunchRequest &request) override {
    if (request.checked)
      throw Error("device " + info().name + " cannot check launches; use the device cpu");
    CurrentContext current(*device_);
    const auto &loaded = static_cast<const Kernel &>(kernel);
    if (loaded.messages()) [[unlikely]]
      launchPrinting(stream, loaded, request);
    else
      loaded.launch(stream, request);
  }

  void *recordEvent(void *stream) override {
    CurrentContext current(*device_);
    EventHandle event = nullptr;
    platform_->call(api_.eventCreate, on("create an event"), &event, kDefaultEvent);
    if (Status status = api_.eventRecord(event, stream); status != kSuccess) {
      api_.eventDestroy(event);
      platform_->fail(api_.eventRecord.name, status, "record an event on device " + info().name);
    }
    return event;
  }
  void destroyEvent(void *event) override {
    CurrentContext current(*device_);
    platform_->call(api_.eventDestroy, on("destroy an event"), event);
  }
  void waitEvent(void *event) override {
    CurrentContext current(*device_);
    platform_->call(api_.eventSynchronize, on("wait for an event"), event);
  }
  double elapsed(void *start, void *end) override {
    CurrentContext current(*device_);
    platform_->call(api_.eventSynchronize, on("wait for an event"), end);
    float milliseconds = 0;
    platform_->call(api_.eventElapsed, on("take the time between two events"), &milliseconds, start, end);
    return milliseconds * 1e-3;
  }

  DeviceMemory wrapMemory(const NativeMemory &memory) override {
    return {reinterpret_cast<void *>(memory.address), memory.address, memory.bytes};
  }
  // A stream of the caller is the vendor's handle, like the driver's own streams.
  void *wrapStream(void *native) override { return native; }
  void unwrapStream(void *stream) override {
    CurrentContext current(*device_);
    if (hasOutputs_)
      closeOutput(stream);
  }
  void *nativeStream(void *stream) override { return stream; }
  bool isOfEachThread(void *stream) const override { return stream == kStreamOfEachThread; }
  void waitInStream(void *stream, void *event) override {
    if (!api_.streamWaitEvent)
      return waitEvent(event);
    CurrentContext current(*device_);
    platform_->call(api_.streamWaitEvent, on("make a stream wait for an event"), stream, event, 0u);
  }

  bool supportsCapture() const override {
    return api_.captureBegin && api_.captureEnd && api_.graphInstantiate && api_.graphLaunch &&
           api_.graphProgramDestroy && api_.graphDestroy;
  }
  bool isCaptured(void *stream) override {
    if (!api_.captureState)
      return false;
    CurrentContext current(*device_);
    int state = 0;
    platform_->call(api_.captureState, on("ask for the capture of a stream"), stream, &state);
    return state != 0;
  }
  void beginCapture(void *stream) override {
    if (!supportsCapture())
      return Driver::beginCapture(stream);
    CurrentContext current(*device_);
    platform_->call(api_.captureBegin, on("begin the capture of a graph"), stream, kCaptureOfThread);
  }
  void *endCapture(void *stream) override {
    if (!supportsCapture())
      return Driver::endCapture(stream);
    CurrentContext current(*device_);
    GraphHandle graph = nullptr;
    platform_->call(api_.captureEnd, on("end the capture of a graph"), stream, &graph);
    GraphProgram program = nullptr;
    Status status = api_.graphInstantiate(&program, graph, 0);
    api_.graphDestroy(graph);
    if (status != kSuccess)
      platform_->fail(api_.graphInstantiate.name, status, on("make a graph ready to launch")());
    return program;
  }
  void launchGraph(void *graph, void *stream) override {
    CurrentContext current(*device_);
    platform_->call(api_.graphLaunch, on("launch a graph"), graph, stream);
  }
  void destroyGraph(void *graph) override {
    CurrentContext current(*device_);
    platform_->call(api_.graphProgramDestroy, on("destroy a graph"), graph);
  }

private:
  /// The print buffer of one stream, and the reader that decodes it. The stream's kernels run one after another, so one
  /// buffer for each stream is enough.
  struct Output {
    DeviceMemory buffer;
    DeviceOutputStream stream;
  };

  void launchPrinting(StreamHandle stream, const Kernel &kernel, const LaunchRequest &request) {
    std::unique_lock lock(outputsMutex_);
    hasOutputs_ = true;
    print(stream, lock); // prints the previous launch's output before the buffer is reused
    Output &output = outputs_[stream];
    if (!output.buffer.size)
      output.buffer = allocate(outputBytes());
    auto empty = emptyOutput(output.buffer.size);
    copyIn(stream, output.buffer, empty.data(), sizeof empty);
    kernel.launch(stream, request, output.buffer.address);
    output.stream.begin(kernel.messages(), request);
  }
  void copyIn(StreamHandle stream, const DeviceMemory &to, const void *from, size_t bytes) {
    platform_->call(api_.copyToDevice, on("copy to the device: ", bytes), to.address, from, bytes, stream);
    wait(stream);
  }
  /// If a printing launch is pending, waits for it and prints its output. `lock` holds `outputsMutex_`; it is released
  /// while the receiver of the output runs, which may launch kernels. Returns the stream's output, or null if it has
  /// none.
  Output *print(StreamHandle stream, std::unique_lock<std::mutex> &lock) {
    for (;;) {
      auto found = outputs_.find(stream);
      if (found == outputs_.end())
        return nullptr;
      Output &output = found->second;
      if (!output.stream.isPending())
        return &output;
      DeviceOutputStream::Text text =
          output.stream.finish(output.buffer.size, [&](size_t first, uint32_t *to, size_t words) {
            platform_->call(api_.copyToHost, on("copy to the host: ", words * 4), to, output.buffer.address + first * 4,
                            words * 4, stream);
            wait(stream);
          });
      lock.unlock();
      text.print();
      lock.lock();
    }
  }
  /// Called after the host has waited for the stream: prints the output of its kernels, and throws KernelFault if an
  /// assertion of one of them failed.
  void deliver(StreamHandle stream) {
    if (!hasOutputs_) [[likely]]
      return;
    std::unique_lock lock(outputsMutex_);
    if (Output *output = print(stream, lock))
      output->stream.throwFailure();
  }
  void closeOutput(StreamHandle stream) {
    std::unique_lock lock(outputsMutex_);
    try {
      if (Output *output = print(stream, lock)) {
        try {
          output->stream.throwFailure();
        } catch (const KernelFault &fault) { // the stream is being destroyed, so no caller could receive it
          std::fprintf(stderr, "%s\n", format(fault.diagnostic()).c_str());
        }
        if (output->buffer.size)
          free(output->buffer);
      }
    } catch (const std::exception &) {
      // The device failed: what its kernels have printed is lost, and the stream is closed all the same.
    }
    if (!lock)
      lock.lock();
    outputs_.erase(stream);
  }

  void wait(void *stream) const { platform_->call(api_.streamSynchronize, on("wait for a stream"), stream); }

  std::shared_ptr<const Platform> platform_;
  const Api &api_;
  std::shared_ptr<const OpenDevice> device_;
  std::atomic<bool> hasOutputs_ = false; // true once any stream has run a kernel that prints
  std::mutex outputsMutex_;
  std::map<StreamHandle, Output> outputs_;
};

} // namespace

std::unique_ptr<Driver> openDriver(std::shared_ptr<const Platform> platform, int ordinal, const std::string &target) {
  return std::make_unique<GpuDriver>(std::move(platform), ordinal, target);
}

} // namespace tegula::gpu
