// The configuration of a launch: records, tables, measurement (docs/tuning.md).
#include "tests/runtime/AutotuneFixture.h"

#include "core/runtime/launch/PreparedLaunch.h"
#include "core/tuning/Records.h"

#include <gmock/gmock.h>

#include <barrier>
#include <fstream>
#include <thread>

namespace tegula::test {
namespace {

using ::testing::HasSubstr;

TEST_F(Autotune, TheFastestIsTakenForEachBucket) {
  Kernel kernel = load();
  EXPECT_EQ(blockOf(kernel, 100), 64);
  size_t before = driver_->launched.size();
  EXPECT_EQ(blockOf(kernel, 128), 64) << "the same bucket";
  EXPECT_EQ(driver_->launched.size(), before + 1);
  best_ = 256;
  ScopedVariable always("TRITON_ALWAYS_COMPILE", "1"); // what the compiler makes has changed
  EXPECT_EQ(blockOf(kernel, 5000), 256);
  EXPECT_GT(driver_->launched.size(), before + 10);
  EXPECT_EQ(blockOf(kernel, 100), 64);
}

TEST_F(Autotune, AnEmptyKeyIsOneBucket) {
  fake_.kernels[0].autotuneKey.clear();
  Kernel kernel = load();
  EXPECT_EQ(blockOf(kernel, 100), 64);
  best_ = 256;
  EXPECT_EQ(blockOf(kernel, 5000), 64);
  EXPECT_EQ(tuning::Records::open().list().size(), 1u);
}

TEST_F(Autotune, ARecordServesLaterProcessesWithoutMeasuring) {
  EXPECT_EQ(blockOf(load(), 100), 64);
  best_ = 256;
  driver_->launched.clear();
  EXPECT_EQ(blockOf(load(), 100), 64) << "a second kernel object stands for a second process";
  EXPECT_EQ(driver_->launched.size(), 1u);
  EXPECT_EQ(tuning::Records::open().list().size(), 1u);
  EXPECT_EQ(blockOf(load("another source"), 100), 256);
  EXPECT_EQ(tuning::Records::open().list().size(), 2u);
}

TEST_F(Autotune, WithoutTheDatabaseTheTableHolds) {
  fake_.kernels[0].configs.back().numWarps = 8;
  std::string table = (directory_ / "null.json").string();
  std::ofstream(table) << R"({"format": 1, "target": "null", "rows": [
    {"kernel": "k", "text": "source", "key": {"n": [1, 1024]}, "config": {"BLOCK": 256}, "source": "reasoned: small"},
    {"kernel": "k", "text": "source", "key": {"n": [100000, 200000]}, "config": {"BLOCK": 128},
     "source": "measured: here"}]})";
  EXPECT_EQ(blockOf(load(), 100), 64);
  ScopedVariable path("TEGULA_TUNING_PATH", table.c_str());
  EXPECT_EQ(blockOf(load(), 100), 64) << "a record is better than a table";
  std::filesystem::remove(database());
  driver_->launched.clear();
  ScopedVariable log("TEGULA_LOG", "tuning");
  testing::internal::CaptureStderr();
  Kernel kernel = load();
  EXPECT_EQ(blockOf(kernel, 100), 256);
  EXPECT_EQ(session::lastLaunch(kernel).configuration.numWarps, 8) << "of the kernel's own configuration";
  EXPECT_EQ(blockOf(kernel, 50000), 128);
  std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said,
              HasSubstr("tegula: k on null for n=128: row " + table + ":2, reasoned: small: BLOCK=256, num_warps=8"));
  EXPECT_THAT(said, HasSubstr("tegula: k on null for n=65536: row " + table + ":3, nearest at a distance of 0.6"));
  EXPECT_EQ(driver_->launched.size(), 2u) << "nothing is measured";
}

TEST_F(Autotune, AMalformedTableIsOneMessageAndTheKernelRuns) {
  std::string table = (directory_ / "null.json").string();
  std::ofstream(table) << "{\"format\": 1, \"target\": \"null\",\n \"rows\": [\n  {\"kernle\": \"k\"}]}";
  ScopedVariable path("TEGULA_TUNING_PATH", table.c_str());
  testing::internal::CaptureStderr();
  EXPECT_EQ(blockOf(load(), 100), 64);
  EXPECT_EQ(blockOf(load(), 100), 64);
  std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, ::testing::StartsWith(table + ":3:1: warning: a row has no member 'kernle'"));
  EXPECT_THAT(said, HasSubstr("did you mean 'kernel'?; this tuning table is not used\n"));
  EXPECT_EQ(said.find("warning"), said.rfind("warning"));
}

