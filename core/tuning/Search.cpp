#include "core/tuning/Search.h"

#include "core/support/Diagnostic.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>

namespace tegula::tuning {
namespace {

constexpr double kHopeless = 4;     // a candidate whose first launches are this many times slower is dropped
constexpr double kSample = 200e-6;  // least duration of a sample in seconds, because devices' clocks are coarse
constexpr size_t kFirstSamples = 4; // samples of each candidate after its first launches
constexpr size_t kFinalists = 4;
constexpr double kClose = 1.1;        // a candidate this close to the best is kept, up to three quarters of all
constexpr size_t kMostSamples = 1000; // the most samples of a finalist
constexpr size_t kLeastSamples = 15;  // the fewest samples of a finalist

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(share * double(values.size() - 1) + 0.5)];
}

class Search {
public:
  Search(size_t candidates, const std::function<double(size_t, size_t)> &run, const SearchOptions &options)
      : run_(run), options_(options), launches_(candidates, 1), left_(candidates) {
    result_.candidates.resize(candidates);
    std::iota(left_.begin(), left_.end(), size_t(0));
  }

  SearchResult run() {
    warmUp();
    for (size_t samples = kFirstSamples; !options_.exhaustive && left_.size() > kFinalists && !isOver(); samples *= 2) {
      measure(samples);
      halve();
    }
    finish();
    result_.isComplete = !isOver();
    result_.seconds = elapsed();
    result_.best = fastest();
    return std::move(result_);
  }

private:
  double now() const {
    return options_.clock ? options_.clock()
                          : std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  double elapsed() const { return now() - start_; }
  bool isOver() const { return elapsed() >= options_.budget; }
  double time(size_t candidate) const { return result_.candidates[candidate].seconds(); }

  /// The fastest of the candidates that were measured to the end; if there is none, of all. (The clocks may have been
  /// faster when dropped candidates ran.)
  std::optional<size_t> fastest() const {
    std::optional<size_t> best;
    auto rank = [&](size_t i) { return std::pair(!result_.candidates[i].dropped.empty(), time(i)); };
    for (size_t i = 0; i < result_.candidates.size(); ++i)
      if (std::isfinite(time(i)) && (!best || rank(i) < rank(*best)))
        best = i;
    return best;
  }

  /// Takes one sample of a candidate; false if it failed.
  bool launch(size_t candidate) {
    Timed &timed = result_.candidates[candidate];
    try {
      timed.samples.push_back(run_(candidate, launches_[candidate]));
      return true;
    } catch (const Error &e) {
      timed.samples.clear();
      timed.dropped = e.diagnostic().message;
      std::erase(left_, candidate);
      return false;
    }
  }

  /// Launches a candidate for the first time, which loads its code and warms caches. This launch counts only if the
  /// budget allows no other one.
  void launchFirst(size_t candidate) {
    if (!launch(candidate) || isOver())
      return;
    result_.candidates[candidate].samples.clear();
    if (launch(candidate) && !isOver())
      launch(candidate);
  }

  /// Launches each candidate once without counting it and twice with, and drops those that are far slower than the
  /// best. Candidates that had no turn before the budget's end are dropped.
  void warmUp() {
    double best = std::numeric_limits<double>::infinity();
    std::vector<size_t> all = left_;
    for (size_t i = 0; i < all.size(); ++i) {
      size_t candidate = all[i];
      Timed &timed = result_.candidates[candidate];
      if (isOver() && std::isfinite(best)) {
        timed.hadTurn = false;
        drop(candidate, "the budget was spent before its turn");
        continue;
      }
      report(double(i) / double(all.size()) * 0.5);
      launchFirst(candidate);
      if (timed.samples.empty())
        continue;
      double seconds = timed.seconds();
      best = std::min(best, seconds);
      launches_[candidate] = static_cast<size_t>(std::clamp(std::ceil(kSample / seconds), 1.0, 1000.0));
    }
    for (size_t candidate : std::vector<size_t>(left_))
      if (!options_.exhaustive && time(candidate) > kHopeless * best)
        drop(candidate, "its first launches took " + std::to_string(std::lround(time(candidate) / best)) +
                            " times as long as the best one's");
  }

  void drop(size_t candidate, std::string why) {
    result_.candidates[candidate].dropped = std::move(why);
    std::erase(left_, candidate);
  }

  /// Samples all remaining candidates alternately, so that clocks and other work affect all of them alike.
  void measure(size_t samples) {
    for (size_t round = 0; round < samples && !isOver(); ++round)
      for (size_t candidate : std::vector<size_t>(left_)) {
        if (isOver())
          return;
        launch(candidate);
      }
    report(0.5 + 0.5 / double(left_.size() + 1));
  }

  void halve() {
    std::stable_sort(left_.begin(), left_.end(), [&](size_t a, size_t b) { return time(a) < time(b); });
    size_t keep = (left_.size() + 1) / 2;
    while (keep < left_.size() * 3 / 4 && time(left_[keep]) <= kClose * time(left_[0]))
      ++keep;
    while (left_.size() > keep)
      drop(left_.back(), "slower than half of the others");
  }

  /// The finalists are measured for `rep` seconds each.
  void finish() {
    if (left_.empty())
      return;
    double slowest = 0;
    for (size_t candidate : left_)
      slowest = std::max(slowest, time(candidate) * double(launches_[candidate]));
    double wanted = slowest > 0 ? options_.rep / slowest : double(kMostSamples);
    measure(static_cast<size_t>(std::clamp(wanted, double(kLeastSamples), double(kMostSamples))));
    report(1);
  }

  void report(double done) const {
    if (options_.progress)
      options_.progress(
          done,
          done > 0 ? std::clamp(elapsed() * (1 - done) / done, 0.0, std::max(options_.budget - elapsed(), 0.0)) : 0);
  }

  const std::function<double(size_t, size_t)> &run_;
  const SearchOptions &options_;
  double start_ = now();
  std::vector<size_t> launches_; // number of launches in a sample of each candidate
  std::vector<size_t> left_;     // candidates that are still in the search
  SearchResult result_;
};

} // namespace

double Timed::seconds() const {
  return samples.empty() ? std::numeric_limits<double>::infinity() : quantile(samples, 0.25);
}

double Timed::spread() const {
  return samples.empty() ? 0 : (quantile(samples, 0.75) - quantile(samples, 0.25)) / seconds();
}

SearchResult search(size_t candidates, const std::function<double(size_t candidate, size_t launches)> &run,
                    const SearchOptions &options) {
  return Search(candidates, run, options).run();
}

} // namespace tegula::tuning
