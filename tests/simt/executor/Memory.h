// Global memory: named buffers. An address holds the buffer's number, from 1, in the bits from 40 up, and the byte
// offset below, so that a pointer that leaves its buffer is detected after any arithmetic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tegula::simt_test {

struct GlobalBuffer {
  std::span<std::byte> bytes;
  std::string name;
};

class GlobalMemory {
public:
  static constexpr unsigned kBufferShift = 40;
  /// Returns the address of the first byte.
  uint64_t add(std::span<std::byte> bytes, std::string name) {
    buffers_.push_back({bytes, std::move(name)});
    return static_cast<uint64_t>(buffers_.size()) << kBufferShift;
  }
  /// The buffer of an address; null without one.
  GlobalBuffer *buffer(uint64_t address) {
    uint64_t number = address >> kBufferShift;
    return number == 0 || number > buffers_.size() ? nullptr : &buffers_[number - 1];
  }
  static uint64_t offset(uint64_t address) { return address & ((uint64_t(1) << kBufferShift) - 1); }
  /// Null unless all bytes are in one buffer.
  std::byte *find(uint64_t address, uint64_t bytes) {
    GlobalBuffer *found = buffer(address);
    if (!found || offset(address) > found->bytes.size() || bytes > found->bytes.size() - offset(address))
      return nullptr;
    return found->bytes.data() + offset(address);
  }

private:
  std::vector<GlobalBuffer> buffers_;
};

} // namespace tegula::simt_test
