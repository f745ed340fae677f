#include "tests/bench/gpu/Timing.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

namespace gpubench {
namespace {

std::vector<double> timed(tegula::Stream &stream, const tegula::Buffer &flush, const std::function<void()> &launch,
                          int runs) {
  std::vector<std::pair<tegula::Event, tegula::Event>> events;
  for (int i = 0; i < runs; ++i) {
    stream.fill(flush, static_cast<uint8_t>(i));
    tegula::Event start = stream.record();
    launch();
    events.emplace_back(start, stream.record());
  }
  stream.synchronize();
  std::vector<double> seconds;
  for (auto &[start, end] : events)
    seconds.push_back(end.secondsSince(start));
  std::sort(seconds.begin(), seconds.end());
  return seconds;
}

double medianOf(const std::vector<double> &sorted) {
  size_t half = sorted.size() / 2;
  return sorted.size() % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/// Runs until the times are steady: some drivers raise clocks over tenths of a second.
void warmUp(tegula::Stream &stream, const tegula::Buffer &flush, const std::function<void()> &launch) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kLeast(400), kMost(3000);
  double before = 0;
  for (Clock::time_point begin = Clock::now();;) {
    double median = medianOf(timed(stream, flush, launch, 5));
    bool isSteady = std::abs(median - before) < 0.02 * median;
    Clock::duration passed = Clock::now() - begin;
    if ((isSteady && passed > kLeast) || passed > kMost)
      return;
    before = median;
  }
}

} // namespace

Timing timeRuns(tegula::Stream &stream, const tegula::Buffer &flush, const std::function<void()> &launch,
                double seconds) {
  warmUp(stream, flush, launch);
  double once = std::max(medianOf(timed(stream, flush, launch, 5)), 1e-7);
  int runs = static_cast<int>(std::clamp(seconds / once, 10.0, 200.0));
  std::vector<double> sorted = timed(stream, flush, launch, runs);
  return {medianOf(sorted), sorted.front(), runs};
}

} // namespace gpubench
