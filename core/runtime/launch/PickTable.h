// The table of a specialization from pick keys (PickKey.h) to what launches with such a key run.
//
// Open addressing with linear probing over pointers to immutable keys. Readers take no lock: slots only ever change
// from empty to a pick, and a table that grew too full is replaced by a larger one while readers may still use it; old
// tables live as long as the object. Writers hold the kernel's mutex.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tegula {

struct BoundArgument;
struct Configured;
struct Variant;

struct Pick {
  std::vector<uint64_t> key;
  Configured *configured = nullptr;
  /// Replaced once by a better one where `awaits` was set: a launch that must not wait took what fitted.
  std::atomic<const Variant *> variant = nullptr;
  /// For arguments of the same key that `variant` does not suit: what a launch may derive is not in the key.
  std::atomic<const Variant *> otherwise = nullptr;
  std::atomic<bool> awaits = false; // a better variant is being compiled

  /// The variant that suits these arguments, whose key this is; null where none is known.
  const Variant *find(const std::vector<BoundArgument> &arguments) const;
};

class PickTable {
public:
  /// Beyond these, `add` keeps nothing: keys of a program whose sizes never repeat must not fill the memory.
  static constexpr size_t kMost = 4096;

  PickTable() = default;
  PickTable(const PickTable &) = delete;
  PickTable &operator=(const PickTable &) = delete;

  Pick *find(std::span<const uint64_t> key) const;
  /// The key must be absent. Null if the table is full.
  Pick *add(std::span<const uint64_t> key, Configured &configured, const Variant &variant);

private:
  struct Slots {
    explicit Slots(size_t count) : mask(count - 1), items(count) {}
    size_t mask;
    std::vector<std::atomic<Pick *>> items;
  };
  static void insert(Slots &slots, Pick *pick);

  std::atomic<const Slots *> slots_ = nullptr;
  std::vector<std::unique_ptr<Slots>> tables_; // the last one is in use
  std::vector<std::unique_ptr<Pick>> picks_;
};

} // namespace tegula
