#include "core/layout/SharedLayout.h"
#include "core/support/Diagnostic.h"

#include <algorithm>
#include <bit>

namespace tegula::layout {

SharedLayout::SharedLayout(LinearLayout linear, std::vector<Padding> paddings)
    : linear_(std::move(linear)), paddings_(std::move(paddings)) {
  check();
  if (!linear_.isSurjective())
    throw Error("layout: " + linear_.toText() + " does not hold the whole tensor: rank " +
                std::to_string(linear_.rank()) + " where " + std::to_string(linear_.totalOutputBits()) +
                " bits are needed");
}

SharedLayout SharedLayout::ofPart(LinearLayout linear, std::vector<Padding> paddings) {
  SharedLayout made;
  made.linear_ = std::move(linear);
  made.paddings_ = std::move(paddings);
  made.check();
  return made;
}

void SharedLayout::check() const {
  for (const Extent &extent : linear_.inputs())
    if (extent.dim != kOffset)
      throw Error("layout: a shared-memory layout has the input offset, not " + name(extent.dim));
  for (const Padding &padding : paddings_)
    if (!std::has_single_bit(padding.interval))
      throw Error("layout: the interval of a padding is " + std::to_string(padding.interval) +
                  "; it must be a power of two");
}

uint64_t SharedLayout::offsetOf(const Coordinates &coordinates) const {
  std::optional<uint64_t> offset = linear_.matrix().solve(linear_.packOutput(coordinates));
  if (!offset)
    throw Error("layout: " + linear_.toText() + " does not hold the element asked for");
  return *offset;
}

uint64_t SharedLayout::addressOfOffset(uint64_t offset) const {
  uint64_t address = offset;
  for (const Padding &padding : paddings_)
    address += offset / padding.interval * padding.padding;
  return address;
}

uint64_t SharedLayout::addressOf(const Coordinates &coordinates) const {
  return addressOfOffset(offsetOf(coordinates));
}

std::vector<uint64_t> SharedLayout::addressesOf(const Coordinates &coordinates) const {
  std::vector<uint64_t> offsets = {offsetOf(coordinates)};
  for (uint64_t same : linear_.matrix().kernel())
    for (size_t i = 0, count = offsets.size(); i < count; ++i)
      offsets.push_back(offsets[i] ^ same);
  std::sort(offsets.begin(), offsets.end());
  for (uint64_t &offset : offsets)
    offset = addressOfOffset(offset);
  return offsets;
}

std::optional<Coordinates> SharedLayout::at(uint64_t address) const {
  // Addresses increase with offsets: binary search for the offset.
  uint64_t low = 0, high = uint64_t(1) << linear_.totalInputBits();
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    if (addressOfOffset(middle) < address)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == uint64_t(1) << linear_.totalInputBits() || addressOfOffset(low) != address)
    return std::nullopt;
  return linear_.unpackOutput(linear_.applyFlat(low));
}

} // namespace tegula::layout
