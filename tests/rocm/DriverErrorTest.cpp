// What the driver says where something is missing or too large: one error, with the device or the kernel, what was
// found, and what to do. HIP is the emulator, whose devices are gfx1100 and gfx942.
#include "backends/rocm/Driver.h"
#include "backends/rocm/HipPlatform.h"
#include "core/support/Diagnostic.h"
#include "tests/rocm/MachineCode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace tegula::rocm::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class DriverError : public ::testing::Test {
protected:
  DriverError() {
    setenv("TEGULA_HIP_LIBRARY", TEGULA_AMD_EMULATOR, 1);
    setenv("TEGULA_EMULATED_GPUS", "gfx1100,gfx942", 1);
  }

  Driver &device() {
    if (!driver_)
      driver_ = rocmDriverFactory()->open("rocm:0");
    return *driver_;
  }

  /// The message of the tegula::Error that `body` throws.
  template <class Body> static std::string errorOf(const Body &body) {
    try {
      body();
    } catch (const Error &e) {
      EXPECT_EQ(e.diagnostic().message.find('\n'), std::string::npos) << "one sentence";
      return e.diagnostic().message;
    }
    return "(nothing was thrown)";
  }
  std::string loadError(const Artifact &artifact) {
    return errorOf([&] { device().load(artifact); });
  }

  std::unique_ptr<Driver> driver_;
};

TEST_F(DriverError, NoLibrary) {
  setenv("TEGULA_HIP_LIBRARY", "/nowhere/libamdhip64.so", 1);
  std::string why;
  EXPECT_TRUE(rocmDriverFactory()->enumerate(why).empty());
  EXPECT_EQ(why, errorOf([&] { device(); }));
  EXPECT_EQ(why,
            "the driver library cannot be opened: /nowhere/libamdhip64.so: cannot open shared object file: No such "
            "file or directory; install the device's driver, or name its library in TEGULA_HIP_LIBRARY");
}

TEST_F(DriverError, AnotherLibrary) {
  setenv("TEGULA_HIP_LIBRARY", "libm.so.6", 1);
  EXPECT_EQ(errorOf([&] { device(); }),
            "the driver library libm.so.6 has no function hipInit: it is too old, or another library; install the "
            "device's driver, or name its library in TEGULA_HIP_LIBRARY");
}

// In a process of its own: the emulator reads its devices once.
TEST_F(DriverError, NoDevice) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        setenv("TEGULA_EMULATED_GPUS", "", 1);
        std::string why;
        rocmDriverFactory()->enumerate(why);
        fprintf(stderr, "%s\n%s\n", why.c_str(), errorOf([&] { device(); }).c_str());
        _exit(0);
      },
      ::testing::ExitedWithCode(0),
      "^(HIP's library finds no AMD device; where the machine has one, the kernel's driver amdgpu must be loaded, and "
      "this user must be allowed to open /dev/kfd and /dev/dri/renderD\\* \\(groups render and video\\)\n){2}$");
}

TEST_F(DriverError, UnknownDevice) {
  EXPECT_EQ(errorOf([] { rocmDriverFactory()->open("rocm:2"); }),
            "unknown device 'rocm:2'; the rocm backend has rocm:0 to rocm:1");
}

TEST_F(DriverError, AnotherArchitecture) {
  Artifact artifact = compile(Kernel::Count, "gfx942");
  EXPECT_EQ(loadError(artifact),
            "an artifact for target gfx942 cannot be loaded on device rocm:0, whose architecture is "
            "gfx1100: code runs on one architecture alone; compile it for gfx1100");
  artifact.target = "gfx1100"; // the metadata are wrong, the code is not
  EXPECT_EQ(loadError(artifact),
            "cannot load kernel 'count' for gfx1100 on device rocm:0: hipModuleLoadDataEx failed with "
            "hipErrorInvalidImage (the code object is for gfx942, the device is gfx1100); the code is damaged or for "
            "another architecture: "
            "compile it for gfx1100");
}

/// The emulator's attributes, but for the lanes of a warp.
EntryPoint<Status(int *, int, gpu::DeviceId)> trueAttribute;
Status otherWarps(int *value, int attribute, gpu::DeviceId device) {
  Status status = trueAttribute(value, attribute, device);
  if (attribute == kWarpSize)
    *value = 64;
  return status;
}