TEST_F(Autotune, TheCallDecides) {
  Kernel kernel = load();
  EXPECT_EQ(blockOf(kernel, 100, {.constants = {{"BLOCK", 512}}}), 512);
  EXPECT_EQ(driver_->launched.size(), 1u);
  EXPECT_EQ(blockOf(kernel, 100, {.numWarps = 8}), 64);
  EXPECT_EQ(session::lastLaunch(kernel).configuration.numWarps, 8);
}

TEST_F(Autotune, WhereItIsNotAllowedTheFirstIsTaken) {
  Kernel kernel = load();
  EXPECT_EQ(blockOf(kernel, 100, {.autotune = false}), 32);
  EXPECT_EQ(driver_->launched.size(), 1u);
  EXPECT_EQ(tuning::Records::open().list().size(), 0u);
  EXPECT_EQ(blockOf(kernel, 100), 64) << "a launch that may measure is not bound by one that may not";
  size_t before = driver_->launched.size();
  EXPECT_EQ(blockOf(kernel, 100, {.autotune = false}), 32) << "as at first";
  EXPECT_EQ(blockOf(kernel, 101, {.autotune = false}), 64) << "what is known holds for launches that choose anew";
  EXPECT_EQ(driver_->launched.size(), before + 2);
}

TEST_F(Autotune, NothingIsMeasuredIntoAGraph) {
  Kernel kernel = load();
  stream_.beginCapture();
  EXPECT_EQ(blockOf(kernel, 100), 32);
  EXPECT_EQ(driver_->launched.size(), 1u);
  stream_.endCapture();
  EXPECT_EQ(blockOf(kernel, 100), 64);
}

TEST_F(Autotune, WhatTheProcessMeasuredHoldsInAGraphWithoutRecords) {
  std::filesystem::create_directories(database()); // no file can be there
  testing::internal::CaptureStderr();
  Kernel kernel = load();
  EXPECT_EQ(blockOf(kernel, 100), 64);
  size_t before = driver_->launched.size();
  EXPECT_EQ(blockOf(kernel, 100, {.autotune = false}), 64);
  stream_.beginCapture();
  EXPECT_EQ(blockOf(kernel, 100), 64);
  stream_.endCapture();
  EXPECT_EQ(driver_->launched.size(), before + 2);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("the result of tuning 'k' is not kept"));
}

TEST_F(Autotune, APreparedLaunchTakesWhatIsKnownAndMeasuresNothing) {
  Kernel kernel = load();
  const std::vector<Argument> arguments = {x_, 100};
  auto blockOfPrepared = [&] {
    PreparedLaunch prepared(kernel, device_, arguments, {});
    uint64_t slots[2] = {x_.address(), 100};
    prepared.launch(stream_, {1}, slots);
    return std::get<int64_t>(prepared.requestFor(prepared.variantFor(slots)).constants.at("BLOCK"));
  };
  EXPECT_EQ(blockOfPrepared(), 32);
  EXPECT_EQ(driver_->launched.size(), 1u);
  EXPECT_EQ(blockOf(kernel, 100), 64) << "it does not keep later launches from measuring";
  kernel = load(); // stands for a second process
  driver_->launched.clear();
  EXPECT_EQ(blockOfPrepared(), 64) << "the record's";
  EXPECT_EQ(driver_->launched.size(), 1u);
}

TEST_F(Autotune, WhatWasComparedWithNothingIsNoRecord) {
  Kernel kernel = load();
  testing::internal::CaptureStderr();
  EXPECT_EQ(blockOf(kernel, 100, {.tuneSeconds = 1e-9}), 32) << "the compilations take longer";
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("the result of tuning 'k' is not kept: the time was spent when one of 4 configurations"));
  EXPECT_EQ(tuning::Records::open().list().size(), 0u);
  failing_ = 128;
  EXPECT_EQ(blockOf(load("2"), 100), 64);
  ASSERT_EQ(tuning::Records::open().list().size(), 1u);
  EXPECT_EQ(tuning::Records::open().list()[0].compared, 3) << "one does not compile";
  fake_.kernels[0].configs = {config(64), config(128)};
  EXPECT_EQ(blockOf(load("3"), 100, {.tuneSeconds = 1e-9}), 64);
  EXPECT_EQ(tuning::Records::open().list().size(), 2u) << "no other can be launched";
}

TEST_F(Autotune, FailingConfigurationsAreDropped) {
  failing_ = 64;
  greedy_ = 32;
  EXPECT_EQ(blockOf(load(), 100), 128);
  fake_.kernels[0].configs = {config(64), config(32)};
  std::string problem = messageOf([&] { blockOf(load("2"), 100); });
  EXPECT_THAT(problem, HasSubstr("file.py:3:5: error: too large")) << "the first one's message";
}

