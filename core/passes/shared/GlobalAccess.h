// Accesses to global memory, and which pairs of them need a barrier between them.
//
// The language executes a program's accesses one after another, each on a whole tile. Threads execute them on their own
// elements, in no order between threads. Two accesses, at least one of which is a write, therefore need a barrier
// between them, unless one of these rules proves that no two threads touch the same element:
//
//   1. Different arguments. The bases come from different arguments of the kernel. These are assumed to be different
//      arrays, or one array that is accessed at the same offsets (f(x, x), in place). In the second case a thread may
//      touch an element that another thread touched. So the rule holds only if the two accesses have different element
//      types, or one is of a scalar and the other of a tile, or each thread touches the same elements relative to its
//      base (the same offsets and width, no copies, no atomics; iterations of a loop count as different elements), or
//      the launch checks that the two arguments' memory does not overlap (`tile.apart`). A base that is not an
//      argument, such as a loaded pointer, may alias any array.
//   2. The same elements. Base, offsets and width are the same SSA values, and neither access is atomic: each thread
//      touches the same elements in both. If a loop changes these values, that holds only within one iteration of it.
//      A load must be marked `simt.sole`, else other threads load copies of its elements. (A tile with two elements at
//      one address is the kernel author's responsibility; only atomic accesses define what it gives.)
//   3. One thread. The same single thread executes both accesses; stores of scalars are an example.
//   4. Both accesses are atomic.
//   5. Both are the same op, in different iterations of a loop.
#pragma once

#include "core/passes/shared/ThreadValues.h"

namespace tegula::simt {

/// The arguments into whose arrays a pointer, or a tensor of pointers, may point.
struct PointerRoots {
  llvm::SmallVector<mlir::Value> arguments;
  bool anywhere = false; // some base is not an argument: the pointer may point into any array
};

/// Follows pointers to arguments through arithmetic, shape changes, loops and branches.
PointerRoots rootsOf(mlir::Value pointers);
/// Whether pointers with these roots may point into one array, by rule 1.
bool mayMeet(const PointerRoots &a, const PointerRoots &b);

struct GlobalAccess {
  mlir::Operation *op = nullptr;
  mlir::Value base, offset, mask; // the mask may be null
  int64_t width = 1;              // consecutive elements at each offset; unused for a fragment
  bool writes = false, atomic = false;
  bool sole = false;           // a load marked simt.sole: no other thread loads these elements
  std::optional<int64_t> part; // the number of simt.part: accesses with the same number are to the same set of elements
  PointerRoots roots;
};

/// The access of an op; nothing if the op does not access global memory, or accesses it through a tensor descriptor.
std::optional<GlobalAccess> globalAccessOf(mlir::Operation *op);

/// When two accesses need a barrier between them: never, only if an iteration of a loop that changes their base or
/// offsets ends between them, or always.
enum class Conflict : uint8_t { Never, AcrossIterations, Always };

/// When the two accesses need a barrier between them. Never also if no barrier is possible between them, because they
/// are in a divergent branch or in warp groups that run concurrently. `values`: the integers of the kernel that has
/// both accesses.
Conflict conflictBetween(const GlobalAccess &a, const GlobalAccess &b, ThreadValues &values);

/// Whether the base or the offsets of an access may differ from iteration to iteration of the loop, which then contains
/// the access.
bool changesWith(mlir::Operation *loop, const GlobalAccess &access);

} // namespace tegula::simt
