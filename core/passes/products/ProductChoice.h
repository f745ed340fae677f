// The choice of a matrix instruction for a product of tiles, or the reason why none is chosen. Passes, and the remarks
// that explain them, both use this choice.
#pragma once

#include "core/ir/simt/Simt.h"
#include "core/passes/analysis/AxisInfo.h"

namespace tegula::tile {

/// The type in which products of this element type are accumulated, as the language promises.
mlir::Type accumulatorOf(mlir::Type element);

/// The element type to which the operands of a dot are converted if no offered instruction takes the dot's own type:
///
///   8-bit floats of any two kinds             f16, which holds each of their values
///   f32, by the dot's precision               tf32 (tf32, tf32x3) or bf16 (bf16x3, bf16x6); null for ieee
mlir::Type adaptedType(DotOp dot);

/// How many numbers of the adapted type represent an element of an f32 operand: 1 (tf32: the rounded element), 2
/// (tf32x3, bf16x3) or 3 (bf16x6). The sum of the numbers is the element, rounded to as many bits as they hold
/// together.
int64_t partsOfOperands(InputPrecision precision);

struct ProductChoice {
  simt::InstructionAttr instruction; // null: no instruction
  std::string reason;                // why no instruction was chosen; empty if one was
};

/// The resources that a product may use.
struct ProductRoom {
  int64_t warps;         // warps of the program
  int64_t registerBytes; // bytes of a thread's registers
  int64_t sharedBytes;   // bytes of shared memory while the product runs
  int64_t bufferBytes;   // bytes of shared memory for buffers that live longer than the product
};

/// The best of the offered matrix instructions for a dot: among the instructions with the least padding (that compute
/// the fewest elements in all), the largest.
ProductChoice chooseProduct(DotOp dot, llvm::ArrayRef<simt::InstructionAttr> offered, const ProductRoom &room,
                            const AxisAnalysis &axes);

/// The axis along which an operand's elements are consecutive in global memory; the last axis if that is not known.
unsigned lineAxis(mlir::Value operand, const AxisAnalysis &axes);

/// Whether operand 0 (A) or 1 (B) of the dot lies across the depth (MN-major) in global memory although instructions on
/// shared memory can read its type along the depth (K-major) only: its elements have 8 or 32 bits, and consecutive
/// elements belong to different rows of A or columns of B.
bool mustBecomeKMajor(DotOp dot, unsigned operand, const AxisAnalysis &axes);

/// The operands that an instruction on shared memory reads from there, with transposes removed: B, and A unless A comes
/// from another product.
llvm::SmallVector<mlir::Value, 2> bufferedOperands(DotOp dot);

/// Bytes of the shared buffer of an operand that is in bufferedOperands, in the layout that the instruction reads.
int64_t bufferBytes(mlir::Value operand, simt::InstructionAttr instruction);

/// Whether some offered matrix instruction takes the dot's types, and its depth if the instruction requires a least
/// depth.
bool isEligible(DotOp dot, llvm::ArrayRef<simt::InstructionAttr> offered);

/// The choice as the text of a remark: `64x64x32 of f16 into f32: 16x16x16.f16.f32`, or `...: none, because ...`.
std::string describeChoice(DotOp dot, const ProductChoice &choice);

/// The combination of a reduction of f32 that can be applied to rows of fragments (sum, maximum, minimum); nothing for
/// other reductions.
std::optional<simt::CombineKind> rowCombination(ReduceOp reduce);

/// Elements of padding after each line of a matrix in shared memory from which fragments are loaded, or to which they
/// are stored: 16 bytes, so that lines begin in different banks and stay aligned.
int64_t linePadding(mlir::Type element);

/// Whether the lines of a matrix in global memory, which are `stride` elements apart, begin at multiples of 16 bytes,
/// or of the bytes of a fragment's line (`line` elements) if those are fewer.
bool areLinesAligned(const AxisView &view, mlir::Value base, mlir::Value stride, int64_t line);

/// The bytes of shared memory that a part of the left (right) operand of a dot takes when it is staged, if the part has
/// the depth `depth`.
int64_t leftBytes(DotOp dot, simt::InstructionAttr product, int64_t depth);
int64_t rightBytes(DotOp dot, simt::InstructionAttr product, int64_t depth);

} // namespace tegula::tile
