#include "core/runtime/launch/PickTable.h"
#include "core/runtime/KernelImpl.h"

#include <algorithm>

namespace tegula {
namespace {

/// Hashes a key by a multiplication with 2^64 / phi after each word (Knuth, "The Art of Computer Programming" 3, 6.4).
size_t hashOf(std::span<const uint64_t> key) {
  uint64_t hash = key.size();
  for (uint64_t word : key) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
  }
  return hash;
}

} // namespace

const Variant *Pick::find(const std::vector<BoundArgument> &arguments) const {
  if (const Variant *first = variant.load(std::memory_order_acquire); first && first->suits(arguments))
    return first;
  if (const Variant *other = otherwise.load(std::memory_order_acquire); other && other->holds(arguments))
    return other;
  return nullptr;
}

Pick *PickTable::find(std::span<const uint64_t> key) const {
  const Slots *slots = slots_.load(std::memory_order_acquire);
  if (!slots)
    return nullptr;
  for (size_t at = hashOf(key);; ++at) {
    Pick *pick = slots->items[at & slots->mask].load(std::memory_order_acquire);
    if (!pick || std::equal(pick->key.begin(), pick->key.end(), key.begin(), key.end()))
      return pick;
  }
}

void PickTable::insert(Slots &slots, Pick *pick) {
  for (size_t at = hashOf(pick->key);; ++at) {
    std::atomic<Pick *> &item = slots.items[at & slots.mask];
    if (item.load(std::memory_order_relaxed))
      continue;
    item.store(pick, std::memory_order_release);
    return;
  }
}

Pick *PickTable::add(std::span<const uint64_t> key, Configured &configured, const Variant &variant) {
  if (picks_.size() >= kMost)
    return nullptr;
  auto pick = std::make_unique<Pick>();
  pick->key.assign(key.begin(), key.end());
  pick->configured = &configured;
  pick->variant = &variant;
  // At most half of the slots are used, so that a search meets an empty slot soon.
  if (tables_.empty() || 2 * (picks_.size() + 1) > tables_.back()->items.size()) {
    auto larger = std::make_unique<Slots>(tables_.empty() ? 8 : 2 * tables_.back()->items.size());
    for (auto &known : picks_)
      insert(*larger, known.get());
    tables_.push_back(std::move(larger));
    slots_.store(tables_.back().get(), std::memory_order_release);
  }
  insert(*tables_.back(), pick.get());
  picks_.push_back(std::move(pick));
  return picks_.back().get();
}

} // namespace tegula
