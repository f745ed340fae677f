// The value of a register. A tile is kept in the cheapest of several forms, and is converted to elements in memory only
// when an operation needs them:
//
//   Strided  elements in memory: element (i, j, ..) lies at data + i * step[0] + j * step[1] + .. elements. A step
//            of 0 repeats, so broadcasts, splats and transposes cost nothing. Without a block all steps are 0 and
//            `scalar` is the element.
//   Affine   integers and pointers: element (i, j, ..) is scalar + i * step[0] + j * step[1] + .. exactly, as a
//            signed number. Of types narrower than 64 bits all elements lie in the type's range; 64-bit sums are
//            taken modulo 2^64.
//   Box      i1: true where low[d] <= i_d < high[d] for all axes d; with `scalar` 0, false everywhere.
//
//   offs = 8*pid + arange(0, 8)      Affine  {base 8*pid, step 1}
//   offs < n                         Box     {[0, n - 8*pid) cut to [0, 8)}
//   x[:, None] of f32[4]             Strided {step 1, 0}
#pragma once

#include "backends/cpu/bytecode/Bytecode.h"
#include "backends/cpu/executor/Pool.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace tegula::cpu {

using Extents = std::array<int64_t, kMaxRank>;

struct Shape {
  unsigned rank = 0;
  Extents extent{};

  Shape() = default;
  explicit Shape(std::span<const int64_t> extents) : rank(static_cast<unsigned>(extents.size())) {
    for (unsigned d = 0; d < rank; ++d)
      extent[d] = extents[d];
  }
  int64_t count() const {
    int64_t product = 1;
    for (unsigned d = 0; d < rank; ++d)
      product *= extent[d];
    return product;
  }
  bool operator==(const Shape &other) const {
    if (rank != other.rank)
      return false;
    for (unsigned d = 0; d < rank; ++d)
      if (extent[d] != other.extent[d])
        return false;
    return true;
  }
};

/// The element steps of a row-major tile; axes of extent 1 get step 0.
Extents rowMajorSteps(const Shape &shape);

inline bool isSmallFloat(ElementKind kind) {
  return isFloat(kind) && kind != ElementKind::F32 && kind != ElementKind::F64;
}
/// True for the element kinds that the Affine form supports.
inline bool isAffineKind(ElementKind kind) {
  return (isInteger(kind) && kind != ElementKind::I1) || kind == ElementKind::Pointer;
}
/// The kernel tables' index of an integer or pointer type: log2 of its bytes.
unsigned widthIndex(ElementKind kind);
/// The bits of an integer type: 1 for I1, 64 for Pointer.
unsigned bitWidth(ElementKind kind);
/// The low `bits` bits of `value`, sign-extended.
int64_t wrapToWidth(int64_t value, unsigned bits);

class Value {
public:
  enum class Form : uint8_t { Empty, Strided, Affine, Box, Descriptor };

  Form form = Form::Empty;
  ElementKind element = ElementKind::I32;
  ElementKind pointee = ElementKind::I8;
  Shape shape;
  BlockRef block;
  std::byte *data = nullptr; // points into the block
  int64_t scalar = 0;        // Strided without block: element bits; Affine: base; Box: 0 if it is empty
  Extents step{};            // Strided: element steps; Affine: increments; Box: lower bounds
  Extents high{};            // Box only

  static Value uniformBits(ElementKind element, const Shape &shape, uint64_t bits);
  static Value affine(ElementKind element, const Shape &shape, int64_t base);
  static Value boolean(const Shape &shape, bool value);
  /// A tile of uninitialised row-major elements.
  static Value dense(ElementKind element, const Shape &shape);
  /// A tile of uninitialised elements; its axes lie in memory in the given order, outermost first.
  static Value denseInOrder(ElementKind element, const Shape &shape, std::span<const unsigned> order);

  const std::byte *elements() const { return block ? data : reinterpret_cast<const std::byte *>(&scalar); }
  std::byte *mutableElements() { return data; }
  template <class T> T *as() { return reinterpret_cast<T *>(data); }
  template <class T> const T *as() const { return reinterpret_cast<const T *>(elements()); }

  /// True if all elements are known to be equal.
  bool isUniform() const;
  /// True if the form is Strided, with row-major steps and a block.
  bool isRowMajor() const;
  /// The value of a uniform integer tile or of an integer tile's only element, sign-extended (i1: 0 or 1).
  int64_t integer() const;
  /// The bits of an element of a uniform value of any type.
  uint64_t uniformElement() const;

  /// For Box and Affine: repeats a scalar to the shape `target`.
  void splatTo(const Shape &target);
};

/// The value in Strided form. Axes along which an Affine or Box value does not vary get step 0.
Value toStrided(const Value &value);
/// The value as row-major elements in a block, which `value` may share.
Value toRowMajor(const Value &value);
/// A copy in a new block; its axes lie in memory in the given order, outermost first.
Value copyInOrder(const Value &value, std::span<const unsigned> order);

/// The smallest and the largest element of an Affine value; nothing if one of them does not fit 64 bits.
struct Range {
  int64_t low, high;
};
std::optional<Range> affineRange(const Value &value);
/// True if all elements fit a signed integer of `bits` bits.
bool fitsSigned(const Range &range, unsigned bits);

/// Copies elements of `size` bytes between two strided tiles. Steps are in bytes. The regions must not overlap.
void copyStrided(std::byte *to, const Extents &toStep, const std::byte *from, const Extents &fromStep,
                 const Shape &shape, unsigned size);

/// Calls body(index) for each row of the tile in row-major order. A row runs along the last axis; `index` is that of
/// its first element. A tile of rank 0 has one row.
template <class Body> void forEachRow(const Shape &shape, Body body) {
  Extents index{};
  const unsigned outer = shape.rank ? shape.rank - 1 : 0;
  for (;;) {
    body(static_cast<const Extents &>(index));
    unsigned d = outer;
    while (d > 0 && ++index[d - 1] == shape.extent[d - 1])
      index[--d] = 0;
    if (d == 0)
      return;
  }
}

} // namespace tegula::cpu
