#include "backends/cuda/codegen/SharedLayout.h"

#include <algorithm>
#include <bit>

namespace tegula::cuda {
namespace {

constexpr unsigned kPieceBits = 4;  // log2 of a piece's bytes, 16
constexpr unsigned kPeriodBits = 3; // a swizzle repeats after 8 rows: address bits 4.. are XORed with bits 7..
constexpr unsigned kSwizzles[] = {0, 32, 64, 128};
constexpr uint32_t kMostBox = 256; // the largest extent of a box, in elements

unsigned log2Of(uint64_t value) { return unsigned(std::countr_zero(value)); }

/// Returns the bases of the tile's layout without a swizzle of this width. The swizzle XORs some offset bits into
/// others, and applying it a second time removes it.
std::vector<int64_t> unswizzled(const SharedTile &tile, unsigned swizzleBytes) {
  std::vector<int64_t> bases(tile.bases.begin(), tile.bases.end());
  unsigned rank = tile.rank(), shift = log2Of(tile.elementBytes);
  unsigned pieces = swizzleBytes ? log2Of(swizzleBytes) - kPieceBits : 0;
  for (unsigned i = 0; i < pieces; ++i) {
    unsigned from = kPieceBits + i, to = from + kPeriodBits;
    if (from < shift || to - shift >= tile.bits())
      continue;
    for (unsigned dim = 0; dim < rank; ++dim)
      bases[(to - shift) * rank + dim] ^= tile.bases[(from - shift) * rank + dim];
  }
  return bases;
}

/// Maps each bit of each coordinate to the offset bit that sets it, for a layout without swizzle. of() returns nothing
/// if an offset bit changes several coordinate bits, or several offset bits change the same one.
struct BitPlaces {
  std::vector<std::vector<int>> at; // [dim][bit] -> offset bit; -1: not found yet

  static std::optional<BitPlaces> of(const SharedTile &tile, std::span<const int64_t> bases) {
    BitPlaces places;
    for (int64_t extent : tile.extents)
      places.at.emplace_back(log2Of(uint64_t(extent)), -1);
    for (unsigned bit = 0; bit < tile.bits(); ++bit) {
      int dim = -1;
      for (unsigned d = 0; d < tile.rank(); ++d) {
        int64_t step = bases[bit * tile.rank() + d];
        if (step == 0)
          continue;
        if (dim >= 0 || !std::has_single_bit(uint64_t(step)) || step >= tile.extents[d])
          return std::nullopt;
        dim = int(d);
        int &place = places.at[d][log2Of(uint64_t(step))];
        if (place >= 0)
          return std::nullopt;
        place = int(bit);
      }
    }
    for (const std::vector<int> &bits : places.at)
      if (std::ranges::count(bits, -1))
        return std::nullopt;
    return places;
  }

  /// The offset, in elements, of the element whose coordinate along axis `dim` is `coordinate` and whose other
  /// coordinates are 0.
  int64_t offset(unsigned dim, int64_t coordinate) const {
    int64_t sum = 0;
    for (unsigned bit = 0; bit < at[dim].size(); ++bit)
      if (coordinate >> bit & 1)
        sum += int64_t(1) << at[dim][bit];
    return sum;
  }

