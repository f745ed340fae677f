#include "core/runtime/api/DriverGuard.h"
#include "core/support/process/CrashReport.h"
#include "core/support/process/Fork.h"

#include <map>
#include <mutex>
#include <type_traits>

namespace tegula {
namespace {

constexpr const char *kRemedy = "; start processes that use the device by exec, for example by multiprocessing's start "
                                "method 'spawn', or first use it in the child";

/// Remembers the process that created an object, by its fork generation: the number of forks since the library was
/// loaded.
class Origin {
public:
  bool isHere() const { return generation_ == forkGeneration(); }
  /// Throws tegula::Error if the calling process is a child of the process that created the object.
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

/// Owns an object. The process that created it destroys it; a child after fork() leaks it.
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

/// Returns a copy of the error. If the error is a failure of the device, the names of the kernels launched last are
/// appended to its message.
template <class Failure> Failure explained(const Failure &error, const RecentKernels &kernels) {
  Diagnostic diagnostic = error.diagnostic();
  if (std::string names = kernels.list(); diagnostic.isDeviceFailure && !names.empty())
    diagnostic.message += "; launched last: " + names;
  return Failure(std::move(diagnostic));
}

class GuardedDriver final : public Driver {
public:
  explicit GuardedDriver(std::unique_ptr<Driver> driver)
      : driver_(std::move(driver)), info_((*driver_).info()), executesOnHost_((*driver_).executesOnHost()),
        recent_(executesOnHost_ ? hostExecutedKernels() : own_) {}

  // Functions that do not access the device, and therefore work in a child, too.
  const DeviceInfo &info() const override { return info_; }
  bool executesOnHost() const override { return executesOnHost_; }
  bool supportsChecked() const override { return (*driver_).supportsChecked(); }
  bool supportsCapture() const override { return (*driver_).supportsCapture(); }
  int suitability(const std::string &target) const override { return (*driver_).suitability(target); }
  bool isOfEachThread(void *stream) const override { return (*driver_).isOfEachThread(stream); }

  DeviceMemory allocate(size_t bytes) override {
    return use([&](Driver &driver) { return driver.allocate(bytes); });
  }
  void *createStream() override {
    return use([](Driver &driver) { return driver.createStream(); });
  }
  void copyToDevice(void *stream, const DeviceMemory &to, size_t offset, const void *from, size_t bytes) override {
    use([&](Driver &driver) { driver.copyToDevice(stream, to, offset, from, bytes); });
  }
  void copyToHost(void *stream, void *to, const DeviceMemory &from, size_t offset, size_t bytes) override {
    use([&](Driver &driver) { driver.copyToHost(stream, to, from, offset, bytes); });
    recent_.ended(stream);
  }
  void copyOnDevice(void *stream, const DeviceMemory &to, size_t toOffset, const DeviceMemory &from, size_t fromOffset,
                    size_t bytes) override {
    use([&](Driver &driver) { driver.copyOnDevice(stream, to, toOffset, from, fromOffset, bytes); });
  }
  void fill(void *stream, const DeviceMemory &to, size_t offset, uint8_t value, size_t bytes) override {
    use([&](Driver &driver) { driver.fill(stream, to, offset, value, bytes); });
  }
  std::unique_ptr<DriverKernel> load(const Artifact &artifact) override {
    return use([&](Driver &driver) { return std::make_unique<GuardedKernel>(driver.load(artifact)); });
  }
  void launch(void *stream, const DriverKernel &kernel, const LaunchRequest &request) override {
    auto record = [&] { recent_.launched(request.kernel, stream); };
    if (executesOnHost_) // before the launch: the kernel may crash before the call returns
      record();
    use([&](Driver &driver) { driver.launch(stream, *static_cast<const GuardedKernel &>(kernel).kernel, request); });
    if (!executesOnHost_) // after the launch: the call may report the failure of an earlier kernel
      record();
  }
  void synchronize(void *stream) override {
    use([&](Driver &driver) { driver.synchronize(stream); });
    recent_.ended(stream);
  }
  void *recordEvent(void *stream) override {
    return use([&](Driver &driver) { return driver.recordEvent(stream); });
  }
  void waitEvent(void *event) override {
    use([&](Driver &driver) { driver.waitEvent(event); });
  }
  double elapsed(void *start, void *end) override {
    return use([&](Driver &driver) { return driver.elapsed(start, end); });
  }
  DeviceMemory wrapMemory(const NativeMemory &memory) override {
    return use([&](Driver &driver) { return driver.wrapMemory(memory); });
  }
  void *wrapStream(void *native) override {
    return use([&](Driver &driver) { return driver.wrapStream(native); });
  }
  void *nativeStream(void *stream) override {
    return use([&](Driver &driver) { return driver.nativeStream(stream); });
  }
  void waitInStream(void *stream, void *event) override {
    use([&](Driver &driver) { driver.waitInStream(stream, event); });
  }
  void beginCapture(void *stream) override {
    use([&](Driver &driver) { driver.beginCapture(stream); });
  }
  void *endCapture(void *stream) override {
    return use([&](Driver &driver) { return driver.endCapture(stream); });
  }
  void launchGraph(void *graph, void *stream) override {
    use([&](Driver &driver) { driver.launchGraph(graph, stream); });
    recent_.launched("the kernels of a graph", stream);
  }
  bool isCaptured(void *stream) override {
    return use([&](Driver &driver) { return driver.isCaptured(stream); });
  }
  Counts counted() const override { return (*driver_).counted(); }

  // Functions that release an object. In a child after fork() they do nothing.
  void free(const DeviceMemory &memory) override {
    if (Driver *own = ours())
      own->free(memory);
  }
  void destroyStream(void *stream) override {
    if (Driver *own = ours())
      own->destroyStream(stream);
    recent_.ended(stream);
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
  template <class Body> std::invoke_result_t<const Body &, Driver &> use(const Body &body) const {
    driver_.origin.expectHere(info_);
    try {
      return body(*driver_);
    } catch (const KernelFault &fault) {
      throw explained(fault, recent_);
    } catch (const Error &error) {
      throw explained(error, recent_);
    }
  }
  Driver *ours() const { return driver_.origin.isHere() ? &*driver_ : nullptr; }

  const Owned<Driver> driver_;
  const DeviceInfo info_;
  const bool executesOnHost_;
  RecentKernels own_, &recent_;
};

/// The factories whose devices were enumerated, each with the fork generation of the first process that enumerated
/// them. Never destroyed, because devices may be closed during process exit.
struct Asked {
  ForkSafeMutex mutex;
  std::map<const DriverFactory *, uint64_t> generations;
};

} // namespace

std::unique_ptr<Driver> guardedDriver(std::unique_ptr<Driver> driver) {
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
