#include "core/support/ThreadPool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using tegula::ThreadPool;

static bool isForkedChild_ = false;
/// Asked by LeakSanitizer at the exit of a process. A child has what the threads of its parent held, and not the
/// threads.
extern "C" int __lsan_is_turned_off() { return isForkedChild_; }

namespace {

TEST(ThreadPool, RangesPartitionTheLoop) {
  for (unsigned size : {1u, 2u, 5u}) {
    ThreadPool pool(size);
    EXPECT_EQ(pool.threads(), size);
    for (size_t count : {0, 1, 2, 7, 1000, 12345})
      for (unsigned threads : {0u, 1u, 3u}) {
        std::vector<std::atomic<int>> visits(count);
        pool.parallelFor(count, threads, [&](size_t begin, size_t end) {
          EXPECT_LT(begin, end);
          for (size_t i = begin; i < end; ++i)
            ++visits[i];
        });
        for (const auto &v : visits)
          ASSERT_EQ(v, 1);
      }
  }
}

TEST(ThreadPool, UsesNoMoreThreadsThanAsked) {
  ThreadPool pool(6);
  std::mutex mutex;
  std::set<std::thread::id> ids;
  pool.parallelFor(5000, 2, [&](size_t, size_t) {
    std::lock_guard lock(mutex);
    ids.insert(std::this_thread::get_id());
  });
  EXPECT_LE(ids.size(), 2u);
}

TEST(ThreadPool, LoopsInsideLoopsAndFromSeveralThreads) {
  ThreadPool pool(4);
  std::atomic<size_t> total{0};
  std::vector<std::thread> callers;
  for (int t = 0; t < 4; ++t)
    callers.emplace_back([&] {
      for (int repeat = 0; repeat < 20; ++repeat)
        pool.parallelFor(10, 0, [&](size_t begin, size_t end) {
          for (size_t i = begin; i < end; ++i)
            pool.parallelFor(100, 0, [&](size_t b, size_t e) { total += e - b; });
        });
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(total, 4u * 20 * 10 * 100);
}

TEST(ThreadPool, SharedPoolIsOne) { EXPECT_EQ(&ThreadPool::shared(), &ThreadPool::shared()); }

TEST(ThreadPool, AForkedChildExits) {
  ThreadPool::shared().parallelFor(1000, 0, [](size_t, size_t) {});
  pid_t child = fork();
  if (child == 0) {
    isForkedChild_ = true;
    alarm(20); // a child that hangs
    std::atomic<size_t> sum = 0;
    ThreadPool::shared().parallelFor(1000, 0, [&](size_t begin, size_t end) { sum += end - begin; });
    std::exit(sum == 1000 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

} // namespace
