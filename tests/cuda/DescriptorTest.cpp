// Tensor descriptors: the arguments of the driver's encoder, the kernel's arguments, and launches that encode nothing.
#include "tests/cuda/CudaFixture.h"

#include "backends/gpu/DescriptorCache.h"

#include <atomic>
#include <thread>

namespace tegula::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Kind = ArtifactParam::Kind;
using Fill = DescriptorRecipe::Fill;

class Descriptors : public CudaTest {
protected:
  static constexpr const char *kParams = ".param .u32 n, .param .align 64 .b8 a[128], .param .align 64 .b8 b[128]";
  Artifact twoDescriptors() {
    Artifact made = artifact(kParams, {{"n", Kind::Scalar, ScalarType::I32, {}},
                                       {"a", Kind::Descriptor, ScalarType::F16, {128, 64}},
                                       {"b", Kind::Descriptor, ScalarType::F32, {1, 16, 8}}});
    made.descriptors = {{2, ScalarType::F32, {1, 16, 8}, 32, Fill::AsPassed},
                        {1, ScalarType::F16, {128, 64}, 128, Fill::Zero}};
    return made;
  }
  void launchTwo(const DriverKernel &kernel) { launch(kernel, {1, 1, 1}, {{5, nullptr}, {0, &a_}, {0, &b_}}); }

  std::vector<int64_t> aShape_ = {1000, 512}, aStrides_ = {520, 1}, bShape_ = {3, 40, 24}, bStrides_ = {960, 24, 1};
  DescriptorValue a_ = {0x10000, aShape_, aStrides_, true}, b_ = {0x20010, bShape_, bStrides_, true};
};

TEST_F(Descriptors, AreEncodedByTheirRecipes) {
  auto kernel = load(twoDescriptors());
  launchTwo(*kernel);
  ASSERT_EQ(fake_.encodings.size(), 2u);
  const fakecuda::Encoding &a = fake_.encodings[0], &b = fake_.encodings[1];
  // The driver counts axes from the contiguous one; strides are in bytes. Values are the vendor's enumerators.
  EXPECT_EQ(a.type, 6);
  EXPECT_EQ(a.address, 0x10000u);
  EXPECT_THAT(a.extents, ElementsAre(512, 1000));
  EXPECT_THAT(a.strides, ElementsAre(1040));
  EXPECT_THAT(a.box, ElementsAre(64, 128));
  EXPECT_THAT(a.steps, ElementsAre(1, 1));
  EXPECT_EQ(a.interleave, 0);
  EXPECT_EQ(a.swizzle, 3);
  EXPECT_EQ(a.fill, 0) << "the recipe decides against what is passed";
  EXPECT_EQ(b.type, 7);
  EXPECT_THAT(b.extents, ElementsAre(24, 40, 3));
  EXPECT_THAT(b.strides, ElementsAre(96, 3840));
  EXPECT_THAT(b.box, ElementsAre(8, 16, 1));
  EXPECT_EQ(b.swizzle, 1);
  EXPECT_EQ(b.fill, 1);
  ASSERT_EQ(fake_.launches.size(), 1u);
  EXPECT_EQ(valueOf<uint32_t>(fake_.launches[0].params[0]), 5u);
  EXPECT_EQ(fake_.launches[0].params[1], a.map);
  EXPECT_EQ(fake_.launches[0].params[2], b.map);
}

TEST_F(Descriptors, AreEncodedOnceForATensor) {
  auto kernel = load(twoDescriptors());
  for (int i = 0; i < 5; ++i)
    launchTwo(*kernel);
  EXPECT_EQ(fake_.encodingCount, 2u);
  EXPECT_EQ(fake_.launches.back().params[1], fake_.encodings[0].map);
  EXPECT_EQ(fake_.launches.back().params[2], fake_.encodings[1].map);
  // Each property that identifies a tensor makes another descriptor.
  size_t expected = 2;
  auto changed = [&] {
    launchTwo(*kernel);
    EXPECT_EQ(fake_.encodingCount, ++expected);
    EXPECT_EQ(fake_.launches.back().params[2], fake_.encodings.back().map);
    launchTwo(*kernel);
    EXPECT_EQ(fake_.encodingCount, expected);
  };
  b_.address += 16;
  changed();
  bShape_[1] = 39;
  changed();
  bStrides_[0] = 1920;
  changed();
  b_.paddingNaN = false;
  changed();
  // Another kernel has another cache: its recipe may differ.
  auto second = load(twoDescriptors());
  launchTwo(*second);
  EXPECT_EQ(fake_.encodingCount, expected + 2);
}

TEST_F(Descriptors, StayRightWhereMoreAreUsedThanKept) {
  auto kernel = load(twoDescriptors());
  for (uint64_t round = 0; round < 30; ++round) {
    b_.address = 0x20000 + 16 * (round * 7 % 11);
    launchTwo(*kernel);
    const fakecuda::Bytes &passed = fake_.launches.back().params[2];
    bool found = false;
    for (const fakecuda::Encoding &encoding : fake_.encodings)
      found |= encoding.map == passed && encoding.address == b_.address;
    EXPECT_TRUE(found) << round;
  }
}

