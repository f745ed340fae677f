// Runs work that no launch waits for: the compilation of better variants.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace tegula {

/// A thread that runs tasks in the order in which they were posted. The first task starts it.
class Background {
public:
  /// The process's instance; after fork() the child has a new one. It ends when the process exits. That is safe if the
  /// exiting thread is the main thread and has loaded the library or posted a task; otherwise the process must not exit
  /// while a task runs (call `finish`).
  static Background &shared();
  Background() = default;
  ~Background() { end(); }
  Background(const Background &) = delete;
  Background &operator=(const Background &) = delete;

  /// The task must not throw.
  void post(std::function<void()> task);
  /// Returns when all tasks that were posted before this call have ended.
  void finish();
  /// Waits for the running task. Drops all other tasks, including those posted later.
  void end();

private:
  void run();

  std::mutex mutex_; // guards the members below
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  bool busy_ = false, stop_ = false;
  std::thread thread_;
};

} // namespace tegula
