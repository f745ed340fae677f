// The room of layouts: where each element of a tensor lives. No MLIR here, no target, no element values: only the maps
// from hardware coordinates (register, lane, warp, block; or an offset in shared memory) to tensor coordinates, their
// algebra, the cost of accesses, and plans that convert one layout into another.
//
// A layout is a linear map over GF(2) (source: 'Linear Layouts', Zhou et al., arXiv 2505.23819): each *bit* of the
// input has an image, its basis, and an input maps to the XOR of the bases of its set bits. So a table of a few lines
// says where thousands of elements are. For example 16x8 values in the registers of 32 lanes, 4 registers each:
//
//     register  1 -> (0,1)       register 1 is one column to the right of register 0,
//               2 -> (8,0)       register 2 eight rows below it, and register 3 both;
//     lane      1 -> (0,2)       the lanes 0..3 hold pairs of columns,
//               2 -> (0,4)
//               4 -> (1,0)       and every fourth lane is the next row.
//               8 -> (2,0)
//              16 -> (4,0)
//
//     (register, lane) -> (dim0, dim1):  (3, 6) = (1|2, 2|4) -> (0,1) ^ (8,0) ^ (0,4) ^ (1,0) = (9,5)
//
//                dim1  0     1     2     3     4     5     6     7
//     dim0 0        0:0   0:1   1:0   1:1   2:0   2:1   3:0   3:1       lane:register
//          1        4:0   4:1   5:0   5:1   6:0   6:1   7:0   7:1
//          8        0:2   0:3   1:2   1:3   2:2   2:3   3:2   3:3
//          9        4:2   4:3   5:2   5:3   6:2  [6:3]  7:2   7:3
//
// Its text form is `register: (0,1) (8,0); lane: (0,2) (0,4) (1,0) (2,0) (4,0)`. XOR instead of addition is what lets
// one notation also hold swizzles: `offset: (0,1) (0,2) (1,1) (2,2)` is a 4x4 array in shared memory whose element
// (row, column) is at 4 * row + (column ^ row).
//
// A basis (0,0) is a copy: `lane: (1) (2) (0)` puts the same element in lanes i and i + 4.
#pragma once

#include "core/layout/BitMatrix.h"
#include "core/layout/Dimension.h"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tegula::layout {

/// One number for each output dimension, in their order.
using Coordinates = std::vector<uint32_t>;
std::string toText(const Coordinates &coordinates); // "(1,2)"

/// The images of one input dimension's bits, lowest bit first; the dimension has 2^bases.size() values.
struct InputBases {
  Dim dim;
  std::vector<Coordinates> bases;
  bool operator==(const InputBases &) const = default;
};

/// A linear map over GF(2) from named input to named output dimensions, all of power-of-two size, at most 63 bits on
/// either side. Immutable.
///
/// *Flat* numbers: dimensions are ordered, and the first one holds the lowest bits. A flat input of (register 4, lane
/// 32) is lane * 4 + register; a flat output of (dim0 16, dim1 8) is dim1 * 16 + dim0.
///
/// A dimension that a layout lacks counts as having size 1. Functions throw tegula::Error where sizes or dimensions
/// cannot work together; the message has both.
class LinearLayout {
public:
  /// No dimensions: one value, 0 bits.
  LinearLayout() = default;
  /// Throws if a size is not a power of two, a dimension occurs twice, or a basis has a coordinate too many, too few,
  /// or outside its output's size.
  LinearLayout(const std::vector<InputBases> &inputs, const std::vector<Extent> &outputs);

  /// in i -> out i, i < size.           identity(4, kLane, kDim0):      lane 1 -> (1), 2 -> (2)
  static LinearLayout identity(uint32_t size, Dim in, Dim out);
  /// in i -> out 0: all hold the same.  zeros(4, kLane, kDim0):         lane 1 -> (0), 2 -> (0)
  static LinearLayout zeros(uint32_t size, Dim in, Dim out, uint32_t outSize = 1);
  /// in i -> out i * stride.            strided(4, 8, kLane, kDim0):    lane 1 -> (8), 2 -> (16); out has size * stride
  static LinearLayout strided(uint32_t size, uint32_t stride, Dim in, Dim out);

