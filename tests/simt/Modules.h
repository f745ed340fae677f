// The hand-written modules, each run on random data in the executor and compared with a plain reference in double.
#pragma once

#include "tests/simt/Kernel.h"

namespace tegula::simt_test {

struct ModuleRun {
  RunResult result;
  /// The largest difference from the reference as a part of what is allowed; above 1 the result is wrong. Infinite where
  /// something was written that must not be, or a result is no number.
  double worst = 0;
};

/// Sizes of a matrix product, or of attention: m = rows of a head, n = heads.
struct Problem {
  uint32_t m, n, k;
};

// Each takes a module's text with replacements made in it.
ModuleRun runMatmulTma(Problem problem, const RunOptions &options = {}, const Replacements &replacements = {});
ModuleRun runMatmulMma(Problem problem, const RunOptions &options = {}, const Replacements &replacements = {});
ModuleRun runMatmulMfma(Problem problem, const RunOptions &options = {}, const Replacements &replacements = {});
ModuleRun runMatmulCooperative(Problem problem, const RunOptions &options = {}, const Replacements &replacements = {});
ModuleRun runSoftmax(Problem problem, const RunOptions &options = {}, const Replacements &replacements = {});
ModuleRun runAttention(Problem problem, const RunOptions &options = {}, const Replacements &replacements = {});
ModuleRun runVectorAdd(Problem problem, const RunOptions &options = {}, const Replacements &replacements = {});

} // namespace tegula::simt_test
