// Skips work that one test for a whole warp shows to be unnecessary.
#pragma once

#include <memory>

namespace mlir {
class Pass;
}

namespace tegula::rocm {

/// An attribute of a math.exp2 none of whose results is subnormal.
inline constexpr const char *kNormalResults = "rocm.normal_results";

/// In loops, for values of at least eight elements a thread:
///
///  - `select` by integer comparisons with a bound, such as `j < keys - start`, whose other side the loop does not
///    change: a branch around it where the comparisons hold for all elements of all lanes. The test compares the bound
///    with the largest `j`, which is found before the loop.
///  - `exp2`: one without subnormal results, a single instruction an element, and a branch around the full one where
///  all
///    operands of all lanes are at least -126.
///
/// The kernel is at the simt level.
std::unique_ptr<mlir::Pass> createUniformTests();

} // namespace tegula::rocm
