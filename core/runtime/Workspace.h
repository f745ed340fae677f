// Memory that launches supply to kernels (ArtifactParam::workspace), such as partial sums of split-K.
#pragma once

#include "core/contracts/Backend.h"
#include "core/runtime/include/tegula/tegula.hpp"
#include "core/support/process/Fork.h"

namespace tegula {

class Allocation;

/// The workspace memory of one launch.
struct WorkspaceMemory {
  std::shared_ptr<Allocation> memory;
  bool isZero = false; // the launch expects zeros and leaves zeros
};

/// Keeps the free workspace memory of a stream: memory that belongs to no launch whose submission is under way. A
/// stream executes its launches in order, so the next launch may get memory that the previous one still uses on the
/// device. If several threads submit launches at one time, each launch gets memory of its own.
class Workspace {
public:
  /// Returns memory of at least `bytes` bytes. If `isZero`, the memory holds zeros when the stream executes the next
  /// launch. Throws tegula::Error if there is not enough memory.
  WorkspaceMemory take(const std::shared_ptr<Device::Impl> &device, void *stream, size_t bytes, bool isZero);
  /// Gives memory from take() back, for later launches, after the launch that uses it was submitted. Must not be called
  /// if the submission failed: later launches may expect zeros, which a launch leaves only if it is executed to its
  /// end.
  void give(WorkspaceMemory taken);

private:
  ForkSafeMutex mutex_; // guards the memory below
  std::vector<WorkspaceMemory> free_;
};

/// Supplies memory for `workspaces`, the kernel's parameters that point to workspace memory. The request's grid must be
/// set, because the sizes depend on it. Appends the addresses to the request's arguments, and the memory to `taken`.
/// After the submission the caller gives the memory back by Workspace::give; if the submission failed, it frees the
/// memory. A launch that is captured into a graph gets memory of its own, which lives as long as the graph and is not
/// in `taken`; if another library captures, the memory lives as long as the device. Throws tegula::Error.
void supplyWorkspaces(LaunchRequest &request, std::span<const ArtifactParam> workspaces, Stream::Impl &stream,
                      std::vector<WorkspaceMemory> &taken);

} // namespace tegula
