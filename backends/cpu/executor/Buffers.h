// Checked mode's view of memory. A pointer in a register holds the index of the buffer that it was derived from (its
// origin) in its upper 16 bits, and the distance from this buffer's start below. The distance is biased by 2^47, so
// that offsets up to 2^47 bytes on either side do not reach the upper bits:
//
//   63      48 47                      0
//   [ origin ] [ 2^47 + byte distance ]      origin 1.. : buffer origin - 1
//   [       any other address         ]      a pointer that no live buffer contains, null, or an integer
//   [ 0xfffe ] [        any           ]      arithmetic left its buffer's 2^48 bytes
//
// An integer that is made a pointer keeps its 64 bits unless its upper 16 are one of the origins or 0xfffe: these are
// no addresses of a process, and become the lost pointer.
#pragma once

#include "backends/cpu/executor/Executor.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tegula::cpu {

enum class Access : uint8_t { Load, Store, Atomic };

inline constexpr uint64_t kLostOrigin = 0xfffe;
inline constexpr uint64_t kLostPointer = kLostOrigin << 48;

inline uint64_t originOf(uint64_t pointer) { return pointer >> 48; }

class Buffers {
public:
  /// Throws Error where there are more buffers than origins.
  explicit Buffers(std::span<const BufferRange> ranges);

  /// The register form of a real address.
  uint64_t fromAddress(uint64_t address) const;
  /// The real address of a pointer in register form; the pointer itself where it has no buffer.
  uint64_t toAddress(uint64_t pointer) const;

  /// The pointer's buffer, null where it has none; `offset`: bytes from this buffer's start.
  const BufferRange *find(uint64_t pointer, int64_t &offset) const;

  /// Why `size` bytes at `pointer` may not be accessed: the part of the message after "load of element [..] "; empty
  /// where the access is valid.
  std::string problem(uint64_t pointer, unsigned size, Access access) const;

private:
  std::span<const BufferRange> ranges_;
  std::vector<uint32_t> byBase_; // indices of the non-empty ranges in order of address
};

/// `pointer + bytes`, or the lost pointer where that leaves the origin's address space.
uint64_t addToPointer(uint64_t pointer, __int128 bytes);

} // namespace tegula::cpu
