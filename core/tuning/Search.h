// The search for the fastest of several candidates by measurement, within a budget of time: successive halving (K.
// Jamieson and A. Talwalkar, "Non-stochastic Best Arm Identification and Hyperparameter Optimization", AISTATS 2016).
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tegula::tuning {

struct SearchOptions {
  double budget = 60;      // seconds; the search ends within it, but for the launch that runs then
  double rep = 0.1;        // seconds of launches that the finalists are measured for, each
  bool exhaustive = false; // no halving: every candidate is measured as a finalist is
  /// Called between launches: the share of the work that is done, and the seconds that the rest is expected to take.
  std::function<void(double done, double left)> progress;
  /// The time in seconds, from any beginning, that the budget is counted by; empty: the machine's.
  std::function<double()> clock;
};

struct Timed {
  std::vector<double> samples; // seconds of a launch
  std::string dropped;         // why it was not measured to the end; empty: it was
  bool hadTurn = true;         // false: the budget was spent before it
  /// The lower quartile of the samples: other work on the machine makes launches slower, never faster. Without samples:
  /// infinity.
  double seconds() const;
  double spread() const; // difference of the quartiles over seconds()
};

struct SearchResult {
  std::optional<size_t> best; // nothing where every candidate failed
  std::vector<Timed> candidates;
  double seconds = 0;     // that the search took
  bool isComplete = true; // false: the budget ended it
};

/// `run(candidate, launches)` launches a candidate so many times in a row and returns the seconds of one launch; a
/// tegula::Error drops the candidate.
SearchResult search(size_t candidates, const std::function<double(size_t candidate, size_t launches)> &run,
                    const SearchOptions &options);

} // namespace tegula::tuning
