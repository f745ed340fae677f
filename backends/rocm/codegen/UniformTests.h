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
///  - `select` by integer comparisons with a bound, such as `j < keys - start`, where the loop does not change `j`: a
///    branch skips it if the comparisons hold for all elements of all lanes. One comparison of the bound with the
///    largest `j` tests that; the largest `j` is computed before the loop.
///  - `exp2`: a form that is right unless a result is subnormal comes first, with one instruction for each element. The
///    general form follows; a branch skips it if all operands of all lanes are at least -126.
///
/// The kernel is at the simt level.
std::unique_ptr<mlir::Pass> createUniformTests();

} // namespace tegula::rocm
