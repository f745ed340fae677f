// Vector clocks: for each agent, which actions of other agents happened before its own.
//
// An *agent* acts in an order of its own. Agents are: each thread; the asynchronous loads, and the asynchronous stores,
// of each thread (groups end in order); the matrix unit of each four warps (products end in order); each barrier object
// (data that lands on it in a phase is visible when the phase has ended). An agent's *time* counts its steps. A clock
// holds for each agent the time up to which its actions happened before. The method is FastTrack (Flanagan and Freund,
// PLDI 2009), extended by units that act on behalf of threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tegula::simt_test {

class Clock {
public:
  explicit Clock(size_t agents = 0) : times_(agents, 0) {}
  uint32_t &operator[](size_t agent) { return times_[agent]; }
  uint32_t operator[](size_t agent) const { return times_[agent]; }
  /// The later time of both for each agent: everything that either has seen.
  void join(const Clock &other) {
    if (times_.size() < other.times_.size())
      times_.resize(other.times_.size(), 0);
    for (size_t i = 0; i < other.times_.size(); ++i)
      times_[i] = std::max(times_[i], other.times_[i]);
  }
  /// The earlier time of both for each agent: actions that both have seen.
  void meet(const Clock &other) {
    for (size_t i = 0; i < times_.size(); ++i)
      times_[i] = std::min(times_[i], other.times_[i]);
  }

private:
  std::vector<uint32_t> times_;
};

/// One access, at an agent's time.
struct Access {
  static constexpr uint32_t kNone = ~uint32_t(0);
  uint32_t agent = kNone;
  uint32_t time = 0;
  uint32_t instruction = 0; // number in the program
  bool exists() const { return agent != kNone; }
};

} // namespace tegula::simt_test
