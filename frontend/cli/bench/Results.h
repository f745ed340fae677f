// What `tegula bench` measures, and its forms: a table, CSV, JSON, which `--compare` reads again, and a plot.
#pragma once

#include "frontend/cli/Shapes.h"

#include <optional>
#include <string>
#include <vector>

namespace tegula::cli {

struct BenchResult {
  std::string device, description, type; // type: what `{T}` stood for; empty without
  Sizes sizes;
  double median = 0, lower = 0, upper = 0; // seconds of one launch: the quartiles
  int launches = 0;
  double bytes = 0, flops = 0; // of one launch; flops 0: not given
  double copyRate = 0;         // bytes a second that a copy on this device reads and writes, as measured
  std::string configuration;   // constants, warps, stages

  double bytesPerSecond() const { return bytes / median; }
  double flopsPerSecond() const { return flops / median; }
  /// Half of the distance of the quartiles, over the median.
  double spread() const { return (upper - lower) / 2 / median; }
};

struct BenchReport {
  std::string kernel; // FILE::KERNEL
  std::vector<BenchResult> results;
};

std::string formatTable(const BenchReport &report);
std::string formatCsv(const BenchReport &report);
std::string formatJson(const BenchReport &report);
/// Throws tegula::Error that names the file and the member: no JSON, no report.
BenchReport parseReport(const std::string &text, const std::string &file);

/// A table of ratios, new over old, of the results that both have, with their geometric mean; then those that only one
/// has. Throws tegula::Error where they have none in common.
std::string compareReports(const BenchReport &before, const BenchReport &after);

/// An SVG: TFLOP/s, or GB/s without flops, over the size that varies most; a line for each device and type.
std::string plotReport(const BenchReport &report);

} // namespace tegula::cli
