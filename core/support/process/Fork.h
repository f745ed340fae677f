// Support for fork(). A child of a process with threads has a copy of their memory but none of the threads, so locks
// that other threads held stay locked. Therefore a fork waits until no thread is inside of code that holds such locks.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

namespace tegula {

/// The number of forks between the process that loaded the library and this one. An object with another generation was
/// created by a parent of this process. Only reads one variable, because launches call it.
uint64_t forkGeneration();

/// Holds the variable. A static member, so that forkGeneration() is inline.
class ForkCount {
  friend uint64_t forkGeneration();
  static std::atomic<uint64_t> generation_;
  static int registered_;
};
inline uint64_t forkGeneration() { return ForkCount::generation_.load(std::memory_order_relaxed); }

/// During its lifetime, a fork by another thread waits. If a fork is waiting or running, the constructor waits for its
/// end. It is used by compilations and by other code that holds locks. Objects of one thread may nest. A fork by a
/// thread that has such an object does not wait, because it would wait for itself. Other forks wait for at most ten
/// seconds; after that, the child may find locks that stay locked. It works within the library that this code is linked
/// into; all users are in the runtime library.
class ForkBlocker {
public:
  ForkBlocker();
  ~ForkBlocker();
  ForkBlocker(const ForkBlocker &) = delete;
};

/// Adds a function that the forking thread calls before each fork that waits, when no thread has a ForkBlocker. At most
/// four can be added.
void addForkHook(void (*hook)());

/// A mutex that is never locked by another thread during a fork, because its owner has a ForkBlocker. Locking it
/// changes a variable of the whole process, so prepared launches should not lock one.
class ForkSafeMutex {
public:
  void lock();
  void unlock();
  bool try_lock();

private:
  std::mutex mutex_;
};

} // namespace tegula
