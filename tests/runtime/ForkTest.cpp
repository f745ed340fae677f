// A driver that does not survive fork(): children are refused every use, at once, and destroy nothing.
#include "core/support/process/Fork.h"
#include "core/runtime/api/DriverGuard.h"
#include "tests/runtime/RuntimeFixture.h"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace tegula::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// Counts what is destroyed: in the child, into memory that it does not share with the parent.
class CountingDriver final : public null::NullDriver {
public:
  explicit CountingDriver(int &destroyed) : destroyed_(destroyed) {}
  ~CountingDriver() override { ++destroyed_; }
  void destroyStream(void *stream) override {
    ++destroyed_;
    NullDriver::destroyStream(stream);
  }
  struct Loaded : DriverKernel {
    explicit Loaded(int &destroyed) : destroyed(destroyed) {}
    ~Loaded() override { ++destroyed; }
    KernelUsage usage() const override { return {40, 8}; }
    int &destroyed;
  };
  std::unique_ptr<DriverKernel> load(const Artifact &) override { return std::make_unique<Loaded>(destroyed_); }
  void launch(void *, const DriverKernel &kernel, const LaunchRequest &) override {
    launches += &dynamic_cast<const Loaded &>(kernel).destroyed == &destroyed_;
  }
  int launches = 0;

private:
  int &destroyed_;
};

class FactoryOf final : public DriverFactory {
public:
  explicit FactoryOf(bool survives) : survives_(survives) {}
  std::string_view backend() const override { return "fork"; }
  int priority() const override { return 0; }
  std::vector<DeviceInfo> enumerate(std::string &) override { return {null::NullDriver().info()}; }
  bool survivesFork() const override { return survives_; }
  std::unique_ptr<Driver> open(const std::string &) override { return nullptr; }

private:
  bool survives_;
};

/// What `body` says in a child.
std::string inChild(const std::function<std::string()> &body) {
  int ends[2];
  if (pipe(ends))
    return "no pipe";
  pid_t child = fork();
  if (!child) {
    std::string text = body();
    bool isWritten = write(ends[1], text.data(), text.size()) == ssize_t(text.size());
    _exit(isWritten ? 0 : 1);
  }
  close(ends[1]);
  std::string text(4096, 0);
  ssize_t size = read(ends[0], text.data(), text.size());
  close(ends[0]);
  waitpid(child, nullptr, 0);
  text.resize(size_t(std::max<ssize_t>(size, 0)));
  return text;
}

std::string errorOf(const std::function<void()> &body) {
  try {
    body();
  } catch (const Error &e) {
    return e.diagnostic().message;
  }
  return "(works)";
}

TEST(Fork, GenerationsAreCounted) {
  uint64_t here = forkGeneration();
  EXPECT_EQ(inChild([&] { return std::to_string(forkGeneration() - here); }), "1");
  EXPECT_EQ(inChild([&] { return inChild([&] { return std::to_string(forkGeneration() - here); }); }), "2");
  EXPECT_EQ(forkGeneration(), here);
}

TEST(Fork, WaitsForOtherThreadsAndTheyForIt) {
  std::atomic<bool> isHeld = false, isDone = false;
  ForkSafeMutex mutex;
  std::thread other([&] {
    const ForkBlocker outer;
    isHeld = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    std::lock_guard nested(mutex); // a fork that waits does not keep a thread from going on
    isDone = true;
  });
  while (!isHeld)
    std::this_thread::yield();
  EXPECT_EQ(inChild([&] {
              std::lock_guard lock(mutex); // as free as in the parent
              return std::string(isDone ? "done" : "in the middle");
            }),
            "done");
  other.join();
}

