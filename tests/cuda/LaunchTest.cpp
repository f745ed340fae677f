// The arguments that a launch passes to the driver.
#include "tests/cuda/CudaFixture.h"

#include "core/support/Diagnostic.h"

#include <numeric>

namespace tegula::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Kind = ArtifactParam::Kind;
using Grid3 = std::array<unsigned, 3>;

class Launches : public CudaTest {};

TEST_F(Launches, PassEachArgumentInItsWidth) {
  auto kernel =
      load(artifact(".param .u64 x, .param .u32 n, .param .f32 a, .param .u64 big, .param .u8 flag, .param .b16 h",
                    {{"x", Kind::Pointer, ScalarType::F32, {}},
                     {"n", Kind::Scalar, ScalarType::I32, {}},
                     {"a", Kind::Scalar, ScalarType::F32, {}},
                     {"big", Kind::Scalar, ScalarType::I64, {}},
                     {"flag", Kind::Scalar, ScalarType::I1, {}},
                     {"h", Kind::Scalar, ScalarType::F16, {}}}));
  uint32_t half = 0;
  float a = 0.375f;
  std::memcpy(&half, &a, 4);
  launch(*kernel, {3, 4, 5},
         {{0x123456789abcdef0, nullptr},
          {static_cast<uint32_t>(-7), nullptr},
          {half, nullptr},
          {uint64_t(1) << 40, nullptr},
          {1, nullptr},
          {0x3c00, nullptr}});
  ASSERT_EQ(fake_.launches.size(), 1u);
  const fakecuda::Launch &seen = fake_.launches[0];
  EXPECT_EQ(seen.entryPoint, "cuLaunchKernel");
  EXPECT_EQ(seen.grid, (Grid3{3, 4, 5}));
  EXPECT_EQ(seen.block, (Grid3{128, 1, 1}));
  ASSERT_EQ(seen.params.size(), 6u);
  EXPECT_EQ(valueOf<uint64_t>(seen.params[0]), 0x123456789abcdef0u);
  EXPECT_EQ(valueOf<int32_t>(seen.params[1]), -7);
  EXPECT_EQ(valueOf<float>(seen.params[2]), 0.375f);
  EXPECT_EQ(valueOf<int64_t>(seen.params[3]), int64_t(1) << 40);
  EXPECT_EQ(valueOf<uint8_t>(seen.params[4]), 1);
  EXPECT_EQ(valueOf<uint16_t>(seen.params[5]), 0x3c00);
}

TEST_F(Launches, RunOnMemory) {
  // The kernel runs host code of the test: tested is that addresses, copies and launches are consistent and in order.
  auto kernel = load(artifact(".param .u64 x, .param .u32 n",
                              {{"x", Kind::Pointer, ScalarType::I32, {}}, {"n", Kind::Scalar, ScalarType::I32, {}}}));
  fake_.kernels["k"] = [](const fakecuda::Launch &launch) {
    auto *x = reinterpret_cast<int32_t *>(valueOf<uint64_t>(launch.params[0]));
    for (int i = 0; i < valueOf<int32_t>(launch.params[1]); ++i)
      x[i] *= 3;
  };
  std::vector<int32_t> host(64);
  std::iota(host.begin(), host.end(), 1);
  DeviceMemory memory = device().allocate(256);
  void *stream = device().createStream();
  device().copyToDevice(stream, memory, 0, host.data(), 256);
  LaunchRequest request;
  request.arguments = {{memory.address, nullptr}, {50, nullptr}};
  device().launch(stream, *kernel, request);
  device().copyToHost(stream, host.data(), memory, 0, 256);
  for (int i = 0; i < 64; ++i)
    EXPECT_EQ(host[static_cast<size_t>(i)], i < 50 ? 3 * (i + 1) : i + 1);
  device().destroyStream(stream);
  device().free(memory);
}