TEST_F(Autotune, ALaunchFromACallbackDoesNotWaitForTheMeasurementThatCalls) {
  Kernel kernel = load();
  int calls = 0;
  Kernel::GridFunction grid = [&](const std::map<std::string, Constant> &) {
    if (++calls == 1)
      EXPECT_EQ(blockOf(kernel, 100), 32) << "the first one: nothing is measured inside of a measurement";
    return Grid(1);
  };
  kernel.launch(stream_, grid, {x_, 100});
  EXPECT_GT(calls, 4) << "it measured";
  EXPECT_EQ(blockOf(kernel, 100), 64);
}

TEST_F(Autotune, KernelsThatLaunchEachOtherFromCallbacksDoNotWaitForEachOther) {
  Kernel kernels[2] = {load("1"), load("2")};
  std::barrier both(2);
  Stream streams[2] = {Stream(device_), Stream(device_)};
  Buffer buffers[2] = {{device_, DType::I32, {64}}, {device_, DType::I32, {64}}};
  auto measure = [&](int own) {
    const Stream &stream = streams[own];
    const Buffer &x = buffers[own];
    bool isFirst = true;
    Kernel::GridFunction grid = [&](const std::map<std::string, Constant> &) {
      if (std::exchange(isFirst, false)) {
        both.arrive_and_wait(); // each kernel is being measured
        kernels[1 - own].launch(stream, {1}, {x, 100});
      }
      return Grid(1);
    };
    kernels[own].launch(stream, grid, {x, 100});
  };
  std::jthread other([&] { measure(1); });
  measure(0);
}

TEST_F(Autotune, AFaultWhileMeasuringIsHeard) {
  driver_->faulty = 1000 + 128 - 64; // the block of 128
  ApiError::Kind kind{};
  EXPECT_THAT(messageOf([&] { blockOf(load(), 100); }, &kind), HasSubstr("an address that is none"));
  EXPECT_EQ(kind, ApiError::Kind::KernelFault);
}

TEST_F(Autotune, PruningIsAskedWithTheArguments) {
  fake_.kernels[0].prunesConfigs = true;
  fake_.kept = {{3, 0}};
  EXPECT_EQ(blockOf(load(), 100), 32);
  ASSERT_EQ(fake_.pruneRequests.size(), 1u);
  ASSERT_EQ(fake_.pruneRequests[0].values.size(), 2u);
  EXPECT_EQ(fake_.pruneRequests[0].values[0].shape, std::vector<int64_t>{64});
  EXPECT_FALSE(fake_.pruneRequests[0].values[0].constant);
  EXPECT_EQ(fake_.pruneRequests[0].values[1].constant, ConstantValue(int64_t(100)));
}

TEST_F(Autotune, BuffersAreRestoredAndCleared) {
  std::vector<int32_t> host(64, 7);
  stream_.write(x_, host.data());
  fake_.kernels[0].restoreValue = {"x_ptr"};
  EXPECT_EQ(blockOf(load("1"), 100), 64);
  EXPECT_EQ(first(), 8) << "one launch has been seen";
  fake_.kernels[0].restoreValue.clear();
  fake_.kernels[0].resetToZero = {"x_ptr"};
  EXPECT_EQ(blockOf(load("2"), 100), 64);
  EXPECT_EQ(first(), 1);
  fake_.kernels[0].resetToZero = {"n"};
  testing::internal::CaptureStderr();
  Kernel kernel = load("3");
  size_t before = fake_.requests.size();
  EXPECT_EQ(blockOf(kernel, 100), 32);
  EXPECT_EQ(blockOf(kernel, 100), 32);
  std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said,
              HasSubstr("kernel 'k' is not tuned: 'n' in reset_to_zero of kernel 'k' is no buffer of this launch"));
  EXPECT_EQ(said.find("warning"), said.rfind("warning")) << "what failed is not repeated";
  EXPECT_EQ(fake_.requests.size(), before + 1) << "no candidate is compiled in vain";
}

TEST_F(Autotune, ABufferWithElementsBelowItsFirstIsRestored) {
  std::vector<int32_t> host(64, 7);
  stream_.write(x_, host.data());
  fake_.kernels[0].restoreValue = {"x_ptr"};
  Buffer all = std::exchange(x_, x_.view({64}, {-1}, 63));
  EXPECT_EQ(blockOf(load("1"), 100), 64);
  stream_.read(all, host.data());
  EXPECT_EQ(host[63], 8) << "one launch has been seen";
  EXPECT_EQ(host[0], 7);
  x_ = all;
}

