#include "core/runtime/launch/Background.h"

namespace tegula {

Background &Background::shared() {
  // Destroyed at exit, after main() and before the libraries that were opened earlier: a compiler that the first task
  // uses is open by then.
  static Background background;
  return background;
}

Background::~Background() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
    tasks_.clear();
  }
  changed_.notify_all();
  if (thread_.joinable())
    thread_.join();
}

void Background::post(std::function<void()> task) {
  std::lock_guard lock(mutex_);
  if (stop_)
    return;
  if (!thread_.joinable())
    thread_ = std::thread([this] { run(); });
  tasks_.push_back(std::move(task));
  changed_.notify_all();
}

void Background::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return tasks_.empty() && !busy_; });
}

void Background::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stop_ || !tasks_.empty(); });
    if (stop_)
      return;
    std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    busy_ = true;
    lock.unlock();
    task();
    task = nullptr; // what it holds ends before finish() returns
    lock.lock();
    busy_ = false;
    changed_.notify_all();
  }
}

} // namespace tegula
