// The choice of a matrix instruction for a product of tiles, or the reason why there is none. Passes, and the remarks
// that explain them, decide here.
#pragma once

#include "core/ir/simt/Simt.h"
#include "core/passes/analysis/AxisInfo.h"

namespace tegula::tile {

/// The type that products of this element type are summed in, as the language promises.
mlir::Type accumulatorOf(mlir::Type element);

/// The element type in which an instruction reads the operands of a dot, if the dot's own is not among the offered:
///
///   8-bit floats of any two kinds             f16, which holds each of their values
///   f32, by the dot's precision               tf32 (tf32, tf32x3) or bf16 (bf16x3, bf16x6); none for ieee
mlir::Type adaptedType(DotOp dot);

/// How many numbers of the adapted type stand for an element of an f32 operand: 1, the element rounded (tf32); 2
/// (tf32x3, bf16x3) or 3 (bf16x6), whose sum is the element, rounded to as many bits as they hold together.
int64_t partsOfOperands(InputPrecision precision);

struct ProductChoice {
  simt::InstructionAttr instruction; // null: none
  std::string reason;                // why there is none; empty if there is one
};

/// What a product may use.
struct ProductRoom {
  int64_t warps;         // of the program
  int64_t registerBytes; // of a thread
  int64_t sharedBytes;   // of shared memory, while it runs
  int64_t bufferBytes;   // of shared memory for buffers that live longer
};

/// The best of the offered matrix instructions for a dot: of those that compute the fewest elements, the largest.
ProductChoice chooseProduct(DotOp dot, llvm::ArrayRef<simt::InstructionAttr> offered, const ProductRoom &room,
                            const AxisAnalysis &axes);

/// The axis along which an operand's elements lie side by side in global memory; the last one if that is not known.
unsigned lineAxis(mlir::Value operand, const AxisAnalysis &axes);

/// Whether operand 0 (A) or 1 (B) of the dot lies in global memory as instructions on shared memory cannot read it: its
/// elements have 8 or 32 bits, and elements side by side belong to different rows of A or columns of B, so that lines
/// lie across the depth.
bool liesAcrossDepth(DotOp dot, unsigned operand, const AxisAnalysis &axes);

/// The operands that an instruction which reads shared memory has there, transposes stripped: B, and A where it does
/// not come from another product.
llvm::SmallVector<mlir::Value, 2> bufferedOperands(DotOp dot);

/// Bytes of the buffer of such an operand.
int64_t bufferBytes(mlir::Value operand, simt::InstructionAttr instruction);

/// Whether a matrix instruction takes the dot's types, and its depth where that matters.
bool isEligible(DotOp dot, llvm::ArrayRef<simt::InstructionAttr> offered);

/// `64x64x32 of f16 into f32: 16x16x16.f16.f32`, or `...: none, because ...`.
std::string describeChoice(DotOp dot, const ProductChoice &choice);

/// The combination of a reduction of f32 that fragments can apply to rows (sum, maximum, minimum); none for others.
std::optional<simt::CombineKind> rowCombination(ReduceOp reduce);

/// Elements of padding after each line of a matrix in shared memory that fragments are loaded from or stored to: 16
/// bytes, so that lines begin in different banks and stay aligned.
int64_t linePadding(mlir::Type element);

/// Whether the lines of a matrix in global memory, `stride` elements apart, begin at multiples of 16 bytes, or of the
/// bytes of a fragment's line (`line` elements) if those are fewer.
bool areLinesAligned(const AxisView &view, mlir::Value base, mlir::Value stride, int64_t line);

/// The bytes of shared memory that `depth` of the left (right) operand of a dot takes when it is staged.
int64_t leftBytes(DotOp dot, simt::InstructionAttr product, int64_t depth);
int64_t rightBytes(DotOp dot, simt::InstructionAttr product, int64_t depth);

} // namespace tegula::tile
