// The hand-written modules, each run on random data in the executor and compared with a plain reference in double.
#pragma once

#include "tests/simt/Kernel.h"

namespace tegula::simt_test {

struct ModuleRun {
  RunResult result;
  /// The largest error relative to the allowed one; above 1 a result is wrong. Infinite where an element outside of the
  /// result was written, or a result is NaN.
  double worst = 0;
};

/// The sizes of a matrix product; for attention, m is the rows of a head and n the heads.
struct Problem {
  uint32_t m, n, k;
};

// Each runs its module with replacements in the text.
ModuleRun runMatmulTma(Problem problem, const RunOptions &options = {}, const Replacements &replacements = {});
ModuleRun runMatmulMma(Problem problem, const RunOptions &options = {}, const Replacements &replacements = {});
ModuleRun runMatmulMfma(Problem problem, const RunOptions &options = {}, const Replacements &replacements = {});
ModuleRun runMatmulCooperative(Problem problem, const RunOptions &options = {}, const Replacements &replacements = {});
ModuleRun runSoftmax(Problem problem, const RunOptions &options = {}, const Replacements &replacements = {});
ModuleRun runAttention(Problem problem, const RunOptions &options = {}, const Replacements &replacements = {});
ModuleRun runVectorAdd(Problem problem, const RunOptions &options = {}, const Replacements &replacements = {});

} // namespace tegula::simt_test
