// `tegula run`: every form of value, written results, timing.
#include "tests/cli/CliFixture.h"

#include "core/support/Files.h"

#include <csignal>
#include <numeric>

namespace tegula::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

class RunCli : public CliTest {
protected:
  static void expectSuccess(const Outcome &outcome) {
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
  }
};

TEST_F(RunCli, AddsFiles) {
  std::vector<float> x(1000), y(1000), expected(1000);
  std::iota(x.begin(), x.end(), 1.0f);
  std::iota(y.begin(), y.end(), 0.25f);
  for (size_t i = 0; i < x.size(); ++i)
    expected[i] = x[i] + y[i];
  save("x.npy", x, ScalarType::F32, {1000});
  save("y.npy", y, ScalarType::F32, {10, 100});
  for (std::vector<std::string> options : {std::vector<std::string>{}, {"--check"}}) {
    options.insert(options.end(), {"--grid=cdiv(n, BLOCK)", "x_ptr=@x.npy", "y_ptr=@y.npy", "z_ptr=empty:f32:1000",
                                   "n=1000", "BLOCK=64", "--out", "z_ptr=z.npy"});
    expectSuccess(run("add", options));
    EXPECT_EQ(load<float>("z.npy"), expected);
  }
}

TEST_F(RunCli, ImportedFilesAreFoundAndTheirChangesNoticed) {
  std::filesystem::create_directories(path("package"));
  std::filesystem::create_directories(path("elsewhere"));
  auto text = [&](const std::string &name, std::string_view value) { writeFile(path(name), value); };
  text("package/__init__.py", "");
  text("package/kernels.py",
       "import os\nimport triton\nimport triton.language as tl\nfrom .helpers import value\nfrom far "
       "import FAR\nSTEP = int(os.environ.get('TEGULA_TEST_STEP', '1'))\n\n\n@triton.jit\ndef "
       "kernel(z_ptr):\n    tl.store(z_ptr, value() + FAR + STEP)\n");
  text("package/helpers.py", "import triton\n\n\n@triton.jit\ndef value():\n    return 10\n");
  text("elsewhere/far.py", "FAR = 100\n");
  auto result = [&](std::vector<std::string> options, std::map<std::string, std::string> environment = {}) {
    options.insert(options.begin(),
                   {"run", "package/kernels.py", "--grid=1", "z_ptr=zeros:i32:1", "--out", "z_ptr=z.npy"});
    Outcome outcome = tegula(options, environment);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.status ? -1 : load<int32_t>("z.npy").at(0);
  };
  const std::vector<std::string> far = {"--module-path=elsewhere"};
  EXPECT_EQ(result(far), 111);
  EXPECT_EQ(result({}, {{"TEGULA_MODULE_PATH", "nowhere:elsewhere"}}), 111);
  EXPECT_EQ(result(far, {{"TEGULA_TEST_STEP", "5"}}), 115);
  EXPECT_EQ(result(far), 111);
  text("package/helpers.py", "import triton\n\n\n@triton.jit\ndef value():\n    return 20\n");
  EXPECT_EQ(result(far), 121) << "a changed file";
  text("package/far.py", "FAR = 900\n");
  EXPECT_EQ(result(far), 921) << "a new file that comes before the module path, beside the script";
  std::filesystem::remove(path("package/far.py"));
  EXPECT_EQ(result(far), 121);
  Outcome lost = tegula({"run", "package/kernels.py", "--grid=1", "z_ptr=zeros:i32:1"});
  EXPECT_EQ(lost.status, 2);
  EXPECT_THAT(lost.err, HasSubstr("kernels.py:11:31: error: 'FAR' is imported from 'far', which is not found in"));
}

TEST_F(RunCli, ConstantsAndOptionsMayStandAnywhere) {
  expectSuccess(run("add", {"x_ptr=rand:f32:8:1", "--const", "BLOCK=8", "y_ptr=zeros:f32:8", "--grid", "1",
                            "z_ptr=zeros:f32:8", "n=8", "--out", "x_ptr=x.npy", "--out", "z_ptr=z.npy", "--num-warps=8",
                            "--num-stages=2", "--device=cpu"}));
  EXPECT_EQ(load<float>("z.npy"), load<float>("x.npy"));
}

