// What every launch needs beside its kernel: the storage of its arguments, which each thread keeps for its next
// launches, and the way from bound arguments to the driver.
#pragma once

#include "core/runtime/launch/Checked.h"
#include "core/runtime/launch/Repeat.h"

namespace tegula {

struct LaunchStorage {
  Binding binding;
  Repeat repeat; // of the binding
  LaunchRequest request;
  std::vector<DescriptorValue> descriptors;
  std::vector<TensorShape> derived; // of descriptors that the launch makes
  std::vector<std::shared_ptr<Allocation>> live;
  std::vector<WorkspaceMemory> workspaces; // until the launch is submitted
  uint64_t sourceOf = 0;                   // serial of the kernel that request.sourceLine is of
  bool busy = false;
};

/// Storage of one launch. A thread keeps a few, and a kernel has always the same one of them, so that a thread which
/// launches several kernels in turns finds there what `Repeat` keeps of each. While a launch uses the thread's storage,
/// a launch inside of it, by its grid function or its print callback, gets a new one if its kernel has the same.
class LaunchFrame {
public:
  explicit LaunchFrame(const Kernel::Impl &kernel);
  ~LaunchFrame();
  LaunchFrame(const LaunchFrame &) = delete;
  const Binding &binding() const { return storage_->binding; }
  /// The binding, for a caller that assigns all of it. What a repeated launch would use of it is forgotten.
  Binding &startBinding() {
    storage_->repeat.forget();
    return storage_->binding;
  }
  /// Repeat::rebind and Repeat::remember, with the frame's binding.
  const Selection *rebind(const Kernel::Impl &kernel, const Device::Impl &device, const std::vector<Argument> &values,
                          const LaunchOptions &options) {
    return storage_->repeat.rebind(kernel, device, storage_->binding, values, options);
  }
  void remember(const Kernel::Impl &kernel, const Selection &selection) {
    storage_->repeat.remember(kernel, storage_->binding, selection);
  }

  /// Launches the variant for the bound arguments; false, and nothing is launched, if the grid is empty. Throws
  /// ApiError.
  bool launch(const Kernel::Impl &kernel, const Stream &stream, const Variant &variant, const Grid &grid, bool checked,
              const std::function<void(std::string_view)> &print);

private:
  void setArguments(Stream::Impl &stream, const Variant &variant);
  void submit(Driver &driver, Stream::Impl &stream, const Variant &variant);
  void markReachable(Device::Impl &device) const;
  void addBuffers(const Prototype &prototype, Device::Impl &device);
  CheckedBuffer describe(const Prototype &prototype, const std::shared_ptr<Allocation> &allocation) const;

  std::unique_ptr<LaunchStorage> own_;
  LaunchStorage *storage_;
};

} // namespace tegula
