// What a kernel does with global memory, and which accesses of one program must keep their order across its threads.
//
// A program acts on whole tiles, one after another; its threads do not. Two accesses, one of them a write, need a
// barrier between them unless one of these rules says that they do not touch the same elements from different threads:
//
//   1. Their bases come from different arguments of the kernel. Arrays that are passed as different arguments are
//   apart,
//      or the same one accessed at the same offsets (f(x, x) in place), where each element's value passes through the
//      thread that read it. A base that comes from elsewhere, such as a loaded pointer, may be any. It does not hold of
//      fragments, whose elements several warps read: then arrays of one type may be one.
//   2. Base, offsets and width are the same values, which do not change between iterations of a loop around both: each
//      thread has the same elements in both. A load must be marked `simt.sole`: else copies of its elements are read by
//      other threads too. Elements of one tile that lie at one address are the kernel's own affair.
//   3. Only one thread does either: what a program does with scalars.
//   4. Both are atomic.
//   5. They are one and the same access, in different iterations of a loop.
#pragma once

#include "core/passes/ThreadValues.h"

namespace tegula::simt {

/// The arrays that a pointer, or a tensor of pointers of the tile level, may point into.
struct PointerRoots {
  llvm::SmallVector<mlir::Value> arguments;
  bool anywhere = false; // some base is not an argument's
};

/// Follows pointers through arithmetic, changes of shape, loops and branches.
PointerRoots rootsOf(mlir::Value pointers);
/// Whether both may point into one array: rule 1.
bool mayMeet(const PointerRoots &a, const PointerRoots &b);

struct GlobalAccess {
  mlir::Operation *op = nullptr;
  mlir::Value base, offset, mask; // the mask may be null
  int64_t width = 1;              // elements of each offset, but of a fragment
  bool writes = false, atomic = false;
  bool sole = false; // see simt.sole
  PointerRoots roots;
};

/// None where the op does not access global memory, or does it asynchronously.
std::optional<GlobalAccess> globalAccessOf(mlir::Operation *op);

/// Whether the two need a barrier between them, and one can stand there. `values` are of their kernel.
bool mayConflict(const GlobalAccess &a, const GlobalAccess &b, ThreadValues &values);

} // namespace tegula::simt
