#include "frontend/cli/Timing.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace tegula::cli {

std::vector<double> timeLaunches(Stream &stream, int count, const std::function<void()> &launch) {
  using Clock = std::chrono::steady_clock;
  bool isGpu = stream.device().info().target != "cpu";
  constexpr std::chrono::milliseconds kWarmUp(300);
  for (Clock::time_point begin = Clock::now(); isGpu && Clock::now() - begin < kWarmUp;) {
    launch();
    stream.synchronize();
  }
  std::vector<double> seconds;
  for (int i = 0; i < count; ++i) {
    if (isGpu)
      launch();
    Event start = stream.record();
    launch();
    Event end = stream.record();
    end.wait();
    seconds.push_back(end.secondsSince(start));
  }
  stream.synchronize(); // delivers kernels' output and errors
  std::sort(seconds.begin(), seconds.end());
  return seconds;
}

std::string readable(double seconds) {
  char text[32];
  const char *unit = seconds < 1e-3 ? "us" : seconds < 1 ? "ms" : "s";
  std::snprintf(text, sizeof text, "%.3f %s", seconds * (seconds < 1e-3 ? 1e6 : seconds < 1 ? 1e3 : 1), unit);
  return text;
}

double quantile(const std::vector<double> &sorted, double share) {
  double place = share * double(sorted.size() - 1);
  size_t below = std::min(static_cast<size_t>(place), sorted.size() - 1),
         above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - double(below)) * (sorted[above] - sorted[below]);
}

} // namespace tegula::cli
