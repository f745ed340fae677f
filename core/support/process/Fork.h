// fork(): a child of a process with threads has their memory and none of them. What another thread held or was about to
// change stays so in the child for ever. So a fork waits until no thread is in the middle of such work.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

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

/// While it lives, a fork by another thread waits, and so does the beginning of such work while a fork is under way; a
/// fork by the same thread does not. For compilations, and whatever else holds locks or is done once. Objects may nest.
/// A fork waits at most ten seconds: then the child may lack what the other thread was making.
class NotForked {
public:
  NotForked();
  ~NotForked();
  NotForked(const NotForked &) = delete;
};

/// A mutex that no fork finds locked by another thread. Not for launches that are prepared: it counts its owners in a
/// variable of the process.
class ForkSafeMutex {
public:
  void lock();
  void unlock();
  bool try_lock();

private:
  std::mutex mutex_;
};

} // namespace tegula
