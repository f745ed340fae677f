// Storage of tiles: reference-counted blocks from free lists of each thread. A value never passes from one thread to
// another, so no locks are needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace tegula::cpu {

/// The header of a block; the elements follow it, aligned to 64 bytes.
struct alignas(64) Block {
  uint32_t references = 0;
  uint32_t sizeClass = 0;
  Block *next = nullptr; // next block in the free list
  size_t capacity = 0;   // bytes after the header

  std::byte *bytes() { return reinterpret_cast<std::byte *>(this + 1); }
};

/// A block of at least `bytes`, from this thread's free lists. Throws std::bad_alloc.
Block *allocateBlock(size_t bytes);
/// Returns a block without references to this thread's free lists, or to the system if they hold enough.
void releaseBlock(Block *block);

class BlockRef {
public:
  BlockRef() = default;
  explicit BlockRef(Block *block) : block_(block) {
    if (block_)
      ++block_->references;
  }
  BlockRef(const BlockRef &other) : BlockRef(other.block_) {}
  BlockRef(BlockRef &&other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  BlockRef &operator=(BlockRef other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~BlockRef() {
    if (block_ && --block_->references == 0)
      releaseBlock(block_);
  }
  explicit operator bool() const { return block_; }
  bool unique() const { return block_ && block_->references == 1; }
  std::byte *bytes() const { return block_->bytes(); }
  size_t capacity() const { return block_->capacity; }

private:
  Block *block_ = nullptr;
};

} // namespace tegula::cpu
