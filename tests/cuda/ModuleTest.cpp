// Loading code: binaries and text, and messages of the driver's assembler.
#include "tests/cuda/CudaFixture.h"

#include "backends/cuda/Declarations.h"

namespace tegula::test {
namespace {

using ::testing::HasSubstr;

class Modules : public CudaTest {};

TEST_F(Modules, TextEndsInZeroAndTakesTheRegisterCap) {
  Artifact made = artifact();
  made.registerCap = 96;
  load(made);
  ASSERT_EQ(fake_.images.size(), 1u);
  EXPECT_EQ(fake_.images[0], std::string(made.binary.begin(), made.binary.end())) << "read up to its 0";
  EXPECT_EQ(fake_.jitOptions.at(cuda::kJitMaxRegisters), 96);
  EXPECT_EQ(fake_.jitOptions.at(cuda::kJitLineInfo), 1);
  EXPECT_EQ(fake_.liveModules, 0u) << "unloaded with the kernel";
}

TEST_F(Modules, BinariesArePassedAsTheyAre) {
  Artifact made = artifact();
  std::string elf = "\x7f"
                    "ELF" +
                    kernelText("k", "");
  made.binary.assign(elf.begin(), elf.end());
  made.binary.push_back(0); // the fake reads text
  made.registerCap = 96;
  load(made);
  EXPECT_EQ(fake_.images.at(0), elf);
  EXPECT_FALSE(fake_.jitOptions.count(cuda::kJitMaxRegisters)) << "a binary's registers are fixed";
  EXPECT_FALSE(fake_.jitOptions.count(cuda::kJitLineInfo)) << "and so are its lines";
  made.target = "sm_80";
  EXPECT_THAT(messageOf([&] { load(made); }),
              HasSubstr("an artifact for target sm_80 cannot be loaded on device cuda:0"));
}

TEST_F(Modules, TheLogIsInTheMessage) {
  fake_.failures["cuModuleLoadDataEx"] = 218;
  fake_.jitLog = "ptxas application ptx input, line 7; error   : Unknown symbol 'q'\n\nptxas fatal   : aborted\n";
  EXPECT_EQ(
      messageOf([&] { load(artifact()); }),
      "cannot load kernel 'k' for sm_90a on device cuda:0: cuModuleLoadDataEx failed with CUDA_ERROR_INVALID_PTX (a "
      "PTX JIT compilation failed)\n"
      "  ptxas application ptx input, line 7; error   : Unknown symbol 'q'\n"
      "  ptxas fatal   : aborted");
}

TEST_F(Modules, AnOldDriverGetsARemedy) {
  fake_.failures["cuModuleLoadDataEx"] = 222;
  EXPECT_THAT(messageOf([&] { load(artifact()); }),
              ::testing::AllOf(HasSubstr("CUDA_ERROR_UNSUPPORTED_PTX_VERSION"), HasSubstr("update the driver"),
                               HasSubstr("TRITON_PTXAS_PATH")));
}

TEST_F(Modules, AreUnloadedWhereALaterStepFails) {
  fake_.failures["cuFuncGetAttribute"] = 1;
  EXPECT_THAT(messageOf([&] { load(artifact()); }), HasSubstr("cuFuncGetAttribute failed"));
  EXPECT_EQ(fake_.images.size(), 1u);
  EXPECT_EQ(fake_.liveModules, 0u);
}

} // namespace
} // namespace tegula::test
