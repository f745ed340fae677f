// Worker processes that run cases. Each has devices of its own, so that as many devices compile and run side by side as
// there are processes, and a driver that crashes or hangs costs one case, not the run.
#pragma once

#include "tests/conformance/Bench.h"

namespace tegula::conformance {

/// A case and the devices that run it, as indices into WorkerPlan's lists.
struct Job {
  size_t made = 0;
  std::vector<size_t> devices;
  double cost = -1; // seconds expected; negative: not known
};

struct WorkerPlan {
  std::vector<const Case *> cases;
  std::vector<std::string> devices;
  Folders folders;
  std::string watch; // the library of tests/vulkan/watch; empty: none
  int launches = 1;
  double limitSeconds = 900; // for one job; then its process is ended
};

/// What a worker says of a device besides its reports.
struct DeviceFacts {
  std::string name, target;
  std::vector<std::string> flushed; // types whose denormal numbers it replaces by zero
};

struct WorkerResults {
  std::vector<DeviceFacts> facts;    // of each device, as far as a worker opened it
  size_t modules = 0;                // that the watch saw
  std::vector<std::string> findings; // of the watch, after the last case of a process
};

/// The names of the devices that are here. Another process looks: one that has opened a driver must not be forked.
std::vector<std::string> listDevices();

/// Runs the jobs on `count` forked processes, most expensive first, those without a known cost before them. To be
/// called before this process opens a device or starts a thread. `done` is called in this process for each case and
/// device.
WorkerResults runJobs(const WorkerPlan &plan, const Memory &memory, std::vector<Job> jobs, size_t count,
                      const std::function<void(const Job &job, size_t device, const Report &report)> &done);

} // namespace tegula::conformance
