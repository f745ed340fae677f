// What the suite makes of a device's answers.
#include "tests/conformance/Skips.h"
#include "tests/conformance/Suite.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace tegula::conformance {

namespace {

TEST(Skips, patterns) {
  EXPECT_TRUE(matches("*", ""));
  EXPECT_TRUE(matches("dot/*", "dot/dot/f16,16x16x16,w=1"));
  EXPECT_FALSE(matches("dot/*", "reduce/sum_1d/f32"));
  EXPECT_TRUE(matches("*/f?6*", "dot/dot/f16,16x16x16,w=1"));
  EXPECT_FALSE(matches("vulkan:?", "vulkan:10"));
  EXPECT_FALSE(matches("", "x"));
}

TEST(Skips, a_type_that_the_device_lacks) {
  Device::Info device;
  device.name = "vulkan:0";
  device.properties = {{"features", "shaderFloat16, shaderInt8"}};
  Case narrow, wide, constant;
  narrow.in(DType::F32, 1, {});
  wide.in(DType::F32, 1, {}).out(DType::F64, 1);
  constant.in(DType::F32, 1, {}).with("TYPE", DType::F64);
  EXPECT_FALSE(skipReason(narrow, device));
  EXPECT_TRUE(skipReason(wide, device));
  EXPECT_TRUE(skipReason(constant, device));
  device.properties = {{"features", "shaderFloat16, shaderFloat64"}};
  EXPECT_FALSE(skipReason(wide, device));
}

Outcome refused(ApiError::Kind kind, const std::string &message, bool located) {
  Outcome outcome;
  outcome.error = ApiError(kind, message, located);
  return outcome;
}

TEST(Refusals, a_pass_is_wrong) { EXPECT_NE(judgeRefusal(Outcome(), "it lacks something"), ""); }

TEST(Refusals, one_located_message_is_right) {
  EXPECT_EQ(judgeRefusal(refused(ApiError::Kind::BadKernel, "a.py:3:5: error: no f64 here", true), "it has no f64"),
            "");
  EXPECT_NE(judgeRefusal(refused(ApiError::Kind::BadKernel, "no f64 here", false), "it has no f64"), "");
  EXPECT_NE(judgeRefusal(refused(ApiError::Kind::Internal, "a.py:3:5: error: no f64 here", true), "it has no f64"), "");
  std::string two = "a.py:3:5: error: no f64 here\na.py:4:5: error: nor here";
  EXPECT_NE(judgeRefusal(refused(ApiError::Kind::BadKernel, two, true), "it has no f64"), "");
}

/// A device that computes something else, or nothing, fails the case.
TEST(Suite, a_wrong_kernel_fails) {
  setenv("TEGULA_CACHE_DIR", (testing::TempDir() + "tegula-conformance-suite-test").c_str(), 1);
  Runner right(Device::open("cpu"), Folders::standard());
  Folders empty = Folders::standard();
  empty.suite += "/absent";
  Runner missing(Device::open("cpu"), empty);
  const Cases cases = allCases();
  const Case &made = cases.all().front();
  EXPECT_EQ(Suite(right, &right, 2).run(made).status, Status::Passed);
  EXPECT_EQ(Suite(right, nullptr, 1).run(made).status, Status::Passed);
  Report report = Suite(missing, &right, 1).run(made);
  EXPECT_EQ(report.status, Status::Failed);
  EXPECT_NE(report.detail.find("absent"), std::string::npos) << report.detail;
  Case altered = made; // another kernel of the same file, against the same references
  altered.kernel = "sub";
  EXPECT_EQ(Suite(right, nullptr, 1).run(altered).status, Status::Failed);
}

} // namespace

} // namespace tegula::conformance
