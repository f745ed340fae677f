// A kernel with configurations whose times are known, on a device with a clock of its own.
#pragma once

#include "core/runtime/Session.h"
#include "tests/runtime/RuntimeFixture.h"

#include <atomic>
#include <mutex>

namespace tegula::test {

/// A device with a clock of its own: a launch takes as many microseconds as the artifact has threads. Launches add one
/// to the first 32-bit word of their first argument's buffer.
class TimedDriver final : public null::NullDriver {
public:
  struct Loaded : DriverKernel {
    explicit Loaded(std::atomic<size_t> &count) : count(count) { ++count; }
    ~Loaded() override { --count; }
    std::atomic<size_t> &count;
    uint32_t microseconds = 0;
  };
  std::unique_ptr<DriverKernel> load(const Artifact &artifact) override {
    if (artifact.sharedBytes > 1000)
      throw Error("too much for this device", {"shared memory", artifact.sharedBytes, 1000});
    auto loaded = std::make_unique<Loaded>(loadedKernels);
    loaded->microseconds = artifact.threads;
    return loaded;
  }
  void launch(void *, const DriverKernel &kernel, const LaunchRequest &request) override {
    uint32_t cost = static_cast<const Loaded &>(kernel).microseconds;
    std::lock_guard lock(mutex);
    launched.push_back(cost);
    now += cost;
    if (cost == faulty) {
      hasFaulted = faultsForGood;
      throw KernelFault("an address that is none");
    }
    ++*reinterpret_cast<uint32_t *>(request.arguments[0].bits);
  }
  void *recordEvent(void *) override { return new uint64_t(now.load()); }
  void destroyEvent(void *event) override { delete static_cast<uint64_t *>(event); }
  double elapsed(void *start, void *end) override {
    return 1e-6 * double(*static_cast<uint64_t *>(end) - *static_cast<uint64_t *>(start));
  }
  DeviceMemory allocate(size_t bytes) override {
    if (live == most)
      throw Error("out of memory");
    ++live;
    return NullDriver::allocate(bytes);
  }
  void free(const DeviceMemory &memory) override {
    --live;
    NullDriver::free(memory);
    if (hasFaulted)
      throw KernelFault("an address that was none");
  }
  void synchronize(void *stream) override {
    ++synchronizations;
    NullDriver::synchronize(stream);
  }
  bool supportsCapture() const override { return true; }
  void beginCapture(void *) override {}
  void *endCapture(void *) override { return nullptr; }
  std::mutex mutex; // guards `launched`
  std::atomic<uint64_t> now = 0;
  std::vector<uint32_t> launched;
  std::atomic<size_t> live = 0, loadedKernels = 0;
  size_t most = 1000;                             // allocations
  uint32_t faulty = 0;                            // threads of the code whose launches fail
  bool faultsForGood = false, hasFaulted = false; // then freeing fails, too, as on a GPU
  size_t synchronizations = 0;
};

inline KernelConfig config(int64_t block, int warps = 4) {
  KernelConfig made;
  made.constants["BLOCK"] = block;
  made.numWarps = warps;
  return made;
}

/// A kernel whose best block is 64 for small n and 256 for large n.
class Autotune : public RuntimeTest {
protected:
  Autotune() : x_(device_, DType::I32, {64}) {
    fake_.kernels = {makeKernel("k", {"x_ptr", "n", "BLOCK"})};
    fake_.kernels[0].configs = {config(32), config(64), config(128), config(256)};
    fake_.kernels[0].autotuneKey = {"n"};
    fake_.kernels[0].tuneMilliseconds = 0.01;
    fake_.onCompile = [this](const CompileRequest &request, CompileResult &result) {
      int64_t block = std::get<int64_t>(request.constants.at("BLOCK"));
      result.artifact->threads = static_cast<uint32_t>(1000 + std::abs(block - best_));
      if (block == failing_)
        result.error = Diagnostic{Diagnostic::Severity::Error, {"file.py", 3, 5}, "too large", "", {}};
      if (block == lacking_) {
        result.error = Diagnostic{Diagnostic::Severity::Error, {"file.py", 3, 5}, "40 warps are too many", "", {}};
        result.error->shortage = {"threads", 1280, 1024};
      }
      if (block == greedy_)
        result.artifact->sharedBytes = 5000;
    };
    auto timed = std::make_unique<TimedDriver>();
    driver_ = timed.get();
    old_ = std::exchange(device_.impl()->driver, std::move(timed));
    clear();
  }
  ~Autotune() override { device_.impl()->driver = std::move(old_); }

  void clear() { stream_.fill(x_, 0); }
  int32_t first() {
    std::vector<int32_t> host(64);
    stream_.read(x_, host.data());
    return host[0];
  }
  int64_t blockOf(const Kernel &kernel, int64_t n, const LaunchOptions &options = {}) {
    kernel.launch(stream_, {1}, {x_, n}, options);
    return std::get<int64_t>(session::lastLaunch(kernel).configuration.constants.at("BLOCK"));
  }
  std::string database() const { return (directory_ / "cache" / "tuning.sqlite").string(); }

  Buffer x_;
  int64_t best_ = 64, failing_ = 0, greedy_ = 0, lacking_ = 0;
  TimedDriver *driver_;
  std::unique_ptr<Driver> old_;
};

} // namespace tegula::test
