#include "core/runtime/launch/Background.h"

#include <atomic>
#include <pthread.h>
#include <unistd.h>

namespace tegula {
namespace {

std::atomic<bool> isUsed_ = false; // a task was posted

std::atomic<Background *> shared_ = nullptr;

/// Makes the process's object and ends it. A child after fork() lacks the thread, and what the thread holds or waits
/// for never changes there: it begins with a new object, and the old one is never destroyed.
struct Shared {
  Shared() {
    shared_ = new Background;
    pthread_atfork(nullptr, nullptr, [] {
      shared_ = new Background;
      isUsed_ = false;
    });
  }
  ~Shared() { shared_.load()->end(); }
};

/// A thread's own variable. Exit destroys those of the exiting thread before all static variables: so it waits for a
/// task before it destroys what the task uses, be it made meanwhile, as by a task that opens the compiler library.
struct EndOfThread {
  bool exists = false;
  ~EndOfThread() {
    if (isUsed_ && gettid() == getpid()) // not where another thread than main's ends
      Background::shared().end();
  }
};
thread_local EndOfThread endOfThread_;

/// Makes the variable of the thread that loads the library, which is the main thread wherever a program is linked with
/// it: tasks that other threads post are waited for, too.
[[maybe_unused]] const bool isLoaded_ = endOfThread_.exists = true;

} // namespace

Background &Background::shared() {
  static Shared owner;
  return *shared_;
}

void Background::end() {
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
  isUsed_ = endOfThread_.exists = true;
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
