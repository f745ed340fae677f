// The target description: the properties of a target that the shared passes need, as data that its backend fills in. A
// compilation writes it to its module (core/ir/simt/Target.h), from which passes read it.
#pragma once

#include "core/target/MatrixInstruction.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tegula {

/// The capabilities of the target.
struct TargetFeatures {
  /// Lanes of a warp, a power of two; 1 if lanes cannot exchange data, so that all exchanges go through shared memory.
  int64_t warpSize = 32;
  /// The number of threads for each of a kernel's `num_warps`.
  int64_t threadsPerWarp = 32;
  /// The most bytes of shared memory that a program may use.
  int64_t sharedBytes = 48 << 10;
  /// The bytes of registers that the threads of a program share, and the most bytes that one of them can have.
  int64_t registerBytes = 256 << 10, threadRegisterBytes = 1020;
  /// True if shared buffers with elements of different widths may share storage.
  bool sharesWidths = true;
  /// The bytes of the narrowest elements that shared memory can hold.
  int64_t sharedElementBytes = 1;
  /// True if a warp of 32 can load 8x8 matrices of 16-bit elements from shared memory (simt.load_matrix).
  bool loadsMatrices = false;
  /// True if threads can copy from global to shared memory without waiting, in pieces of 4, 8 or 16 bytes
  /// (simt.async_load).
  bool copiesAsync = false;
  /// True if hardware copies boxes of described tensors to shared memory and arrives at barrier objects
  /// (simt.load_tile).
  bool copiesTiles = false;
  /// True if warps of a program can execute code of their own, and hand registers to the other warps (simt.producer).
  bool movesRegisters = false;
  /// True if programs can be launched in clusters and copy a box to the shared memory of each program (simt.load_tile
  /// ... multicast).
  bool multicastsTiles = false;
  /// The vector atomics, which change neighbouring elements in memory, each element atomically (simt.atomic_rmw): an
  /// entry such as "fadd.f32x4" is the widest one for a kind and a type. The target also has those of half as many
  /// elements, a quarter and so on.
  std::vector<std::string> vectorAtomics;
  /// Functions that the target's code generator can print with at most the errors that core/math/Functions.h states:
  /// "exp2.f32", "fma.f64", "sin.fast" (simt-expand-math). Every target must have sums, products, quotients, square
  /// roots and roundings to integers.
  std::vector<std::string> nativeMath;
  bool operator==(const TargetFeatures &) const = default;
};

/// Choices that were measured to be fast on the target. No policy changes results.
struct TargetPolicies {
  /// The most bytes of registers that a thread may use for loads that are issued one iteration ahead (prefetch distance
  /// 1). 0: loads are not issued ahead (docs/passes/loads.md).
  int64_t aheadBytes = 0;
  /// The most bytes of registers that a thread may use for loads that are issued at the top of their own iteration, for
  /// loads that do not fit `aheadBytes`.
  int64_t earlyBytes = 0;
  /// True: rows of accumulators in fragments are reduced there, and accumulators become operands without leaving
  /// fragments (tile-place-fragments).
  bool rowsInFragments = false;
  /// The most instructions on opaque fragments that a warp executes unrolled for one product. A product with more of
  /// them becomes a loop over the depth.
  int64_t unrolledInstructions = 64;
  /// Like unrolledInstructions, for operands that are loaded from global memory: device compilers move all loads of a
  /// block to its top, and then spill registers.
  int64_t unrolledFromMemory = 8;
  /// The most bytes of registers that a lane may use to hold a loop-invariant operand of a matrix instruction: a left
  /// operand in fragments, or either operand in registers.
  int64_t heldBytes = 128;
  /// True: a loop-carried operand is stored to shared memory at the beginning of an iteration, before the loads for the
  /// next iteration are issued, which can then use its registers. False: it is stored right before the product.
  bool storesCarriedFirst = false;
  /// True: a conversion of layouts may exchange the elements of two lanes by shuffles, if a single other lane has all
  /// that a lane lacks (layout::PairStep). False: such elements go through shared memory.
  bool exchangesPairs = false;
  /// True: a conversion of layouts within warps may take shuffles, if these cost less than a way through shared memory
  /// (layout::SwapStep, layout::ShuffleStep, layout::ConversionPrices).
  bool shufflesConversions = false;
  /// The most lane bits that tile-assign-layouts exchanges for register bits to give a block that is combined with a
  /// product's result a layout for wide accesses (withRuns). Each costs shuffles of half of a thread's elements.
  int64_t swappedLaneBits = 0;
  /// The most bytes of registers that a thread may use for overlapping asynchronous products of a loop: for carried
  /// tensors, operands and results, if the last product of a chain is delayed by one iteration; for results, if
  /// products start beside others (tile-order-products). 0: no product is delayed or starts early.
  int64_t delayedBytes = 0;
  /// Buffers share storage only if the program would otherwise use more than this many bytes of shared memory, because
  /// sharing costs a barrier.
  int64_t spareBytes = 0;
  /// True: if not all elements of an access are aligned or unmasked, that access becomes accesses to single elements,
  /// so that all other accesses of the tensor can be wide. False: all accesses of a tensor are as narrow as the
  /// narrowest one.
  bool narrowsEdges = false;
  /// True: f32 quotients get the flag `arcp`, which allows an error of at most 2 ulp (tile-relax-quotients;
  /// docs/math.md).
  bool relaxesQuotients = false;
  /// True: code may rely on conditions that only the launch can check (Artifact::conditions).
  bool conditional = false;
  bool operator==(const TargetPolicies &) const = default;
};

struct TargetDescription {
  TargetFeatures features;
  TargetPolicies policies;
  /// The matrix instructions that products may use; see docs/matrix.md.
  std::vector<MatrixInstruction> instructions;
};

} // namespace tegula