TEST_F(Autotune, AFaultWithSavedBuffersIsHeard) {
  fake_.kernels[0].restoreValue = {"x_ptr"};
  driver_->faulty = 1000 + 64 - 32;
  driver_->faultsForGood = true;
  EXPECT_THAT(messageOf([&] { blockOf(load(), 100); }), HasSubstr("an address that is none"));
  driver_->hasFaulted = false;
}

TEST_F(Autotune, WaitingForTheStreamIsLeftToTheCaller) { // it would tell of an earlier launch's failed assertion
  fake_.kernels[0].restoreValue = {"x_ptr"};
  Kernel kernel = load();
  size_t before = driver_->synchronizations;
  EXPECT_EQ(blockOf(kernel, 100), 64);
  EXPECT_EQ(driver_->synchronizations, before);
}

TEST_F(Autotune, CopiesAreFreedWhereNotAllBuffersCanBeSaved) {
  fake_.kernels[0].restoreValue = {"x_ptr", "x_ptr"};
  driver_->most = driver_->live + 1;
  testing::internal::CaptureStderr();
  EXPECT_EQ(blockOf(load(), 100), 32);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("kernel 'k' is not tuned: out of memory"));
  EXPECT_EQ(driver_->live + 1, driver_->most);
}

TEST_F(Autotune, AGraphKeepsItsKernels) {
  {
    Graph graph;
    {
      Kernel kernel = load();
      blockOf(kernel, 100, {.autotune = false});
      stream_.beginCapture();
      blockOf(kernel, 100, {.autotune = false});
      graph = stream_.endCapture();
      blockOf(load("another source"), 100, {.autotune = false});
    }
    EXPECT_EQ(driver_->loadedKernels, 1u);
  }
  EXPECT_EQ(driver_->loadedKernels, 0u);
}

TEST_F(Autotune, TritonsTextIsPrintedOnce) {
  ScopedVariable print("TRITON_PRINT_AUTOTUNING", "1");
  testing::internal::CaptureStdout();
  Kernel kernel = load();
  blockOf(kernel, 100);
  blockOf(kernel, 100);
  std::string said = testing::internal::GetCapturedStdout();
  EXPECT_THAT(said,
              ::testing::StartsWith("Triton autotuning for function k,\nwith key as (128, 'i32'),\nfinished after "));
  EXPECT_THAT(said, HasSubstr("s,\nbest config selected: BLOCK: 64, num_warps: 4, num_ctas: 1, num_stages: 3, maxnreg: "
                              "None;\n      1.0000 ms +-  0%  BLOCK: 64, "));
  EXPECT_THAT(said, HasSubstr("      1.1920 ms +-  0%  BLOCK: 256, num_warps: 4, num_ctas: 1, num_stages: 3, maxnreg: "
                              "None\n"));
  EXPECT_EQ(said.find("finished"), said.rfind("finished"));
}

TEST_F(Autotune, ResultsThatAddUpAreWarnedOfOnce) {
  auto compile = fake_.onCompile;
  auto access = ArtifactParam::Access::Accumulates;
  fake_.onCompile = [&](const CompileRequest &request, CompileResult &result) {
    compile(request, result);
    result.artifact->params[0].access = access;
  };
  auto said = [&](const std::string &source) {
    Kernel kernel = load(source);
    testing::internal::CaptureStderr();
    blockOf(kernel, 100, {.constants = {{"BLOCK", 64}}}); // measures nothing
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    testing::internal::CaptureStderr();
    blockOf(kernel, 100);
    blockOf(kernel, 5000);
    return testing::internal::GetCapturedStderr();
  };
  std::string warning = said("1");
  EXPECT_THAT(warning, ::testing::StartsWith("warning: kernel 'k' adds to the memory of x_ptr by atomics, and is "
                                             "measured by repeated launches"));
  EXPECT_EQ(warning.find("warning"), warning.rfind("warning"));
  fake_.kernels[0].resetToZero = {"x_ptr"};
  EXPECT_EQ(said("2"), "");
  std::swap(fake_.kernels[0].resetToZero, fake_.kernels[0].restoreValue);
  EXPECT_EQ(said("3"), "");
  fake_.kernels[0].restoreValue.clear();
  access = ArtifactParam::Access::Writes;
  EXPECT_EQ(said("4"), "");
  fake_.onCompile = compile;
}