  /// True if bits [from, from + count) of an axis lie at consecutive offset bits from `place` on. Bits beyond the
  /// axis's extent are ignored.
  bool run(unsigned dim, unsigned from, unsigned count, int place) const {
    for (unsigned i = 0; i < count && from + i < at[dim].size(); ++i)
      if (at[dim][from + i] != place + int(i))
        return false;
    return true;
  }
};

std::optional<CopyBoxes> boxesOf(const SharedTile &tile, unsigned swizzleBytes) {
  std::vector<int64_t> bases = unswizzled(tile, swizzleBytes);
  std::optional<BitPlaces> places = BitPlaces::of(tile, bases);
  if (!places)
    return std::nullopt;
  unsigned last = tile.rank() - 1;
  uint64_t inner = uint64_t(tile.extents[last]);
  uint64_t width = swizzleBytes ? std::min<uint64_t>(inner, swizzleBytes / tile.elementBytes) : inner;
  if (!swizzleBytes) // the longest contiguous run along the last axis
    for (width = 1; width < inner && places->at[last][log2Of(width)] == int(log2Of(width));)
      width *= 2;
  CopyBoxes boxes;
  boxes.swizzleBytes = swizzleBytes;
  // A box is expressible only if its rows follow each other without gaps: the lowest offset bits must hold the last
  // axis (up to `width`), the next ones the last axis but one, and so on.
  int place = int(log2Of(width));
  if (!places->run(last, 0, log2Of(width), 0))
    return std::nullopt;
  for (unsigned dim = last; dim-- > 0;) {
    unsigned count = unsigned(places->at[dim].size());
    if (!places->run(dim, 0, count, place))
      return std::nullopt;
    place += int(count);
  }
  for (int64_t extent : tile.extents)
    boxes.box.push_back(uint32_t(extent));
  boxes.box.back() = uint32_t(width);
  for (uint64_t at = 0; at < inner; at += width) {
    boxes.offsets.push_back(places->offset(last, int64_t(at)));
    if (boxes.offsets.back() % (int64_t(1) << place) != 0)
      return std::nullopt;
  }
  return boxes;
}

std::string shapeOf(const std::vector<uint32_t> &box) {
  std::string text;
  for (uint32_t extent : box)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text;
}

} // namespace

std::optional<CopyBoxes> copyBoxes(const SharedTile &tile, std::string &problem) {
  if (tile.padded) {
    problem = "tensor copies know no padding";
    return std::nullopt;
  }
  for (unsigned swizzle : kSwizzles) {
    std::optional<CopyBoxes> boxes = boxesOf(tile, swizzle);
    if (!boxes)
      continue;
    if (std::ranges::any_of(boxes->box, [](uint32_t extent) { return extent > kMostBox; })) {
      problem = "a box of a tensor copy has at most " + std::to_string(kMostBox) +
                " elements along each axis, this one is " + shapeOf(boxes->box);
      return std::nullopt;
    }
    if (boxes->box.back() * tile.elementBytes % 16 != 0) {
      problem = "a row of a tensor copy is a multiple of 16 bytes, this one has " +
                std::to_string(boxes->box.back() * tile.elementBytes);
      return std::nullopt;
    }
    return boxes;
  }
  problem =
      "tensor copies make rows that follow each other, plain or with their 16-byte pieces permuted within 32, 64 or "
      "128 bytes";
  return std::nullopt;
}

uint64_t MatrixView::fields() const {
  constexpr uint64_t kNone = 0, k128 = 1, k64 = 2, k32 = 3;
  uint64_t mode = swizzleBytes == 128 ? k128 : swizzleBytes == 64 ? k64 : swizzleBytes == 32 ? k32 : kNone;
  return uint64_t(leadingBytes >> 4) << 16 | uint64_t(strideBytes >> 4) << 32 | mode << 62;
}

namespace {

/// Returns the step in memory, in bytes, of coordinate bit `from` of the axis `dim`; each higher bit below `to` must
/// have twice the step of the bit before it. Returns 0 if the axis has no bit in [from, to), and nothing if the steps
/// do not double.
std::optional<uint32_t> doubling(const BitPlaces &places, unsigned dim, unsigned from, unsigned to,
                                 unsigned elementBytes) {
  if (from >= to || from >= places.at[dim].size())
    return 0;
  int first = places.at[dim][from];
  if (!places.run(dim, from, to - from, first))
    return std::nullopt;
  return uint32_t(int64_t(elementBytes) << first);
}

std::optional<MatrixView> viewOf(const SharedTile &tile, unsigned kDim, unsigned mnExtent, unsigned kExtent,
                                 unsigned swizzleBytes, bool kMajor) {
  std::vector<int64_t> bases = unswizzled(tile, swizzleBytes);
  std::optional<BitPlaces> places = BitPlaces::of(tile, bases);
  if (!places)
    return std::nullopt;
  unsigned mnDim = 1 - kDim, bytes = tile.elementBytes, pieceBits = kPieceBits - log2Of(bytes);
  unsigned mnBits = log2Of(mnExtent), kBits = log2Of(kExtent);
  unsigned fast = kMajor ? kDim : mnDim, slow = kMajor ? mnDim : kDim;
  unsigned spanBits = swizzleBytes ? log2Of(swizzleBytes / bytes) : pieceBits;
  // A matrix descriptor requires this order in memory: first one span along the fast axis (see MatrixView), then the
  // same span of the next seven rows along the slow axis.
  if (places->at[fast].size() < spanBits || !places->run(fast, 0, spanBits, 0) ||
      !places->run(slow, 0, 3, int(spanBits)))
    return std::nullopt;
  unsigned slowBits = kMajor ? mnBits : kBits, fastBits = kMajor ? kBits : mnBits;
  std::optional<uint32_t> ofSlow = doubling(*places, slow, 3, slowBits, bytes);
  std::optional<uint32_t> ofFast = doubling(*places, fast, spanBits, fastBits, bytes);
  if (!ofSlow || !ofFast)
    return std::nullopt;
  MatrixView view;
  view.kMajor = kMajor;
  view.swizzleBytes = swizzleBytes;
  bool swapped = !kMajor && swizzleBytes == 0; // stride and leading change roles: see the header's table
  view.strideBytes = swapped ? *ofFast : *ofSlow;
  view.leadingBytes = swapped ? *ofSlow : *ofFast;
  for (int64_t k = 0; k < tile.extents[kDim]; k += kExtent)
    view.kSteps.push_back(uint32_t(places->offset(kDim, k) * bytes));
  for (int64_t mn = 0; mn < tile.extents[mnDim]; mn += mnExtent)
    view.mnTiles.push_back(uint32_t(places->offset(mnDim, mn) * bytes));
  // The hardware derives a swizzle from address bits, so each tile of m or n must begin at a multiple of the swizzle's
  // period, which is eight rows of swizzleBytes.
  for (uint32_t begin : view.mnTiles)
    if (swizzleBytes && kMajor && begin % (8 * swizzleBytes) != 0)
      return std::nullopt;
  return view;
}

} // namespace

std::optional<MatrixView> matrixView(const SharedTile &tile, unsigned kDim, unsigned mnExtent, unsigned kExtent,
                                     std::string &problem) {
  if (tile.padded) {
    problem = "asynchronous matrix products know no padding";
    return std::nullopt;
  }
  if (tile.rank() != 2 || tile.extents[kDim] % kExtent != 0 || tile.extents[1 - kDim] % mnExtent != 0) {
    problem = "its extents are no multiples of the instruction's, " + std::to_string(mnExtent) + " by k of " +
              std::to_string(kExtent);
    return std::nullopt;
  }
  for (bool kMajor : {true, false}) {
    if (!kMajor && tile.elementBytes != 2)
      continue; // only 16-bit operands can be transposed
    for (unsigned swizzle : {128u, 64u, 32u, 0u})
      if (std::optional<MatrixView> view = viewOf(tile, kDim, mnExtent, kExtent, swizzle, kMajor))
        return view;
  }
  problem =
      "asynchronous matrix products read rows of eight by 16 bytes, plain or with their pieces permuted within 32, 64 "
      "or 128 bytes, at constant strides";
  return std::nullopt;
}

} // namespace tegula::cuda
