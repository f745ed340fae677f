// Layouts made for a purpose: to access memory in full vectors and whole lines, to hold the result of a product. Which
// value gets which is decided elsewhere (AssignLayouts).
#pragma once

#include "core/ir/LayoutRules.h"

namespace tegula::tile {

/// The threads that run a program: `warps` times `warpSize`, both powers of two.
struct ThreadShape {
  int64_t warps = 4, warpSize = 32;
  int64_t count() const { return warps * warpSize; }
};

/// How an access walks through memory.
struct AccessShape {
  /// Axes, the one whose elements are neighbours in memory first.
  llvm::SmallVector<unsigned, 4> order;
  /// Elements along order[0] that one access can move.
  int64_t width = 1;
};

/// Rows first: the order of a tensor about whose memory nothing is known.
llvm::SmallVector<unsigned, 4> rowMajorOrder(size_t rank);

/// Each thread has `access.width` neighbours (less where there are fewer elements than threads), lanes follow along
/// order[0], warps take the slower axes first, so that reductions along the fast one seldom leave a warp.
layout_ir::DistributedAttr accessLayout(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> shape,
                                        const AccessShape &access, ThreadShape threads);

/// For the result of a product without matrix units (rank 2, or 3 with the batch first): each thread has a box of rows
/// and columns, so that an element of an operand that was loaded is used several times.
layout_ir::DistributedAttr productLayout(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> shape,
                                         ThreadShape threads);

/// For tile.split: the last axis, of extent 2, in the lowest register bit.
layout_ir::DistributedAttr splitLayout(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> shape, ThreadShape threads);

/// Whether an access is about as good under `layout` as under its own: vectors at least half as wide, and lanes that
/// fill whole 32-byte sectors where its own do.
bool suits(layout_ir::DistributedAttr layout, llvm::ArrayRef<int64_t> shape, const AccessShape &access,
           int64_t elementBytes, ThreadShape threads);

} // namespace tegula::tile
