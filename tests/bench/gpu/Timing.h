// Times on the device's clock; each run starts with a cold second-level cache.
#pragma once

#include "tegula/tegula.hpp"

#include <functional>

namespace gpubench {

struct Timing {
  double median = 0, least = 0; // seconds
  int runs = 0;
};

/// Runs `launch` between two events for about `seconds` in total, 10 to 200 times after a warm-up. Before each run
/// `flush` is written: this evicts the previous run's data from the cache and keeps the device busy while the host
/// enqueues the run.
Timing timeRuns(tegula::Stream &stream, const tegula::Buffer &flush, const std::function<void()> &launch,
                double seconds);

} // namespace gpubench