  // The input and output dimensions with their sizes.
  std::vector<Extent> inputs() const { return extents(ins_); }
  std::vector<Extent> outputs() const { return extents(outs_); }
  bool hasInput(Dim dim) const { return find(ins_, dim) != nullptr; }
  bool hasOutput(Dim dim) const { return find(outs_, dim) != nullptr; }
  unsigned inputBits(Dim dim) const { return bitsOf(ins_, dim); }
  unsigned outputBits(Dim dim) const { return bitsOf(outs_, dim); }
  uint32_t inputSize(Dim dim) const { return uint32_t(1) << inputBits(dim); }
  uint32_t outputSize(Dim dim) const { return uint32_t(1) << outputBits(dim); }
  unsigned totalInputBits() const { return static_cast<unsigned>(columns_.size()); }
  unsigned totalOutputBits() const;
  /// Sizes of the outputs, in their order.
  std::vector<uint32_t> shape() const;

  // Evaluation.
  /// The coordinates of an input; dimensions left out are 0.   layout.apply({{kRegister, 3}, {kLane, 6}})
  Coordinates apply(std::initializer_list<std::pair<Dim, uint32_t>> input) const;
  uint64_t applyFlat(uint64_t input) const { return matrix().apply(input); }
  /// The image of one bit of an input dimension.
  Coordinates basis(Dim in, unsigned bit) const { return unpackOutput(flatBasis(in, bit)); }
  uint64_t flatBasis(Dim in, unsigned bit) const;
  /// The flat images of an input dimension's bits; empty if there is no such dimension.
  std::vector<uint64_t> flatBases(Dim in) const;
  std::vector<InputBases> bases() const;
  /// Flat numbers to and from one number for each dimension.
  uint64_t packInput(std::span<const uint32_t> values) const { return pack(ins_, values); }
  uint64_t packOutput(std::span<const uint32_t> values) const { return pack(outs_, values); }
  Coordinates unpackInput(uint64_t flat) const { return unpack(ins_, flat); }
  Coordinates unpackOutput(uint64_t flat) const { return unpack(outs_, flat); }
  BitMatrix matrix() const { return {totalOutputBits(), columns_}; }

  // Properties.
  /// The number of different outputs is 2^rank.
  unsigned rank() const { return matrix().rank(); }
  bool isSurjective() const { return rank() == totalOutputBits(); }
  bool isInjective() const { return rank() == totalInputBits(); }
  bool isInvertible() const { return isSurjective() && isInjective(); }
  /// Mask of the bits of input dimension `in` that can be fixed at 0 without losing an output: the basis of such a bit
  /// is 0, or the XOR of the bases of earlier bits (in the order of the input dimensions). Summed over all dimensions
  /// there are totalInputBits() - rank() such bits.   `lane: (1) (2) (0)`: 0b100
  uint32_t freeVariables(Dim in) const;
  /// How many consecutive registers a thread can read or write in one access to `memory` (offset -> the same outputs):
  /// the largest 2^k for which register i < 2^k is at offset base + i in every thread, with base divisible by 2^k.
  uint32_t contiguousPerRegister(const LinearLayout &memory) const;

  // Algebra.
  /// First this, then `outer`, whose inputs are this layout's outputs (in any order; they may be larger there).
  LinearLayout compose(const LinearLayout &outer) const;
  /// The inverse of an invertible layout.
  LinearLayout inverse() const;
  /// For a surjective layout: a right inverse, outputs -> inputs, whose free variables are 0.
  LinearLayout pseudoInverse() const;
  /// Solves outer(result(x)) == this(x): a map from this layout's inputs to outer's inputs with the same output. It
  /// answers "which register of which lane of `outer` holds the element of this input?" Outer's free variables are 0.
  /// Throws if outer does not reach one of this layout's outputs.
  LinearLayout invertAndCompose(const LinearLayout &outer) const;
  /// The direct sum: the low bits of each dimension go through this layout, the high bits through `high`. Example, a
  /// repeated tile:
  ///   identity(2, kRegister, kDim0) * identity(4, kLane, kDim0):  register 1 -> (1); lane 1 -> (2), 2 -> (4)
  LinearLayout operator*(const LinearLayout &high) const;
  /// The quotient q with low * q == this (up to the order of dimensions), if it exists: "does this layout repeat
  /// `low`?"
  std::optional<LinearLayout> divideLeft(const LinearLayout &low) const;
  /// The quotient q with q * high == this, if it exists.
  std::optional<LinearLayout> divideRight(const LinearLayout &high) const;

