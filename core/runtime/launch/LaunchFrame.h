// What every launch needs beside its kernel: the storage of its arguments, which each thread keeps for its next
// launches, and the way from bound arguments to the driver.
#pragma once

#include "core/runtime/KernelImpl.h"

namespace tegula {

struct LaunchStorage {
  Binding binding;
  LaunchRequest request;
  std::vector<DescriptorValue> descriptors;
  std::vector<TensorShape> derived; // of descriptors that the launch makes
  std::vector<std::shared_ptr<Allocation>> live;
  bool busy = false;
};

/// Whether a launch tests every access: as its options say, else as TRITON_INTERPRET says now.
bool isChecked(const LaunchOptions &options);

/// The calling thread's storage, or a new one inside a print callback that launches.
class LaunchFrame {
public:
  LaunchFrame();
  ~LaunchFrame();
  LaunchFrame(const LaunchFrame &) = delete;
  Binding &binding() { return storage_->binding; }

  /// Launches the variant for the bound arguments; false, and nothing is launched, if the grid is empty. Throws
  /// ApiError.
  bool launch(const Kernel::Impl &kernel, const Stream &stream, const Variant &variant, const Grid &grid, bool checked,
              const std::function<void(std::string_view)> &print);

private:
  void setArguments(const Variant &variant);
  void submit(Driver &driver, void *stream, const Variant &variant);
  void markReachable(Device::Impl &device) const;
  void addBuffers(const Prototype &prototype, Device::Impl &device);
  CheckedBuffer describe(const Prototype &prototype, const std::shared_ptr<Allocation> &allocation) const;

  std::unique_ptr<LaunchStorage> own_;
  LaunchStorage *storage_;
};

} // namespace tegula
