#include "core/support/Fork.h"

#include <pthread.h>

namespace tegula {

std::atomic<uint64_t> ForkCount::generation_ = 0;
int ForkCount::registered_ =
    pthread_atfork(nullptr, nullptr, [] { generation_.fetch_add(1, std::memory_order_relaxed); });

} // namespace tegula
