// Tests on every Vulkan device of the machine: lavapipe, and real ones where there are any.
#pragma once

#include "backends/vulkan/driver/Driver.h"
#include "tests/vulkan/Kernels.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <functional>

namespace tegula::vulkan::test {

struct FoundDevice {
  std::string name;
  DeviceFacts facts;
};
/// Found once; empty without devices.
const std::vector<FoundDevice> &foundDevices();

/// A buffer of the driver, freed at the end of its life.
template <class T> class DeviceArray {
public:
  DeviceArray(Driver &driver, size_t count) : driver_(driver), memory_(driver.allocate(count * sizeof(T))) {}
  ~DeviceArray() { driver_.free(memory_); }
  DeviceArray(const DeviceArray &) = delete;
  const DeviceMemory &memory() const { return memory_; }
  size_t bytes() const { return memory_.size; }
  LaunchArgument argument() const { return {memory_.address, nullptr}; }

  void write(void *stream, const std::vector<T> &values) {
    driver_.copyToDevice(stream, memory_, 0, values.data(), values.size() * sizeof(T));
  }
  std::vector<T> read(void *stream) {
    std::vector<T> values(memory_.size / sizeof(T));
    driver_.copyToHost(stream, values.data(), memory_, 0, memory_.size);
    return values;
  }

private:
  Driver &driver_;
  DeviceMemory memory_;
};

class VulkanDevice : public ::testing::TestWithParam<size_t> {
protected:
  void SetUp() override { open(foundDevices()[GetParam()].facts); }
  void open(const DeviceFacts &facts) {
    driver_ = std::make_unique<VulkanDriver>("vulkan:test", facts);
    stream_ = driver_->createStream();
  }
  void TearDown() override {
    if (stream_)
      driver_->destroyStream(stream_);
  }

  const DeviceFacts &facts() const { return driver_->facts(); }
  bool has(Feature feature) const { return facts().capacity.features.has(feature); }
  void launch(const Artifact &artifact, std::array<uint32_t, 3> grid, std::vector<LaunchArgument> arguments,
              void *stream = nullptr) {
    std::unique_ptr<DriverKernel> kernel = driver_->load(artifact);
    launch(*kernel, grid, std::move(arguments), stream);
  }
  void launch(const DriverKernel &kernel, std::array<uint32_t, 3> grid, std::vector<LaunchArgument> arguments,
              void *stream = nullptr) {
    LaunchRequest request;
    request.grid = grid;
    request.arguments = std::move(arguments);
    driver_->launch(stream ? stream : stream_, kernel, request);
  }

  std::unique_ptr<VulkanDriver> driver_;
  void *stream_ = nullptr;
};

/// The message of the tegula::Error that `call` throws.
std::string errorOf(const std::function<void()> &call);
/// What that error says the kernel needs too much of.
std::optional<Shortage> shortageOf(const std::function<void()> &call);

/// Numbers in [-1, 1), equal for equal seeds.
std::vector<float> randomFloats(size_t count, uint32_t seed);

} // namespace tegula::vulkan::test

#define TEGULA_ON_EACH_DEVICE(Suite)                                                                                   \
  GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Suite);                                                                \
  INSTANTIATE_TEST_SUITE_P(                                                                                            \
      Devices, Suite, ::testing::Range(size_t(0), foundDevices().size()),                                              \
      [](const ::testing::TestParamInfo<size_t> &info) { return "vulkan" + std::to_string(info.param); })
