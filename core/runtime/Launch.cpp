// Launching. A repeated launch takes no lock, hashes no string and allocates nothing, apart from containers that the
// caller passes and from checked launches.
#include "core/runtime/KernelImpl.h"
#include "core/runtime/Translate.h"
#include "core/runtime/launch/Tune.h"
#include "core/support/Environment.h"

#include <limits>

namespace tegula {
namespace {

/// One for each thread, so that its vectors keep their storage from launch to launch.
struct Scratch {
  Binding binding;
  LaunchRequest request;
  std::vector<DescriptorValue> descriptors;
  std::vector<std::shared_ptr<Allocation>> live;
  bool busy = false;
};

/// The thread's scratch, or a new one inside a print callback that launches.
class ScratchUse {
public:
  ScratchUse() {
    thread_local Scratch shared;
    if (shared.busy)
      own_ = std::make_unique<Scratch>();
    scratch_ = own_ ? own_.get() : &shared;
    scratch_->busy = true;
  }
  ~ScratchUse() {
    scratch_->live.clear();
    scratch_->request.buffers.clear();
    scratch_->request.print = nullptr;
    scratch_->request.sourceLine = nullptr;
    scratch_->busy = false;
  }
  ScratchUse(const ScratchUse &) = delete;
  Scratch &operator*() { return *scratch_; }

private:
  std::unique_ptr<Scratch> own_;
  Scratch *scratch_;
};

/// False if the grid is empty.
bool setGrid(LaunchRequest &request, const Grid &grid, const std::string &kernel) {
  int64_t total = 1;
  bool any = true;
  for (size_t axis = 0; axis < 3; ++axis) {
    int64_t extent = grid.axes[axis];
    if (extent < 0 || extent > std::numeric_limits<int32_t>::max())
      throw Error("grid axis " + std::to_string(axis) + " of kernel '" + kernel + "' is " + std::to_string(extent) +
                  "; it must be from 0 to 2147483647");
    any = any && extent != 0;
    request.grid[axis] = static_cast<uint32_t>(extent);
    if (any && __builtin_mul_overflow(total, extent, &total))
      throw Error("the grid of kernel '" + kernel + "' has more than 2^63 programs");
  }
  return any;
}

void setArguments(Scratch &scratch, const Variant &variant) {
  scratch.request.arguments.clear();
  scratch.descriptors.clear();
  scratch.descriptors.reserve(variant.sources.size()); // arguments point into it
  for (uint32_t source : variant.sources) {
    const BoundArgument &bound = scratch.binding.arguments[source];
    LaunchArgument argument{bound.bits, nullptr};
    if (bound.kind == ParamType::Kind::Descriptor) {
      const Buffer::Impl &tensor = *bound.buffer;
      scratch.descriptors.push_back({bound.bits, tensor.shape, tensor.strides, bound.descriptor->paddingNaN});
      argument.descriptor = &scratch.descriptors.back();
    }
    scratch.request.arguments.push_back(argument);
  }
}

/// After an unchecked launch, every byte of the buffers that it can reach counts as written.
void markReachable(const Binding &binding) {
  for (const BoundArgument &argument : binding.arguments) {
    if (argument.buffer)
      argument.buffer->allocation->markWholeWritten();
    if (argument.pointers)
      for (const Buffer &target : argument.pointers->targets)
        target.impl()->allocation->markWholeWritten();
  }
}

/// Every live buffer, under the name of the parameter that it is passed as.
void addBuffers(Scratch &scratch, const Prototype &prototype, Device::Impl &device) {
  scratch.live = device.live();
  for (const std::shared_ptr<Allocation> &allocation : scratch.live) {
    CheckedBuffer buffer;
    buffer.memory = allocation->memory();
    buffer.memory.size = allocation->bytes();
    buffer.written = allocation->writtenMap();
    for (size_t i = 0; i < scratch.binding.arguments.size() && buffer.name.empty(); ++i) {
      const BoundArgument &argument = scratch.binding.arguments[i];
      const std::string &param = prototype.info.params[prototype.runtime[i]].name;
      if (argument.buffer && argument.buffer->allocation == allocation) {
        buffer.name = param;
        buffer.type = toScalarType(argument.buffer->type);
      }
      for (size_t t = 0; argument.pointers && t < argument.pointers->targets.size() && buffer.name.empty(); ++t)
        if (argument.pointers->targets[t].impl()->allocation == allocation) {
          buffer.name = param + "[" + std::to_string(t) + "]";
          buffer.type = argument.type;
        }
    }
    scratch.request.buffers.push_back(std::move(buffer));
  }
}

/// The parts of one launch, in their order.
template <class MakeGrid> class Launcher final : public Trial {
public:
  Launcher(const Kernel::Impl &kernel, const Stream &stream, const MakeGrid &makeGrid, const LaunchOptions &options,
           Scratch &scratch)
      : Trial(stream), kernel_(kernel), makeGrid_(makeGrid), options_(options), scratch_(scratch),
        device_(stream.device().impl()) {}

  template <class Values> void bind(const Values &values) {
    translated(ApiError::Kind::BadUse, [&] {
      scratch_.binding.assign(kernel_.prototype, values);
      scratch_.binding.resolve(kernel_.prototype, *device_);
    });
    scratch_.request.checked = options_.checked ? *options_.checked : environmentFlag(Variable::Interpret);
  }
  bool isChecked() const { return scratch_.request.checked; }

  bool launch(const Configured &configured, const Variant &variant) override {
    // Exceptions of the caller's grid function are passed on unchanged.
    Grid grid = makeGrid_(configured.resolved);
    LaunchRequest &request = scratch_.request;
    bool any = translated(ApiError::Kind::BadUse, [&] {
      if (request.checked && !device_->driver->supportsChecked())
        throw Error("device " + device_->info.name +
                    " cannot check launches; use the device cpu, or unset TRITON_INTERPRET");
      return setGrid(request, grid, kernel_.prototype.info.name);
    });
    if (!any)
      return false;
    setArguments(scratch_, variant);
    if (options_.print)
      request.print = options_.print;
    request.sourceLine = [kernel = &kernel_](uint32_t line) { return kernel->line(line); };
    if (request.checked)
      translated(ApiError::Kind::Device, [&] { addBuffers(scratch_, kernel_.prototype, *device_); });
    else
      markReachable(scratch_.binding);
    translated(ApiError::Kind::Device,
               [&] { device_->driver->launch(stream.impl()->handle, *variant.kernel, request); });
    return true;
  }

private:
  const Kernel::Impl &kernel_;
  const MakeGrid &makeGrid_;
  const LaunchOptions &options_;
  Scratch &scratch_;
  const std::shared_ptr<Device::Impl> &device_;
};

template <class Values, class MakeGrid>
void launchWith(const std::shared_ptr<const Kernel::Impl> &kernel, const Stream &stream, const MakeGrid &makeGrid,
                const Values &values, const LaunchOptions &options) {
  ScratchUse use;
  Scratch &scratch = *use;
  Launcher<MakeGrid> launcher(*kernel, stream, makeGrid, options, scratch);
  launcher.bind(values);
  Selection selection =
      select(*kernel, stream.device().impl(), scratch.binding, options, launcher.isChecked() ? nullptr : &launcher);
  launcher.launch(*selection.configured, *selection.variant);
}

auto fixedGrid(const Grid &grid) {
  return [&grid](const ApiConstants &) -> const Grid & { return grid; };
}

} // namespace

void Kernel::launch(const Stream &stream, Grid grid, const std::vector<Argument> &arguments,
                    const LaunchOptions &options) const {
  launchWith(impl_, stream, fixedGrid(grid), arguments, options);
}

void Kernel::launch(const Stream &stream, Grid grid, const NamedArguments &arguments,
                    const LaunchOptions &options) const {
  launchWith(impl_, stream, fixedGrid(grid), arguments.values(), options);
}

void Kernel::launch(const Stream &stream, const GridFunction &grid, const std::vector<Argument> &arguments,
                    const LaunchOptions &options) const {
  launchWith(impl_, stream, grid, arguments, options);
}

void Kernel::launch(const Stream &stream, const GridFunction &grid, const NamedArguments &arguments,
                    const LaunchOptions &options) const {
  launchWith(impl_, stream, grid, arguments.values(), options);
}

session::TuneReport session::tune(const Kernel &kernel, const Stream &stream, const Kernel::GridFunction &grid,
                                  const NamedArguments &arguments, const LaunchOptions &options,
                                  const TuneRequest &request) {
  ScratchUse use;
  LaunchOptions unchecked = options;
  unchecked.checked = false;
  Launcher<Kernel::GridFunction> launcher(*kernel.impl(), stream, grid, unchecked, *use);
  launcher.bind(arguments.values());
  return tegula::tune(*kernel.impl(), (*use).binding, unchecked, launcher, request);
}

} // namespace tegula
