// fork(): a child of a process with threads has their memory and none of them. Locks that other
// threads held stay locked in the child. So a fork waits until no thread is in the middle of such work.
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

/// While it lives, a fork by another thread waits, and where such an object is made while a fork waits or is under way,
/// the maker waits for the fork's end. For compilations, and whatever else holds locks. Objects of one thread may
/// nest. A fork by a thread that has one waits for nobody: it would wait for itself.
/// Other forks wait at most ten seconds: after that the child may find locks that nobody unlocks. Counts for the
/// library that this is linked into; the runtime library has all users.
class ForkBlocker {
public:
  ForkBlocker();
  ~ForkBlocker();
  ForkBlocker(const ForkBlocker &) = delete;
};

/// `hook` is called before each fork that waits, by the forking thread, when no thread has a ForkBlocker. At most four.
void addForkHook(void (*hook)());

/// A mutex that no fork finds locked by another thread: its owner has a ForkBlocker. Locking it changes a variable of
/// the whole process, which launches that are prepared should not.
class ForkSafeMutex {
public:
  void lock();
  void unlock();
  bool try_lock();

private:
  std::mutex mutex_;
};

} // namespace tegula
