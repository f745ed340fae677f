// The layout of the result, given the operand's, for the tile ops that change a shape without moving data between
// threads: every element stays in its thread, only register numbers change. Type inference and verifiers apply these
// rules at the planned level, passes choose layouts with them. A null layout (tile level) gives a null layout.
#pragma once

#include "core/ir/simt/Simt.h"

namespace tegula::layout_ir {

/// Whether `encoding` is null, or a layout that covers a tensor of this shape.
bool isLayout(mlir::Attribute encoding, llvm::ArrayRef<int64_t> shape);

/// An axis of extent 1 inserted at `axis`.
DistributedAttr expandDims(DistributedAttr src, unsigned axis);
/// As `expandDims`, also for a tensor in fragments: kind `column` may get an axis of columns, kind `row` an axis of
/// rows. Null for all else.
mlir::Attribute expandDimsOf(mlir::Attribute src, unsigned axis);
/// The layout without the axis, of extent 1: the inverse of `expandDims`.
DistributedAttr dropUnitAxis(DistributedAttr src, unsigned axis);
/// Axis k of the result is axis order[k] of the source.
DistributedAttr transpose(DistributedAttr src, llvm::ArrayRef<int32_t> order);
/// The inverse of `transpose` with the same order.
DistributedAttr untranspose(DistributedAttr result, llvm::ArrayRef<int32_t> order);
/// The layout of a tensor of `shape`, with extents of 1, that can be broadcast to `result` and has the fewest
/// registers.
DistributedAttr unbroadcast(DistributedAttr result, llvm::ArrayRef<int64_t> shape);
/// The same elements in row-major order under another shape.
DistributedAttr reshape(DistributedAttr src, llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to);
/// The layout of a reduction's result: without the axis, and without the registers that become copies.
DistributedAttr reduce(DistributedAttr src, llvm::ArrayRef<int64_t> shape, unsigned axis);
/// As `reduce`, also for a matrix in fragments: along axis 1 the result is of kind `column`, along axis 0 of kind
/// `row`. Null for all else.
mlir::Attribute reduceOf(mlir::Attribute src, llvm::ArrayRef<int64_t> shape, unsigned axis);
/// The layout with the bits of the axis' coordinate permuted: registers select the lowest bits, lanes the next ones,
/// warps the highest. Unchanged if a basis mixes several bits of the axis. A reduction that combines registers, then
/// lanes, then warps goes in the order of the axis then. The result of the reduction has the same layout as before.
/// Example, axis 0: register (1) (16), lane (2) (4), warp (8) becomes register (1) (2), lane (4) (8), warp (16).
DistributedAttr inAxisOrder(DistributedAttr src, unsigned axis);
/// Two tensors joined in a new last axis: their registers alternate.
DistributedAttr join(DistributedAttr src);
/// The halves of a last axis of extent 2 if one register bit alone selects the half; else null.
DistributedAttr split(DistributedAttr src);
/// The register bit that selects the half for `split`.
std::optional<unsigned> splitBit(DistributedAttr src);
/// Two tensors of rank 1 one after another: the second one's registers follow.
DistributedAttr cat(DistributedAttr src, int64_t extent);
/// The layout of one of the equal parts into which the tensor's last axis is divided; `extent` is the part's, a power
/// of two. Each element of a part stays in the thread that holds it. Register bits that only number parts are dropped.
/// Where a bit of the lane or warp numbers parts, all threads that differ in it hold the part's elements. Example,
/// extent 8: register (1) (8), lane (2) (4) becomes register (1), lane (2) (4).
DistributedAttr part(DistributedAttr whole, int64_t extent);
/// The register bits of the whole that `part` keeps, in their order.
llvm::SmallVector<unsigned> bitsOfPart(DistributedAttr whole, int64_t extent);

/// For each register of `to`, the register of `from` that holds the same element in the same thread; coordinates along
/// axes of `from` with extent 1 count as 0. None if some element is in another thread.
std::optional<llvm::SmallVector<int32_t>> localRegisters(DistributedAttr from, llvm::ArrayRef<int64_t> fromShape,
                                                         DistributedAttr to, llvm::ArrayRef<int64_t> toShape);

/// The bits of register numbers that stay inside of aligned groups: of elements that differ only in these registers,
/// the coordinates along each axis are in one group of `groups[axis]` elements, a power of two. Example, groups of 1
/// and 4: of registers (0,1) (0,4) (1,0) (0,2), the bits 0 and 3, so 0b1001.
int64_t registersInGroups(DistributedAttr layout, llvm::ArrayRef<int64_t> groups);

/// The number of registers of a thread.
int64_t registersOf(DistributedAttr layout);

} // namespace tegula::layout_ir
