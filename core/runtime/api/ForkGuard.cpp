#include "core/runtime/api/ForkGuard.h"
#include "core/support/Fork.h"

#include <map>
#include <mutex>

namespace tegula {
namespace {

constexpr const char *kRemedy = "; start processes that use the device by exec, for example by multiprocessing's start "
                                "method 'spawn', or first use it in the child";

/// The fork generation of the process in which an object was made.
class Origin {
public:
  bool isHere() const { return generation_ == forkGeneration(); }
  /// Throws in a child.
  void expectHere(const DeviceInfo &device) const {
    if (!isHere()) [[unlikely]]
      fail(device);
  }

private:
  [[noreturn, gnu::noinline, gnu::cold]] static void fail(const DeviceInfo &device) {
    throw Error("device " + device.name +
                " was opened before this process was forked, and a child of fork() cannot use it" + kRemedy);
  }

  uint64_t generation_ = forkGeneration();
};

/// An object that is destroyed by the process that made it, and left alone by others.
template <class T> class Owned {
public:
  explicit Owned(std::unique_ptr<T> object) : object_(object.release()) {}
  ~Owned() {
    if (origin.isHere())
      delete object_;
  }
  Owned(const Owned &) = delete;
  T &operator*() const { return *object_; }
  const Origin origin;

private:
  T *object_;
};

class GuardedKernel final : public DriverKernel {
public:
  explicit GuardedKernel(std::unique_ptr<DriverKernel> kernel) : kernel(std::move(kernel)) {}
  KernelUsage usage() const override { return kernel.origin.isHere() ? (*kernel).usage() : KernelUsage(); }
  bool canDescribe(size_t param, const DescriptorValue &tensor) const override {
    return kernel.origin.isHere() && (*kernel).canDescribe(param, tensor);
  }
  const Owned<DriverKernel> kernel;
};

class GuardedDriver final : public Driver {
public:
  explicit GuardedDriver(std::unique_ptr<Driver> driver) : driver_(std::move(driver)), info_((*driver_).info()) {}

  // Facts, which need no device.
  const DeviceInfo &info() const override { return info_; }
  bool supportsChecked() const override { return (*driver_).supportsChecked(); }
  bool supportsCapture() const override { return (*driver_).supportsCapture(); }
  int suitability(const std::string &target) const override { return (*driver_).suitability(target); }
  bool isOfEachThread(void *stream) const override { return (*driver_).isOfEachThread(stream); }

  DeviceMemory allocate(size_t bytes) override { return use().allocate(bytes); }
  void *createStream() override { return use().createStream(); }
  void copyToDevice(void *stream, const DeviceMemory &to, size_t offset, const void *from, size_t bytes) override {
    use().copyToDevice(stream, to, offset, from, bytes);
  }
  void copyToHost(void *stream, void *to, const DeviceMemory &from, size_t offset, size_t bytes) override {
    use().copyToHost(stream, to, from, offset, bytes);
  }
  void copyOnDevice(void *stream, const DeviceMemory &to, size_t toOffset, const DeviceMemory &from, size_t fromOffset,
                    size_t bytes) override {
    use().copyOnDevice(stream, to, toOffset, from, fromOffset, bytes);
  }
  void fill(void *stream, const DeviceMemory &to, size_t offset, uint8_t value, size_t bytes) override {
    use().fill(stream, to, offset, value, bytes);
  }
  std::unique_ptr<DriverKernel> load(const Artifact &artifact) override {
    return std::make_unique<GuardedKernel>(use().load(artifact));
  }
  void launch(void *stream, const DriverKernel &kernel, const LaunchRequest &request) override {
    use().launch(stream, *static_cast<const GuardedKernel &>(kernel).kernel, request);
  }
  void synchronize(void *stream) override { use().synchronize(stream); }
  void *recordEvent(void *stream) override { return use().recordEvent(stream); }
  void waitEvent(void *event) override { use().waitEvent(event); }
  double elapsed(void *start, void *end) override { return use().elapsed(start, end); }
  DeviceMemory wrapMemory(const NativeMemory &memory) override { return use().wrapMemory(memory); }
  void *wrapStream(void *native) override { return use().wrapStream(native); }
  void *nativeStream(void *stream) override { return use().nativeStream(stream); }
  void waitInStream(void *stream, void *event) override { use().waitInStream(stream, event); }
  void beginCapture(void *stream) override { use().beginCapture(stream); }
  void *endCapture(void *stream) override { return use().endCapture(stream); }
  void launchGraph(void *graph, void *stream) override { use().launchGraph(graph, stream); }
  bool isCaptured(void *stream) override { return use().isCaptured(stream); }
  Counts counted() const override { return (*driver_).counted(); }

  // Releases: they do nothing in a child.
  void free(const DeviceMemory &memory) override {
    if (Driver *own = ours())
      own->free(memory);
  }
  void destroyStream(void *stream) override {
    if (Driver *own = ours())
      own->destroyStream(stream);
  }
  void destroyEvent(void *event) override {
    if (Driver *own = ours())
      own->destroyEvent(event);
  }
  void unwrapMemory(const DeviceMemory &memory) override {
    if (Driver *own = ours())
      own->unwrapMemory(memory);
  }
  void unwrapStream(void *stream) override {
    if (Driver *own = ours())
      own->unwrapStream(stream);
  }
  void destroyGraph(void *graph) override {
    if (Driver *own = ours())
      own->destroyGraph(graph);
  }

private:
  Driver &use() const {
    driver_.origin.expectHere(info_);
    return *driver_;
  }
  Driver *ours() const { return driver_.origin.isHere() ? &*driver_ : nullptr; }

  const Owned<Driver> driver_;
  const DeviceInfo info_;
};

/// Which factories were asked, and by which process first. Never destroyed, as OpenDevices.
struct Asked {
  std::mutex mutex;
  std::map<const DriverFactory *, uint64_t> generations;
};

} // namespace

std::unique_ptr<Driver> guardedFromFork(std::unique_ptr<Driver> driver) {
  return std::make_unique<GuardedDriver>(std::move(driver));
}

std::vector<DeviceInfo> enumerateUnlessForked(DriverFactory &factory, std::string &whyNone) {
  static auto *asked = new Asked;
  if (!factory.survivesFork()) {
    std::lock_guard lock(asked->mutex);
    uint64_t now = forkGeneration(), first = asked->generations.try_emplace(&factory, now).first->second;
    if (first != now) {
      whyNone = "this process was forked from one that used the backend before, and a child of fork() cannot use its "
                "devices" +
                std::string(kRemedy);
      return {};
    }
  }
  return factory.enumerate(whyNone);
}

} // namespace tegula
