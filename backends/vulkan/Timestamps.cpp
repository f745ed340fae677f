#include "backends/vulkan/Result.h"
#include "backends/vulkan/Stream.h"
#include "core/support/Diagnostic.h"

namespace tegula::vulkan {

Timestamps::~Timestamps() {
  for (VkQueryPool pool : pools_)
    context_.api().DestroyQueryPool(context_.device(), pool, nullptr);
}

Timestamp Timestamps::take() {
  std::lock_guard lock(mutex_);
  if (free_.empty()) {
    VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = kPoolSize;
    VkQueryPool pool = VK_NULL_HANDLE;
    check(context_.api().CreateQueryPool(context_.device(), &info, nullptr, &pool), "vkCreateQueryPool",
          "record an event");
    pools_.push_back(pool);
    for (uint32_t i = 0; i < kPoolSize; ++i)
      free_.push_back({pool, kPoolSize - 1 - i});
  }
  TimestampSlot slot = free_.back();
  free_.pop_back();
  context_.api().ResetQueryPool(context_.device(), slot.pool, slot.index, 1); // by the device it would take microseconds
  return {new TimestampSlot(slot), [all = shared_from_this()](const TimestampSlot *done) {
            std::unique_ptr<const TimestampSlot> owned(done);
            std::lock_guard lock(all->mutex_);
            all->free_.push_back(*owned);
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
