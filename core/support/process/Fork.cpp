#include "core/support/process/Fork.h"

#include <chrono>
#include <pthread.h>
#include <thread>

namespace tegula {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kPatience(10);
constexpr std::chrono::microseconds kPause(20);

thread_local unsigned depth_ = 0;     // objects of this thread that forks wait for
thread_local bool hasClosed_ = false; // this thread forks, and has set kClosed

/// Threads with such objects; or kClosed, while a fork is under way, when none may begin.
std::atomic<uint32_t> inside_ = 0;
constexpr uint32_t kClosed = uint32_t(1) << 31;

void enter() {
  if (depth_++ > 0)
    return;
  for (uint32_t count = inside_.load();;) {
    if (count == kClosed) {
      inside_.wait(count);
      count = inside_.load();
    } else if (inside_.compare_exchange_weak(count, count + 1)) {
      return;
    }
  }
}

void leave() {
  if (--depth_ == 0)
    inside_.fetch_sub(1);
}

void beforeFork() {
  hasClosed_ = false;
  for (Clock::time_point end = Clock::now() + kPatience; depth_ == 0 && !hasClosed_ && Clock::now() < end;) {
    uint32_t none = 0;
    hasClosed_ = inside_.compare_exchange_strong(none, kClosed);
    if (!hasClosed_)
      std::this_thread::sleep_for(kPause);
  }
}

void afterForkInParent() {
  if (!hasClosed_)
    return;
  inside_ = 0;
  inside_.notify_all();
}

} // namespace

std::atomic<uint64_t> ForkCount::generation_ = 0;
int ForkCount::registered_ = pthread_atfork(beforeFork, afterForkInParent, [] {
  generation_.fetch_add(1, std::memory_order_relaxed);
  inside_ = depth_ > 0; // of the threads only this one is there
});

NotForked::NotForked() { enter(); }
NotForked::~NotForked() { leave(); }

void ForkSafeMutex::lock() {
  enter();
  mutex_.lock();
}

void ForkSafeMutex::unlock() {
  mutex_.unlock();
  leave();
}

bool ForkSafeMutex::try_lock() {
  enter();
  if (mutex_.try_lock())
    return true;
  leave();
  return false;
}

} // namespace tegula
