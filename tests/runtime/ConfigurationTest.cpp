// The sources of a constexpr parameter's value.
#include "core/runtime/Configuration.h"
#include "core/runtime/tune/Measure.h"
#include "tests/runtime/RuntimeFixture.h"

#include <gmock/gmock.h>

namespace tegula::test {
namespace {

using ::testing::HasSubstr;

KernelInfo matmul() {
  KernelInfo kernel;
  kernel.name = "matmul";
  for (const char *name : {"a_ptr", "K", "BLOCK_M", "BLOCK_K", "EVEN_K"}) {
    kernel.params.emplace_back();
    kernel.params.back().name = name;
    kernel.params.back().isConstexpr = kernel.params.size() > 2;
  }
  return kernel;
}

std::optional<HostValue> arguments(std::string_view name) {
  if (name == "K")
    return int64_t(96);
  if (name == "a_ptr")
    return OpaqueValue();
  return std::nullopt;
}

std::string problem(const KernelInfo &kernel, const Constants &given, std::optional<int> warps = {},
                    std::optional<int> stages = {}) {
  try {
    configure(kernel, given, firstConfig(kernel), warps, stages, arguments);
  } catch (const Error &e) {
    return e.what();
  }
  return "(accepted)";
}

const Constants kAll = {{"BLOCK_M", int64_t(64)}, {"BLOCK_K", int64_t(32)}, {"EVEN_K", true}};

TEST(Configuration, ExplicitThenConfigurationThenHeuristicThenDefault) {
  KernelInfo kernel = matmul();
  kernel.configs.resize(2);
  kernel.configs[0].constants = {{"BLOCK_M", int64_t(128)}, {"BLOCK_K", int64_t(32)}};
  kernel.configs[0].numWarps = 8;
  kernel.configs[1].constants = {{"BLOCK_M", int64_t(16)}, {"BLOCK_K", int64_t(16)}};
  kernel.heuristics = {{"EVEN_K", "K % BLOCK_K == 0", ""}};
  kernel.params[2].defaultValue = ConstantValue(int64_t(1));
  Configuration c = configure(kernel, {{"BLOCK_M", int64_t(64)}}, firstConfig(kernel), {}, 5, arguments);
  EXPECT_EQ(c.constants.at("BLOCK_M"), ConstantValue(int64_t(64)));
  EXPECT_EQ(c.constants.at("BLOCK_K"), ConstantValue(int64_t(32)));
  EXPECT_EQ(c.constants.at("EVEN_K"), ConstantValue(true));
  EXPECT_EQ(c.numWarps, 8);
  EXPECT_EQ(c.numStages, 5);
  EXPECT_EQ(configure(kernel, {{"EVEN_K", false}, {"BLOCK_K", int64_t(64)}}, firstConfig(kernel), 2, {}, arguments)
                .constants.at("EVEN_K"),
            ConstantValue(false));
  EXPECT_EQ(configure(kernel, {{"BLOCK_K", int64_t(64)}}, firstConfig(kernel), 2, {}, arguments).constants.at("EVEN_K"),
            ConstantValue(false));
  EXPECT_EQ(configure(kernel, {}, firstConfig(kernel), 2, {}, arguments).numWarps, 2);
}

TEST(Configuration, HeuristicsSeeEarlierOnesAndDefaults) {
  KernelInfo kernel = matmul();
  kernel.heuristics = {{"BLOCK_K", "next_power_of_2(K)", ""}, {"EVEN_K", "BLOCK_K == K and a_ptr is not None", ""}};
  kernel.params[2].defaultValue = ConstantValue(int64_t(16));
  Configuration c = configure(kernel, {}, firstConfig(kernel), {}, {}, arguments);
  EXPECT_EQ(c.constants.at("BLOCK_K"), ConstantValue(int64_t(128)));
  EXPECT_EQ(c.constants.at("EVEN_K"), ConstantValue(false));
  EXPECT_EQ(c.constants.at("BLOCK_M"), ConstantValue(int64_t(16)));
  EXPECT_EQ(c.numWarps, 4);
  EXPECT_EQ(c.numStages, 3);
}

TEST(Configuration, TheInnerHeuristicOfANameCountsAndSeesTheOuterOne) {
  KernelInfo kernel = matmul();
  kernel.heuristics = {{"EVEN_K", "1", ""}, {"EVEN_K", "EVEN_K + 1", ""}};
  kernel.params[2].defaultValue = ConstantValue(int64_t(16));
  Constants given = {{"BLOCK_K", int64_t(64)}};
  EXPECT_EQ(configure(kernel, given, firstConfig(kernel), {}, {}, arguments).constants.at("EVEN_K"),
            ConstantValue(int64_t(2)));
  given["EVEN_K"] = int64_t(7);
  EXPECT_EQ(configure(kernel, given, firstConfig(kernel), {}, {}, arguments).constants.at("EVEN_K"),
            ConstantValue(int64_t(7)));
}

TEST(Configuration, UnknownAndMisplacedConstants) {
  EXPECT_THAT(problem(matmul(), {{"BLOK_M", int64_t(1)}}),
              HasSubstr("kernel 'matmul' has no constexpr parameter 'BLOK_M'; it has BLOCK_M, BLOCK_K and EVEN_K; did "
                        "you mean 'BLOCK_M'?"));
  EXPECT_THAT(problem(matmul(), {{"K", int64_t(1)}}), HasSubstr("parameter 'K' of kernel 'matmul' is not constexpr"));
  EXPECT_THAT(problem(matmul(), {{"num_warps", int64_t(1)}}), HasSubstr("an option of the launch"));
}

TEST(Configuration, MissingConstants) {
  KernelInfo kernel = matmul();
  EXPECT_THAT(problem(kernel, {}),
              HasSubstr("needs a value for its constexpr parameter 'BLOCK_M', which has no default"));
  kernel.configs.resize(1);
  kernel.configs[0].constants = {{"BLOCK_M", int64_t(128)}};
  kernel.configs[0].line = 12;
  EXPECT_THAT(problem(kernel, {}),
              HasSubstr("'BLOCK_K', which neither its first autotune configuration (line 12) nor a default supplies"));
}

TEST(Configuration, OptionsAreChecked) {
  for (int warps : {0, -4, 3, 33, 64})
    EXPECT_THAT(problem(matmul(), kAll, warps),
                HasSubstr("num_warps is " + std::to_string(warps) + "; it must be a power of two from 1 to 32"));
  for (int warps : {1, 2, 4, 8, 16, 32})
    EXPECT_EQ(problem(matmul(), kAll, warps), "(accepted)");
  for (int stages : {-1, 17})
    EXPECT_THAT(problem(matmul(), kAll, {}, stages),
                HasSubstr("num_stages is " + std::to_string(stages) + "; it must be from 0 to 16"));
}

TEST(Configuration, NoStagesAreOne) {
  KernelInfo kernel = matmul();
  EXPECT_EQ(configure(kernel, kAll, nullptr, {}, 0, arguments).numStages, 1);
  kernel.configs.resize(1);
  kernel.configs[0].numStages = 0;
  EXPECT_EQ(configure(kernel, kAll, firstConfig(kernel), {}, {}, arguments).numStages, 1);
  EXPECT_EQ(configure(kernel, kAll, firstConfig(kernel), {}, 2, arguments).numStages, 2);
}

TEST(Configuration, HeuristicsThatCannotBeEvaluatedAreRefusedOnlyWhenNeeded) {
  KernelInfo kernel = matmul();
  kernel.heuristics = {{"EVEN_K", "", "file.py:3:5: error: too clever\n"}};
  EXPECT_EQ(problem(kernel, kAll), "(accepted)");
  EXPECT_THAT(problem(kernel, {{"BLOCK_M", int64_t(64)}, {"BLOCK_K", int64_t(32)}}),
              HasSubstr("cannot be evaluated; give the constant instead: file.py:3:5: error: too clever"));
  kernel.heuristics = {{"EVEN_K", "KK % 2 == 0", ""}};
  EXPECT_THAT(problem(kernel, {{"BLOCK_M", int64_t(64)}, {"BLOCK_K", int64_t(32)}}),
              HasSubstr("heuristic EVEN_K of matmul:1:1: error: unknown name 'KK'; did you mean 'K'?"));
  kernel.heuristics = {{"EVN_K", "True", ""}};
  EXPECT_THAT(problem(kernel, kAll), HasSubstr("names no constexpr parameter of it; did you mean 'EVEN_K'?"));
}

TEST(Measurement, DroppedCandidatesComeLast) {
  Measurement measurement;
  measurement.candidates.resize(2);
  for (int i = 0; i < 2; ++i) {
    measurement.candidates[i].configured = std::make_unique<Configured>();
    measurement.candidates[i].configured->configuration.numWarps = i + 1;
    measurement.candidates[i].timed.samples = {1e-3 * (i + 1)};
  }
  measurement.candidates[0].timed.dropped = "slower than half of the others";
  std::string text = measurement.report();
  EXPECT_LT(text.find("num_warps: 2"), text.find("num_warps: 1")) << "the first line is the chosen configuration";
}

} // namespace
} // namespace tegula::test
