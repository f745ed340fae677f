// What messages say of devices and targets by name, whatever is built.
#include "core/contracts/BackendNames.h"
#include "tests/runtime/RuntimeFixture.h"

namespace tegula::test {
namespace {

using ::testing::HasSubstr;

const std::vector<std::string> kTargets = {"cpu", "sm_80", "sm_90a", "compute_90", "gfx90a", "gfx942", "spirv:generic"};

TEST(BackendNames, WordsOfUsersAreBackends) {
  for (auto [word, backend] : {std::pair("cuda", "cuda"),
                               {"NVIDIA", "cuda"},
                               {"Amd", "rocm"},
                               {"hip", "rocm"},
                               {"CPU", "cpu"},
                               {"vk", "vulkan"}}) {
    ASSERT_TRUE(backendCalled(word)) << word;
    EXPECT_EQ(backendCalled(word)->name, backend);
  }
  for (const char *word : {"", "gpu", "cud", "cuda:0", "sm_80"})
    EXPECT_FALSE(backendCalled(word)) << word;
}

TEST(BackendNames, TargetsAreOfTheBackendThatTheySpell) {
  for (auto [target, backend] : {std::pair("sm_75", "cuda"),
                                 {"compute_120", "cuda"},
                                 {"gfx1201", "rocm"},
                                 {"spirv:sg32", "vulkan"},
                                 {"spirv", "vulkan"},
                                 {"cpu", "cpu"}})
    EXPECT_EQ(backendOfTarget(target)->name, backend) << target;
  EXPECT_FALSE(backendOfTarget("z80"));
  std::vector<TargetFamily> families = familiesOf(kTargets);
  ASSERT_EQ(families.size(), 4u);
  EXPECT_EQ(families[1].backend, "cuda");
  EXPECT_EQ(families[1].targets, (std::vector<std::string>{"sm_80", "sm_90a", "compute_90"}));
}

TEST(BackendNames, UnknownTargetsNameFamilies) {
  EXPECT_EQ(unknownTarget("z80", kTargets), "unknown target 'z80'; this build compiles for cpu, cuda (sm_80 ... "
                                            "compute_90), rocm (gfx90a ... gfx942) and spirv:generic; `tegula targets` "
                                            "lists all");
  EXPECT_EQ(unknownTarget("sm_80a", kTargets),
            "unknown target 'sm_80a'; targets of the cuda backend are sm_80, sm_90a and "
            "compute_90; did you mean 'sm_80'?");
  EXPECT_EQ(unknownTarget("rocm", kTargets),
            "unknown target 'rocm': it names devices; targets of the rocm backend are gfx90a and gfx942");
  EXPECT_EQ(unknownTarget("cuda:0", kTargets),
            "unknown target 'cuda:0': it names devices; targets of the cuda backend are sm_80, sm_90a and compute_90");
}

TEST(BackendNames, ABackendThatIsNotBuiltIsNamed) {
  const std::vector<std::string> built = {"cpu", "spirv:generic"};
  const std::string missing = "backend is not in this build, which has cpu and vulkan; configure Tegula with "
                              "-DTEGULA_BACKENDS=";
  EXPECT_EQ(unknownTarget("sm_90a", built),
            "unknown target 'sm_90a': the cuda " + missing + "cuda for one that has it");
  EXPECT_EQ(unknownTarget("amd", built), "unknown target 'amd': the rocm " + missing + "rocm for one that has it");
}

class BackendDevices : public RuntimeTest {}; // its build has the backends cpu and null

TEST_F(BackendDevices, NamesOfOtherBackendsSayWhatIsBuilt) {
  for (const char *name : {"cuda", "nvidia", "cuda:1", "NVIDIA:0"})
    EXPECT_THAT(
        messageOf([&] { Device::open(name); }),
        HasSubstr(std::string("unknown device '") + name + "'; the cuda backend is not in this build, which has "));
  EXPECT_THAT(messageOf([] { Device::open("gpu"); }), HasSubstr("unknown device 'gpu'; no GPU was found"));
  EXPECT_THAT(messageOf([] { Device::open("CPU"); }), HasSubstr("; devices of the cpu backend are cpu"));
}

} // namespace
} // namespace tegula::test
