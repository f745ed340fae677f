// Which matrix instruction on opaque fragments serves a product of tiles, or why none does: the one place that decides
// it, for the passes and what they say of it.
#pragma once

#include "core/ir/Simt.h"
#include "core/passes/AxisInfo.h"
#include "core/target/FragmentProduct.h"

namespace tegula::tile {

struct ProductChoice {
  std::optional<FragmentProduct> product;
  std::string reason; // why none
};

/// Of what the target offers, the product that serves a dot with operands in `sharedBytes` of shared memory.
ProductChoice chooseProduct(DotOp dot, llvm::ArrayRef<FragmentProduct> offered, int64_t sharedBytes);

/// Whether the target offers a product of the dot's types, whatever its shape.
bool isEligible(DotOp dot, llvm::ArrayRef<FragmentProduct> offered);

/// `64x64x32 of f16 into f32: 16x16x16.f16.f32`, or `...: none, because ...`.
std::string describeChoice(DotOp dot, const ProductChoice &choice);

/// Instructions of a warp for one dot that are written out one after another; more become a loop over the depth, where
/// no operand waits in fragments.
constexpr int64_t kMaxUnrolled = 64;

/// How a reduction of f32 combines two elements, where fragments can combine rows so; none for other reductions.
std::optional<simt::CombineKind> rowCombination(ReduceOp reduce);

/// Elements of padding after each line of an operand in shared memory: 16 bytes, so that lines begin in different banks
/// and stay aligned.
int64_t linePadding(mlir::Type element);

/// Whether lines of a matrix in global memory, `stride` elements apart, begin where a fragment whose lines are `line`
/// elements long may: at multiples of 16 bytes, or of such a line where it is shorter.
bool areLinesAligned(const AxisView &view, mlir::Value base, mlir::Value stride, int64_t line);

/// Bytes of shared memory that `depth` of an operand of a dot takes.
int64_t leftBytes(DotOp dot, const FragmentProduct &product, int64_t depth);
int64_t rightBytes(DotOp dot, const FragmentProduct &product, int64_t depth);

} // namespace tegula::tile
