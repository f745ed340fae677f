// The hand-written modules run without reports and agree with their references, for any order of threads and any
// moments at which asynchronous operations land.
#include "tests/simt/Modules.h"

#include <gtest/gtest.h>

namespace tegula::simt_test {
namespace {

using Run = ModuleRun (*)(Problem, const RunOptions &, const Replacements &);

void expectGood(Run run, Problem problem, const Replacements &replacements = {}, uint64_t seeds = 1) {
  for (bool late : {true, false})
    for (uint64_t seed = 0; seed < seeds; ++seed) {
      ModuleRun done = run(problem, {.seed = seed, .lateLanding = late}, replacements);
      EXPECT_EQ(done.result.text(), "") << "seed " << seed << " late " << late;
      EXPECT_LE(done.worst, 1.0) << "seed " << seed << " late " << late;
    }
}

TEST(Modules, MatmulTma) { expectGood(runMatmulTma, {256, 256, 128}); }
TEST(Modules, MatmulTmaRagged) { expectGood(runMatmulTma, {200, 264, 328}); }
TEST(Modules, MatmulTmaOneStep) { expectGood(runMatmulTma, {128, 512, 64}); }
TEST(Modules, MatmulMma) { expectGood(runMatmulMma, {256, 256, 128}); }
TEST(Modules, MatmulMmaLong) { expectGood(runMatmulMma, {128, 256, 288}); }
TEST(Modules, MatmulMmaOneStep) { expectGood(runMatmulMma, {128, 256, 32}); }
TEST(Modules, MatmulMfma) { expectGood(runMatmulMfma, {128, 128, 128}); }
TEST(Modules, MatmulMfmaRagged) { expectGood(runMatmulMfma, {150, 70, 72}); }
TEST(Modules, MatmulCooperative) { expectGood(runMatmulCooperative, {64, 64, 80}, {}, 3); }
TEST(Modules, Attention) { expectGood(runAttention, {256, 2, 128}); }
TEST(Modules, AttentionOneBlock) { expectGood(runAttention, {128, 1, 128}); }

TEST(Modules, SoftmaxOfAnyWarpSize) {
  for (uint32_t warpSize : {8u, 32u, 64u})
    for (uint32_t columns : {1u, 781u, 1024u})
      expectGood(runSoftmax, {3, columns, 0},
                 {{"simt.warps = 4", "simt.warps = " + std::to_string(128 / warpSize)},
                  {"simt.warp_size = 32", "simt.warp_size = " + std::to_string(warpSize)}},
                 2);
}

TEST(Modules, VectorAddOfAnyWarpSize) {
  for (uint32_t warpSize : {8u, 32u, 64u})
    for (uint32_t n : {1u, 1000u, 1024u, 3000u})
      expectGood(runVectorAdd, {1, n, 0},
                 {{"simt.warps = 4", "simt.warps = " + std::to_string(128 / warpSize)},
                  {"simt.warp_size = 32", "simt.warp_size = " + std::to_string(warpSize)}});
}

} // namespace
} // namespace tegula::simt_test
