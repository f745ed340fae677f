#include "core/contracts/Artifact.h"
#include "core/support/ByteStream.h"
#include "core/support/Hash.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace tegula {
namespace {

using ::testing::HasSubstr;

Artifact sample() {
  Artifact artifact;
  artifact.target = "cpu";
  artifact.entry = "kernel";
  artifact.params = {{"x", ArtifactParam::Kind::Pointer, ScalarType::F32, {}},
                     {"d", ArtifactParam::Kind::Descriptor, ScalarType::BF16, {64, 32}},
                     {"n", ArtifactParam::Kind::Scalar, ScalarType::I64, {}},
                     {"sums", ArtifactParam::Kind::Pointer, ScalarType::F32, {}, {}, {{4096, false}}},
                     {"arrived", ArtifactParam::Kind::Pointer, ScalarType::I32, {}, {}, {{4, true}}},
                     {"x (derived)",
                      ArtifactParam::Kind::Descriptor,
                      ScalarType::F32,
                      {4, 16},
                      DerivedTensor{0, {{{1, {2}}, {4, {2, 2}}, 4}, {{16, {}}, {1, {}}, 1, true}}, true}}};
  artifact.hidden = {HiddenArgument::GridBase, HiddenArgument::PrintBuffer};
  artifact.guards = {{Guard::Kind::AlignedTo, 0, 16}, {Guard::Kind::Equals, 2, -5}};
  using Kind = ProgramExpression::Kind;
  artifact.conditions = {{{{{Kind::Param, 2}, {Kind::Program, 1}, {Kind::Minimum, 0, 0, 1}}}}, {{0, 1}}, false};
  artifact.descriptors = {{1, ScalarType::I16, {64, 16}, 32, DescriptorRecipe::Fill::NaN}};
  DeviceMessage message;
  message.kind = DeviceMessage::Kind::Limit;
  message.format = DeviceMessage::Format::Hex;
  message.type = ScalarType::BF16;
  message.text = "text";
  message.hasElements = true;
  message.shape = {4, 8};
  message.locations = {{"k.py", 7, 5}, {"k.py", 9, 1}};
  artifact.messages = {DeviceMessage(), message};
  artifact.params[0].access = ArtifactParam::Access::Reads;
  artifact.requiredFeatures = {"f16", "atomics"};
  artifact.launchFlags = kLaunchEarly;
  artifact.sharedBytes = 1;
  artifact.threads = 128;
  artifact.clusterSize = 2;
  artifact.gridFactor = 3;
  artifact.registerCap = 64;
  artifact.scratchBytesPerProgram = uint64_t(1) << 40;
  artifact.sourceHash = "abc";
  artifact.sourcePath = "dir/file.py";
  artifact.binary = {1, 2, 3, 0, 255};
  return artifact;
}

std::string messageOf(std::span<const uint8_t> bytes) {
  try {
    deserializeArtifact(bytes);
  } catch (const Error &e) {
    return e.diagnostic().message;
  }
  return "(accepted)";
}

/// Adds magic, version and checksum to a body, so that damage behind a valid checksum is tested, too.
std::vector<uint8_t> wrap(std::span<const uint8_t> body) {
  std::vector<uint8_t> whole = serialize(sample());
  whole.resize(12);
  Hash128 sum = hash128(body);
  whole.insert(whole.end(), sum.begin(), sum.end());
  whole.insert(whole.end(), body.begin(), body.end());
  return whole;
}

TEST(Artifact, RoundTrips) {
  Artifact before = sample(), after = deserializeArtifact(serialize(before));
  EXPECT_EQ(after.target, before.target);
  EXPECT_EQ(after.entry, before.entry);
  EXPECT_EQ(after.params, before.params);
  EXPECT_EQ(after.conditions, before.conditions);
  EXPECT_EQ(after.hidden, before.hidden);
  ASSERT_EQ(after.messages.size(), 2u);
  EXPECT_EQ(after.messages[0].kind, DeviceMessage::Kind::Print);
  EXPECT_FALSE(after.messages[0].hasElements);
  const DeviceMessage &message = after.messages[1], &wanted = before.messages[1];
  EXPECT_EQ(message.kind, wanted.kind);
  EXPECT_EQ(message.format, wanted.format);
  EXPECT_EQ(message.type, wanted.type);
  EXPECT_EQ(message.text, wanted.text);
  EXPECT_TRUE(message.hasElements);
  EXPECT_EQ(message.shape, wanted.shape);
  EXPECT_EQ(message.locations, wanted.locations);
  EXPECT_EQ(after.guards, before.guards);
  EXPECT_EQ(after.descriptors, before.descriptors);
  EXPECT_EQ(after.requiredFeatures, before.requiredFeatures);
  EXPECT_EQ(after.launchFlags, before.launchFlags);
  EXPECT_EQ(after.sharedBytes, before.sharedBytes);
  EXPECT_EQ(after.threads, before.threads);
  EXPECT_EQ(after.clusterSize, before.clusterSize);
  EXPECT_EQ(after.gridFactor, before.gridFactor);
  EXPECT_EQ(after.registerCap, before.registerCap);
  EXPECT_EQ(after.scratchBytesPerProgram, before.scratchBytesPerProgram);
  EXPECT_EQ(after.sourceHash, before.sourceHash);
  EXPECT_EQ(after.sourcePath, before.sourcePath);
  EXPECT_EQ(after.binary, before.binary);
}

TEST(Artifact, EveryTruncationAndEveryFlippedBitIsRefused) {
  std::vector<uint8_t> whole = serialize(sample());
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(messageOf(std::span(whole).first(size)), "(accepted)") << size;
  for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
    std::vector<uint8_t> changed = whole;
    changed[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    EXPECT_NE(messageOf(changed), "(accepted)") << bit;
  }
}

TEST(Artifact, SaysWhyItIsRefused) {
  std::vector<uint8_t> whole = serialize(sample());
  EXPECT_THAT(messageOf(std::vector<uint8_t>{'E', 'L', 'F'}), HasSubstr("not a Tegula artifact"));
  EXPECT_THAT(messageOf(std::span(whole).first(10)), HasSubstr("truncated"));
  std::vector<uint8_t> newer = whole;
  newer[8] = kArtifactVersion + 1;
  EXPECT_THAT(messageOf(newer), HasSubstr("artifact of version " + std::to_string(kArtifactVersion + 1)));
  whole.back() ^= 1;
  EXPECT_THAT(messageOf(whole), HasSubstr("checksum"));
}

// The content of a cache entry. With its checksum a damaged artifact is always refused; where the checksum agrees,
// which nothing but intent makes, it is refused or read.
TEST(Artifact, TenThousandDamagedArtifactsAreRefused) {
  const std::vector<uint8_t> good = serialize(sample());
  constexpr size_t kBody = 8 + 4 + 16;
  std::mt19937 random(1);
  size_t accepted = 0;
  for (int round = 0; round < 10000; ++round) {
    std::vector<uint8_t> bytes = good;
    bool agrees = round % 2;
    size_t from = agrees ? kBody : 0;
    for (size_t i = 0; i <= random() % 4; ++i)
      bytes[from + random() % (bytes.size() - from)] ^= uint8_t(1 + random() % 255);
    if (random() % 4 == 0)
      bytes.resize(from + random() % (bytes.size() - from));
    if (agrees)
      bytes = wrap(std::span(bytes).subspan(kBody));
    if (bytes == good)
      continue;
    try {
      deserializeArtifact(bytes);
      ASSERT_TRUE(agrees) << "round " << round;
      ++accepted;
    } catch (const Error &error) {
      ASSERT_NE(error.what(), std::string()) << "round " << round;
    }
  }
  EXPECT_GT(accepted, 100u); // changed texts, for example: the check goes beyond the checksum
}

TEST(Artifact, RefusesWhatALaunchCouldNotUse) {
  auto refused = [](auto change) {
    Artifact artifact = sample();
    change(artifact);
    return messageOf(serialize(artifact));
  };
  EXPECT_THAT(refused([](Artifact &a) { a.params[5].tensor->pointer = 2; }), HasSubstr("which is no pointer"));
  EXPECT_THAT(refused([](Artifact &a) { a.params[5].tensor->axes[0].extent.params = {0}; }),
              HasSubstr("which is no integer"));
  EXPECT_THAT(refused([](Artifact &a) { a.params[5].tensor->axes[1].stride.params = {5}; }),
              HasSubstr("which is no integer"));
  EXPECT_THAT(refused([](Artifact &a) { a.params[5].tensor->axes[0].multiple = 0; }), HasSubstr("a multiple of 0"));
  using Kind = ProgramExpression::Kind;
  EXPECT_THAT(refused([](Artifact &a) { a.conditions->positive = {{}}; }), HasSubstr("an expression of 0 nodes"));
  EXPECT_THAT(refused([](Artifact &a) { a.conditions->positive = {{{{Kind::Param, 0}}}}; }),
              HasSubstr("which is no integer"));
  EXPECT_THAT(refused([](Artifact &a) { a.conditions->positive = {{{{Kind::Program, 3}}}}; }),
              HasSubstr("no such operand"));
  EXPECT_THAT(refused([](Artifact &a) { a.conditions->positive = {{{{Kind::Add, 0, 0, 0}}}}; }),
              HasSubstr("no such operand"));
  EXPECT_THAT(refused([](Artifact &a) { a.conditions->apart = {{0, 2}}; }), HasSubstr("parameter 2, which the caller"));
  EXPECT_THAT(refused([](Artifact &a) { a.conditions->apart = {{0, 5}}; }), HasSubstr("parameter 5, which the caller"));
  EXPECT_THAT(refused([](Artifact &a) { a.conditions->apart = {{0, 3}}; }), HasSubstr("parameter 3, which the caller"));
  EXPECT_THAT(refused([](Artifact &a) { a.conditions->apart = {{6, 0}}; }), HasSubstr("parameter 6, which the caller"));
  EXPECT_THAT(refused([](Artifact &a) { a.conditions.reset(); }), HasSubstr("without conditions"));
  EXPECT_THAT(refused([](Artifact &a) { std::swap(a.params[4], a.params[5]); }), HasSubstr("damaged"));
  EXPECT_THAT(refused([](Artifact &a) { a.descriptors[0].param = 0; }),
              HasSubstr("parameter 0 of 6, which is no desc"));
  EXPECT_THAT(refused([](Artifact &a) { a.descriptors[0].param = 6; }), HasSubstr("parameter 6 of 6"));
  EXPECT_THAT(refused([](Artifact &a) { a.descriptors[0].box = {64}; }), HasSubstr("the block of parameter 'd'"));
  EXPECT_THAT(refused([](Artifact &a) { a.descriptors[0].box[1] = 0; }), HasSubstr("the block of parameter 'd'"));
  EXPECT_THAT(refused([](Artifact &a) { a.descriptors[0].type = ScalarType::F32; }), HasSubstr("of f32 for parameter"));
  EXPECT_THAT(refused([](Artifact &a) { a.descriptors[0].swizzleBytes = 16; }), HasSubstr("swizzles 16 bytes"));
  EXPECT_THAT(refused([](Artifact &a) { a.descriptors[0].roundsToTf32 = true; }), HasSubstr("rounds i16 to tf32"));
  EXPECT_THAT(refused([](Artifact &a) { a.descriptors.push_back(a.descriptors[0]); }), HasSubstr("two descriptor"));
  EXPECT_THAT(refused([](Artifact &a) { a.launchFlags = 16; }), HasSubstr("unknown launch flags 16"));
  EXPECT_THAT(refused([](Artifact &a) { std::swap(a.params[2], a.params[3]); }),
              HasSubstr("'n' follows memory of the launch"));
  EXPECT_THAT(refused([](Artifact &a) { a.params[3].kind = ArtifactParam::Kind::Scalar; }),
              HasSubstr("but no pointer"));
  EXPECT_THAT(refused([](Artifact &a) { a.gridFactor = 0; }), HasSubstr("no program for each"));
}

TEST(Artifact, NoBodyBehindAGoodChecksumDoesWorseThanAMessage) {
  std::vector<uint8_t> whole = serialize(sample());
  std::span<const uint8_t> body = std::span(whole).subspan(28);
  for (size_t size = 0; size < body.size(); ++size)
    EXPECT_NE(messageOf(wrap(body.first(size))), "(accepted)") << size;
  for (size_t at = 0; at < body.size(); ++at)
    for (uint8_t value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
      std::vector<uint8_t> changed(body.begin(), body.end());
      changed[at] = value;
      try {
        Artifact artifact = deserializeArtifact(wrap(changed));
        for (const Guard &guard : artifact.guards)
          EXPECT_LT(guard.param, artifact.params.size());
        for (const DescriptorRecipe &recipe : artifact.descriptors)
          EXPECT_EQ(artifact.params.at(recipe.param).kind, ArtifactParam::Kind::Descriptor);
      } catch (const Error &) {
        // an error is the expected result
      }
    }
}

} // namespace
} // namespace tegula
