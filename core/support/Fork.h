// fork(): a child of a process with threads has their memory and none of them.
#pragma once

#include <atomic>
#include <cstdint>

namespace tegula {

/// How often the processes that led to this one were forked since the library was loaded in any of them: what was made
/// at another generation was made by a parent of this process. Reads one variable: launches call it.
uint64_t forkGeneration();

/// The variable. A static member, so that the function above is inline.
class ForkCount {
  friend uint64_t forkGeneration();
  static std::atomic<uint64_t> generation_;
  static int registered_;
};
inline uint64_t forkGeneration() { return ForkCount::generation_.load(std::memory_order_relaxed); }

} // namespace tegula
