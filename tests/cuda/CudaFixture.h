// A device of the fake driver library, opened through the backend's factory.
#pragma once

#include "backends/cuda/Driver.h"
#include "core/contracts/Backend.h"
#include "tests/cuda/FakeCuda.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace tegula::test {

/// Sets an environment variable for one scope; null unsets it.
class ScopedEnvironment {
public:
  ScopedEnvironment(const char *name, const char *value);
  ~ScopedEnvironment();
  ScopedEnvironment(const ScopedEnvironment &) = delete;

private:
  std::string name_;
  std::optional<std::string> old_;
};

/// A path to the same file, spelled differently each time: the backend opens a library once for each spelling, so the
/// library's functions are looked up and its devices are counted again.
std::string freshPath(const std::string &library);

std::string messageOf(const std::function<void()> &body);
/// What the tegula::Error that `body` throws says the kernel needs too much of.
std::optional<Shortage> shortageOf(const std::function<void()> &body);

class CudaTest : public ::testing::Test {
protected:
  CudaTest();
  ~CudaTest() override;

  /// The first device; call after changing `fake_`.
  Driver &device();
  /// PTX text of a kernel with these parameters, such as `.param .u64 x`.
  static std::string kernelText(const std::string &name, const std::string &params);
  static Artifact artifact(const std::string &params = "", std::vector<ArtifactParam> declared = {});
  std::unique_ptr<DriverKernel> load(const Artifact &artifact) { return device().load(artifact); }
  /// Launches on a stream of its own and waits.
  void launch(const DriverKernel &kernel, std::array<uint32_t, 3> grid, std::vector<LaunchArgument> arguments);

  template <class T> static T valueOf(const fakecuda::Bytes &bytes) {
    T value;
    EXPECT_EQ(bytes.size(), sizeof value);
    std::memcpy(&value, bytes.data(), std::min(sizeof value, bytes.size()));
    return value;
  }

  std::unique_ptr<ScopedEnvironment> library_;
  fakecuda::State &fake_;
  std::unique_ptr<Driver> driver_;
};

} // namespace tegula::test
