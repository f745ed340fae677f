// How a run is made, and what it leaves.
#pragma once

#include "Report.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tegula::simt_test {

using Grid = std::array<uint32_t, 3>;

struct RunOptions {
  /// Decides the order in which threads take steps, which lane is elected, how opaque fragments are spread, and, without
  /// lateLanding, when asynchronous operations land.
  uint64_t seed = 0;
  /// Asynchronous operations land as late as allowed; else at any allowed moment, by seed.
  bool lateLanding = true;
  /// Different reports are kept up to this number.
  size_t maxReports = 64;
  /// Steps of a program's threads together after which it is said to run for ever.
  uint64_t maxSteps = uint64_t(1) << 32;
};

struct RunResult {
  std::vector<Report> reports;
  std::vector<std::string> printed; // a line for each thread's simt.print
  uint64_t steps = 0;
  bool has(ReportKind kind) const;
  /// All reports, a line or two each; empty where there are none.
  std::string text() const;
};

} // namespace tegula::simt_test
