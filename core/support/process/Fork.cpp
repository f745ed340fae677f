#include "core/support/process/Fork.h"

#include <array>
#include <chrono>
#include <pthread.h>
#include <thread>

namespace tegula {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kPatience(10);
constexpr std::chrono::microseconds kPause(20);

thread_local unsigned depth_ = 0;     // number of blockers of this thread
thread_local bool isForking_ = false; // this thread is forking, and has set kClosed

/// The number of threads with blockers. kClosed is set from the moment when a fork waits until it has ended.
std::atomic<uint32_t> inside_ = 0;
constexpr uint32_t kClosed = uint32_t(1) << 31;

std::array<std::atomic<void (*)()>, 4> hooks_ = {};

void enter() {
  if (depth_++ > 0)
    return;
  for (uint32_t count = inside_.load();;) {
    if (count & kClosed) {
      inside_.wait(count);
      count = inside_.load();
    } else if (inside_.compare_exchange_weak(count, count + 1)) {
      return;
    }
  }
}

void leave() {
  if (--depth_ == 0) {
    inside_.fetch_sub(1);
    inside_.notify_all();
  }
}

/// Waits until `isTrue`, but not longer than a fork may wait.
template <class Condition> bool wait(const Condition &isTrue) {
  for (const Clock::time_point end = Clock::now() + kPatience; !isTrue();) {
    if (Clock::now() >= end)
      return false;
    std::this_thread::sleep_for(kPause);
  }
  return true;
}

void beforeFork() {
  isForking_ = false;
  if (depth_ > 0)
    return;
  isForking_ = wait([] { return !(inside_.fetch_or(kClosed) & kClosed); }); // only one fork at a time
  wait([] { return (inside_.load() & ~kClosed) == 0; });
  ++depth_; // so that hooks can lock a ForkSafeMutex
  for (const std::atomic<void (*)()> &hook : hooks_)
    if (void (*call)() = hook.load())
      call();
  --depth_;
}

void afterForkInParent() {
  if (!isForking_)
    return;
  isForking_ = false;
  inside_.fetch_and(~kClosed);
  inside_.notify_all();
}

} // namespace

std::atomic<uint64_t> ForkCount::generation_ = 0;
int ForkCount::registered_ = pthread_atfork(beforeFork, afterForkInParent, [] {
  generation_.fetch_add(1, std::memory_order_relaxed);
  isForking_ = false;
  inside_ = depth_ > 0; // in the child only this thread exists
});

ForkBlocker::ForkBlocker() { enter(); }
ForkBlocker::~ForkBlocker() { leave(); }

void addForkHook(void (*hook)()) {
  for (std::atomic<void (*)()> &place : hooks_)
    if (void (*none)() = nullptr; place.compare_exchange_strong(none, hook))
      return;
}

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
