// Launching. A repeated launch takes no lock, hashes no string and allocates nothing, apart from containers that the
// caller passes and from checked launches.
#include "core/runtime/KernelImpl.h"
#include "core/runtime/Translate.h"
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

template <class Values, class MakeGrid>
void launchWith(const std::shared_ptr<const Kernel::Impl> &kernel, const Stream &stream, const MakeGrid &makeGrid,
                const Values &values, const LaunchOptions &options) {
  const Prototype &prototype = kernel->prototype;
  const std::shared_ptr<Device::Impl> &device = stream.device().impl();
  ScratchUse use;
  Scratch &scratch = *use;
  translated(ApiError::Kind::BadUse, [&] {
    scratch.binding.assign(prototype, values);
    scratch.binding.resolve(prototype, *device);
  });
  Selection selection = select(*kernel, device, scratch.binding, options);
  // Exceptions of the caller's grid function are passed on unchanged.
  Grid grid = makeGrid(selection.configured->resolved);
  LaunchRequest &request = scratch.request;
  request.checked = options.checked ? *options.checked : environmentFlag(Variable::Interpret);
  bool any = translated(ApiError::Kind::BadUse, [&] {
    if (request.checked && !device->driver->supportsChecked())
      throw Error("device " + device->info.name +
                  " cannot check launches; use the device cpu, or unset TRITON_INTERPRET");
    return setGrid(request, grid, prototype.info.name);
  });
  if (!any)
    return;
  setArguments(scratch, *selection.variant);
  if (options.print)
    request.print = options.print;
  request.sourceLine = [impl = kernel.get()](uint32_t line) { return impl->line(line); };
  if (request.checked)
    translated(ApiError::Kind::Device, [&] { addBuffers(scratch, prototype, *device); });
  else
    markReachable(scratch.binding);
  translated(ApiError::Kind::Device,
             [&] { device->driver->launch(stream.impl()->handle, *selection.variant->kernel, request); });
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

} // namespace tegula