TEST_F(DriverError, OtherWarps) {
  auto platform = std::make_shared<HipPlatform>(TEGULA_AMD_EMULATOR);
  trueAttribute = platform->api.deviceAttribute;
  platform->api.deviceAttribute.function = otherWarps;
  driver_ = gpu::openDriver(platform, 0);
  EXPECT_EQ(
      loadError(compile(Kernel::Count, "gfx1100")),
      "an artifact for target gfx1100 has warps of 32 lanes, but device rocm:0 has warps of 64: HIP's library does "
      "not know the device's mode; install the version that is made for this device");
}

TEST_F(DriverError, NoCodeObject) {
  Artifact artifact = compile(Kernel::Count, "gfx1100");
  artifact.binary = {1, 2, 3};
  EXPECT_EQ(
      loadError(artifact),
      "damaged artifact: the binary of kernel 'count' for gfx1100 is no code object (ELF file); compile it again");
}

TEST_F(DriverError, MemoryExhausted) {
  EXPECT_EQ(errorOf([&] { device().allocate(size_t(1) << 40); }),
            "cannot allocate 1099511627776 bytes on device rocm:0, which has 17179869184: hipMalloc failed with "
            "hipErrorOutOfMemory (out of memory); free other buffers, or work on smaller parts of the data");
}

TEST_F(DriverError, TooManyThreads) {
  Artifact artifact = compile(Kernel::Count, "gfx1100");
  ASSERT_EQ(artifact.threads, 128u); // the code's own limit
  artifact.threads = 2048;
  EXPECT_EQ(loadError(artifact),
            "kernel 'count' asks for 2048 threads a program, device rocm:0 has 1024; compile it with fewer warps");
  artifact.threads = 512;
  EXPECT_EQ(loadError(artifact),
            "kernel 'count' runs 512 threads a program, but with the registers that it uses device rocm:0 runs at most "
            "128; compile it with fewer warps or a register cap");
}

TEST_F(DriverError, TooMuchSharedMemory) {
  Artifact artifact = compile(Kernel::Transpose, "gfx1100");
  artifact.sharedBytes = 128 << 10;
  EXPECT_EQ(loadError(artifact), "kernel 'transpose' asks for 131072 bytes of shared memory, device rocm:0 has 65536; "
                                 "compile it with smaller blocks or fewer stages");
}

TEST_F(DriverError, WrongAccess) {
  std::unique_ptr<DriverKernel> kernel = device().load(compile(Kernel::Count, "gfx1100"));
  DeviceMemory memory = device().allocate(64);
  LaunchRequest request;
  request.arguments = {{memory.address}, {memory.address}, {256}}; // there are 16 elements
  std::string message = errorOf([&] {
    device().launch(nullptr, *kernel, request);
    device().synchronize(nullptr);
  });
  EXPECT_THAT(message, HasSubstr("cannot launch kernel 'count'"));
  EXPECT_THAT(message, HasSubstr("outside of every allocation in kernel 'count', at 'global_load"));
  EXPECT_THAT(message, HasSubstr("a checked launch on the device cpu (--check, or TRITON_INTERPRET=1) shows where"));
  device().free(memory);
}

/// HIP's status for a launch whose parameters its library refuses, and for a kernel that ended with a fault.
Status launchFailure(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                     void **) {
  return kErrorLaunchFailure;
}
Status streamFailure(void *) { return kErrorLaunchFailure; }

TEST_F(DriverError, LaunchFailure) {
  auto platform = std::make_shared<HipPlatform>(TEGULA_AMD_EMULATOR);
  platform->api.launch.function = launchFailure;
  platform->api.streamSynchronize.function = streamFailure;
  driver_ = gpu::openDriver(platform, 0);
  std::unique_ptr<DriverKernel> kernel = device().load(compile(Kernel::Count, "gfx1100"));
  LaunchRequest request;
  request.arguments = {{0}, {0}, {0}};
  std::string message = errorOf([&] { device().launch(nullptr, *kernel, request); });
  EXPECT_THAT(message, HasSubstr("cannot launch kernel 'count'"));
  EXPECT_THAT(message, Not(HasSubstr("a kernel did wrong"))) << "the launch was refused, nothing ran";
  EXPECT_THROW(device().synchronize(nullptr), KernelFault);
}

} // namespace
} // namespace tegula::rocm::test
