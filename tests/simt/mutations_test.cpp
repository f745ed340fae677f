// Mistakes planted in the hand-written modules: each is reported for every order of threads and moment of landing.
#include "tests/simt/Modules.h"

#include <gtest/gtest.h>

namespace tegula::simt_test {
namespace {

/// A mistake and its detection: one of the reports, or a wrong result.
struct Mutation {
  const char *name;
  ModuleRun (*run)(Problem, const RunOptions &, const Replacements &);
  Problem problem;
  Replacements replacements;
  std::vector<ReportKind> expected; // one of these is reported; empty: the result is wrong
};

const std::vector<Mutation> &mutations() {
  using enum ReportKind;
  constexpr Problem kLarge{256, 256, 384}, kAttention{384, 1, 128};
  static const std::vector<Mutation> all = {
      {"TmaConsumerDoesNotWait",
       runMatmulTma,
       kLarge,
       {{"        simt.barrier_wait %qfull[%s], %parity : !simt.barriers<4>\n", ""}},
       {MissingWait, Uninitialized}},
      {"TmaProducerWaitsForTheWrongPhase",
       runMatmulTma,
       kLarge,
       {{"simt.barrier_wait %qempty[%s], %other", "simt.barrier_wait %qempty[%s], %parity"}},
       {Deadlock}},
      {"TmaProducerDoesNotWait",
       runMatmulTma,
       kLarge,
       {{"          simt.barrier_wait %qempty[%s], %other : !simt.barriers<4>\n", ""}},
       {MissingWait, Race, BarrierMisuse}},
      {"TmaConsumerWaitsForTheWrongPhase",
       runMatmulTma,
       kLarge,
       {{"        simt.barrier_wait %qfull[%s], %parity", "        simt.barrier_wait %qfull[%s], %round"}},
       {BarrierMisuse, MissingWait, Deadlock}},
      {"TmaNoFenceBeforeStores", runMatmulTma, kLarge, {{"      simt.fence async\n", ""}}, {MissingFence}},
      {"TmaNoFenceOfInitialisation", runMatmulTma, kLarge, {{"    simt.fence barrier_init\n", ""}}, {BarrierMisuse}},
      {"TmaNoBarrierAfterInitialisation", runMatmulTma, kLarge, {{"\n  simt.barrier\n", "\n"}}, {BarrierMisuse}},
      {"TmaStageFreedTooEarly",
       runMatmulTma,
       kLarge,
       {{"simt.matmul_wait 1\n", "simt.matmul_wait 2\n"}},
       {MissingWait}},
      {"TmaBufferReusedTooEarly",
       runMatmulTma,
       kLarge,
       {{"wait_stores reads 1", "wait_stores reads 2"}},
       {MissingWait}},
      {"TmaNoBarrierAroundStores", runMatmulTma, kLarge, {{"      simt.barrier warps 4\n", ""}}, {Race, MissingWait}},
      {"TmaTooFewBytes",
       runMatmulTma,
       kLarge,
       {{"bytes 49152", "bytes 32768"}},
       {Deadlock, BarrierMisuse, MissingWait}},
      {"TmaWrongSwizzleOfResults",
       runMatmulTma,
       kLarge,
       {{"%piece = arith.xori %lane16, %lane8", "%piece = arith.xori %lane16, %i0"}},
       {}},
      {"TmaBarrierOfAllInAHalf",
       runMatmulTma,
       kLarge,
       {{"      scf.if %isStorer {\n        simt.wait_stores reads 1\n      } {simt.divergent}\n",
         "      scf.if %isStorer {\n        simt.barrier\n      } {simt.uniform}\n"}},
       {WrongUniform, Divergent}},
      {"AttentionStageNeverFreed",
       runAttention,
       kAttention,
       {{"        simt.barrier_arrive %ve[%sBefore] : !simt.barriers<2>\n", ""}},
       {Deadlock}},
      {"AttentionScoresInFlight",
       runAttention,
       kAttention,
       {{"simt.matmul_wait 1 %f", "simt.matmul_wait 2 %f"}},
       {MissingWait}},
      {"AttentionWrongPhaseOfV",
       runAttention,
       kAttention,
       {{"simt.barrier_wait %vf[%sBefore], %parityBefore", "simt.barrier_wait %vf[%sBefore], %parity"}},
       {MissingWait, Deadlock, Uninitialized}},
      {"AttentionNoBarrierBeforeReuse",
       runAttention,
       kAttention,
       {{"    simt.barrier warps 4\n    %lane8", "    %lane8"}},
       {MissingWait, Race}},
      {"AttentionQNotWaitedFor",
       runAttention,
       kAttention,
       {{"    simt.barrier_wait %qf[%i0], %i0 : !simt.barriers<1>\n", ""}},
       {MissingWait, Uninitialized}},
      {"MmaWaitsForTooFew", runMatmulMma, {128, 256, 288}, {{"wait_loads 2", "wait_loads 3"}}, {MissingWait}},
      {"MmaNoBarrierInTheLoop",
       runMatmulMma,
       {128, 256, 288},
       {{"simt.wait_loads 2\n    simt.barrier\n", "simt.wait_loads 2\n"}},
       {MissingWait, Race}},
      {"MmaWrongSwizzle",
       runMatmulMma,
       {128, 256, 288},
       {{"%twistA = arith.andi %laneHalf, %c3", "%twistA = arith.andi %lane, %c3"}},
       {}},
      {"MfmaNoBarrier", runMatmulMfma, {128, 128, 128}, {{"simt.barrier\n", "\n"}}, {Race, Uninitialized}},
      {"CooperativeNoBarrier",
       runMatmulCooperative,
       {64, 64, 80},
       {{"simt.barrier\n", "\n"}},
       {Race, Uninitialized, MissingWait}},
      {"SoftmaxNoBarrierBeforeReuse",
       runSoftmax,
       {2, 781, 0},
       {{"vector<8xf32>\n  simt.barrier\n", "vector<8xf32>\n"}},
       {Race}},
      {"SoftmaxBarrierInADivergentBranch",
       runSoftmax,
       {2, 781, 0},
       {{"%mw : !simt.shared<32xf32>, i32, f32\n  simt.barrier\n",
         "%mw : !simt.shared<32xf32>, i32, f32\n  %few = arith.cmpi slt, %t, %c31 : i32\n  scf.if %few {\n    "
         "simt.barrier\n  } {simt.uniform}\n"}},
       {WrongUniform}},
  };
  return all;
}

class Mutations : public testing::TestWithParam<Mutation> {};

TEST_P(Mutations, AreFound) {
  const Mutation &mutation = GetParam();
  for (bool late : {true, false})
    for (uint64_t seed = 0; seed < 2; ++seed) {
      ModuleRun done = mutation.run(mutation.problem, {.seed = seed, .lateLanding = late}, mutation.replacements);
      bool reported = false;
      for (ReportKind kind : mutation.expected)
        reported |= done.result.has(kind);
      EXPECT_TRUE(mutation.expected.empty() ? done.worst > 1 : reported)
          << "seed " << seed << " late " << late << " worst " << done.worst << '\n'
          << done.result.text();
    }
}

INSTANTIATE_TEST_SUITE_P(All, Mutations, testing::ValuesIn(mutations()),
                         [](const testing::TestParamInfo<Mutation> &info) { return std::string(info.param.name); });

} // namespace
} // namespace tegula::simt_test
