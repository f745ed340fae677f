// The list of devices, and the reason for an empty one.
#include "tests/cuda/CudaFixture.h"

#include "backends/cuda/CudaPlatform.h"
#include "backends/cuda/Versions.h"

namespace tegula::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Devices : public CudaTest {
protected:
  std::vector<DeviceInfo> enumerate() { return cudaDriverFactory()->enumerate(why_); }
  std::string why_;
};

std::string property(const DeviceInfo &info, std::string_view name) {
  for (const auto &[key, value] : info.properties)
    if (key == name)
      return value;
  return "(absent)";
}

TEST_F(Devices, AreDescribed) {
  fake_.deviceCount = 2;
  std::vector<DeviceInfo> devices = enumerate();
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(devices[1].name, "cuda:1");
  EXPECT_EQ(devices[0].target, "sm_90a");
  EXPECT_EQ(devices[0].description, "Fake H100 0, compute capability 9.0, 132 multiprocessors");
  EXPECT_TRUE(devices[0].isRealGpu);
  EXPECT_EQ(devices[0].memoryBytes, size_t(80) << 30);
  EXPECT_EQ(property(devices[0], "shared memory a program"), "227 KiB");
  EXPECT_EQ(property(devices[0], "L2 cache"), "51200 KiB");
  EXPECT_EQ(property(devices[0], "driver"), "12.4");
  EXPECT_EQ(property(devices[0], "features"), "launch together, launch early, clusters, descriptors");
  EXPECT_EQ(fake_.contexts, 0) << "looking at a device must not claim it";
}

TEST_F(Devices, NameTheirOwnTargets) {
  fake_.attributes = {{75, 8}, {76, 9}, {120, 0}, {127, 0}};
  EXPECT_EQ(enumerate().at(0).target, "sm_89");
  EXPECT_EQ(property(enumerate().at(0), "features"), "launch together");
}

/// Each compute capability with the shared memory of its blocks (CUDA C++ Programming Guide), and two of tomorrow: none
/// gets code that it cannot run, or that plans more shared memory than it has.
TEST_F(Devices, OfEveryCapabilityGetCodeThatTheyRun) {
  struct Device {
    int major, minor, sharedKiB;
    const char *target;
  };
  const Device devices[] = {{7, 5, 64, "sm_75"},        {8, 0, 163, "sm_80"},       {8, 6, 99, "sm_86"},
                            {8, 7, 163, "sm_87"},       {8, 9, 99, "sm_89"},        {9, 0, 227, "sm_90a"},
                            {10, 0, 227, "compute_90"}, {10, 3, 227, "compute_90"}, {11, 0, 227, "compute_90"},
                            {12, 0, 99, "compute_89"},  {12, 1, 99, "compute_89"},  {14, 2, 300, "compute_90"},
                            {15, 0, 64, "compute_75"}};
  for (const Device &each : devices) {
    fake_.attributes = {{75, each.major}, {76, each.minor}, {97, each.sharedKiB << 10}};
    DeviceInfo info = enumerate().at(0);
    EXPECT_EQ(info.target, each.target) << info.description;
    std::unique_ptr<Driver> opened = cudaDriverFactory()->open("cuda:0");
    EXPECT_GT(opened->suitability(info.target), 0) << info.description;
    auto version = uint32_t(each.major * 10 + each.minor), shared = uint32_t(each.sharedKiB) << 10;
    for (const std::string &variant : cuda::variantsOf(version, shared)) {
      EXPECT_TRUE(cuda::runsOn(variant, true, version)) << variant << " on " << info.description;
      for (const cuda::CompiledVersion &compiled : cuda::compiledVersions())
        if (variant == "compute_" + std::to_string(compiled.number))
          EXPECT_LE(compiled.sharedBytes, shared) << variant << " on " << info.description;
    }
  }
}

TEST_F(Devices, AbsentOnesAreExplained) {
  {
    ScopedEnvironment library("TEGULA_CUDA_LIBRARY", "/nowhere/libcuda.so.1");
    EXPECT_TRUE(enumerate().empty());
    EXPECT_THAT(why_, AllOf(HasSubstr("cannot be opened"), HasSubstr("/nowhere/libcuda.so.1"),
                            HasSubstr("in TEGULA_CUDA_LIBRARY")));
  }
  {
    ScopedEnvironment library("TEGULA_CUDA_LIBRARY", TEGULA_FAKE_CUDA_PARTIAL);
    EXPECT_TRUE(enumerate().empty());
    EXPECT_THAT(why_, AllOf(HasSubstr("has no function cuMemAlloc_v2"), HasSubstr(TEGULA_FAKE_CUDA_PARTIAL)));
  }
  fake_.failures["cuInit"] = 100;
  EXPECT_TRUE(enumerate().empty());
  EXPECT_EQ(why_, "cannot initialise the driver: cuInit failed with CUDA_ERROR_NO_DEVICE (no CUDA-capable device is "
                  "detected)");
  fake_.deviceCount = 0;
  EXPECT_TRUE(enumerate().empty());
  EXPECT_THAT(why_, HasSubstr("finds no device"));
  fake_.failures["cuInit"] = 12345;
  EXPECT_TRUE(enumerate().empty());
  EXPECT_THAT(why_, HasSubstr("cuInit failed with unknown error 12345"));
}

