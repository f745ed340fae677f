// Times of repeated launches on the device's clock.
#pragma once

#include "core/runtime/include/tegula/tegula.hpp"

#include <functional>
#include <string>
#include <vector>

namespace tegula::cli {

/// Times of `count` launches in seconds, sorted. A GPU first runs untimed for 300 ms, because drivers may raise clocks
/// slowly; an untimed launch before each timed one keeps it busy while the host prepares the timed one.
std::vector<double> timeLaunches(Stream &stream, int count, const std::function<void()> &launch);

/// The value below which a share of the sorted times lies, between two of them by proportion.
double quantile(const std::vector<double> &sorted, double share);

/// `12.345 us`
std::string readable(double seconds);

} // namespace tegula::cli