TEST_F(Launches, ReserveLargeSharedMemoryOnce) {
  Artifact large = artifact();
  large.sharedBytes = 100 * 1024;
  auto kernel = load(large);
  EXPECT_EQ(fake_.functionSettings["k:8"], 100 * 1024);
  launch(*kernel, {1, 1, 1}, {});
  EXPECT_EQ(fake_.launches.at(0).sharedBytes, 100u * 1024);
  fake_.functionSettings.clear();
  large.sharedBytes = 48 * 1024;
  launch(*load(large), {1, 1, 1}, {});
  EXPECT_TRUE(fake_.functionSettings.empty());
  fake_.functionAttributes[1] = 1024; // shared bytes that the code declares itself
  launch(*load(large), {1, 1, 1}, {});
  EXPECT_EQ(fake_.functionSettings["k:8"], 48 * 1024);
  large.sharedBytes = 227 * 1024;
  EXPECT_EQ(messageOf([&] { load(large); }), "kernel 'k' needs 233472 bytes of shared memory, device cuda:0 has "
                                             "232448; compile it with smaller blocks or fewer stages");
  fake_.functionAttributes.clear();
  large.sharedBytes = 227 * 1024 + 1;
  EXPECT_EQ(messageOf([&] { load(large); }), "kernel 'k' asks for 232449 bytes of shared memory, device cuda:0 has "
                                             "232448; compile it with smaller blocks or fewer stages");
}

TEST_F(Launches, ShortagesHaveNumbers) {
  Artifact large = artifact();
  auto shortage = [&] { return shortageOf([&] { load(large); }); };
  large.sharedBytes = 227 * 1024 + 1;
  EXPECT_EQ(shortage(), (Shortage{"shared memory", 232449, 232448}));
  large.sharedBytes = 227 * 1024;
  fake_.functionAttributes[1] = 1024; // shared bytes that the code declares itself
  EXPECT_EQ(shortage(), (Shortage{"shared memory", 233472, 232448}));
  fake_.functionAttributes.clear();
  large.sharedBytes = 0;
  large.threads = 2048;
  EXPECT_EQ(shortage(), (Shortage{"threads", 2048, 1024}));
  large.threads = 256;
  fake_.functionAttributes[0] = 128; // threads that the code's registers allow
  EXPECT_EQ(shortage(), (Shortage{"threads", 256, 128}));
  fake_.functionAttributes.clear();
  auto kernel = load(artifact());
  fake_.failures["cuLaunchKernel"] = 701; // CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES
  EXPECT_EQ(shortageOf([&] { launch(*kernel, {1, 1, 1}, {}); }), (Shortage{"registers", 0, 0}));
  large.target = "sm_100";
  EXPECT_EQ(shortage(), std::nullopt) << "another error";
}

TEST_F(Launches, ClustersAndFlagsAreAttributes) {
  Artifact made = artifact();
  made.clusterSize = 2;
  launch(*load(made), {6, 2, 1}, {});
  made.clusterSize = 16;
  launch(*load(made), {16, 1, 1}, {});
  EXPECT_EQ(fake_.functionSettings["k:14"], 1) << "clusters above 8 must be allowed";
  made.clusterSize = 1;
  made.launchFlags = kLaunchTogether;
  launch(*load(made), {1, 1, 1}, {});
  made.launchFlags = kLaunchEarly;
  launch(*load(made), {1, 1, 1}, {});
  ASSERT_EQ(fake_.launches.size(), 4u);
  EXPECT_EQ(fake_.launches[0].entryPoint, "cuLaunchKernelEx");
  EXPECT_EQ(fake_.launches[0].cluster, 2u);
  EXPECT_EQ(fake_.launches[0].grid, (Grid3{6, 2, 1}));
  EXPECT_EQ(fake_.launches[0].block, (Grid3{128, 1, 1}));
  EXPECT_FALSE(fake_.launches[0].cooperative || fake_.launches[0].programmatic);
  EXPECT_EQ(fake_.launches[1].cluster, 16u);
  EXPECT_TRUE(fake_.launches[2].cooperative && !fake_.launches[2].programmatic && !fake_.launches[2].cluster);
  EXPECT_TRUE(!fake_.launches[3].cooperative && fake_.launches[3].programmatic);
  made.clusterSize = 4;
  auto kernel = load(made);
  EXPECT_EQ(messageOf([&] { launch(*kernel, {6, 1, 1}, {}); }),
            "the grid of kernel 'k' is 6x1x1; axis 0 must be a multiple of its cluster of 4 programs");
}

