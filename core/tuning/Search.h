// Searches for the fastest of several candidates by measurement within a time budget, by successive halving (K.
// Jamieson and A. Talwalkar, "Non-stochastic Best Arm Identification and Hyperparameter Optimization", AISTATS 2016).
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tegula::tuning {

struct SearchOptions {
  double budget = 60;      // seconds; only the launch that runs at its end may exceed it
  double rep = 0.1;        // seconds for which the launches of each finalist are measured
  bool exhaustive = false; // no halving: every candidate is measured like a finalist
  /// Called between launches: the finished share of the work, from 0 to 1, and the estimated remaining time in seconds.
  std::function<void(double done, double left)> progress;
  /// Returns the time in seconds since any fixed point, for the budget; empty: the machine's clock.
  std::function<double()> clock;
};

struct Timed {
  std::vector<double> samples; // seconds of one launch
  std::string dropped;         // why it was not measured to the end; empty if it was
  bool hadTurn = true;         // false: the budget was spent before its first launch
  /// The lower quartile of the samples, because other work on the machine makes launches slower, never faster. Infinity
  /// without samples.
  double seconds() const;
  double spread() const; // difference of the quartiles, divided by seconds()
};

struct SearchResult {
  std::optional<size_t> best; // nothing if every candidate failed
  std::vector<Timed> candidates;
  double seconds = 0;     // duration of the search
  bool isComplete = true; // false: the budget ended it
};

/// `run(candidate, launches)` launches a candidate `launches` times in sequence and returns the seconds of one launch.
/// If it throws a tegula::Error, the candidate is dropped.
SearchResult search(size_t candidates, const std::function<double(size_t candidate, size_t launches)> &run,
                    const SearchOptions &options);

} // namespace tegula::tuning
