// The target description: what the shared passes must know of a target, as data that its backend fills in.
#pragma once

#include "core/target/FragmentProduct.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tegula {

struct TargetRow {
  /// Lanes of a warp, a power of two; 1 if lanes cannot exchange data: all exchange then is through shared memory.
  int64_t warpSize = 32;
  /// Threads for each of a kernel's `num_warps`.
  int64_t threadsPerWarp = 32;
  /// Bytes of shared memory that a program may use.
  int64_t sharedBytes = 48 << 10;
  /// Whether buffers with elements of different widths may share storage.
  bool sharesWidths = true;
  /// Bytes of the narrowest elements that shared memory can hold.
  int64_t sharedElementBytes = 1;
  /// Bytes of registers that a thread may spend on loads issued one iteration ahead; 0: loads are not issued ahead
  /// (docs/passes.md, "Loads ahead of their products").
  int64_t aheadBytes = 0;
  /// Bytes of registers that a thread may spend on loads issued at the top of their own iteration, for loads that do
  /// not fit `aheadBytes`.
  int64_t earlyBytes = 0;
  /// Functions that the target's code generator has, with at most the errors that core/math/Functions.h states, spelt
  /// as in the option `native` of simt-expand-math: "exp2.f32", "fma.f64", "sin.fast". Every target must have sums,
  /// products, quotients, square roots and roundings to integers.
  std::vector<std::string> nativeMath;
  /// Matrix instructions on opaque fragments; docs/matrix.md.
  std::vector<FragmentProduct> products;
  /// Whether operands of matrix instructions are loaded straight from global memory instead of through shared memory,
  /// if the whole tile is inside the array (tile-load-fragments). Set where that is measured to be faster.
  bool loadsFragments = false;
  /// Whether rows of accumulators are reduced in fragments, and accumulators become operands without leaving fragments
  /// (option `rows` of tile-place-fragments). Set where that is measured to be faster.
  bool rowsInFragments = false;
};

} // namespace tegula
