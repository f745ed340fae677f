// Constructors of layouts for one purpose each: wide, coalesced accesses to memory; the result of a product; the
// operand of a split. LayoutGroups chooses the layout of each tensor.
#pragma once

#include "core/ir/layout/LayoutRules.h"

namespace tegula::tile {

/// The threads that run a program: `warps` times `warpSize`, both powers of two.
struct ThreadShape {
  int64_t warps = 4, warpSize = 32;
  int64_t count() const { return warps * warpSize; }
};

/// The threads of a program in the module that is or contains `op`: `tile.num_warps` of the module (4 if it has none),
/// with the target's warp size.
ThreadShape threadsOf(mlir::Operation *op);

/// How the elements of an access lie in memory.
struct AccessShape {
  /// The axes in order of their stride in memory, the axis with consecutive elements first.
  llvm::SmallVector<unsigned, 4> order;
  /// How many elements along order[0] one access can move.
  int64_t width = 1;
  /// Along each axis, how many elements of an aligned group a load reads from one address; a thread loads from such an
  /// address once. Empty: 1 along each axis.
  llvm::SmallVector<int64_t, 4> constancy = {};
  /// Along a second axis, `runAxis`, a thread takes up to `run` neighbours of each element that it takes along
  /// order[0]. If `runAxis` equals order[0], there is no second axis.
  unsigned runAxis = 0;
  int64_t run = 1;
};

/// The axes from last to first: the order for a tensor whose order in memory is not known.
llvm::SmallVector<unsigned, 4> rowMajorOrder(size_t rank);

/// Each thread has `access.width` neighbours (fewer if the tensor has too few elements for all threads). Lanes are
/// assigned along order[0] first, then along the next axes. Warps are assigned to the slowest axes first, so that a
/// reduction along the fastest axis rarely crosses warps.
layout_ir::DistributedAttr accessLayout(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> shape,
                                        const AccessShape &access, ThreadShape threads);

/// The layout of the result of a product without matrix instructions (rank 2, or rank 3 with the batch first). Each
/// thread has a box of rows and columns, so that it uses each loaded element of an operand several times.
layout_ir::DistributedAttr productLayout(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> shape,
                                         ThreadShape threads);

/// The layout of the operand of `tile.split`: the last axis, of extent 2, is the lowest register bit.
layout_ir::DistributedAttr splitLayout(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> shape, ThreadShape threads);

/// The layout with its register bits reordered, so that consecutive registers hold as many neighbours along the axis as
/// the thread has.
layout_ir::DistributedAttr withNeighboursFirst(layout_ir::DistributedAttr layout, unsigned axis);

/// The layout with up to `mostSwaps` lane bases swapped with register bases, so that a thread has up to `width`
/// neighbours along the axis in consecutive registers. The swapped lane bits select the elements that follow a thread's
/// own; the swapped register bits select the elements that follow those. Example, axis 1, width 8: lanes (0,2) (0,4)
/// (1,0) and registers (0,1) (0,8) (0,16) become lanes (0,8) (0,16) (1,0) and registers (0,1) (0,2) (0,4).
layout_ir::DistributedAttr withRuns(layout_ir::DistributedAttr layout, unsigned axis, int64_t width, int64_t mostSwaps);

/// Whether an access in `layout` is about as fast as in its own `accessLayout`: each thread's vectors are at least half
/// as wide, and lanes fill whole 32-byte sectors if they do so in its own layout. For a load (`isLoad`), a sector that
/// one load of a thread uses in part also counts as filled if the thread's next load reads the rest from the cache.
bool suits(layout_ir::DistributedAttr layout, llvm::ArrayRef<int64_t> shape, const AccessShape &access,
           int64_t elementBytes, ThreadShape threads, bool isLoad);

/// The number of accesses of a thread in `layout`, if one access moves at most `access.width` neighbours.
int64_t accessesIn(layout_ir::DistributedAttr layout, const AccessShape &access);

} // namespace tegula::tile
