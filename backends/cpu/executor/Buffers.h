// Pointers in checked mode. The upper 16 bits of a pointer in a register number the buffer that it was derived from
// (its origin); the lower 48 bits are its distance from the buffer's start, biased by 2^47, so that offsets of up to
// 2^47 bytes in either direction do not change the upper bits:
//
//   63      48 47                      0
//   [ origin ] [ 2^47 + byte distance ]      origin 1.. : buffer origin - 1
//   [       any other address         ]      a pointer that no live buffer contains, null, or an integer
//   [ 0xfffe ] [        any           ]      arithmetic left its buffer's 2^48 bytes
//
// An integer that is converted to a pointer keeps its 64 bits, unless its upper 16 bits are an origin or 0xfffe. No
// address of a process has such bits, so it becomes the lost pointer (0xfffe).
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
  /// Throws Error if there are more buffers than origins.
  explicit Buffers(std::span<const BufferRange> ranges);

  /// Converts a real address to a pointer in register form.
  uint64_t fromAddress(uint64_t address) const;
  /// Converts a pointer in register form to its real address; a pointer without buffer is returned unchanged.
  uint64_t toAddress(uint64_t pointer) const;

  /// The pointer's buffer, or null if it has none. `offset`: the bytes from the buffer's start.
  const BufferRange *find(uint64_t pointer, int64_t &offset) const;

  /// The reason why `size` bytes at `pointer` must not be accessed: the text of the message after "load of element [..]
  /// ". Empty if the access is valid.
  std::string problem(uint64_t pointer, unsigned size, Access access) const;

private:
  std::span<const BufferRange> ranges_;
  std::vector<uint32_t> byBase_; // indices of the non-empty ranges, sorted by address
};

/// `pointer + bytes`; the lost pointer if the sum leaves the origin's 2^48 bytes.
uint64_t addToPointer(uint64_t pointer, __int128 bytes);

} // namespace tegula::cpu
