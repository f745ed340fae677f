// The table of a specialization: from a pick key (PickKey.h) to the configuration and variant of launches with this
// key.
//
// It uses open addressing with linear probing over pointers to immutable picks. Readers take no lock: a slot only
// changes from empty to a pick. A table that is too full is replaced by a larger one; readers may still use the old
// table, which lives as long as the object. Writers hold the kernel's mutex.
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
  /// The variant that launches with this key run. If a launch that must not wait took a variant that fits but is not
  /// the best, it set `awaits`; the background thread then replaces the variant once.
  std::atomic<const Variant *> variant = nullptr;
  /// The variant that a launch runs if `variant` does not suit its arguments: arguments with equal keys can differ in
  /// whether descriptors can be derived from them.
  std::atomic<const Variant *> otherwise = nullptr;
  std::atomic<bool> awaits = false; // a better variant is being compiled in the background

  /// The variant of this pick that suits the arguments, which have this key; null if there is none.
  const Variant *find(const std::vector<BoundArgument> &arguments) const;
};

class PickTable {
public:
  /// The greatest number of picks in a table. When it is reached, `add` stores nothing: a program whose sizes never
  /// repeat must not fill the memory with keys.
  static constexpr size_t kMost = 4096;

  PickTable() = default;
  PickTable(const PickTable &) = delete;
  PickTable &operator=(const PickTable &) = delete;

  Pick *find(std::span<const uint64_t> key) const;
  /// Adds a pick, whose key must be absent. Returns null if the table is full.
  Pick *add(std::span<const uint64_t> key, Configured &configured, const Variant &variant);

private:
  struct Slots {
    explicit Slots(size_t count) : mask(count - 1), items(count) {}
    size_t mask;
    std::vector<std::atomic<Pick *>> items;
  };
  static void insert(Slots &slots, Pick *pick);

  std::atomic<const Slots *> slots_ = nullptr;
  std::vector<std::unique_ptr<Slots>> tables_; // the last one is in use, the others may still be read
  std::vector<std::unique_ptr<Pick>> picks_;
};

} // namespace tegula
