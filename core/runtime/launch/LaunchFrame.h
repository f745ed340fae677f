// The storage of a launch's arguments, which each thread reuses, and the conversion of bound arguments to a driver's
// request.
#pragma once

#include "core/runtime/launch/Checked.h"
#include "core/runtime/launch/Repeat.h"

namespace tegula {

struct LaunchStorage {
  Binding binding;
  Repeat repeat; // of `binding`
  LaunchRequest request;
  std::vector<DescriptorValue> descriptors;
  std::vector<TensorShape> derived; // shapes of the descriptors that the launch derives
  std::vector<std::shared_ptr<Allocation>> live;
  std::vector<WorkspaceMemory> workspaces; // used until the launch is submitted
  uint64_t sourceOf = 0;                   // serial of the kernel that request.sourceLine belongs to
  bool busy = false;
};

/// The storage of one launch. A thread has several, and each kernel always uses the same one, so that a thread which
/// alternates between kernels finds the `Repeat` of each. If a launch is made inside another one, by a grid function or
/// a print callback, and both kernels use the same storage, the inner launch gets a new one.
class LaunchFrame {
public:
  explicit LaunchFrame(const Kernel::Impl &kernel);
  ~LaunchFrame();
  LaunchFrame(const LaunchFrame &) = delete;
  const Binding &binding() const { return storage_->binding; }
  /// Returns the binding, to which the caller then assigns all arguments of a new launch. Makes Repeat forget the
  /// previous launch.
  Binding &startBinding() {
    storage_->repeat.forget();
    return storage_->binding;
  }
  /// Calls Repeat::rebind and Repeat::remember with the frame's binding.
  const Selection *rebind(const Kernel::Impl &kernel, const Device::Impl &device, const std::vector<Argument> &values,
                          const LaunchOptions &options) {
    return storage_->repeat.rebind(kernel, device, storage_->binding, values, options);
  }
  void remember(const Kernel::Impl &kernel, const Selection &selection) {
    storage_->repeat.remember(kernel, storage_->binding, selection);
  }

  /// Launches the variant with the bound arguments. If the grid is empty, launches nothing and returns false. Throws
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