TEST(Fork, ByThreadsWithBlockersWaitsForNobody) {
  std::atomic<int> forked = 0;
  auto run = [&] {
    const ForkBlocker own; // as a thread that compiles and starts a program
    EXPECT_EQ(inChild([&] {
                const ForkBlocker again;
                return std::string("forked");
              }),
              "forked");
    ++forked;
    for (int i = 0; forked < 3 && i < 5000; ++i) // all have blockers until all have forked
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(forked, 3);
  };
  std::thread one(run), two(run);
  run();
  one.join();
  two.join();
}

TEST(Fork, EveryUseIsRefusedInTheChild) {
  int destroyed = 0;
  std::unique_ptr<Driver> driver = guardedDriver(std::make_unique<CountingDriver>(destroyed));
  void *stream = driver->createStream();
  DeviceMemory memory = driver->allocate(16);
  std::unique_ptr<DriverKernel> kernel = driver->load({});
  void *event = driver->recordEvent(stream);
  char bytes[16] = {};
  const std::function<void()> uses[] = {
      [&] { driver->free(driver->allocate(16)); },
      [&] { driver->destroyStream(driver->createStream()); },
      [&] { driver->copyToDevice(stream, memory, 0, bytes, 16); },
      [&] { driver->copyToHost(stream, bytes, memory, 0, 16); },
      [&] { driver->copyOnDevice(stream, memory, 0, memory, 8, 8); },
      [&] { driver->fill(stream, memory, 0, 1, 16); },
      [&] { driver->load({}); },
      [&] { driver->launch(stream, *kernel, {}); },
      [&] { driver->synchronize(stream); },
      [&] { driver->destroyEvent(driver->recordEvent(stream)); },
      [&] { driver->waitEvent(event); },
      [&] { driver->waitInStream(stream, event); },
      [&] { driver->elapsed(event, event); },
  };
  for (const auto &use : uses) {
    EXPECT_EQ(errorOf(use), "(works)");
    EXPECT_THAT(inChild([&] { return errorOf(use); }),
                AllOf(HasSubstr("device null was opened before this process was forked"), HasSubstr("'spawn'")));
  }
  for (const std::function<void()> &foreign : std::initializer_list<std::function<void()>>{
           [&] { driver->wrapMemory({}); }, [&] { driver->wrapStream(nullptr); }, [&] { driver->nativeStream(stream); },
           [&] { driver->beginCapture(stream); }, [&] { driver->endCapture(stream); },
           [&] { driver->launchGraph(nullptr, stream); }, [&] { driver->isCaptured(stream); }})
    EXPECT_THAT(inChild([&] { return errorOf(foreign); }), HasSubstr("was opened before this process was forked"));
  EXPECT_EQ(kernel->usage().registers, 40);
  EXPECT_EQ(inChild([&] { return std::to_string(kernel->usage().registers) + driver->info().name; }), "-1null");
  destroyed = 0; // a kernel and a stream were made and dropped above
  EXPECT_EQ(inChild([&] {
              driver->destroyEvent(event);
              driver->destroyStream(stream);
              driver->free(memory);
              kernel.reset();
              driver.reset();
              return std::to_string(destroyed);
            }),
            "0");
  driver->destroyEvent(event);
  driver->free(memory);
  driver->destroyStream(stream);
  kernel.reset();
  driver.reset();
  EXPECT_EQ(destroyed, 3);
}

TEST(Fork, ChildrenFindNoDevicesThatTheParentHasAskedFor) {
  FactoryOf gpu(false), host(true), untouched(false);
  std::string why;
  auto count = [&](DriverFactory &factory) { return std::to_string(enumerateUnlessForked(factory, why).size()) + why; };
  EXPECT_EQ(count(gpu), "1");
  EXPECT_EQ(count(host), "1");
  EXPECT_THAT(inChild([&] { return count(gpu); }),
              HasSubstr("0this process was forked from one that used the backend"));
  EXPECT_EQ(inChild([&] { return count(host); }), "1");
  EXPECT_EQ(inChild([&] { return count(untouched); }), "1");
}

} // namespace
} // namespace tegula::test
