// What a run prints: progress, failures as they happen, and at the end a table for each device.
#pragma once

#include "tests/conformance/Workers.h"

#include <chrono>
#include <nlohmann/json.hpp>

namespace tegula::conformance {

class Summary {
public:
  Summary(const WorkerPlan &plan, const std::vector<Job> &jobs, bool quiet);
  /// A failure is printed at once.
  void add(size_t made, size_t device, const Report &report);
  /// Prints the tables. True where nothing failed and each device ran something.
  bool conclude(const WorkerResults &results) const;
  /// [{device, target, flushed, results: [{name, status, detail, seconds, compile_ms, cold, known, products: [eligible,
  /// served]}]}]
  nlohmann::ordered_json json(const WorkerResults &results) const;

private:
  struct Entry {
    size_t made;
    Report report;
  };
  /// Rewritten in place on a terminal, a line every few seconds elsewhere.
  void progress();
  bool concludeDevice(size_t device, const WorkerResults &results) const;

  const WorkerPlan &plan_;
  bool quiet_, terminal_;
  size_t total_ = 0, done_ = 0, failed_ = 0;
  std::vector<std::vector<Entry>> entries_; // by device
  std::chrono::steady_clock::time_point start_, last_;
};

} // namespace tegula::conformance
