// The hand-written modules through the whole compiler and the assembler: no spills, no serialised matrix instructions.
#include "backends/cuda/Ptxas.h"
#include "core/support/Diagnostic.h"
#include "tests/cuda/SimtCompiler.h"

#include <gtest/gtest.h>

namespace tegula::test {
namespace {

using namespace tegula::cuda;

struct Case {
  const char *module, *target;
  uint32_t mostRegisters;
};

void PrintTo(const Case &tested, std::ostream *out) { *out << tested.module << " for " << tested.target; }

class Assembled : public ::testing::TestWithParam<Case> {};

TEST_P(Assembled, WithoutSpillsOrSerialisation) {
  auto [module, target, mostRegisters] = GetParam();
  std::string ptx = ptxOf(moduleText(module), target);
  ASSERT_FALSE(ptx.empty());
  std::optional<std::string> ptxas = findPtxas();
  if (!ptxas)
    GTEST_SKIP() << "ptxas is not installed here";
  PtxasReport report;
  try {
    report = assemble(*ptxas, {ptx, std::string(module) + ".ptx", target, 0}).report;
  } catch (const Error &error) {
    FAIL() << format(error.diagnostic());
  }
  for (const PtxasReport::Remark &remark : report.remarks)
    ADD_FAILURE() << remark.code << " " << remark.text;
  ASSERT_EQ(report.kernels.size(), 1u);
  EXPECT_EQ(report.kernels[0].spillStoreBytes + report.kernels[0].spillLoadBytes + report.kernels[0].stackBytes, 0u);
  EXPECT_LE(report.kernels[0].registers, mostRegisters);
}

INSTANTIATE_TEST_SUITE_P(Modules, Assembled,
                         ::testing::Values(Case{"vector_add", "sm_75", 64}, Case{"vector_add", "sm_90a", 64},
                                           Case{"softmax_row", "sm_75", 64}, Case{"softmax_row", "sm_80", 64},
                                           Case{"softmax_row", "sm_90a", 64}, Case{"matmul_mma_cp_async", "sm_80", 255},
                                           Case{"matmul_mma_cp_async", "sm_90a", 255},
                                           Case{"matmul_tma_wgmma", "sm_90a", 168},
                                           Case{"flash_attention", "sm_90a", 168}));

TEST(ModulesElsewhere, AreRefusedWithAMessage) {
  EXPECT_NE(errorOf(moduleText("matmul_tma_wgmma"), "sm_80").find("expected a target from sm_90 on"),
            std::string::npos);
  EXPECT_NE(errorOf(moduleText("matmul_mma_cp_async"), "sm_75").find("expected a target from sm_80 on"),
            std::string::npos);
  EXPECT_NE(errorOf(moduleText("matmul_mfma"), "sm_90a").find("expected warps of 32 threads"), std::string::npos);
  EXPECT_NE(errorOf(moduleText("matmul_cooperative"), "sm_90a").find("expected warps of 32 threads"),
            std::string::npos);
}

} // namespace
} // namespace tegula::test
