#include "core/support/Fork.h"

#include <atomic>
#include <pthread.h>

namespace tegula {
namespace {

std::atomic<uint64_t> generation_ = 0;

} // namespace

uint64_t forkGeneration() {
  static const int registered =
      pthread_atfork(nullptr, nullptr, [] { generation_.fetch_add(1, std::memory_order_relaxed); });
  (void)registered;
  return generation_.load(std::memory_order_relaxed);
}

} // namespace tegula