TEST_F(Launches, WhatTheDeviceHasNotIsSaidAtLoad) {
  fake_.attributes = {{75, 8}, {76, 0}, {120, 0}, {127, 0}};
  auto refused = [&](auto change) {
    Artifact made = artifact();
    made.target = "sm_80";
    change(made);
    return messageOf([&] { load(made); });
  };
  EXPECT_EQ(refused([](Artifact &a) { a.clusterSize = 2; }),
            "kernel 'k' needs the feature 'clusters', which device cuda:0 has not");
  EXPECT_THAT(refused([](Artifact &a) { a.launchFlags = kLaunchEarly; }), HasSubstr("'launch early'"));
  EXPECT_THAT(refused([](Artifact &a) { a.requiredFeatures = {"teleport"}; }), HasSubstr("'teleport'"));
  EXPECT_THAT(refused([](Artifact &a) {
                a.params = {{"d", Kind::Descriptor, ScalarType::F16, {64}}};
                a.descriptors = {{0, ScalarType::F16, {64}, 0, DescriptorRecipe::Fill::AsPassed}};
              }),
              HasSubstr("'descriptors'"));
  EXPECT_EQ(refused([](Artifact &a) { a.threads = 2048; }),
            "kernel 'k' asks for 2048 threads a program, device cuda:0 has 1024; compile it with fewer warps");
  EXPECT_THAT(refused([](Artifact &a) { a.threads = 0; }), HasSubstr("damaged artifact"));
  EXPECT_THAT(refused([](Artifact &a) { a.hidden = {HiddenArgument::Scratch}; }), HasSubstr("scratch buffer"));
  EXPECT_EQ(refused([](Artifact &a) { a.target = "sm_90a"; }),
            "an artifact for target sm_90a cannot be loaded on device cuda:0, which runs sm_80");
  fake_.functionAttributes[0] = 64;
  EXPECT_THAT(refused([](Artifact &) {}),
              AllOf(HasSubstr("128 threads"), HasSubstr("at most 64"), HasSubstr("register cap")));
}

TEST_F(Launches, CodeAndMetadataMustAgree) {
  std::vector<ArtifactParam> declared = {{"x", Kind::Pointer, ScalarType::F32, {}},
                                         {"n", Kind::Scalar, ScalarType::I32, {}}};
  EXPECT_EQ(messageOf([&] { load(artifact(".param .u64 x, .param .u64 n", declared)); }),
            "damaged artifact: parameter 'n' of kernel 'k' takes 4 bytes, its code expects 8");
  EXPECT_EQ(messageOf([&] { load(artifact(".param .u64 x", declared)); }),
            "damaged artifact: parameter 'n' of kernel 'k' takes 4 bytes, its code has no such parameter");
  EXPECT_EQ(messageOf([&] { load(artifact(".param .u64 x, .param .u32 n, .param .u32 m", declared)); }),
            "damaged artifact: kernel 'k' passes 2 arguments, its code expects more");
  declared[1] = {"n", Kind::Descriptor, ScalarType::F16, {8, 8}};
  EXPECT_EQ(messageOf([&] { load(artifact(".param .u64 x, .param .align 64 .b8 n[128]", declared)); }),
            "damaged artifact: parameter 'n' of kernel 'k' takes 48 bytes, its code expects 128");
  Artifact described = artifact(".param .u64 x, .param .align 8 .b8 n[48]", declared);
  described.descriptors = {{0, ScalarType::F32, {8}, 0, DescriptorRecipe::Fill::AsPassed}};
  EXPECT_THAT(messageOf([&] { load(described); }),
              HasSubstr("parameter 'x' of kernel 'k' and its descriptor recipe do not agree"));
  Artifact other = artifact();
  other.entry = "other";
  EXPECT_EQ(messageOf([&] { load(other); }),
            "cannot find kernel 'other' in its code, on device cuda:0: cuModuleGetFunction failed with "
            "CUDA_ERROR_NOT_FOUND (named symbol not found)");
}

