// Layouts for a purpose: wide, coalesced accesses to memory; the result of a product; the operand of a split.
// LayoutGroups decides which tensor gets which.
#pragma once

#include "core/ir/layout/LayoutRules.h"

namespace tegula::tile {

/// The threads that run a program: `warps` times `warpSize`, both powers of two.
struct ThreadShape {
  int64_t warps = 4, warpSize = 32;
  int64_t count() const { return warps * warpSize; }
};

/// The threads of the programs of the module that is or contains `op`: its `tile.num_warps` (4 where it has none) on
/// its target.
ThreadShape threadsOf(mlir::Operation *op);

/// The order of an access' elements in memory.
struct AccessShape {
  /// Axes, first the one whose neighbouring elements are neighbours in memory.
  llvm::SmallVector<unsigned, 4> order;
  /// Elements along order[0] that one access can move.
  int64_t width = 1;
  /// Along each axis, the elements of an aligned group that are loaded from one address, once by each thread. Empty: 1.
  llvm::SmallVector<int64_t, 4> constancy = {};
  /// The axis along which a thread takes up to `run` neighbours of each of these elements; the fast axis: none.
  unsigned runAxis = 0;
  int64_t run = 1;
};

/// The last axis first: the order for a tensor whose order in memory is not known.
llvm::SmallVector<unsigned, 4> rowMajorOrder(size_t rank);

/// Each thread has `access.width` neighbours (fewer if the tensor has too few elements for all threads). Lanes follow
/// along order[0], then the next axes; warps take the slowest axes first, so that a reduction along the fast axis
/// rarely crosses warps.
layout_ir::DistributedAttr accessLayout(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> shape,
                                        const AccessShape &access, ThreadShape threads);

/// For the result of a product without matrix instructions (rank 2, or 3 with the batch first): each thread has a box
/// of rows and columns, so that it uses each element of an operand that it loads several times.
layout_ir::DistributedAttr productLayout(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> shape,
                                         ThreadShape threads);

/// For the operand of `tile.split`: the last axis, of extent 2, is the lowest register bit.
layout_ir::DistributedAttr splitLayout(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> shape, ThreadShape threads);

/// The layout itself if it is one for the operand of `tile.split`. Else, where one bit of the lanes or warps selects
/// the half, the layout with this bit exchanged for the highest of the registers, which moves half of the elements;
/// null for other layouts.
layout_ir::DistributedAttr withHalvesInRegisters(layout_ir::DistributedAttr layout);

/// The layout with its registers in another order, in which consecutive ones hold neighbours along the axis, as many as
/// a thread has.
layout_ir::DistributedAttr withNeighboursFirst(layout_ir::DistributedAttr layout, unsigned axis);

/// The layout with up to `mostSwaps` bases of lanes exchanged for bases of registers, so that a thread has up to
/// `width` neighbours along the axis in consecutive registers. Exchanged are the lanes that hold a thread's next
/// neighbours, for the registers that go on behind these lanes. Example, axis 1, width 8: lanes (0,2) (0,4) (1,0) and
/// registers (0,1) (0,8) (0,16) become lanes (0,8) (0,16) (1,0) and registers (0,1) (0,2) (0,4).
layout_ir::DistributedAttr withRuns(layout_ir::DistributedAttr layout, unsigned axis, int64_t width, int64_t mostSwaps);

/// Whether an access in `layout` is about as fast as in its own `accessLayout`: each thread's vectors are at least half
/// as wide, and lanes fill whole 32-byte sectors if they do in its own layout. What a load leaves of a sector, the
/// thread's next load may take from the cache: `isLoad`.
bool suits(layout_ir::DistributedAttr layout, llvm::ArrayRef<int64_t> shape, const AccessShape &access,
           int64_t elementBytes, ThreadShape threads, bool isLoad);

/// How many accesses a thread makes in `layout`, if one moves at most `access.width` neighbours and equal addresses are
/// accessed once.
int64_t accessesIn(layout_ir::DistributedAttr layout, const AccessShape &access);

} // namespace tegula::tile
