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

/// A stream's workspace memory that no launch being submitted uses. The work of a stream runs in order, so the next
/// launch may reuse memory that the previous one still uses on the device. While several threads submit launches, each
/// launch has its own memory.
class Workspace {
public:
  /// Returns memory of at least `bytes` bytes. If `isZero`, it holds zeros at the launch's position in the stream.
  /// Throws tegula::Error if there is not enough memory.
  WorkspaceMemory take(const std::shared_ptr<Device::Impl> &device, void *stream, size_t bytes, bool isZero);
  /// Returns memory after a launch was submitted. Must not be called if the submission failed, because zeros may be
  /// missing then.
  void give(WorkspaceMemory taken);

private:
  ForkSafeMutex mutex_; // guards the memory below
  std::vector<WorkspaceMemory> free_;
};

/// Allocates memory for `workspaces`, the launch's parameters with memory. Appends the addresses to the request's
/// arguments, and the memory to `taken`. The request's grid must be set. The caller gives the memory back, or drops it
/// if the launch fails. A launch that a graph captures gets separate memory, which lives as long as the graph; if
/// another library does the capture, memory that lives as long as the device. Throws tegula::Error.
void supplyWorkspaces(LaunchRequest &request, std::span<const ArtifactParam> workspaces, Stream::Impl &stream,
                      std::vector<WorkspaceMemory> &taken);

} // namespace tegula
