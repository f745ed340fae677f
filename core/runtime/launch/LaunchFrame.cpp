#include "core/runtime/launch/LaunchFrame.h"
#include "core/runtime/Translate.h"
#include "core/runtime/Workspace.h"
#include "core/runtime/launch/Derived.h"
#include "core/runtime/launch/Interruption.h"
#include "core/runtime/launch/Variants.h"

#include <algorithm>
#include <array>
#include <limits>

namespace tegula {
namespace {

/// Sets the request's grid: the extents of `grid`, of which the first is multiplied by `factor` (Artifact::gridFactor).
/// False if the grid is empty.
bool setGrid(LaunchRequest &request, const Grid &grid, uint32_t factor, const std::string &kernel) {
  int64_t total = 1;
  bool any = true;
  for (size_t axis = 0; axis < 3; ++axis) {
    int64_t extent = grid.axes[axis];
    if (extent < 0 || extent > std::numeric_limits<int32_t>::max())
      throw Error("grid axis " + std::to_string(axis) + " of kernel '" + kernel + "' is " + std::to_string(extent) +
                  "; it must be from 0 to 2147483647");
    if (axis == 0 && (extent *= factor) > std::numeric_limits<int32_t>::max())
      throw Error("the grid of kernel '" + kernel + "' has " + std::to_string(extent) +
                  " programs along axis 0, with depth_splits=" + std::to_string(factor) + "; there can be 2147483647");
    any = any && extent != 0;
    request.grid[axis] = static_cast<uint32_t>(extent);
    if (any && __builtin_mul_overflow(total, extent, &total))
      throw Error("the grid of kernel '" + kernel + "' has more than 2^63 programs");
  }
  return any;
}

[[noreturn]] void refuseReadOnly(const ArtifactParam &param, const Artifact &artifact) {
  throw ApiError(ApiError::Kind::BadUse, "parameter '" + param.name + "' of kernel '" + artifact.entry +
                                             "': the kernel may write to its memory, but it was given read-only "
                                             "memory; give a writable array or buffer");
}

/// Merges buffers that overlap: the caller may wrap its memory several times, in overlapping parts, and an access
/// through one of them may reach bytes that only another one covers.
void joinOverlapping(std::vector<CheckedBuffer> &buffers) {
  auto hasBytes = [](const CheckedBuffer &buffer) { return buffer.memory.size != 0; };
  auto firstEmpty = std::ranges::partition(buffers, hasBytes).begin();
  if (firstEmpty == buffers.begin())
    return;
  std::ranges::sort(buffers.begin(), firstEmpty, {}, [](const CheckedBuffer &buffer) { return buffer.memory.address; });
  auto last = buffers.begin();
  for (auto next = last + 1; next != firstEmpty; ++next) {
    uint64_t end = last->memory.address + last->memory.size;
    if (next->memory.address >= end) {
      if (++last != next)
        *last = std::move(*next);
      continue;
    }
    last->memory.size = std::max(end, next->memory.address + next->memory.size) - last->memory.address;
    last->written = nullptr;
    if (last->name.empty())
      std::tie(last->name, last->type) = std::tuple(next->name, next->type);
  }
  buffers.erase(last + 1, firstEmpty);
}

} // namespace

LaunchFrame::LaunchFrame(const Kernel::Impl &kernel) {
  constexpr size_t kKept = 8;
  thread_local std::array<LaunchStorage, kKept> kept;
  storage_ = &kept[kernel.serial % kKept];
  if (storage_->busy) {
    own_ = std::make_unique<LaunchStorage>();
    storage_ = own_.get();
  }
  storage_->busy = true;
  storage_->request.isInterrupted = isInterrupted;
  storage_->request.kernel = kernel.label;
}

LaunchFrame::~LaunchFrame() {
  storage_->live.clear();
  storage_->workspaces.clear();
  storage_->request.buffers.clear();
  if (storage_->request.print)
    storage_->request.print = nullptr;
  storage_->busy = false;
}

void LaunchFrame::setArguments(Stream::Impl &stream, const Variant &variant) {
  std::vector<DescriptorValue> &descriptors = storage_->descriptors;
  std::vector<LaunchArgument> &arguments = storage_->request.arguments;
  descriptors.clear();
  const std::vector<ArtifactParam> &params = variant.compiled.artifact.params;
  descriptors.reserve(params.size()); // no reallocation: arguments point to the elements
  arguments.resize(variant.sources.size());
  LaunchArgument *argument = arguments.data();
  const ArtifactParam *param = params.data();
  for (std::span<const BoundArgument> all = storage_->binding.arguments; uint32_t source : variant.sources) {
    const BoundArgument &bound = all[source];
    if (param->access != ArtifactParam::Access::Reads && bound.isReadOnly())
      refuseReadOnly(*param, variant.compiled.artifact);
    ++param;
    argument->bits = bound.bits;
    argument->descriptor = nullptr;
    if (bound.kind == ParamType::Kind::Descriptor)
      argument->descriptor = &descriptors.emplace_back(bound.bits, bound.shape, bound.strides, bound.paddingNaN);
    ++argument;
  }
  if (params.size() == variant.sources.size())
    return;
  if (std::span<const ArtifactParam> workspaces = variant.compiled.artifact.workspaces(); !workspaces.empty())
    supplyWorkspaces(storage_->request, workspaces, stream, storage_->workspaces);
  size_t passed = descriptors.size();
  derive(descriptors, storage_->derived, variant, storage_->binding.arguments);
  for (const DescriptorValue &descriptor : std::span(descriptors).subspan(passed))
    arguments.push_back({descriptor.address, &descriptor});
}

/// Marks as written every byte of the buffers that an unchecked launch can reach.
void LaunchFrame::markReachable(Device::Impl &device) const {
  bool anyAddress = false;
  for (const BoundArgument &argument : storage_->binding.arguments) {
    anyAddress |= argument.isAddress;
    if (argument.buffer)
      argument.buffer->allocation->markWholeWritten();
    if (argument.pointers)
      for (const Buffer &target : argument.pointers->targets)
        target.impl()->allocation->markWholeWritten();
  }
  if (anyAddress && device.driver->supportsChecked())
    device.unknownWrites.fetch_add(1, std::memory_order_relaxed);
}

/// Describes an allocation for checked mode: its address, size and map of written bytes, and the name of the first
/// parameter that points into it (empty if none does).
CheckedBuffer LaunchFrame::describe(const Prototype &prototype, const std::shared_ptr<Allocation> &allocation) const {
  CheckedBuffer buffer;
  buffer.memory = allocation->memory();
  buffer.memory.size = allocation->bytes();
  buffer.written = allocation->writtenMap();
  const std::vector<BoundArgument> &arguments = storage_->binding.arguments;
  for (size_t i = 0; i < arguments.size() && buffer.name.empty(); ++i) {
    const BoundArgument &argument = arguments[i];
    const std::string &param = prototype.info.params[prototype.runtime[i]].name;
    bool points = argument.isAddress && argument.bits - buffer.memory.address < buffer.memory.size;
    if (points || (argument.buffer && argument.buffer->allocation == allocation)) {
      buffer.name = param;
      buffer.type = points ? argument.type : toScalarType(argument.buffer->type);
    }
    for (size_t t = 0; argument.pointers && t < argument.pointers->targets.size() && buffer.name.empty(); ++t)
      if (argument.pointers->targets[t].impl()->allocation == allocation) {
        buffer.name = param + "[" + std::to_string(t) + "]";
        buffer.type = argument.type;
      }
  }
  return buffer;
}

/// Adds all live allocations of the device to the launch request: in checked mode, every access must lie in one of
/// them.
void LaunchFrame::addBuffers(const Prototype &prototype, Device::Impl &device) {
  storage_->live = device.live();
  bool anyForeign = false;
  for (const std::shared_ptr<Allocation> &allocation : storage_->live) {
    anyForeign |= allocation->isForeign();
    storage_->request.buffers.push_back(describe(prototype, allocation));
  }
  if (anyForeign)
    joinOverlapping(storage_->request.buffers);
}

/// Submits a launch of the variant to the stream. If the driver refuses descriptors that the variant derives, submits a
/// variant without conditions instead. (When the variant was chosen, the driver was asked only for the first values
/// with these facts.)
void LaunchFrame::submit(Driver &driver, Stream::Impl &stream, const Variant &variant) {
  try {
    driver.launch(stream.handle, *variant.kernel, storage_->request);
  } catch (const KernelFault &) {
    throw;
  } catch (const Interrupted &) {
    throw;
  } catch (const Error &) {
    if (!variant.derivesAny() || areAccepted(variant, storage_->binding.arguments))
      throw;
    storage_->workspaces.clear(); // not given back: the failed launch may have changed it
    const Variant &instead = unconditionalVariant(variant, driver, storage_->binding.arguments);
    setArguments(stream, instead);
    driver.launch(stream.handle, *instead.kernel, storage_->request);
  }
}

bool LaunchFrame::launch(const Kernel::Impl &kernel, const Stream &stream, const Variant &variant, const Grid &grid,
                         bool checked, const std::function<void(std::string_view)> &print) {
  Device::Impl &device = *stream.device().impl();
  LaunchRequest &request = storage_->request;
  storage_->workspaces.clear(); // left by a failed candidate of tuning: zeros may be missing
  request.checked = checked;
  bool any = translated(ApiError::Kind::BadUse, [&] {
    if (request.checked && !device.driver->supportsChecked())
      throw Error("device " + device.info.name +
                  " cannot check launches; use the device cpu, or unset TRITON_INTERPRET");
    return setGrid(request, grid, variant.compiled.artifact.gridFactor, kernel.prototype.info.name);
  });
  if (!any)
    return false;
  const Variant &fitting = variantForGrid(variant, *device.driver, storage_->binding.arguments, request.grid);
  translated(ApiError::Kind::Device, [&] { setArguments(*stream.impl(), fitting); });
  if (print)
    request.print = print;
  if (storage_->sourceOf != kernel.serial) {
    request.sourceLine = [impl = &kernel](uint32_t line) { return impl->line(line); };
    storage_->sourceOf = kernel.serial;
  }
  if (request.checked)
    translated(ApiError::Kind::Device, [&] { addBuffers(kernel.prototype, device); });
  else
    markReachable(device);
  translated(ApiError::Kind::Device, [&] { submit(*device.driver, *stream.impl(), fitting); });
  for (WorkspaceMemory &memory : storage_->workspaces)
    stream.impl()->workspace.give(std::move(memory));
  storage_->workspaces.clear();
  if (stream.impl()->captures) {
    std::lock_guard lock(stream.impl()->mutex);
    stream.impl()->captured.push_back(kernel.shared_from_this());
  }
  return true;
}

} // namespace tegula
