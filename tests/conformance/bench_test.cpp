// What the bench makes of a device's answers.
#include "tests/conformance/Skips.h"
#include "tests/conformance/Workers.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <thread>

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

TEST(Skips, a_driver_that_compiles_too_long) {
  Device::Info newer, older;
  newer.target = "spirv:lavapipe-cm-khr";
  older.target = "spirv:sg8";
  Case large, small;
  large.name = "programs/attention_gradients/128x128,128x32,causal";
  small.name = "programs/attention_gradients/128x32,128x64,causal";
  EXPECT_TRUE(untriedReason(large, newer));
  EXPECT_FALSE(untriedReason(large, older));
  EXPECT_FALSE(untriedReason(small, newer));
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

Folders withoutSuite() {
  Folders empty = Folders::standard();
  empty.suite += "/absent";
  return empty;
}

class BenchTest : public testing::Test {
protected:
  void SetUp() override {
    setenv("TEGULA_CACHE_DIR", (testing::TempDir() + "tegula-conformance-bench-test").c_str(), 1);
  }
  const Cases cases_ = allCases();
  const Case &made_ = cases_.all().front();
  Memory nothing_{""};
};

TEST_F(BenchTest, AWrongKernelFails) {
  Bench bench(Folders::standard(), nothing_, 2, nullptr);
  EXPECT_EQ(bench.run(made_, "cpu").status, Status::Passed);
  EXPECT_EQ(bench.run(made_, "cpu/checked").status, Status::Passed);
  Report report = Bench(withoutSuite(), nothing_, 1, nullptr).run(made_, "cpu");
  EXPECT_EQ(report.status, Status::Failed);
  EXPECT_NE(report.detail.find("absent"), std::string::npos) << report.detail;
  Case altered = made_; // another kernel of the same file, against the same references
  altered.kernel = "sub";
  EXPECT_EQ(bench.run(altered, "cpu").status, Status::Failed);
}

TEST_F(BenchTest, AKeyIsOfCodeInputsAndPolicies) {
  Runner runner(Device::open("cpu"), Folders::standard());
  HostCase host = materialise(made_);
  auto keyOf = [&](const Case &made, const HostCase &with) {
    return runner.run(made, with, [](const std::string &) { return true; }).key;
  };
  std::string key = keyOf(made_, host);
  EXPECT_EQ(key.size(), 32u);
  EXPECT_EQ(key, keyOf(made_, host));
  Case altered = made_;
  altered.kernel = "sub";
  EXPECT_NE(key, keyOf(altered, host));
  HostCase other = materialise(made_);
  other.buffers[0].bytes[0] ^= 1;
  EXPECT_NE(key, keyOf(made_, other));
  Case stricter = made_;
  for (ArgumentSpec &argument : stricter.arguments)
    if (auto *buffer = std::get_if<BufferSpec>(&argument))
      buffer->policy.ulps += 1;
  EXPECT_NE(key, keyOf(stricter, materialise(stricter)));
}

TEST_F(BenchTest, AKnownExecutionIsLeftOut) {
  Runner runner(Device::open("cpu"), Folders::standard());
  HostCase host = materialise(made_);
  Outcome known = runner.run(made_, host, [](const std::string &) { return true; });
  EXPECT_TRUE(known.known);
  EXPECT_TRUE(known.buffers.empty());
  Outcome run = runner.run(made_, host, [](const std::string &) { return false; });
  EXPECT_FALSE(run.known);
  EXPECT_EQ(run.key, known.key);
  EXPECT_FALSE(run.buffers.empty());
}

/// A process that dies or hangs costs its case; the others run all the same.
TEST(Workers, AProcessThatEndsFailsItsCaseAlone) {
  setenv("TEGULA_CACHE_DIR", (testing::TempDir() + "tegula-conformance-workers-test").c_str(), 1);
  const Cases cases = allCases();
  Case deadly = cases.all()[1], slow = cases.all()[2];
  for (auto [made, action] : {std::pair<Case *, void (*)()>(&deadly, [] { std::abort(); }),
                              {&slow, [] { std::this_thread::sleep_for(std::chrono::seconds(60)); }}})
    std::get<BufferSpec>(made->arguments[0]).fill = [action = action](DType, int64_t, Random &) {
      action();
      return Number(0);
    };
  WorkerPlan plan;
  plan.cases = {&cases.all()[0], &deadly, &slow, &cases.all()[3]};
  plan.devices = {"cpu"};
  plan.folders = Folders::standard();
  plan.limitSeconds = 5;
  std::vector<Job> jobs;
  for (size_t i = 0; i < plan.cases.size(); ++i)
    jobs.push_back({i, {0}});
  std::map<size_t, Report> reports;
  WorkerResults results = runJobs(plan, Memory(""), jobs, 2,
                                  [&](const Job &job, size_t, const Report &report) { reports[job.made] = report; });
  ASSERT_EQ(reports.size(), 4u);
  EXPECT_EQ(reports[0].status, Status::Passed) << reports[0].detail;
  EXPECT_EQ(reports[3].status, Status::Passed) << reports[3].detail;
  EXPECT_NE(reports[1].detail.find("signal 6"), std::string::npos) << reports[1].detail;
  EXPECT_NE(reports[2].detail.find("no answer within 5 seconds"), std::string::npos) << reports[2].detail;
  EXPECT_TRUE(results.findings.empty());
}

} // namespace

} // namespace tegula::conformance
