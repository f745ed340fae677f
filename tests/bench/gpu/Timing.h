// Times on the device's clock, each run with a cold second-level cache.
#pragma once

#include "tegula/tegula.hpp"

#include <functional>

namespace gpubench {

struct Timing {
  double median = 0, least = 0; // seconds
  int runs = 0;
};

/// Runs `launch` between two events for about `seconds` in all, 10 to 200 times after a warm-up; before each run
/// `flush` is written, which drives what the run before it left out of the cache, and which keeps the device busy
/// while the host puts the run into the stream.
Timing timeRuns(tegula::Stream &stream, const tegula::Buffer &flush, const std::function<void()> &launch,
                double seconds);

} // namespace gpubench
