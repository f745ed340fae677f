// The choice of a matrix instruction on opaque fragments for a product of tiles, or the reason why there is none.
// Passes, and the remarks that explain them, decide here.
#pragma once

#include "core/ir/Simt.h"
#include "core/passes/AxisInfo.h"
#include "core/target/FragmentProduct.h"

namespace tegula::tile {

struct ProductChoice {
  std::optional<FragmentProduct> product;
  std::string reason; // why there is no product; empty if there is one
};

/// The best of the offered matrix instructions for a dot whose operands may use `sharedBytes` of shared memory.
ProductChoice chooseProduct(DotOp dot, llvm::ArrayRef<FragmentProduct> offered, int64_t sharedBytes);

/// Whether a matrix instruction of any shape takes the dot's types.
bool isEligible(DotOp dot, llvm::ArrayRef<FragmentProduct> offered);

/// `64x64x32 of f16 into f32: 16x16x16.f16.f32`, or `...: none, because ...`.
std::string describeChoice(DotOp dot, const ProductChoice &choice);

/// The most matrix instructions of a warp for one dot that are emitted one after another. A dot with more becomes a
/// loop over the depth, unless an operand is in fragments already.
constexpr int64_t kMaxUnrolled = 64;

/// The combination of a reduction of f32 that fragments can apply to rows (sum, maximum, minimum); none for others.
std::optional<simt::CombineKind> rowCombination(ReduceOp reduce);

/// Elements of padding after each line of an operand in shared memory: 16 bytes, so that lines begin in different banks
/// and stay aligned.
int64_t linePadding(mlir::Type element);

/// Whether the lines of a matrix in global memory, `stride` elements apart, begin at multiples of 16 bytes, or of the
/// bytes of a fragment's line (`line` elements) if those are fewer.
bool areLinesAligned(const AxisView &view, mlir::Value base, mlir::Value stride, int64_t line);

/// The bytes of shared memory that `depth` of the left (right) operand of a dot takes when it is staged.
int64_t leftBytes(DotOp dot, const FragmentProduct &product, int64_t depth);
int64_t rightBytes(DotOp dot, const FragmentProduct &product, int64_t depth);

} // namespace tegula::tile