TEST_F(Devices, OneThatDoesNotAnswerHidesNoOther) {
  fake_.deviceCount = 2;
  fake_.failures["cuDeviceGetName"] = 400;
  std::vector<DeviceInfo> devices = enumerate();
  ASSERT_EQ(devices.size(), 1u);
  EXPECT_EQ(devices[0].name, "cuda:1");
  EXPECT_THAT(why_, HasSubstr("cannot describe device cuda:0: cuDeviceGetName failed"));
}

TEST_F(Devices, OpenByName) {
  fake_.deviceCount = 2;
  EXPECT_EQ(cudaDriverFactory()->open("cuda:1")->info().name, "cuda:1");
  EXPECT_EQ(messageOf([] { cudaDriverFactory()->open("cuda:2"); }),
            "unknown device 'cuda:2'; the cuda backend has cuda:0 to cuda:1");
  fake_.failures["cuDevicePrimaryCtxRetain"] = 2;
  EXPECT_EQ(messageOf([] { cudaDriverFactory()->open("cuda:0"); }),
            "cannot open device cuda:0: cuDevicePrimaryCtxRetain failed with CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
  EXPECT_FALSE(device().supportsChecked());
}

TEST_F(Devices, VariantsCompileForOlderTargets) {
  std::unique_ptr<Driver> opened = cudaDriverFactory()->open("cuda:0/compute_75");
  EXPECT_EQ(opened->info().name, "cuda:0/compute_75");
  EXPECT_EQ(opened->info().target, "compute_75");
  for (const char *target : {"compute_99", "compute_70", "compute_76", "compute_8x", "sm_75", "generic", ""})
    EXPECT_THAT(messageOf([&] { cudaDriverFactory()->open(std::string("cuda:0/") + target); }),
                AllOf(HasSubstr("no variant '" + std::string(target) + "'"), HasSubstr("compute_75, compute_80")));
}

TEST_F(Devices, AnOlderDriverHasFewerFeatures) {
  ScopedEnvironment library("TEGULA_CUDA_LIBRARY", TEGULA_FAKE_CUDA_OLD);
  std::vector<DeviceInfo> devices = enumerate();
  ASSERT_EQ(devices.size(), 1u) << why_;
  EXPECT_EQ(property(devices[0], "features"), "(absent)");
}

TEST(Targets, RunWhereTheVendorSaysTheyDo) {
  using cuda::runsOn;
  EXPECT_TRUE(runsOn("sm_90a", false, 90));
  EXPECT_TRUE(runsOn("sm_90a", true, 90));
  EXPECT_FALSE(runsOn("sm_90a", true, 100)) << "features of one architecture";
  EXPECT_TRUE(runsOn("sm_80", false, 86));
  EXPECT_FALSE(runsOn("sm_86", false, 80));
  EXPECT_FALSE(runsOn("sm_80", false, 90)) << "binaries are for one major version";
  EXPECT_TRUE(runsOn("sm_80", true, 90));
  EXPECT_FALSE(runsOn("sm_90", true, 89));
  EXPECT_TRUE(runsOn("sm_90", false, 90));
  EXPECT_TRUE(runsOn("compute_80", true, 90));
  EXPECT_FALSE(runsOn("compute_90", true, 89));
  for (const char *other : {"gfx90a", "sm_", "sm_90b", "sm_90aa", "compute_90a", "cpu", ""})
    EXPECT_THAT(messageOf([&] { runsOn(other, true, 90); }), HasSubstr("not for a CUDA device")) << other;
}

TEST_F(Devices, CodeForTheNearestArchitectureSuitsBest) {
  auto suits = [&](const char *target) { return device().suitability(target); }; // of sm_90a
  EXPECT_GT(suits("sm_90a"), suits("sm_90"));
  EXPECT_GT(suits("sm_90"), suits("compute_90"));
  EXPECT_GT(suits("compute_90"), suits("compute_80"));
  EXPECT_GT(suits("compute_75"), 0);
  for (const char *other : {"sm_80", "sm_89", "compute_100", "sm_100a", "gfx1100", "spirv:generic", "cpu", "", "sm_x"})
    EXPECT_EQ(suits(other), 0) << other;
  // 99 KiB, which code for 8.0 and 9.0 may exceed.
  EXPECT_GT(cuda::suitabilityOf("compute_86", "compute_89", 120, 99 << 10),
            cuda::suitabilityOf("compute_90", "compute_89", 120, 99 << 10));
  EXPECT_GT(cuda::suitabilityOf("compute_90", "compute_89", 120, 99 << 10), 0);
}

} // namespace
} // namespace tegula::test
