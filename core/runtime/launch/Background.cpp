#include "core/runtime/launch/Background.h"

#include <atomic>
#include <pthread.h>
#include <unistd.h>

namespace tegula {
namespace {

std::atomic<bool> isUsed_ = false; // true once a task was posted

std::atomic<Background *> shared_ = nullptr;

/// Creates the Background of the process at the first use, and ends it at exit. In a child after fork(), the thread
/// does not exist, and locks that it held stay locked: therefore the child creates a new object and never destroys the
/// old one.
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

/// A thread-local variable whose destructor waits for the running task. At exit, the exiting thread's thread-local
/// variables are destroyed before all static variables: so the task has ended before anything that it uses is
/// destroyed, including objects created while it runs, such as the compiler library's.
struct EndOfThread {
  bool exists = false;
  ~EndOfThread() {
    if (isUsed_ && gettid() == getpid()) // only at the end of the main thread
      Background::shared().end();
  }
};
thread_local EndOfThread endOfThread_;

/// Creates endOfThread_ in the thread that loads the library, so that its destructor runs in that thread. In a program
/// that is linked with the library this is the main thread, which thus also waits for tasks that other threads posted.
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
    task = nullptr; // destroys the objects that it holds before finish() returns
    lock.lock();
    busy_ = false;
    changed_.notify_all();
  }
}

} // namespace tegula
