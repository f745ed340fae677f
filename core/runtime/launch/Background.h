// Work that no launch waits for: the compilation of better variants.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace tegula {

/// One thread that runs tasks in the order in which they were posted. It is started by the first task.
class Background {
public:
  /// The process's own, also after fork(), which ends when the process exits. The order is safe where the main thread
  /// exits and has loaded the library or posted a task: others must not let the process exit while a task runs
  /// (`finish`).
  static Background &shared();
  Background() = default;
  ~Background() { end(); }
  Background(const Background &) = delete;
  Background &operator=(const Background &) = delete;

  /// The task must not throw.
  void post(std::function<void()> task);
  /// Returns when all tasks posted before have ended.
  void finish();
  /// Waits for the running task and drops the others, also those that are posted later.
  void end();

private:
  void run();

  std::mutex mutex_; // guards all below
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  bool busy_ = false, stop_ = false;
  std::thread thread_;
};

} // namespace tegula
