// The suite about itself: that its cases can fail, that no kernel is left out, and that comparison means what it says.
#include "tests/conformance/Compare.h"
#include "tests/conformance/Fills.h"
#include "tests/conformance/Policies.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

namespace tegula::conformance {

namespace {

const Cases &cases() {
  static const Cases all = allCases(true);
  return all;
}

std::set<std::string> kernelsWithCases() {
  std::set<std::string> kernels;
  for (const Case &made : cases().all())
    kernels.insert(made.file + "::" + made.kernel);
  return kernels;
}

TEST(Cases, enough) {
  EXPECT_GE(cases().all().size(), 1500u);
  EXPECT_GE(kernelsWithCases().size(), 150u);
}

/// A kernel that does nothing must not pass: somewhere an output must change, or a line be printed, or a fault happen.
TEST(Cases, can_fail) {
  for (const Case &made : cases().all()) {
    if (made.fault || made.printed)
      continue;
    HostCase host = materialise(made);
    auto references = referenceOf(made, host);
    bool hasOutput = false, changes = false;
    for (size_t k = 0; k < host.buffers.size(); ++k) {
      const BufferSpec &spec = *host.buffers[k].spec;
      hasOutput = hasOutput || spec.output;
      if (!spec.output || spec.policy.kind == Policy::Kind::Ignored)
        continue;
      EXPECT_TRUE(references[k]) << made.name << ": buffer " << k << " has no reference";
      changes = changes || (references[k] && differences(spec, host.buffers[k].bytes, *references[k]));
    }
    // Blocks that lie outside of their tensor change nothing, which is what they show; nor do loops without a round.
    bool outside = made.kernel == "store_outside" || (made.kernel == "persistent" && made.name.ends_with("tiles=0"));
    EXPECT_TRUE(changes || outside || !hasOutput) << made.name << " passes if the kernel does nothing";
  }
}

TEST(Cases, data_is_the_same_each_time) {
  const Case &made = cases().all().front();
  HostCase first = materialise(made), second = materialise(made);
  ASSERT_EQ(first.buffers.size(), 3u);
  for (size_t k = 0; k < 3; ++k)
    EXPECT_EQ(first.buffers[k].bytes, second.buffers[k].bytes);
  EXPECT_NE(first.buffers[0].bytes, first.buffers[1].bytes);
}

TEST(Cases, flushed_denormals_are_left_out) {
  Case made;
  made.in(DType::F32, 64, special());
  auto smallest = [](const HostCase &host) {
    Inputs inputs = host.inputs();
    Number least = 1;
    for (Number value : inputs.all(0))
      if (value != 0)
        least = std::fmin(least, std::abs(value));
    return least;
  };
  EXPECT_LT(smallest(materialise(made)), 0x1p-126L);
  EXPECT_EQ(smallest(materialise(made, {DType::F32})), 0x1p-126L);
}

/// The published test vector of Philox 4x32-10 for key and counter zero.
TEST(Cases, philox_reference) {
  for (const Case &made : cases().all())
    if (made.name == "random/words/key=0,n=64") {
      HostCase host = materialise(made);
      HostBuffer expected = host.buffers[0];
      expected.bytes = referenceOf(made, host)[0].value();
      const int64_t words[] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
      for (int64_t i = 0; i < 4; ++i)
        EXPECT_EQ(expected.at(i), words[i]);
      return;
    }
  FAIL() << "there is no such case";
}

/// Every jit function of kernels/ that no other one calls is the kernel of a case.
TEST(Cases, cover_every_kernel) {
  std::set<std::string> used = kernelsWithCases();
  for (const auto &entry : std::filesystem::directory_iterator(TEGULA_SOURCE_DIR "/tests/conformance/kernels")) {
    std::ifstream file(entry.path());
    std::stringstream stream;
    stream << file.rdbuf();
    std::string text = stream.str(), name = entry.path().filename().string();
    std::regex definition(R"((?:^|\n)@triton\.jit\ndef (\w+)\()");
    size_t found = 0;
    for (std::sregex_iterator it(text.begin(), text.end(), definition), end; it != end; ++it, ++found) {
      std::string kernel = (*it)[1];
      std::regex use("[^.\\w]" + kernel + "\\b");
      std::string rest = std::regex_replace(text, std::regex("def " + kernel + "\\("), "def (");
      if (!std::regex_search(rest, use)) {
        EXPECT_TRUE(used.contains(name + "::" + kernel)) << name << ": no case runs " << kernel;
      }
    }
    EXPECT_GT(found, 0u) << name;
  }
}

TEST(Signature, names_types_and_divisibility) {
  Case made;
  made.in(DType::F32, 8, blank())
      .in(DType::F16, 8, blank(), 1)
      .out(DType::I8, 8)
      .value(48)
      .value(6)
      .value(int64_t(1) << 40)
      .real(0.5)
      .flag(true);
  made.describedIn(DType::F16, {8, 16}, {4, 8}, blank());
  EXPECT_EQ(signatureOf(made), "*f32:16, *f16:2, *i8:16, i32:16, i32:2, i64:16, f32, i1, desc<4x8xf16>");
}

class Comparing : public testing::Test {
protected:
  /// Whether `actual` passes for `expected` under `policy`.
  static bool agree(DType type, std::vector<Number> actual, std::vector<Number> expected, Policy policy,
                    const Denormals &flushed = {}) {
    BufferSpec spec{type, static_cast<int64_t>(actual.size()), blank(), 0, true, policy};
    return !differences(spec, bytes(type, actual), bytes(type, expected), flushed);
  }
  static std::vector<uint8_t> bytes(DType type, const std::vector<Number> &values) {
    Case made;
    made.in(type, static_cast<int64_t>(values.size()), listed(values));
    return materialise(made).buffers[0].bytes;
  }
};

TEST_F(Comparing, exact) {
  EXPECT_TRUE(agree(DType::F32, {1, kNan, -kInf}, {1, kNan, -kInf}, exact()));
  EXPECT_FALSE(agree(DType::F32, {0x1.000002p0L}, {1}, exact()));
  EXPECT_FALSE(agree(DType::F32, {-0.0L}, {0}, exact()));
  EXPECT_TRUE(agree(DType::F32, {-0.0L}, {0}, exactAnyZero()));
  EXPECT_FALSE(agree(DType::F32, {kNan}, {0}, exact()));
  EXPECT_FALSE(agree(DType::I64, {9007199254740993.0L}, {9007199254740992.0L}, exact()));
}

TEST_F(Comparing, ulps) {
  EXPECT_TRUE(agree(DType::F32, {0x1.000006p0L}, {1}, ulps(3)));
  EXPECT_FALSE(agree(DType::F32, {0x1.000008p0L}, {1}, ulps(3)));
  EXPECT_TRUE(agree(DType::F16, {-0x1.004p0L}, {-1}, ulps(1)));
  EXPECT_FALSE(agree(DType::F16, {0x1p-24L}, {-0x1p-24L}, ulps(1)));
  EXPECT_FALSE(agree(DType::F32, {kNan}, {1}, ulps(100)));
  EXPECT_FALSE(agree(DType::F32, {kInf}, {-kInf}, ulps(100)));
}

TEST_F(Comparing, bounds) {
  EXPECT_TRUE(agree(DType::F32, {100.5L}, {100}, near(0.5)));
  EXPECT_FALSE(agree(DType::F32, {100.6L}, {100}, near(0.5)));
  EXPECT_TRUE(agree(DType::F32, {101}, {100}, near(0, 0.01)));
  EXPECT_FALSE(agree(DType::F32, {kInf}, {100}, near(1e30)));
  EXPECT_TRUE(agree(DType::U8, {7}, {8}, near(1)));
  EXPECT_FALSE(agree(DType::U8, {6}, {8}, near(1)));
}

TEST_F(Comparing, multisets) {
  EXPECT_TRUE(agree(DType::I32, {3, 1, 2, 1}, {1, 1, 2, 3}, multiset()));
  EXPECT_FALSE(agree(DType::I32, {3, 1, 2, 2}, {1, 1, 2, 3}, multiset()));
}

TEST_F(Comparing, flushed_denormals) {
  EXPECT_TRUE(agree(DType::F32, {0}, {0x1p-130L}, exact(), {DType::F32}));
  EXPECT_TRUE(agree(DType::F32, {0}, {0x1p-126L}, exact(), {DType::F32})); // rounded up to the smallest normal number
  EXPECT_FALSE(agree(DType::F32, {0}, {0x1p-125L}, exact(), {DType::F32}));
  EXPECT_FALSE(agree(DType::F32, {0}, {0x1p-130L}, exact()));
}

TEST_F(Comparing, denormals_flushed_on_the_way) {
  Policy policy = exactThrough(DType::F32);
  EXPECT_TRUE(agree(DType::F64, {0}, {0x1p-130L}, policy, {DType::F32}));
  EXPECT_TRUE(agree(DType::F64, {-0.0L}, {-0x1p-130L}, policy, {DType::F32}));
  EXPECT_FALSE(agree(DType::F64, {0x1p-131L}, {0x1p-130L}, policy, {DType::F32})); // flushed or right
  EXPECT_FALSE(agree(DType::F64, {0}, {0x1p-125L}, policy, {DType::F32}));
  EXPECT_FALSE(agree(DType::F64, {0}, {0x1p-130L}, policy, {DType::F16}));
  EXPECT_FALSE(agree(DType::F64, {0}, {0x1p-130L}, policy));
  EXPECT_FALSE(agree(DType::F64, {0}, {0x1p-130L}, exact(), {DType::F32}));
}

TEST_F(Comparing, says_what_is_wrong) {
  BufferSpec spec{DType::I32, 3, blank(), 1, true};
  std::optional<std::string> text =
      differences(spec, bytes(DType::I32, {8, 1, 2, 3, 9}), bytes(DType::I32, {7, 1, 5, 3, 7}));
  EXPECT_EQ(text.value_or(""),
            "3 of 3 elements of i32 are wrong: [-1, before the first] is 8, expected 7; [1] is 2, expected 5; "
            "[3, past the end] is 9, expected 7");
}

} // namespace

} // namespace tegula::conformance
