#include "backends/cpu/executor/Buffers.h"

#include <algorithm>

namespace tegula::cpu {

namespace {

constexpr uint64_t kBias = uint64_t{1} << 47;
constexpr uint64_t kLowBits = (uint64_t{1} << 48) - 1;
/// Addresses below this, in either direction from zero, count as a null pointer with an offset.
constexpr uint64_t kNullPage = 1 << 20;

uint64_t baseOf(const BufferRange &range) { return reinterpret_cast<uint64_t>(range.base); }

/// The position in a buffer as text: `name[i]`, or `name at byte N` if N is inside an element.
std::string place(const BufferRange &range, int64_t offset) {
  const std::string buffer = range.name.empty() ? "a buffer" : range.name;
  const auto size = static_cast<int64_t>(byteSize(range.element));
  if (offset % size == 0)
    return buffer + "[" + std::to_string(offset / size) + "]";
  return buffer + " at byte " + std::to_string(offset);
}

std::string extent(const BufferRange &range) {
  const size_t elements = range.size / byteSize(range.element);
  return std::to_string(elements) + (elements == 1 ? " element of " : " elements of ") +
         std::string(name(range.element));
}

} // namespace

/// True if the pointer is an integer in [-2^48, 2^48): its upper 16 bits are all 0 or all 1. Both cases count, because
/// adding an offset to such a pointer may change its sign.
static bool isNearZero(uint64_t pointer) { return originOf(pointer) == 0 || originOf(pointer) == 0xffff; }

uint64_t addToPointer(uint64_t pointer, __int128 bytes) {
  if (originOf(pointer) == kLostOrigin)
    return kLostPointer;
  if (isNearZero(pointer)) { // it has no origin: it stays an address that every access refuses
    const uint64_t sum = pointer + static_cast<uint64_t>(bytes);
    return isNearZero(sum) ? sum : kLostPointer;
  }
  const auto moved = static_cast<__int128>(pointer & kLowBits) + bytes;
  if (moved < 0 || moved > static_cast<__int128>(kLowBits))
    return kLostPointer;
  return (pointer & ~kLowBits) | static_cast<uint64_t>(moved);
}

Buffers::Buffers(std::span<const BufferRange> ranges) : ranges_(ranges) {
  if (ranges.size() >= kLostOrigin)
    throw Error("checked mode follows at most 65533 buffers, this device has " + std::to_string(ranges.size()) +
                "; release some or run unchecked");
  for (uint32_t i = 0; i < ranges.size(); ++i)
    if (ranges[i].size)
      byBase_.push_back(i);
  std::sort(byBase_.begin(), byBase_.end(),
            [&](uint32_t a, uint32_t b) { return baseOf(ranges_[a]) < baseOf(ranges_[b]); });
}

uint64_t Buffers::fromAddress(uint64_t address) const {
  auto after = std::upper_bound(byBase_.begin(), byBase_.end(), address,
                                [&](uint64_t a, uint32_t i) { return a < baseOf(ranges_[i]); });
  if (after != byBase_.begin()) {
    const uint32_t index = *(after - 1);
    const uint64_t offset = address - baseOf(ranges_[index]);
    if (offset <= ranges_[index].size) // a pointer one past the end belongs to the buffer
      return uint64_t{index + 1} << 48 | (kBias + offset);
  }
  const uint64_t upper = originOf(address);
  return upper == kLostOrigin || (upper >= 1 && upper <= ranges_.size()) ? kLostPointer : address;
}

uint64_t Buffers::toAddress(uint64_t pointer) const {
  int64_t offset = 0;
  if (const BufferRange *range = find(pointer, offset))
    return baseOf(*range) + static_cast<uint64_t>(offset);
  return pointer;
}

const BufferRange *Buffers::find(uint64_t pointer, int64_t &offset) const {
  const uint64_t origin = originOf(pointer);
  if (origin == 0 || origin > ranges_.size())
    return nullptr;
  offset = static_cast<int64_t>(pointer & kLowBits) - static_cast<int64_t>(kBias);
  return &ranges_[origin - 1];
}

std::string Buffers::problem(uint64_t pointer, unsigned size, Access access) const {
  const std::string verb = access == Access::Load ? "reads " : access == Access::Store ? "writes " : "updates ";
  int64_t offset = 0;
  const BufferRange *range = find(pointer, offset);
  if (!range) {
    if (originOf(pointer) == kLostOrigin)
      return "uses a pointer whose pointer arithmetic left the buffer's address space";
    const uint64_t address = pointer & kLowBits;
    if (address < kNullPage || address > kLowBits - kNullPage)
      return verb + "through a null pointer";
    return verb + "through a pointer that points into no live buffer";
  }
  if (offset < 0)
    return verb + place(*range, offset) + ", before its start (" + extent(*range) + ")";
  if (static_cast<uint64_t>(offset) + size > range->size)
    return verb + place(*range, offset) + ", past its end (" + extent(*range) + ")";
  if (range->written && access != Access::Store)
    for (unsigned i = 0; i < size; ++i)
      if (!range->written[offset + i])
        return verb + place(*range, offset) + ", which was never written";
  return {};
}

} // namespace tegula::cpu
