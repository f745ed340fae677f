// The target description: what the shared passes must know of a target, as data that its backend fills in. A
// compilation writes it to its module (core/ir/simt/Target.h), where passes read it.
#pragma once

#include "core/target/MatrixInstruction.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tegula {

/// What the target has.
struct TargetFeatures {
  /// Lanes of a warp, a power of two; 1 if lanes cannot exchange data: all exchange then is through shared memory.
  int64_t warpSize = 32;
  /// Threads for each of a kernel's `num_warps`.
  int64_t threadsPerWarp = 32;
  /// Bytes of shared memory that a program may use.
  int64_t sharedBytes = 48 << 10;
  /// Bytes of registers that the threads of a program share, and the most that one of them can have.
  int64_t registerBytes = 256 << 10, threadRegisterBytes = 1020;
  /// Whether buffers with elements of different widths may share storage.
  bool sharesWidths = true;
  /// Bytes of the narrowest elements that shared memory can hold.
  int64_t sharedElementBytes = 1;
  /// Whether a warp of 32 can load 8x8 matrices of 16-bit elements from shared memory (simt.load_matrix).
  bool loadsMatrices = false;
  /// Whether threads can copy from global to shared memory without waiting, 4, 8 or 16 bytes each (simt.async_load).
  bool copiesAsync = false;
  /// Whether hardware copies boxes of described tensors to shared memory and arrives at barrier objects
  /// (simt.load_tile).
  bool copiesTiles = false;
  /// Whether warps of a program can execute code of their own and hand registers to the others (simt.producer).
  bool movesRegisters = false;
  /// Whether programs can be launched in clusters and copy a box to the shared memory of each (simt.load_tile ...
  /// multicast).
  bool multicastsTiles = false;
  /// The atomics on neighbours in memory, each element by itself (simt.atomic_rmw): "fadd.f32x4", the widest for a kind
  /// and a type. The target also has those of half as many elements, a quarter and so on.
  std::vector<std::string> vectorAtomics;
  /// Functions that the target's code generator has, with at most the errors that core/math/Functions.h states:
  /// "exp2.f32", "fma.f64", "sin.fast" (simt-expand-math). Every target must have sums, products, quotients, square
  /// roots and roundings to integers.
  std::vector<std::string> nativeMath;
  bool operator==(const TargetFeatures &) const = default;
};

/// What was measured to be fast on the target. No policy changes results.
struct TargetPolicies {
  /// Bytes of registers that a thread may spend on loads issued one iteration ahead; 0: loads are not issued ahead
  /// (docs/passes.md, "Loads ahead of their products").
  int64_t aheadBytes = 0;
  /// Bytes of registers that a thread may spend on loads issued at the top of their own iteration, for loads that do
  /// not fit `aheadBytes`.
  int64_t earlyBytes = 0;
  /// Whether operands of matrix instructions are loaded straight from global memory instead of through shared memory,
  /// if the whole tile is inside the array (tile-load-fragments).
  bool loadsFragments = false;
  /// Whether rows of accumulators in fragments are reduced there, and accumulators become operands without leaving
  /// fragments (tile-place-fragments).
  bool rowsInFragments = false;
  /// The most instructions on opaque fragments of a warp for one product that are emitted one after another. A product
  /// with more becomes a loop over the depth.
  int64_t unrolledInstructions = 64;
  /// The same for operands that come from global memory: device compilers move all loads of a block to its top, and
  /// then spill registers.
  int64_t unrolledFromMemory = 8;
  /// The most bytes of registers that a lane may spend on an operand of a matrix instruction that a loop does not
  /// change: a left operand in fragments, or either operand in registers.
  int64_t heldBytes = 128;
  /// Whether an operand that a loop carries is stored to shared memory as an iteration begins, before the loads for the
  /// next iteration are issued, which can then use its registers. Else it is stored right before the product.
  bool storesCarriedFirst = false;
  /// Whether elements that a lane lacks in a new layout come by shuffles where a single other lane has all of them;
  /// else they go through shared memory, as all other elements that change lanes do.
  bool exchangesPairs = false;
  /// The most bits of the lane's number that a conversion of layouts may swap with bits of the register's number by
  /// shuffles, where the layouts differ in nothing else (layout::SwapStep). Each swap shuffles half of a thread's
  /// elements. With 0, such conversions go through shared memory, as others between lanes do.
  int64_t swappedLaneBits = 0;
  /// The most bytes of registers that a thread may spend on asynchronous products of a loop that overlap: on carried
  /// tensors, operands and results, so that the last product of a chain is delayed by one iteration; on results, so
  /// that products start beside others (tile-order-products). 0: none is delayed or starts early.
  int64_t delayedBytes = 0;
  /// Up to so many bytes of shared memory, buffers do not share storage, because sharing costs a barrier.
  int64_t spareBytes = 0;
  /// Whether an access of which not all elements are aligned or unmasked becomes accesses to its single elements, so
  /// that all others can be wide. Otherwise all accesses of a tensor are as narrow as the narrowest.
  bool narrowsEdges = false;
  /// Bytes, a power of two: the ranges of rows that begin at any multiple of their element are rotated, so that
  /// accesses begin at multiples of this (tile-rotate-ranges); 0: ranges are not rotated. Needs `narrowsEdges`.
  int64_t rotatedBytes = 0;
  /// Whether quotients of f32 get the flag `arcp`: an error of at most 2 ulp (tile-relax-quotients; docs/math.md).
  bool relaxesQuotients = false;
  /// Whether f32 arithmetic whose results only show rounded to 16 bits gets the flags `afn` and `contract`
  /// (tile-relax-narrowed; docs/math.md).
  bool relaxesNarrowed = false;
  /// Whether masks of blocks beside products are skipped by a branch where they are true as a whole (tile-whole-masks,
  /// simt-branch-on-masks).
  bool skipsMasks = false;
  /// Whether each thread keeps a partial total of its own where a loop adds sums of exponentials or squares to a total;
  /// the partial totals are then added behind the loop, not in each iteration (tile-defer-sums).
  bool defersSums = false;
  /// Whether code may rely on what only the launch can check (Artifact::conditions).
  bool conditional = false;
  /// Whether code may take descriptors that the launch derives of other arguments, so that hardware copies blocks which
  /// a kernel reads through plain pointers (tile-describe-loads). Needs `copiesTiles` and `conditional`.
  bool derivesDescriptors = false;
  /// Whether the device starts programs in the order of their numbers, along axis 0 first, so that it matters which
  /// come last (tile-longest-first).
  bool startsInOrder = false;
  /// Whether a branch around a division of scalars is cheaper than the division (simt-skip-divisions).
  bool skipsDivisions = false;
  bool operator==(const TargetPolicies &) const = default;
};

struct TargetDescription {
  TargetFeatures features;
  TargetPolicies policies;
  /// The matrix instructions that products may use; docs/matrix.md.
  std::vector<MatrixInstruction> instructions;
};

} // namespace tegula