TEST_F(Launches, ResidentProgramsAreAsManyAsMultiprocessors) {
  fake_.attributes[16] = 132; // multiprocessors
  Artifact made = artifact(".param .u32 bx, .param .u32 by, .param .u32 bz, .param .u32 gx, .param .u32 gy, "
                           ".param .u32 gz");
  made.launchFlags = kLaunchResident;
  EXPECT_THAT(messageOf([&] { load(made); }), HasSubstr("damaged artifact"));
  made.hidden = {HiddenArgument::GridBase, HiddenArgument::GridSize};
  auto kernel = load(made);
  auto resident = [&](std::array<uint32_t, 3> grid) {
    fake_.launches.clear();
    launch(*kernel, grid, {});
    const fakecuda::Launch &seen = fake_.launches.at(0);
    EXPECT_EQ(fake_.launches.size(), 1u);
    for (size_t axis = 0; axis < 3; ++axis)
      EXPECT_EQ(valueOf<uint32_t>(seen.params[3 + axis]), grid[axis]);
    return seen.grid;
  };
  EXPECT_EQ(resident({64, 32, 1}), (Grid3{132, 1, 1}));
  EXPECT_EQ(resident({5, 2, 3}), (Grid3{30, 1, 1})) << "one for each program of the grid";
  EXPECT_EQ(resident({1, 100000, 1}), (Grid3{132, 1, 1})) << "more than a device launches along axis 1";
  made.clusterSize = 8;
  kernel = load(made);
  EXPECT_EQ(resident({64, 32, 1}), (Grid3{128, 1, 1})) << "whole clusters";
  EXPECT_EQ(resident({5, 1, 3}), (Grid3{16, 1, 1})) << "one has nothing to do";
  EXPECT_EQ(resident({1, 1, 1}), (Grid3{8, 1, 1}));
  for (std::array<uint32_t, 3> grid : {std::array<uint32_t, 3>{1u << 27, 2, 1}, {1u << 14, 1u << 14, 1u << 31}})
    EXPECT_THAT(messageOf([&] { launch(*kernel, grid, {}); }), HasSubstr("counts up to 134217728 programs"));
}

TEST_F(Launches, PairsAreLaunchedWhereThereAreManyPrograms) {
  fake_.attributes[16] = 132; // multiprocessors
  Artifact made = artifact(".param .u32 bx, .param .u32 by, .param .u32 bz, .param .u32 gx, .param .u32 gy, "
                           ".param .u32 gz");
  made.launchFlags = kLaunchInPairs;
  EXPECT_THAT(messageOf([&] { load(made); }), HasSubstr("is not told their number"));
  made.hidden = {HiddenArgument::GridBase, HiddenArgument::GridSize};
  auto kernel = load(made);
  auto launched = [&](std::array<uint32_t, 3> grid) {
    fake_.launches.clear();
    launch(*kernel, grid, {});
    EXPECT_EQ(fake_.launches.size(), 1u);
    return fake_.launches.at(0).grid;
  };
  EXPECT_EQ(launched({1319, 1, 1}), (Grid3{1319, 1, 1})) << "fewer than ten for each multiprocessor";
  EXPECT_EQ(launched({11, 10, 12}), (Grid3{660, 1, 1}));
  EXPECT_EQ(launched({1321, 1, 1}), (Grid3{661, 1, 1})) << "the last one executes a single program";
  EXPECT_EQ(launched({1, 100000, 1}), (Grid3{50000, 1, 1}));
  EXPECT_THAT(messageOf([&] { launch(*kernel, {1u << 27, 2, 1}, {}); }), HasSubstr("counts up to 134217728 programs"));
  made.launchFlags = kLaunchInPairs | kLaunchResident;
  EXPECT_THAT(messageOf([&] { load(made); }), HasSubstr("damaged artifact"));
  made.launchFlags = kLaunchInPairs;
  made.clusterSize = 2;
  EXPECT_THAT(messageOf([&] { load(made); }), HasSubstr("damaged artifact"));
}

