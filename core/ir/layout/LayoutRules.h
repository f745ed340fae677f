// Layout rules of the tile ops that change a shape without moving data between threads: the result's layout, given the
// operand's. Every element stays in its thread; only register numbers change. At the planned level, type inference and
// verifiers apply these rules; passes choose layouts by them. A null layout (at the tile level) gives a null layout.
#pragma once

#include "core/ir/simt/Simt.h"

namespace tegula::layout_ir {

/// True if `encoding` is null, or a layout that covers a tensor of this shape.
bool isLayout(mlir::Attribute encoding, llvm::ArrayRef<int64_t> shape);

/// Inserts an axis of extent 1 at `axis`.
DistributedAttr expandDims(DistributedAttr src, unsigned axis);
/// Like `expandDims`, for a tensor in fragments, too: the kind `column` may get an axis of columns, the kind `row` an
/// axis of rows. Null for all other layouts.
mlir::Attribute expandDimsOf(mlir::Attribute src, unsigned axis);
/// Removes an axis of extent 1: the inverse of `expandDims`.
DistributedAttr dropUnitAxis(DistributedAttr src, unsigned axis);
/// Axis k of the result is axis order[k] of the source.
DistributedAttr transpose(DistributedAttr src, llvm::ArrayRef<int32_t> order);
/// The inverse of `transpose` with the same order.
DistributedAttr untranspose(DistributedAttr result, llvm::ArrayRef<int32_t> order);
/// The layout with the fewest registers for a tensor of `shape`, in which some extents are 1, that can be broadcast to
/// `result`.
DistributedAttr unbroadcast(DistributedAttr result, llvm::ArrayRef<int64_t> shape);
/// The same elements in row-major order under another shape.
DistributedAttr reshape(DistributedAttr src, llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to);
/// The layout of a reduction's result: without the axis, and without register bits that then only number copies.
DistributedAttr reduce(DistributedAttr src, llvm::ArrayRef<int64_t> shape, unsigned axis);
/// Like `reduce`, for a matrix in fragments, too: along axis 1 the result has the kind `column`, along axis 0 the kind
/// `row`. Null for all other layouts.
mlir::Attribute reduceOf(mlir::Attribute src, llvm::ArrayRef<int64_t> shape, unsigned axis);
/// The layout with the bits of the axis' coordinate permuted: registers select the lowest bits, lanes the next ones,
/// warps the highest. A reduction that combines registers, then lanes, then warps then combines elements in the order
/// of the axis. The layout of the reduction's result does not change. If a basis mixes several bits of the axis, the
/// layout is returned unchanged. Example, axis 0: register (1) (16), lane (2) (4), warp (8) becomes register (1) (2),
/// lane (4) (8), warp (16).
DistributedAttr inAxisOrder(DistributedAttr src, unsigned axis);
/// The layout of two tensors joined along a new last axis: their registers alternate.
DistributedAttr join(DistributedAttr src);
/// The layout of each half of a last axis of extent 2, if a single register bit selects the half; else null.
DistributedAttr split(DistributedAttr src);
/// The register bit that selects the half in `split`.
std::optional<unsigned> splitBit(DistributedAttr src);
/// The layout of two tensors of rank 1 one after another: the second one's registers follow the first one's.
DistributedAttr cat(DistributedAttr src, int64_t extent);
/// The layout of one of the equal parts into which the tensor's last axis is divided; `extent` is the part's extent, a
/// power of two. Each element of a part stays in the thread that holds it. Register bits that only number parts are
/// dropped. If a lane bit or a warp bit numbers parts, all threads that differ in that bit hold copies of the part's
/// elements. Example, extent 8: register (1) (8), lane (2) (4) becomes register (1), lane (2) (4).
DistributedAttr part(DistributedAttr whole, int64_t extent);
/// The whole tensor's register bits that `part` keeps, in order.
llvm::SmallVector<unsigned> bitsOfPart(DistributedAttr whole, int64_t extent);

/// For each register of `to`, the register of `from` that holds the same element in the same thread. A coordinate along
/// an axis of `from` with extent 1 counts as 0. Nothing if an element is in another thread.
std::optional<llvm::SmallVector<int32_t>> localRegisters(DistributedAttr from, llvm::ArrayRef<int64_t> fromShape,
                                                         DistributedAttr to, llvm::ArrayRef<int64_t> toShape);

/// The bits of register numbers that stay inside of aligned groups: of elements that differ only in these registers,
/// the coordinates along each axis are in one group of `groups[axis]` elements, a power of two. Example, groups of 1
/// and 4: of registers (0,1) (0,4) (1,0) (0,2), the bits 0 and 3, so 0b1001.
int64_t registersInGroups(DistributedAttr layout, llvm::ArrayRef<int64_t> groups);

/// The number of registers of a thread.
int64_t registersOf(DistributedAttr layout);

} // namespace tegula::layout_ir
