// backends/vulkan runs kernels on any Vulkan device. It has a driver (this half, in the runtime library) on top of
// libvulkan, which is opened at run time, and a code generator (in the compiler library), which writes SPIR-V by
// `spirv/`. This half does not use LLVM.
//
//   Instance -> Facts (a device's properties) -> Profiles (the targets that it satisfies)
//   Context (an open device) -> Heap, Stream, Kernel; Launch uses all of them
//
// A device must have Vulkan 1.2 and the features that Features.cpp marks as required. All other features are optional.
#pragma once

#include "backends/vulkan/DeviceVariant.h"
#include "backends/vulkan/driver/Kernel.h"
#include "core/contracts/Backend.h"

namespace tegula::vulkan {

class VulkanDriver final : public Driver {
public:
  /// `facts`: the properties of a suitable device. Tests remove features from it to test that kernels are refused.
  VulkanDriver(std::string name, DeviceFacts facts);
  /// Uses a device that the caller has created.
  VulkanDriver(DeviceFacts facts, std::unique_ptr<const Instance> instance, const NativeDevice &native);
  ~VulkanDriver() override;

  const DeviceInfo &info() const override { return info_; }
  bool executesOnHost() const override { return context_->facts().type == VK_PHYSICAL_DEVICE_TYPE_CPU; }
  bool supportsChecked() const override { return false; }
  int suitability(const std::string &target) const override;
  DeviceMemory allocate(size_t bytes) override;
  void free(const DeviceMemory &memory) override;
  void *createStream() override;
  void destroyStream(void *stream) override;
  void copyToDevice(void *stream, const DeviceMemory &to, size_t offset, const void *from, size_t bytes) override;
  void copyToHost(void *stream, void *to, const DeviceMemory &from, size_t offset, size_t bytes) override;
  void copyOnDevice(void *stream, const DeviceMemory &to, size_t toOffset, const DeviceMemory &from, size_t fromOffset,
                    size_t bytes) override;
  void fill(void *stream, const DeviceMemory &to, size_t offset, uint8_t value, size_t bytes) override;
  std::unique_ptr<DriverKernel> load(const Artifact &artifact) override;
  void launch(void *stream, const DriverKernel &kernel, const LaunchRequest &request) override;
  void synchronize(void *stream) override;
  void *recordEvent(void *stream) override;
  void destroyEvent(void *event) override;
  void waitEvent(void *event) override;
  double elapsed(void *start, void *end) override;
  /// Wraps a VkBuffer that the caller has created on an adopted device.
  DeviceMemory wrapMemory(const NativeMemory &memory) override;
  void unwrapMemory(const DeviceMemory &memory) override;
  void *wrapStream(void *native) override;
  void unwrapStream(void *stream) override { destroyStream(stream); }

  const DeviceFacts &facts() const { return context_->facts(); }

private:
  uint64_t safeAddress();

  DeviceInfo info_;
  std::shared_ptr<Context> context_;
  std::unique_ptr<Heap> heap_;
  std::once_flag safeOnce_;
  std::unique_ptr<Block> safe_; // zeros that masked loads read
};

/// The suitable devices of the library, named "vulkan:0", ...; if there are none, `whyNone` says why. Never throws.
std::vector<std::pair<std::string, DeviceFacts>> findDevices(std::string &whyNone, const DeviceVariant &variant = {});
DeviceInfo describe(const std::string &name, const DeviceFacts &facts);

} // namespace tegula::vulkan

namespace tegula {

/// Registers the backend: backends/CMakeLists.txt derives this function's name from the folder's name.
DriverFactory *vulkanDriverFactory();

} // namespace tegula