  // Rearrangement.
  /// The same map with the dimensions listed in another order, which changes flat numbers.
  LinearLayout transposeInputs(const std::vector<Dim> &order) const;
  LinearLayout transposeOutputs(const std::vector<Dim> &order) const;
  /// The same map on flat numbers, with the flat numbers divided into other dimensions.
  LinearLayout reshapeInputs(const std::vector<Extent> &inputs) const;
  LinearLayout reshapeOutputs(const std::vector<Extent> &outputs) const;
  LinearLayout flattenOutputs(Dim dim) const;
  /// The same map with an output (or input) dimension renamed.
  LinearLayout renameOutput(Dim from, Dim to) const;
  LinearLayout renameInput(Dim from, Dim to) const;
  /// The layout with the inputs of both layouts, which must have no common input, and the same outputs.
  LinearLayout concatInputs(const LinearLayout &other) const;
  /// The layout with the outputs of both layouts, which must have no common output, and the same inputs.
  LinearLayout concatOutputs(const LinearLayout &other) const;
  /// The layout restricted to these inputs (all other inputs are 0) and these outputs, in this order.
  LinearLayout sublayout(const std::vector<Dim> &ins, const std::vector<Dim> &outs) const;
  LinearLayout sublayoutOfInputs(const std::vector<Dim> &ins) const;
  /// The layout restricted to the bits of one input dimension that are set in the mask.
  LinearLayout keepInputBits(Dim in, uint32_t mask) const;

  /// True if both have the same dimensions in the same order and the same bases.
  bool operator==(const LinearLayout &) const = default;

  // Text form.
  /// The text form: `register: (0,1) (8,0); lane: (0,2) (0,4)`, and ` -> [16,8]` where the sizes of the outputs are
  /// larger than the bases imply. Outputs other than dim0, dim1, ... are named: `-> offset[64]`.
  std::string toText() const;
  /// Parses the text form. Throws tegula::Error with the column of the mistake.
  static LinearLayout parse(std::string_view text);
  /// The table of bases, as at the head of this file.
  std::string toTable() const;

private:
  struct Axis {
    Dim dim;
    unsigned bits;
    bool operator==(const Axis &) const = default;
  };
  using Axes = std::vector<Axis>;

  LinearLayout(Axes ins, Axes outs, std::vector<uint64_t> columns);
  static Axes axes(const std::vector<Extent> &extents, const char *side);
  static std::vector<Extent> extents(const Axes &axes);
  static const Axis *find(const Axes &axes, Dim dim);
  static unsigned bitsOf(const Axes &axes, Dim dim);
  static unsigned position(const Axes &axes, Dim dim);
  static uint64_t pack(const Axes &axes, std::span<const uint32_t> values);
  static Coordinates unpack(const Axes &axes, uint64_t flat);
  static Axes permuted(const Axes &axes, const std::vector<Dim> &order, const char *side);
  static uint64_t regroup(const Axes &from, const Axes &to, uint64_t flat);
  static std::string describe(const Axes &axes);
  static Axes joined(const Axes &low, const Axes &high);
  static Axes difference(const Axes &whole, const Axes &part, bool &possible);
  std::optional<LinearLayout> divide(const LinearLayout &part, bool left) const;

  Axes ins_, outs_;
  std::vector<uint64_t> columns_; // the flat output of each flat input bit
};

} // namespace tegula::layout
