// Vector clocks: who has seen what of whom.
//
// An *agent* does things in an order of its own: each thread; the asynchronous loads, and the asynchronous stores, of each
// thread (groups end in order); the matrix unit of each four warps (products end in order); each barrier object (what lands
// on it in a phase is seen when the phase has ended). An agent's *time* counts its steps. A clock says for each agent up to
// which time its doings happened before. The method is that of FastTrack (Flanagan and Freund, PLDI 2009), with units that
// act on behalf of threads added.
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
  /// Has now seen what either has.
  void join(const Clock &other) {
    if (times_.size() < other.times_.size())
      times_.resize(other.times_.size(), 0);
    for (size_t i = 0; i < other.times_.size(); ++i)
      times_[i] = std::max(times_[i], other.times_[i]);
  }
  /// Keeps what both have seen.
  void meet(const Clock &other) {
    for (size_t i = 0; i < times_.size(); ++i)
      times_[i] = std::min(times_[i], other.times_[i]);
  }

private:
  std::vector<uint32_t> times_;
};

/// One access in an agent's time.
struct Access {
  static constexpr uint32_t kNone = ~uint32_t(0);
  uint32_t agent = kNone;
  uint32_t time = 0;
  uint32_t instruction = 0; // its number in the program
  bool exists() const { return agent != kNone; }
};

} // namespace tegula::simt_test
