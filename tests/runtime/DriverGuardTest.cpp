// Which kernels were launched last is part of a device's failure.
#include "core/runtime/api/DriverGuard.h"
#include "core/support/Diagnostic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace tegula {
namespace {

Diagnostic failure(const std::string &message, bool isDeviceFailure) {
  Diagnostic diagnostic;
  diagnostic.message = message;
  diagnostic.isDeviceFailure = isDeviceFailure;
  return diagnostic;
}

/// Fails at waits, as `fault` says.
class FailingDriver final : public Driver {
public:
  enum class Fault { None, Kernel, Device, Assertion };
  explicit FailingDriver(const Fault &fault) : fault_(fault) {}
  const DeviceInfo &info() const override { return info_; }
  bool supportsChecked() const override { return false; }
  DeviceMemory allocate(size_t) override { return {}; }
  void free(const DeviceMemory &) override {}
  void *createStream() override { return &streams_[next_++]; }
  void destroyStream(void *) override {}
  void copyToDevice(void *, const DeviceMemory &, size_t, const void *, size_t) override {}
  void copyToHost(void *, void *, const DeviceMemory &, size_t, size_t) override { fail(); }
  void copyOnDevice(void *, const DeviceMemory &, size_t, const DeviceMemory &, size_t, size_t) override {}
  void fill(void *, const DeviceMemory &, size_t, uint8_t, size_t) override {}
  std::unique_ptr<DriverKernel> load(const Artifact &) override { return std::make_unique<NoKernel>(); }
  void launch(void *, const DriverKernel &, const LaunchRequest &) override {}
  void synchronize(void *) override { fail(); }
  void *recordEvent(void *) override { return nullptr; }
  void destroyEvent(void *) override {}
  void waitEvent(void *) override { fail(); }
  double elapsed(void *, void *) override { return 0; }

private:
  struct NoKernel final : DriverKernel {};
  void fail() const {
    switch (fault_) {
    case Fault::None: return;
    case Fault::Kernel: throw KernelFault(failure("illegal address", true));
    case Fault::Device: throw Error(failure("device lost", true));
    case Fault::Assertion: throw KernelFault(failure("an assertion failed", false));
    }
  }
  const Fault &fault_;
  DeviceInfo info_;
  std::array<int, 4> streams_ = {};
  size_t next_ = 0;
};

class FailuresTest : public testing::Test {
protected:
  void launch(const char *name, void *stream) {
    LaunchRequest request;
    request.kernel = name;
    driver->launch(stream, *kernel, request);
  }
  template <class Expected = Error> std::string message(const std::function<void()> &body) {
    try {
      body();
    } catch (const Expected &error) {
      return error.diagnostic().message;
    }
    return "(works)";
  }

  FailingDriver::Fault fault = FailingDriver::Fault::None;
  std::unique_ptr<Driver> driver = guardedDriver(std::make_unique<FailingDriver>(fault));
  std::unique_ptr<DriverKernel> kernel = driver->load({});
  void *stream = driver->createStream(), *other = driver->createStream();
};

TEST_F(FailuresTest, NameTheKernelsThatWereLaunchedLast) {
  launch("first (k.py:1)", stream);
  launch("second (k.py:9)", other);
  fault = FailingDriver::Fault::Kernel;
  std::string expected = "illegal address; launched last: second (k.py:9), first (k.py:1)";
  EXPECT_EQ(message<KernelFault>([&] { driver->synchronize(stream); }), expected);
  EXPECT_EQ(message<KernelFault>([&] { driver->copyToHost(stream, nullptr, {}, 0, 0); }), expected);
  EXPECT_EQ(message<KernelFault>([&] { driver->waitEvent(nullptr); }), expected);
  fault = FailingDriver::Fault::Device;
  EXPECT_EQ(message([&] { driver->synchronize(stream); }),
            "device lost; launched last: second (k.py:9), first (k.py:1)");
}

TEST_F(FailuresTest, LeaveOutKernelsThatHaveEnded) {
  launch("first (k.py:1)", stream);
  launch("second (k.py:9)", other);
  driver->synchronize(stream);
  fault = FailingDriver::Fault::Device;
  EXPECT_EQ(message([&] { driver->synchronize(other); }), "device lost; launched last: second (k.py:9)");
}

TEST_F(FailuresTest, OfOtherKindsStayAsTheyAre) {
  launch("first (k.py:1)", stream);
  fault = FailingDriver::Fault::Assertion;
  EXPECT_EQ(message<KernelFault>([&] { driver->synchronize(stream); }), "an assertion failed");
}

} // namespace
} // namespace tegula
