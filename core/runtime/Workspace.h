// Memory that launches supply to kernels (ArtifactParam::workspace).
#pragma once

#include "core/contracts/Backend.h"
#include "core/runtime/include/tegula/tegula.hpp"
#include "core/support/process/Fork.h"

namespace tegula {

class Allocation;

/// Memory of one launch.
struct WorkspaceMemory {
  std::shared_ptr<Allocation> memory;
  bool isZero = false; // the launch finds zeros and leaves zeros
};

/// What launches on a stream have given back. The work of a stream runs in order, so the next launch may have it while
/// the last one still runs; a launch that another thread is submitting has memory of its own.
class Workspace {
public:
  /// At least so many bytes. Zeros are there when the work in the stream gets there. Throws tegula::Error if there is
  /// not enough memory.
  WorkspaceMemory take(const std::shared_ptr<Device::Impl> &device, void *stream, size_t bytes, bool isZero);
  /// To be called when the launch is submitted; not if that failed, because then zeros may be missing.
  void give(WorkspaceMemory taken);

private:
  ForkSafeMutex mutex_; // guards the memory below
  std::vector<WorkspaceMemory> free_;
};

/// Appends the addresses of memory for `workspaces`, the parameters with memory of the launch, to the arguments of the
/// request, whose grid is known, and the memory to `taken`. The caller gives it back, or drops it where the launch
/// fails. A launch that a graph captures gets memory of its own instead, which lives as long as the graph; where
/// another library captures, or a stream that waits for the capture's, as long as the device. Throws tegula::Error.
void supplyWorkspaces(LaunchRequest &request, std::span<const ArtifactParam> workspaces, Stream::Impl &stream,
                      std::vector<WorkspaceMemory> &taken);

} // namespace tegula
