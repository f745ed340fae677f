#include "backends/cpu/executor/Pool.h"

#include <algorithm>
#include <array>
#include <bit>
#include <new>

namespace tegula::cpu {

namespace {

constexpr size_t kSmallest = 64;
constexpr size_t kSizeClasses = 48;

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TEGULA_EXACT_BLOCKS 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define TEGULA_EXACT_BLOCKS 1
#endif

/// The most free bytes that one thread keeps for reuse; a kernel's working set is far smaller.
#ifdef TEGULA_EXACT_BLOCKS
constexpr bool kExact = true; // each block is a system allocation, so that the sanitizer detects accesses past its end
constexpr size_t kRetained = 0;
#else
constexpr bool kExact = false;
constexpr size_t kRetained = size_t{64} << 20;
#endif

struct FreeLists {
  std::array<Block *, kSizeClasses> heads{};
  size_t retained = 0;

  ~FreeLists() {
    for (Block *&head : heads)
      while (head) {
        Block *block = std::exchange(head, head->next);
        ::operator delete(block, std::align_val_t{alignof(Block)});
      }
  }
};

thread_local FreeLists freeLists;

} // namespace

Block *allocateBlock(size_t bytes) {
  const size_t wanted = std::max(bytes, kSmallest);
  if (wanted > size_t{1} << (kSizeClasses - 1))
    throw std::bad_alloc();
  const auto sizeClass = static_cast<uint32_t>(std::bit_width(wanted - 1));
  if (Block *block = freeLists.heads[sizeClass]) { // the one returned last, most likely still in the cache
    freeLists.heads[sizeClass] = block->next;
    freeLists.retained -= block->capacity;
    return block;
  }
  const size_t capacity = kExact ? bytes : size_t{1} << sizeClass;
  void *memory = ::operator new(sizeof(Block) + capacity, std::align_val_t{alignof(Block)});
  auto *block = new (memory) Block;
  block->sizeClass = sizeClass;
  block->capacity = capacity;
  return block;
}

void releaseBlock(Block *block) {
  if (freeLists.retained + block->capacity > kRetained) {
    ::operator delete(block, std::align_val_t{alignof(Block)});
    return;
  }
  block->next = freeLists.heads[block->sizeClass];
  freeLists.heads[block->sizeClass] = block;
  freeLists.retained += block->capacity;
}

} // namespace tegula::cpu