TEST_F(Launches, GridsBeyondTheDeviceComeInPieces) {
  Artifact made =
      artifact(".param .u32 a, .param .u32 bx, .param .u32 by, .param .u32 bz, .param .u32 gx, .param .u32 gy, "
               ".param .u32 gz",
               {{"a", Kind::Scalar, ScalarType::I32, {}}});
  made.hidden = {HiddenArgument::GridBase, HiddenArgument::GridSize};
  auto kernel = load(made);
  const std::array<uint32_t, 3> grid = {2, 70000, 65536};
  launch(*kernel, grid, {{9, nullptr}});
  // Each program runs exactly once: pieces do not overlap and their sizes add up.
  uint64_t programs = 0;
  for (const fakecuda::Launch &piece : fake_.launches) {
    EXPECT_EQ(valueOf<uint32_t>(piece.params[0]), 9u);
    for (size_t axis = 0; axis < 3; ++axis) {
      EXPECT_LE(valueOf<uint32_t>(piece.params[1 + axis]) + piece.grid[axis], grid[axis]);
      EXPECT_EQ(valueOf<uint32_t>(piece.params[4 + axis]), grid[axis]);
    }
    programs += uint64_t(piece.grid[0]) * piece.grid[1] * piece.grid[2];
  }
  EXPECT_EQ(programs, uint64_t(2) * 70000 * 65536);
  EXPECT_EQ(fake_.launches.size(), 4u);
  fake_.launches.clear();
  launch(*kernel, {5, 1, 1}, {{9, nullptr}});
  ASSERT_EQ(fake_.launches.size(), 1u);
  for (size_t axis = 0; axis < 3; ++axis)
    EXPECT_EQ(valueOf<uint32_t>(fake_.launches[0].params[1 + axis]), 0u) << "the base of the launch before is gone";
  EXPECT_EQ(valueOf<uint32_t>(fake_.launches[0].params[4]), 5u);
}

TEST_F(Launches, GridsThatCannotBeSplitAreRefused) {
  auto kernel = load(artifact());
  EXPECT_EQ(
      messageOf([&] { launch(*kernel, {1, 70000, 1}, {}); }),
      "the grid of kernel 'k' is 1x70000x1; device cuda:0 takes up to 2147483647x65535x65535 at once, and the kernel "
      "was not compiled to be launched in pieces");
  EXPECT_TRUE(fake_.launches.empty());
}

TEST_F(Launches, FailuresSayWhatWasLaunched) {
  auto kernel = load(artifact());
  fake_.failures["cuLaunchKernel"] = 1;
  EXPECT_EQ(messageOf([&] { launch(*kernel, {7, 1, 1}, {}); }),
            "cannot launch kernel 'k' with grid 7x1x1 of 128 threads on device cuda:0: cuLaunchKernel failed with "
            "CUDA_ERROR_INVALID_VALUE (invalid argument)");
  EXPECT_THAT(messageOf([&] { launch(*kernel, {7, 1, 1}, {{1, nullptr}}); }),
              HasSubstr("takes 0 arguments, 1 arrived"));
  LaunchRequest checked;
  checked.checked = true;
  EXPECT_THAT(messageOf([&] { device().launch(nullptr, *kernel, checked); }), HasSubstr("cannot check launches"));
}

TEST_F(Launches, AnOlderDriverStillLaunches) {
  ScopedEnvironment library("TEGULA_CUDA_LIBRARY", TEGULA_FAKE_CUDA_OLD);
  auto *kernelText = ".param .u32 n";
  std::unique_ptr<Driver> old = cudaDriverFactory()->open("cuda:0");
  auto kernel = old->load(artifact(kernelText, {{"n", Kind::Scalar, ScalarType::I32, {}}}));
  void *stream = old->createStream();
  LaunchRequest request;
  request.arguments = {{5, nullptr}};
  EXPECT_NO_THROW(old->launch(stream, *kernel, request));
  Artifact clustered = artifact();
  clustered.clusterSize = 2;
  EXPECT_THAT(messageOf([&] { old->load(clustered); }), HasSubstr("'clusters'"));
  old->destroyStream(stream);
}

} // namespace
} // namespace tegula::test
