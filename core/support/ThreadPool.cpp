#include "core/support/ThreadPool.h"
#include "core/support/process/Fork.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#ifdef __linux__
#include <sched.h>
#endif

namespace tegula {

namespace {

/// The average number of ranges for each thread: enough that threads finish at about the same time, few enough that the
/// shared counter is rarely contended.
constexpr size_t kRangesPerThread = 8;

struct Job {
  const std::function<void(size_t, size_t)> *body = nullptr;
  size_t count = 0;
  size_t step = 1;
  unsigned seats = 0;   // number of threads that may still join; guarded by the pool's mutex
  unsigned working = 0; // number of pool threads in the loop; guarded by the pool's mutex
  std::atomic<size_t> next{0};

  bool exhausted() const { return next.load(std::memory_order_relaxed) >= count; }

  void work() {
    for (;;) {
      const size_t begin = next.fetch_add(step, std::memory_order_relaxed);
      if (begin >= count)
        return;
      (*body)(begin, std::min(count, begin + step));
    }
  }
};

unsigned availableCores() {
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
#endif
  return std::max(1u, std::thread::hardware_concurrency());
}

} // namespace

struct ThreadPool::Impl {
  std::mutex mutex;
  std::condition_variable wake, finished;
  std::deque<Job *> jobs;
  bool stopping = false;
  std::vector<std::thread> workers;

  Job *findJob() {
    for (Job *job : jobs)
      if (job->seats > 0 && !job->exhausted())
        return job;
    return nullptr;
  }

  void workerLoop() {
    std::unique_lock lock(mutex);
    for (;;) {
      Job *job = nullptr;
      wake.wait(lock, [&] { return stopping || (job = findJob()); });
      if (stopping)
        return;
      --job->seats;
      ++job->working;
      lock.unlock();
      job->work();
      lock.lock();
      if (--job->working == 0)
        finished.notify_all();
    }
  }
};

ThreadPool::ThreadPool(unsigned threads) : impl_(std::make_unique<Impl>()) {
  for (unsigned i = 1; i < threads; ++i)
    impl_->workers.emplace_back([this] { impl_->workerLoop(); });
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(impl_->mutex);
    impl_->stopping = true;
  }
  impl_->wake.notify_all();
  for (std::thread &worker : impl_->workers)
    worker.join();
}

/// In a child after fork(), the pool's threads do not exist, and locks that they held stay locked; therefore the child
/// creates a new pool. Pools are never destroyed, because a child has no threads to join.
ThreadPool &ThreadPool::shared() {
  struct Made {
    uint64_t generation;
    ThreadPool pool{availableCores()};
  };
  static std::atomic<Made *> made = nullptr;
  const uint64_t generation = forkGeneration();
  Made *known = made.load(std::memory_order_acquire);
  if (known && known->generation == generation)
    return known->pool;
  auto fresh = std::make_unique<Made>(generation);
  if (made.compare_exchange_strong(known, fresh.get(), std::memory_order_acq_rel))
    return fresh.release()->pool;
  return known->pool; // another thread has created it meanwhile
}

unsigned ThreadPool::threads() const { return static_cast<unsigned>(impl_->workers.size()) + 1; }

void ThreadPool::parallelFor(size_t count, unsigned threads, const std::function<void(size_t, size_t)> &body,
                             const std::function<void()> &whileWaiting) {
  const size_t limit = threads == 0 ? this->threads() : std::min(threads, this->threads());
  const size_t useful = std::min(limit, count);
  if (useful <= 1) {
    if (count)
      body(0, count);
    return;
  }
  Job job;
  job.body = &body;
  job.count = count;
  job.step = std::max<size_t>(1, count / (useful * kRangesPerThread));
  job.seats = static_cast<unsigned>(useful - 1);
  {
    std::lock_guard lock(impl_->mutex);
    impl_->jobs.push_back(&job);
  }
  impl_->wake.notify_all();
  job.work();
  std::unique_lock lock(impl_->mutex);
  std::erase(impl_->jobs, &job);
  auto isDone = [&] { return job.working == 0; };
  while (whileWaiting && !impl_->finished.wait_for(lock, std::chrono::milliseconds(50), isDone)) {
    lock.unlock();
    whileWaiting();
    lock.lock();
  }
  impl_->finished.wait(lock, isDone);
}

} // namespace tegula
