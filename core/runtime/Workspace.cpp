#include "core/runtime/Workspace.h"
#include "core/runtime/Memory.h"

#include <algorithm>

namespace tegula {
namespace {

constexpr uint64_t kAlignment = 256; // bytes; of each parameter's memory

/// The bytes of workspace memory that one parameter gets in a launch with this grid, rounded up so that the memory of
/// the next parameter, which follows it, is aligned.
uint64_t bytesOf(const ArtifactParam::Workspace &workspace, const std::array<uint32_t, 3> &grid) {
  uint64_t bytes = workspace.bytesPerProgram;
  bool overflows = false;
  for (uint32_t extent : grid)
    overflows |= __builtin_mul_overflow(bytes, extent, &bytes);
  if (overflows || bytes > (uint64_t(1) << 62))
    throw Error("a launch of " + std::to_string(grid[0]) + " x " + std::to_string(grid[1]) + " x " +
                std::to_string(grid[2]) + " programs needs more than 2^62 bytes for its partial sums");
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

WorkspaceMemory allocate(const std::shared_ptr<Device::Impl> &device, void *stream, size_t bytes, bool isZero) {
  WorkspaceMemory made{std::make_shared<Allocation>(device, bytes), isZero};
  device->add(made.memory);
  made.memory->markWholeWritten();
  if (isZero)
    device->driver->fill(stream, made.memory->memory(), 0, 0, bytes);
  return made;
}

} // namespace

WorkspaceMemory Workspace::take(const std::shared_ptr<Device::Impl> &device, void *stream, size_t bytes, bool isZero) {
  WorkspaceMemory known;
  {
    std::lock_guard lock(mutex_);
    auto found = std::ranges::find(free_, isZero, &WorkspaceMemory::isZero);
    if (found != free_.end()) {
      known = std::move(*found);
      free_.erase(found);
    }
  }
  if (known.memory && known.memory->bytes() >= bytes)
    return known;
  known.memory.reset(); // before the allocation: both at once may not fit
  return allocate(device, stream, bytes, isZero);
}

void Workspace::give(WorkspaceMemory taken) {
  std::lock_guard lock(mutex_);
  free_.push_back(std::move(taken));
}

void supplyWorkspaces(LaunchRequest &request, std::span<const ArtifactParam> workspaces, Stream::Impl &stream,
                      std::vector<WorkspaceMemory> &taken) {
  const std::shared_ptr<Device::Impl> &device = stream.device.impl();
  if (device->driver->isOfEachThread(stream.handle))
    throw Error("a kernel with depth_splits cannot be launched on a stream that stands for one of each thread; use a "
                "stream of its own");
  bool isCaptured = stream.captures || device->driver->isCaptured(stream.handle);
  uint64_t total[2] = {}, next[2] = {}; // index 0: memory with any content; 1: memory with zeros
  for (const ArtifactParam &param : workspaces)
    total[param.workspace->isZero] += bytesOf(*param.workspace, request.grid);
  for (bool isZero : {false, true}) {
    if (total[isZero] == 0)
      continue;
    if (isCaptured && !stream.captures) { // the end of another library's graph is not reported
      DeviceMemory memory = device->keep(total[isZero]);
      if (isZero)
        device->driver->fill(stream.handle, memory, 0, 0, total[isZero]);
      next[isZero] = memory.address;
      continue;
    }
    WorkspaceMemory memory = isCaptured ? allocate(device, stream.handle, total[isZero], isZero)
                                        : stream.workspace.take(device, stream.handle, total[isZero], isZero);
    next[isZero] = memory.memory->memory().address;
    if (isCaptured) {
      std::lock_guard lock(stream.mutex);
      stream.captured.push_back(std::move(memory.memory));
    } else {
      taken.push_back(std::move(memory));
    }
  }
  for (const ArtifactParam &param : workspaces) {
    uint64_t &address = next[param.workspace->isZero];
    request.arguments.push_back({address, nullptr});
    address += bytesOf(*param.workspace, request.grid);
  }
}

} // namespace tegula
