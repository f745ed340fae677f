// A thread pool for loops with independent iterations.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace tegula {

class ThreadPool {
public:
  /// `threads` includes the caller: a pool of 1 starts no thread.
  explicit ThreadPool(unsigned threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  /// The process's pool, with one thread for each core that this process may run on; started at its first use.
  static ThreadPool &shared();

  unsigned threads() const;

  /// Calls body(begin, end) for ranges that partition [0, count). The ranges are assigned in ascending order to at most
  /// `threads` threads (0: all), of which the caller is one. Returns when all ranges are done. The body must not throw.
  /// Several threads may call this at once, and a body may call it again. While the caller waits for other threads, it
  /// calls `whileWaiting`, if given, about 20 times a second; that must not throw either.
  void parallelFor(size_t count, unsigned threads, const std::function<void(size_t begin, size_t end)> &body,
                   const std::function<void()> &whileWaiting = nullptr);

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace tegula
