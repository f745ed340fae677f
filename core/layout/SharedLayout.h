// Arrays in shared memory: a linear map from offsets to coordinates, plus padding.
#pragma once

#include "core/layout/BankConflicts.h"
#include "core/layout/LinearLayout.h"

namespace tegula::layout {

/// Where each element of a tensor is in shared memory. `linear` maps kOffset, in elements, to the tensor's coordinates
/// and reaches all of them; a coordinate that several offsets map to is stored several times. Padding comes after:
/// the address of offset o, in elements, is o plus `padding` for each whole `interval` below o.
///
///   rows of 8, padded by 2 after each 8:   offset  0..7   8..15   16..23
///                                          address 0..7  10..17   20..27
class SharedLayout {
public:
  /// Throws tegula::Error if an input is not kOffset, an interval is not a power of two, or some coordinates are not
  /// reached.
  SharedLayout(LinearLayout linear, std::vector<Padding> paddings = {});

  /// The layout of an array that holds a part of the tensor only, such as one block's part: addressOf() throws for
  /// elements outside the part.
  static SharedLayout ofPart(LinearLayout linear, std::vector<Padding> paddings = {});

  const LinearLayout &linear() const { return linear_; }
  const std::vector<Padding> &paddings() const { return paddings_; }
  /// Elements to reserve: the last address + 1.
  uint64_t allocationSize() const { return addressOfOffset((uint64_t(1) << linear_.totalInputBits()) - 1) + 1; }

  uint64_t addressOfOffset(uint64_t offset) const;
  /// The lowest address, in elements, at which this element is stored.
  uint64_t addressOf(const Coordinates &coordinates) const;
  /// All addresses at which this element is stored: several exactly if `linear` is not injective.
  std::vector<uint64_t> addressesOf(const Coordinates &coordinates) const;
  /// The element at an address; nothing for an address in the padding or beyond the end.
  std::optional<Coordinates> at(uint64_t address) const;

  /// For a distributed layout of the same tensor: (register, lane, warp) -> kOffset, before padding.
  LinearLayout offsetsOf(const LinearLayout &distributed) const { return distributed.invertAndCompose(linear_); }

  bool operator==(const SharedLayout &) const = default;

private:
  SharedLayout() = default;
  void check() const;
  uint64_t offsetOf(const Coordinates &coordinates) const; // the lowest offset at which the element is stored

  LinearLayout linear_;
  std::vector<Padding> paddings_;
};

/// A dense array; `order` lists the dimensions, fastest first.   {1,0} of 4x8: (r, c) is at 8 r + c
LinearLayout arrayLayout(const std::vector<uint32_t> &shape, const std::vector<unsigned> &order);
LinearLayout rowMajor(const std::vector<uint32_t> &shape);
LinearLayout columnMajor(const std::vector<uint32_t> &shape);

/// A matrix whose vectors of `vec` elements are permuted within each line by XOR with the line's phase: element p of
/// line l is at offset line_length * l + V * (p / V ^ l / perPhase % maxPhase) + p % V, where V = vec. Lines run along
/// order[0]. All sizes are powers of two; vec * maxPhase is at most the length of a line.
///
///   4x4, vec 1, perPhase 1, maxPhase 4, order {1,0}; the element at each offset:
///     (0,0) (0,1) (0,2) (0,3)
///     (1,1) (1,0) (1,3) (1,2)
///     (2,2) (2,3) (2,0) (2,1)
///     (3,3) (3,2) (3,1) (3,0)
struct SwizzleSpec {
  std::vector<uint32_t> shape; // two dimensions
  uint32_t vec = 1, perPhase = 1, maxPhase = 1;
  std::vector<unsigned> order = {1, 0};
};
LinearLayout swizzled(const SwizzleSpec &spec);

/// The swizzle of copies by hardware and matrix instructions with a span of 32, 64 or 128 bytes: the bits of the byte
/// address that number the 16-byte chunks within the span are XORed with as many bits from bit 7 up.
///
///     span 128: address bits 4..6 ^= bits 7..9      64: bits 4..5 ^= bits 7..8      32: bit 4 ^= bit 7
///
/// With lines of 128 bytes, chunk c of line l is at chunk c ^ (l % 8) of its line; the pattern repeats every 8 lines. A
/// line is at most as long as the span; a wider tensor is several boxes of that width, one after another. Lines run
/// along order[0].
///
///   8x64 of 2 bytes, span 128: chunks of 8 elements,    line 0:  0 1 2 3 4 5 6 7
///   the chunk in each place of a line                   line 1:  1 0 3 2 5 4 7 6
///                                                       line 2:  2 3 0 1 6 7 4 5
struct SpanSwizzleSpec {
  std::vector<uint32_t> shape; // two dimensions
  uint32_t spanBytes = 128;
  uint32_t elementBytes = 2;
  std::vector<unsigned> order = {1, 0};
};
LinearLayout spanSwizzled(const SpanSwizzleSpec &spec);

} // namespace tegula::layout