// A loop that never ends is not removed, whether its results are used or not.
TEST_F(RunCli, EndlessLoopsStay) {
  for (const char *kernel : {"endless", "endless_unused", "endless_wait"}) {
    auto ended = [&](const char *n) {
      return tegula({"run", std::string(TEGULA_ENDLESS_KERNELS) + "::" + kernel, "--device=cpu", "--grid=1",
                     "out_ptr=zeros:i32:1", n, "--out", "out_ptr=out.npy"},
                    {}, /*seconds=*/2);
    };
    Outcome never = ended("n=1");
    EXPECT_EQ(never.status, 128 + SIGXCPU) << kernel << ": " << never.out << never.err;
    expectSuccess(ended("n=0"));
    EXPECT_EQ(load<int32_t>("out.npy").at(0), std::string(kernel) == "endless" ? 0 : 5) << kernel;
  }
}

TEST_F(RunCli, NoStagesAreAccepted) {
  Outcome outcome = run(
      "tuned", {"--grid=1", "out_ptr=zeros:i32:32", "n=32", "BLOCK=32", "--num-stages=0", "--device=cpu", "--stats"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("num_stages=1\n")); // no pipelining
}

TEST_F(RunCli, FortranOrderIsPassedAsStored) {
  std::vector<int32_t> stored = {1, 2, 3, 4, 5, 6, 7, 8};
  save("x.npy", stored, ScalarType::I32, {2, 4}, true);
  expectSuccess(
      run("unmasked", {"--grid=1", "x_ptr=@x.npy", "y_ptr=@x.npy", "BLOCK=8", "--check", "--out", "y_ptr=y.npy"}));
  EXPECT_EQ(load<int32_t>("y.npy"), stored);
  NpyArray written = readNpy(path("y.npy"));
  EXPECT_TRUE(written.fortranOrder);
  EXPECT_EQ(written.shape, (std::vector<int64_t>{2, 4}));
}

TEST_F(RunCli, TypesThatNumPyLacksAreNamed) {
  save("x.npy", std::vector<uint16_t>{0x3f80, 0x4000, 0xbf80, 0x4040}, ScalarType::U16, {4}); // 1, 2, -1, 3
  expectSuccess(
      run("widen", {"--grid=1", "x_ptr=bf16:@x.npy", "out_ptr=zeros:f32:4", "factor=2", "--out", "out_ptr=o.npy"}));
  EXPECT_EQ(load<float>("o.npy"), (std::vector<float>{2, 4, -2, 6}));
  save("b.npy", std::vector<uint8_t>{0x38, 0x40, 0xb8, 0x00}, ScalarType::U8, {4}); // 1, 2, -1, 0
  expectSuccess(
      run("widen", {"--grid=1", "x_ptr=f8e4m3:@b.npy", "out_ptr=zeros:f32:4", "factor=0.5", "--out", "out_ptr=o.npy"}));
  EXPECT_EQ(load<float>("o.npy"), (std::vector<float>{0.5, 1, -0.5, 0}));
}

TEST_F(RunCli, Descriptors) {
  save("a.npy", std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}, ScalarType::F32, {2, 4});
  expectSuccess(run("negate_block", {"--grid=1", "source=desc:2x4:@a.npy", "target=desc:2x4:empty:f32:2x4", "--check",
                                     "--out", "target=t.npy"}));
  EXPECT_EQ(load<float>("t.npy"), (std::vector<float>{-1, -2, -3, -4, -5, -6, -7, -8}));
}

TEST_F(RunCli, PointerArrays) {
  save("a.npy", std::vector<float>{1, 2, 3, 4}, ScalarType::F32, {4});
  save("b.npy", std::vector<float>{5, 6, 7, 8}, ScalarType::F32, {4});
  for (std::vector<std::string> options : {std::vector<std::string>{}, {"--check"}}) {
    options.insert(options.end(), {"--grid=2", "pointers=ptrs:@b.npy,@a.npy", "out_ptr=zeros:f32:8", "BLOCK=4", "--out",
                                   "out_ptr=o.npy", "--out", "pointers[1]=p.npy"});
    expectSuccess(run("gather", options));
    EXPECT_EQ(load<float>("o.npy"), (std::vector<float>{5, 6, 7, 8, 1, 2, 3, 4}));
    EXPECT_EQ(load<float>("p.npy"), (std::vector<float>{1, 2, 3, 4}));
  }
}

