// Options and result of a run.
#pragma once

#include "Report.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tegula::simt_test {

using Grid = std::array<uint32_t, 3>;

struct RunOptions {
  /// Decides the order of the threads' steps, the elected lane, the positions in opaque fragments and, without
  /// lateLanding, the moments at which asynchronous operations land.
  uint64_t seed = 0;
  /// Asynchronous operations land as late as allowed; otherwise at a random allowed moment.
  bool lateLanding = true;
  /// The largest number of different reports that are kept.
  size_t maxReports = 64;
  /// The number of steps of all threads of a program after which it counts as endless.
  uint64_t maxSteps = uint64_t(1) << 32;
};

struct RunResult {
  std::vector<Report> reports;
  std::vector<std::string> printed; // one line for each thread and simt.print
  uint64_t steps = 0;
  bool has(ReportKind kind) const;
  /// All reports, each one or two lines; empty without reports.
  std::string text() const;
};

} // namespace tegula::simt_test