TEST_F(Descriptors, BreakingTheRulesNamesTheParameter) {
  auto kernel = load(twoDescriptors());
  auto message = [&] { return messageOf([&] { launchTwo(*kernel); }); };
  a_.address = 0x10008;
  EXPECT_EQ(message(),
            "tensor descriptor 'a': the tensor's address is 8 bytes beyond a multiple of 16; it must be one, so "
            "a view must begin at such an element");
  a_.address = 0x10000;
  aStrides_[0] = 513;
  EXPECT_EQ(message(),
            "tensor descriptor 'a': the tensor's stride along axis 0 is 513 elements, 1026 bytes; it must be a "
            "multiple of 16 bytes, so pad the rows");
  aStrides_[0] = -520;
  EXPECT_THAT(message(), HasSubstr("tensor descriptor 'a': the tensor's stride along axis 0 is -520"));
  aStrides_ = {int64_t(1) << 39, 1};
  EXPECT_THAT(message(), HasSubstr("0 to 2^40 bytes are supported"));
  aStrides_ = {520, 2};
  EXPECT_THAT(message(), HasSubstr("tensor descriptor 'a': the tensor's last stride is 2; it must be 1"));
  aStrides_ = {520, 1};
  aShape_[0] = 0;
  EXPECT_THAT(message(), HasSubstr("tensor descriptor 'a': the tensor's extent along axis 0 is 0"));
  aShape_[0] = (int64_t(1) << 32) + 1;
  EXPECT_THAT(message(), HasSubstr("1 to 2^32 are supported"));
  aShape_[0] = 1000;
  EXPECT_EQ(fake_.launchCount, 0u);
  EXPECT_EQ(message(), "(nothing was thrown)");
}

TEST_F(Descriptors, WithoutARecipeGoAsTheirParts) {
  Artifact made = artifact(".param .align 8 .b8 a[48], .param .align 64 .b8 b[128], .param .align 8 .b8 c[64]",
                           {{"a", Kind::Descriptor, ScalarType::F16, {128, 64}},
                            {"b", Kind::Descriptor, ScalarType::F32, {1, 16, 8}},
                            {"c", Kind::Descriptor, ScalarType::F32, {1, 16, 8}}});
  made.descriptors = {{1, ScalarType::F32, {1, 16, 8}, 32, Fill::AsPassed}};
  auto kernel = load(made);
  aStrides_ = {-520, 1}; // a stride that the hardware cannot copy
  b_.paddingNaN = false;
  launch(*kernel, {1, 1, 1}, {{0, &a_}, {0, &b_}, {0, &b_}});
  ASSERT_EQ(fake_.launches.size(), 1u);
  const std::vector<fakecuda::Bytes> &params = fake_.launches[0].params;
  EXPECT_EQ((valueOf<std::array<int64_t, 6>>(params[0])), (std::array<int64_t, 6>{0x10000, 1000, 512, -520, 1, 1}));
  ASSERT_EQ(fake_.encodings.size(), 1u);
  EXPECT_EQ(params[1], fake_.encodings[0].map);
  EXPECT_EQ((valueOf<std::array<int64_t, 8>>(params[2])), (std::array<int64_t, 8>{0x20010, 3, 40, 24, 960, 24, 1, 0}));
}

TEST_F(Descriptors, StridesOfSingleRowsAreNotLookedAt) {
  auto kernel = load(twoDescriptors());
  aShape_ = {1, 10};
  aStrides_ = {10, 1};
  launchTwo(*kernel);
  EXPECT_THAT(fake_.encodings[0].extents, ElementsAre(10, 1));
  EXPECT_EQ(fake_.encodings[0].strides[0] % 16, 0u);
}

TEST_F(Descriptors, RecipesThatTheHardwareCannotDoNameTheParameter) {
  auto message = [&](auto change) {
    Artifact made = twoDescriptors();
    change(made.descriptors[1]);
    auto kernel = load(made);
    return messageOf([&] { launchTwo(*kernel); });
  };
  EXPECT_THAT(message([](DescriptorRecipe &r) { r.box = {512, 64}; }),
              HasSubstr("tensor descriptor 'a': the box has 512 elements along axis 0; 1 to 256"));
  EXPECT_THAT(message([](DescriptorRecipe &r) { r.box = {64, 128}; }),
              HasSubstr("a row of the box takes 256 bytes, more than the swizzle of 128"));
  EXPECT_THAT(message([](DescriptorRecipe &r) { r.box = {64, 4}; }),
              HasSubstr("a row of the box takes 8 bytes; it must be a multiple of 16"));
  EXPECT_THAT(message([](DescriptorRecipe &r) {
                r.type = ScalarType::I16;
                r.fill = Fill::NaN;
              }),
              HasSubstr("tensor descriptor 'a': elements of i16 cannot be padded with NaN"));
  fake_.failures["cuTensorMapEncodeTiled"] = 1;
  EXPECT_THAT(
      message([](DescriptorRecipe &) {}),
      HasSubstr(
          "cannot encode the tensor descriptor 'a': cuTensorMapEncodeTiled failed with CUDA_ERROR_INVALID_VALUE"));
}

TEST(DescriptorCacheTest, ThreadsNeverSeeTornEntries) {
  // Values whose encoding follows from their key are found and inserted by several threads in few slots.
  gpu::DescriptorCache cache;
  std::atomic<size_t> hits = 0, wrong = 0;
  auto work = [&](uint64_t seed) {
    const int64_t shape[2] = {8, 8}, strides[2] = {8, 1};
    for (uint64_t i = 0; i < 100000; ++i) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      uint64_t address = (seed >> 60) % 6;
      DescriptorValue value = {address, shape, strides, false};
      gpu::EncodedDescriptor encoded;
      if (cache.find(value, encoded)) {
        ++hits;
        for (size_t word = 0; word < encoded.words.size(); ++word)
          wrong += encoded.words[word] != address * 1000 + word;
        continue;
      }
      for (size_t word = 0; word < encoded.words.size(); ++word)
        encoded.words[word] = address * 1000 + word;
      cache.insert(value, encoded);
    }
  };
  std::vector<std::thread> threads;
  for (uint64_t seed = 1; seed <= 4; ++seed)
    threads.emplace_back(work, seed);
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0u);
  EXPECT_GT(hits, 1000u);
}

} // namespace
} // namespace tegula::test
