// Tuning on request: Kernel::tune (docs/tuning.md).
#include "tests/runtime/AutotuneFixture.h"

#include "core/tuning/Records.h"

#include <gmock/gmock.h>

#include <thread>

namespace tegula::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(Autotune, TuningOnRequestHoldsForLaterLaunchesOfTheProcess) {
  auto grid = [](const std::map<std::string, Constant> &) { return Grid(1); };
  auto space = [](int64_t a, int64_t b) {
    return TuneOptions{.space = {Config{.constants = {{"BLOCK", a}}}, Config{.constants = {{"BLOCK", b}}}}};
  };
  Kernel kernel = load();
  EXPECT_EQ(blockOf(kernel, 100), 64);
  EXPECT_EQ(blockOf(kernel, 5000), 64);
  TuneReport report = kernel.tune(stream_, grid, {x_, 100}, {}, space(128, 65));
  ASSERT_TRUE(report.best);
  EXPECT_EQ(report.best->constants.at("BLOCK").value(), Constant(65).value());
  EXPECT_EQ(report.candidates, 2u);
  EXPECT_EQ(report.key, "n=128");
  EXPECT_EQ(blockOf(kernel, 100), 65);
  EXPECT_EQ(blockOf(kernel, 5000), 64) << "another bucket";
  EXPECT_EQ(blockOf(load(), 100), 65);

  fake_.kernels[0].configs.clear(); // without @triton.autotune, and unknown to all tables
  Kernel plain = load("plain");
  EXPECT_THAT(messageOf([&] { blockOf(plain, 100); }), HasSubstr("'BLOCK'"));
  EXPECT_EQ(blockOf(plain, 100, {.constants = {{"BLOCK", 32}}}), 32);
  plain.tune(stream_, grid, NamedArguments{{"x_ptr", x_}, {"n", 100}}, {}, space(70, 256));
  EXPECT_EQ(blockOf(plain, 100), 70);
  failing_ = 96;
  TuneReport none = plain.tune(stream_, grid, {x_, 100}, {}, space(96, 96));
  EXPECT_FALSE(none.best);
  EXPECT_EQ(none.candidates, 1u);
  EXPECT_THAT(none.table, HasSubstr("too large"));
  EXPECT_EQ(blockOf(plain, 100), 70);
}

TEST_F(Autotune, ADefaultIsNotTuned) {
  fake_.kernels = {makeKernel("k", {"x_ptr", "n", "BLOCK", "VEC"})};
  fake_.kernels[0].params[2].defaultValue = int64_t(64);
  for (int64_t vec : {1, 2})
    fake_.kernels[0].configs.emplace_back().constants["VEC"] = vec;
  Kernel kernel = load();
  auto tune = [&](const char *name) {
    kernel.tune(stream_, [](const auto &) { return Grid(1); }, {x_, 100}, {},
                {.space = {Config{.constants = {{name, 1}}}, Config{.constants = {{name, 32}}}}});
  };
  ApiError::Kind kind{};
  EXPECT_THAT(messageOf([&] { tune("BLOCK"); }, &kind),
              HasSubstr("the space sets 'BLOCK', for which kernel 'k' has a"));
  EXPECT_EQ(kind, ApiError::Kind::BadUse);
  tune("VEC");
  std::vector<tuning::Record> records = tuning::Records::open().list();
  ASSERT_EQ(records.size(), 1u);
  records[0].config.constants["BLOCK"] = int64_t(32); // as of a version that did not refuse it, or of a changed space
  tuning::Records::open().store(records);
  ScopedVariable log("TEGULA_LOG", "tuning");
  testing::internal::CaptureStderr();
  EXPECT_EQ(blockOf(load(), 100, {.autotune = false}), 64) << "the caller computed the grid with it";
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("is not used: it sets 'BLOCK', which the call has"));
}

TEST_F(Autotune, ProgressIsReportedInTheCallingThread) {
  int calls = 0, elsewhere = 0;
  TuneOptions how;
  for (int64_t block = 1; block < 40; ++block)
    how.space.push_back({{{"BLOCK", block}}, std::nullopt, std::nullopt});
  how.progress = [&, caller = std::this_thread::get_id()](double, double) {
    ++calls;
    elsewhere += std::this_thread::get_id() != caller;
  };
  load().tune(stream_, [](const auto &) { return Grid(1); }, {x_, 100}, {}, how);
  EXPECT_GT(calls, 10);
  EXPECT_EQ(elsewhere, 0);
}

TEST_F(Autotune, ConfigurationsOutOfResourcesAreDroppedAndSayIt) {
  greedy_ = 64;   // for the device
  lacking_ = 128; // for the target
  Kernel kernel = load();
  std::vector<Config> space;
  for (int64_t block : {64, 128, 256})
    space.push_back({{{"BLOCK", block}}, std::nullopt, std::nullopt});
  TuneReport report = kernel.tune(stream_, [](const auto &) { return Grid(1); }, {x_, 100}, {}, {.space = space});
  ASSERT_TRUE(report.best);
  EXPECT_EQ(report.best->constants.at("BLOCK").value(), Constant(256).value());
  EXPECT_THAT(report.table, HasSubstr("out of resources: too much for this device"));
  EXPECT_THAT(report.table, HasSubstr("out of resources: file.py:3:5: error: 40 warps are too many"));
  EXPECT_THAT(report.table, Not(HasSubstr("does not compile")));

  auto shortageOf = [&](int64_t block) -> std::optional<ApiError> {
    try {
      blockOf(kernel, 100, {.constants = {{"BLOCK", block}}});
      return std::nullopt;
    } catch (const ApiError &e) {
      return e;
    }
  };
  std::optional<ApiError> device = shortageOf(64), target = shortageOf(128);
  ASSERT_TRUE(device && target);
  EXPECT_EQ(device->kind(), ApiError::Kind::OutOfResources);
  EXPECT_EQ(device->shortage().resource, "shared memory");
  EXPECT_EQ(device->shortage().required, 5000u);
  EXPECT_EQ(device->shortage().limit, 1000u);
  EXPECT_EQ(target->kind(), ApiError::Kind::OutOfResources);
  EXPECT_EQ(target->shortage().resource, "threads");
  EXPECT_EQ(target->shortage().required, 1280u);
  EXPECT_EQ(target->place().line, 3u);
  EXPECT_THAT(target->what(), HasSubstr("note: while compiling k(")) << "as other errors of compilations";
}

TEST_F(Autotune, ALaunchFromACallbackOfTuningMeasuresNothing) {
  Kernel kernel = load(), other = load("2");
  int calls = 0;
  Kernel::GridFunction grid = [&](const std::map<std::string, Constant> &) {
    if (++calls == 1)
      EXPECT_EQ(blockOf(other, 100), 32);
    return Grid(1);
  };
  kernel.tune(stream_, grid, {x_, 100});
  EXPECT_EQ(tuning::Records::open().list().size(), 1u) << "of the kernel that is tuned";
  EXPECT_EQ(blockOf(other, 100), 64) << "it measures behind that";
}

} // namespace
} // namespace tegula::test
