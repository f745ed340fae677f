// What the passes that all targets share must know of one: a row of numbers, filled in by its backend.
#pragma once

#include "core/target/FragmentProduct.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tegula {

struct TargetRow {
  /// Lanes of a warp, a power of two; 1 where lanes cannot talk to each other: then all exchange is through shared
  /// memory.
  int64_t warpSize = 32;
  /// Threads for each of a kernel's `num_warps`.
  int64_t threadsPerWarp = 32;
  /// Shared memory of a program, in bytes.
  int64_t sharedBytes = 48 << 10;
  /// Whether shared storage may be used again with elements of another width.
  bool sharesWidths = true;
  /// Bytes of the narrowest elements that shared memory has.
  int64_t sharedElementBytes = 1;
  /// Bytes of a loop's next tiles that a thread may hold in registers; 0 where loads are not issued ahead of their
  /// iteration (docs/passes.md, "Loads ahead of their products").
  int64_t aheadBytes = 0;
  /// Bytes of an iteration's own tiles that it may load as it begins, where they are not loaded ahead of it.
  int64_t earlyBytes = 0;
  /// Functions that the target's code generator has within the errors that core/math/Functions.h states, as the option
  /// `native` of simt-expand-math: "exp2.f32", "fma.f64", "sin.fast". Sums, products, quotients, roots and whole
  /// numbers near a number are every target's.
  std::vector<std::string> nativeMath;
  /// Matrix instructions on opaque fragments; docs/matrix.md.
  std::vector<FragmentProduct> products;
  /// Whether their operands come straight from global memory where whole tiles lie there, instead of through shared
  /// memory: where measured to be faster.
  bool loadsFragments = false;
  /// Whether rows of their accumulators are combined, and accumulators become operands, in fragments: where that is
  /// measured to be faster.
  bool rowsInFragments = false;
};

} // namespace tegula