TEST_F(RunCli, ConfigurationsAndHeuristicsSupplyConstants) {
  // The grid refers to BLOCK, whose value comes from the kernel's first configuration.
  for (auto [n, value] : {std::pair<int, int>{64, 1}, {50, 2}}) {
    std::string count = std::to_string(n);
    Outcome outcome = run(
        "tuned", {"--grid=cdiv(n, BLOCK)", "out_ptr=zeros:i32:64", "n=" + count, "--stats", "--out", "out_ptr=o.npy"});
    expectSuccess(outcome);
    EXPECT_THAT(outcome.out, ContainsRegex("BLOCK=(16|32), EVEN=" + std::string(value == 1 ? "True" : "False") +
                                           ", num_warps=(2|4)"));
    std::vector<int32_t> expected(64, 0);
    std::fill(expected.begin(), expected.begin() + n, value);
    EXPECT_EQ(load<int32_t>("o.npy"), expected);
  }
  Outcome said = tegula({"run", TEGULA_KERNELS "::tuned", "--grid=1", "out_ptr=zeros:i32:64", "n=8"},
                        {{"TRITON_PRINT_AUTOTUNING", "1"}});
  EXPECT_THAT(said.out, HasSubstr("Triton autotuning for function tuned,\nwith key as (8, 'i32'),\nfinished after "));
  said =
      tegula({"run", TEGULA_KERNELS "::tuned", "--grid=1", "out_ptr=zeros:i32:64", "n=4", "--no-autotune", "--stats"});
  EXPECT_THAT(said.out, HasSubstr("BLOCK=16, EVEN=False, num_warps=2"));
}

TEST_F(RunCli, OutputsAreOfTheFirstLaunch) {
  Outcome outcome =
      run("count", {"--grid=3", "counter_ptr=zeros:i32:1", "--time", "--repeat=5", "--out", "counter_ptr=c.npy"});
  expectSuccess(outcome);
  EXPECT_EQ(load<int32_t>("c.npy"), std::vector<int32_t>{3});
  EXPECT_THAT(outcome.out,
              ContainsRegex(
                  "time: min [0-9.]+ [mu]?s, median [0-9.]+ [mu]?s over 5 launches; [0-9.]+ GB/s of 4 argument bytes"));
}

TEST_F(RunCli, StatsSayWhereTheKernelCameFrom) {
  std::vector<std::string> arguments = {"--grid=2, 3", "counter_ptr=zeros:i32:1", "--stats"};
  Outcome first = run("count", arguments), second = run("count", arguments);
  EXPECT_THAT(first.out, HasSubstr("programs:  6 (2 x 3 x 1)"));
  EXPECT_THAT(first.out, HasSubstr("kernel:    compiled in"));
  EXPECT_THAT(second.out, HasSubstr("kernel:    found in the disk cache in"));
}

TEST_F(RunCli, AssertionsAreForDebugAndCheckedLaunches) {
  const std::vector<std::string> all = {"--grid=1", "out_ptr=empty:i32:1", "n=5"};
  auto with = [&](std::vector<std::string> more) {
    more.insert(more.end(), all.begin(), all.end());
    return run("below", more);
  };
  expectSuccess(with({}));
  expectSuccess(with({"debug=False"}));
  for (const char *option : {"debug=True", "--check"}) {
    Outcome failed = with({option});
    EXPECT_EQ(failed.status, 1) << option;
    EXPECT_THAT(failed.err, HasSubstr("device_assert failed: too large, in program (0, 0, 0)"));
  }
  EXPECT_EQ(with({"debug=False", "--check"}).status, 1);
}

TEST_F(RunCli, EmptyArraysAndGridsAreNoOps) {
  expectSuccess(run("add", {"--grid=cdiv(n, BLOCK)", "x_ptr=zeros:f32:0", "y_ptr=zeros:f32:0", "z_ptr=empty:f32:0",
                            "n=0", "BLOCK=64", "--out", "z_ptr=z.npy", "--check"}));
  EXPECT_EQ(readNpy(path("z.npy")).shape, std::vector<int64_t>{0});
}

TEST_F(RunCli, TheEnvironmentChecksToo) {
  std::vector<std::string> arguments = {
      "run", TEGULA_KERNELS "::unmasked", "--grid=2", "x_ptr=zeros:f32:12", "y_ptr=zeros:f32:16", "BLOCK=8"};
  EXPECT_EQ(tegula(arguments, {{"TRITON_INTERPRET", "1"}}).status, 1);
}

} // namespace
} // namespace tegula::test
