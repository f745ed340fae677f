#include "backends/vulkan/driver/Result.h"
#include "backends/vulkan/driver/Stream.h"
#include "core/support/Diagnostic.h"

#include <algorithm>

namespace tegula::vulkan {

Timestamps::~Timestamps() {
  for (const Pool &pool : pools_)
    context_.api().DestroyQueryPool(context_.device(), pool.handle, nullptr);
}

Timestamps::Pool &Timestamps::poolWithRoom() {
  for (Pool &pool : pools_)
    if (pool.taken < kPoolSize)
      return pool;
  auto idle = std::find_if(pools_.begin(), pools_.end(), [](const Pool &pool) { return pool.held == 0; });
  if (idle == pools_.end()) {
    VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = kPoolSize;
    VkQueryPool handle = VK_NULL_HANDLE;
    check(context_.api().CreateQueryPool(context_.device(), &info, nullptr, &handle), "vkCreateQueryPool",
          "record an event");
    pools_.push_back({handle});
    idle = std::prev(pools_.end());
  }
  idle->taken = 0;
  context_.api().ResetQueryPool(context_.device(), idle->handle, 0, kPoolSize);
  return *idle;
}

Timestamp Timestamps::take() {
  std::lock_guard lock(mutex_);
  Pool &pool = poolWithRoom();
  ++pool.held;
  return {new TimestampSlot{pool.handle, pool.taken++}, [all = shared_from_this(), &pool](const TimestampSlot *done) {
            std::unique_ptr<const TimestampSlot> owned(done);
            std::lock_guard lock(all->mutex_);
            --pool.held;
          }};
}

uint64_t readTimestamp(Context &context, const TimestampSlot &slot) {
  uint64_t ticks = 0;
  context.check(context.api().GetQueryPoolResults(context.device(), slot.pool, slot.index, 1, sizeof ticks, &ticks,
                                                  sizeof ticks, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
                "vkGetQueryPoolResults", "read an event's time");
  uint32_t bits = context.facts().timestampBits;
  return bits >= 64 ? ticks : ticks & ((uint64_t(1) << bits) - 1);
}

} // namespace tegula::vulkan