TEST_F(Autotune, ACapOfRegistersIsAPartOfAConfiguration) {
  fake_.kernels[0].configs[1].maxRegisters = 48;
  auto capOf = [&](const Kernel &kernel, const LaunchOptions &options = {}) {
    blockOf(kernel, 100, options);
    const Constants &constants = session::lastLaunch(kernel).configuration.constants;
    auto found = constants.find("maxnreg");
    return found == constants.end() ? -1 : std::get<int64_t>(found->second);
  };
  EXPECT_EQ(capOf(load()), 48) << "block 64 is the fastest";
  auto capped = [](const CompileRequest &request) { return request.constants.contains("maxnreg"); };
  EXPECT_EQ(std::ranges::count_if(fake_.requests, capped), 1) << "compiled in any order";
  driver_->launched.clear();
  EXPECT_EQ(capOf(load()), 48) << "by the record";
  EXPECT_EQ(driver_->launched.size(), 1u);
  EXPECT_EQ(capOf(load(), {.constants = {{"maxnreg", 96}}}), 96) << "the call's own";
  ScopedVariable print("TRITON_PRINT_AUTOTUNING", "1");
  testing::internal::CaptureStdout();
  capOf(load("another source"));
  EXPECT_THAT(testing::internal::GetCapturedStdout(),
              HasSubstr("best config selected: BLOCK: 64, num_warps: 4, num_ctas: 1, num_stages: 3, maxnreg: 48;"));
  EXPECT_THAT(messageOf([&] { capOf(load(), {.constants = {{"maxnreg", 0}}}); }),
              HasSubstr("maxnreg is 0; it must be an integer from 16 to 512"));
}

TEST_F(Autotune, HooksAreNamedOnce) {
  fake_.kernels[0].hooks = {"pre_hook", "post_hook"};
  Kernel kernel = load();
  testing::internal::CaptureStderr();
  blockOf(kernel, 100, {.constants = {{"BLOCK", 64}}});
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "the caller has chosen, and has run what Python would run";
  testing::internal::CaptureStderr();
  blockOf(kernel, 100);
  blockOf(kernel, 5000);
  std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said,
              ::testing::StartsWith("warning: kernel 'k' has Python code that does not run: pre_hook and post_hook"));
  EXPECT_EQ(said.find("warning"), said.rfind("warning"));
}

TEST_F(Autotune, AnEmptyGridMeasuresNothing) {
  Kernel kernel = load();
  kernel.launch(stream_, Grid(0), {x_, 100});
  EXPECT_TRUE(driver_->launched.empty());
  EXPECT_EQ(tuning::Records::open().list().size(), 0u);
  EXPECT_EQ(blockOf(kernel, 100), 64) << "a later launch measures";
}

/// A row is for one text, and chooses among the kernel's own configurations; it supplies nothing beside them.
TEST_F(Autotune, AConfigurationWithoutStagesIsTheOneOfItsRecord) {
  fake_.kernels[0].configs[2].numStages = 0; // which is 1, as records and rows have it
  std::string table = (directory_ / "null.json").string();
  std::ofstream(table) << R"({"format": 1, "target": "null", "rows": [
    {"kernel": "k", "text": "source", "config": {"BLOCK": 128}, "num_stages": 1, "source": "measured: here"}]})";
  ScopedVariable path("TEGULA_TUNING_PATH", table.c_str());
  EXPECT_EQ(blockOf(load(), 100), 128);
}

TEST_F(Autotune, ATableServesTheKernelThatItWasMeasuredForAlone) {
  std::string table = (directory_ / "null.json").string();
  std::ofstream(table) << R"({"format": 1, "target": "null", "rows": [
    {"kernel": "k", "text": "source", "config": {"BLOCK": 128}, "source": "measured: here"},
    {"kernel": "k", "text": "bare", "config": {"BLOCK": 128}, "source": "measured: here"},
    {"kernel": "k", "text": "strange", "config": {"BLOCK": 4096}, "source": "measured: not one of its own"}]})";
  ScopedVariable path("TEGULA_TUNING_PATH", table.c_str());
  ScopedVariable log("TEGULA_LOG", "tuning");
  testing::internal::CaptureStderr();
  EXPECT_EQ(blockOf(load(), 100), 128);
  EXPECT_EQ(blockOf(load("another kernel of this name"), 100), 64) << "measured";
  EXPECT_EQ(blockOf(load("strange"), 100), 64) << "measured";
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("tegula: k: row " + table +
                        ":2 is not used: it is for another kernel of this name; the text of this one is another "
                        "kernel of this name"));
  fake_.kernels[0].configs.clear();
  fake_.kernels[0].autotuneKey.clear();
  EXPECT_THAT(messageOf([&] { blockOf(load("bare"), 100); }),
              HasSubstr("needs a value for its constexpr parameter 'BLOCK'"));
}

} // namespace
} // namespace tegula::test
