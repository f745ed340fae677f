// How the layouts of results follow from those of operands, for the ops of the tile level that change shape and yet
// move nothing between threads. At the planned level these rules are what inference and verifiers apply; passes choose
// layouts with them. Without a layout (null: the tile level) a rule gives none.
//
// Each rule keeps every element in the thread that has it: only register numbers change.
#pragma once

#include "core/ir/Simt.h"

namespace tegula::layout_ir {

/// Whether `encoding` is none, or a layout of a tensor of this shape that covers all of it.
bool isLayout(mlir::Attribute encoding, llvm::ArrayRef<int64_t> shape);

/// An axis of extent 1 inserted at `axis`.
DistributedAttr expandDims(DistributedAttr src, unsigned axis);
/// The same for a tensor in fragments, too: a column gets an axis of columns, a row one of rows; null for others.
mlir::Attribute expandDimsOf(mlir::Attribute src, unsigned axis);
/// The axis, of extent 1, taken out: the inverse of `expandDims`.
DistributedAttr dropUnitAxis(DistributedAttr src, unsigned axis);
/// Axis k of the result is axis order[k] of the source.
DistributedAttr transpose(DistributedAttr src, llvm::ArrayRef<int32_t> order);
/// The inverse of `transpose` with the same order.
DistributedAttr untranspose(DistributedAttr result, llvm::ArrayRef<int32_t> order);
/// The least that threads must hold of a tensor of `shape`, with extents of 1, to be broadcast to `result`.
DistributedAttr unbroadcast(DistributedAttr result, llvm::ArrayRef<int64_t> shape);
/// The same elements in row-major order under another shape.
DistributedAttr reshape(DistributedAttr src, llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to);
/// What a reduction along `axis` leaves in each thread: the axis gone, registers that became copies gone.
DistributedAttr reduce(DistributedAttr src, llvm::ArrayRef<int64_t> shape, unsigned axis);
/// The same for a matrix in fragments, too: its rows reduce to a column, its columns to a row; null for others.
mlir::Attribute reduceOf(mlir::Attribute src, llvm::ArrayRef<int64_t> shape, unsigned axis);
/// Two tensors in a new last axis: registers of both alternate.
DistributedAttr join(DistributedAttr src);
/// The halves of a last axis of extent 2, where one register bit alone selects them; null where none does.
DistributedAttr split(DistributedAttr src);
/// The register bit that selects the half for `split`.
std::optional<unsigned> splitBit(DistributedAttr src);
/// Two tensors of rank 1 one after another: the second one's registers follow.
DistributedAttr cat(DistributedAttr src, int64_t extent);

/// For each register of `to`, the register of `from` in the same thread that holds the element which `to` holds there,
/// with the coordinates of `from`'s axes of extent 1 taken as 0. None where an element is in another thread.
std::optional<llvm::SmallVector<int32_t>> localRegisters(DistributedAttr from, llvm::ArrayRef<int64_t> fromShape,
                                                         DistributedAttr to, llvm::ArrayRef<int64_t> toShape);

/// Elements that a thread holds.
int64_t registersOf(DistributedAttr layout);

} // namespace tegula::layout_ir
