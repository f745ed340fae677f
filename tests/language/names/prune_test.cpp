// `prune_configs_by`, and the other arguments of `@triton.autotune` that a launch obeys.
#include "frontend/language/names/Inspect.h"
#include "frontend/language/names/Prune.h"
#include "frontend/language/syntax/Parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tegula::lang {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string source(const std::string &before, const std::string &arguments) {
  return "import triton, torch\nimport triton.language as tl\n" + before +
         "CONFIGS = [triton.Config({'B': b}, num_warps=w) for b in (16, 32, 64) for w in (4, 8)]\n"
         "@triton.autotune(CONFIGS, ['n'], " +
         arguments + ")\n@triton.jit\ndef k(x, n, B: tl.constexpr, C: tl.constexpr):\n    pass\n";
}

PruneRequest request() {
  PruneRequest made;
  made.kernel = "k";
  made.values.resize(3);
  made.values[0] = {"x", std::nullopt, ScalarType::F16, {40, 100}, {100, 1}};
  made.values[1].name = "n";
  made.values[1].constant = int64_t(40);
  made.values[2].name = "C";
  made.values[2].constant = true;
  return made;
}

std::vector<uint32_t> prune(const std::string &before, const std::string &rules) {
  auto module = parseModule("m.py", source(before, "prune_configs_by=" + rules));
  return pruneConfigs(ModuleNames(*module), request());
}

std::string problem(const std::string &before, const std::string &rules) {
  try {
    prune(before, rules);
  } catch (const Error &e) {
    return e.what();
  }
  return "(pruned)";
}

TEST(Prune, EarlyPruneSeesConfigurationsAndArguments) {
  EXPECT_THAT(prune("def early(configs, named_args, **kwargs):\n"
                    "    kept = []\n"
                    "    for c in configs:\n"
                    "        if c.kwargs['B'] < named_args['n'] and c.num_warps == 8 and kwargs['C']:\n"
                    "            kept.append(c)\n"
                    "    return kept\n",
                    "{'early_config_prune': early}"),
              ElementsAre(1, 3));
  EXPECT_THAT(prune("", "{'early_config_prune': lambda configs, args: [c for c in configs if c.kwargs['B'] == 64]}"),
              ElementsAre(4, 5));
}

TEST(Prune, TensorsHaveTypesAndShapes) {
  EXPECT_THAT(prune("def early(configs, args, **kw):\n"
                    "    x = args['x']\n"
                    "    if x.dtype == torch.float16 and x.dtype != torch.float32 and x.element_size() == 2 and "
                    "x.shape[1] == 100 and x.numel() == 4000 and x.stride(0) == 100 and x.size(-1) == 100 and "
                    "x.dim() == 2:\n"
                    "        return configs[:1]\n"
                    "    return configs\n",
                    "{'early_config_prune': early}"),
              ElementsAre(0));
}

TEST(Prune, TheModelRanksWhatIsLeft) {
  std::string model = "def model(n, B, num_warps, **kwargs):\n    return n / B + num_warps\n";
  EXPECT_THAT(prune(model, "{'perf_model': model, 'top_k': 2}"), ElementsAre(4, 2));
  EXPECT_THAT(prune(model, "{'perf_model': model, 'top_k': 0.5}"), ElementsAre(4, 2, 0));
  EXPECT_THAT(prune(model, "{'perf_model': model, 'top_k': 100}"), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(prune("def model(B):\n    return B\n", "{'perf_model': model, 'top_k': 1}"), ElementsAre(0))
      << "a model without **kwargs gets what it names";
}

TEST(Prune, WhatCannotBeKnownIsLocated) {
  EXPECT_THAT(problem("", "{'early_config_prune': probe}"), HasSubstr("m.py:4:"));
  EXPECT_THAT(problem("def early(configs, args):\n    return torch.probe(configs)\n", "{'early_config_prune': early}"),
              HasSubstr("m.py:4:12: error: the value of this expression cannot be known"));
  EXPECT_THAT(
      problem("def early(configs, args):\n    return [triton.Config({'B': 1})]\n", "{'early_config_prune': early}"),
      HasSubstr("made a configuration that is not among 'configs'"));
  EXPECT_THAT(problem("def early(configs, args):\n    while True:\n        pass\n", "{'early_config_prune': early}"),
              HasSubstr("too many steps"));
  EXPECT_THAT(problem("def model(B):\n    return 'x'\n", "{'perf_model': model, 'top_k': 1}"),
              HasSubstr("perf_model does not return a number"));
}

TEST(Prune, OtherArgumentsOfAutotune) {
  auto inspectWith = [](const std::string &arguments) {
    auto module = parseModule("m.py", source("", arguments));
    return inspect(*module).at(0);
  };
  KernelInfo kernel = inspectWith("reset_to_zero=['x'], restore_value=['x', 'y'], warmup=5, rep=40");
  EXPECT_THAT(kernel.autotuneKey, ElementsAre("n"));
  EXPECT_THAT(kernel.resetToZero, ElementsAre("x"));
  EXPECT_THAT(kernel.restoreValue, ElementsAre("x", "y"));
  EXPECT_EQ(kernel.tuneMilliseconds, 40);
  EXPECT_FALSE(kernel.prunesConfigs);
  kernel = inspectWith("{'top_k': 3}");
  EXPECT_TRUE(kernel.prunesConfigs);
  EXPECT_TRUE(kernel.resetToZero.empty());
  EXPECT_FALSE(inspectWith("prune_configs_by=None").prunesConfigs);
  EXPECT_TRUE(kernel.hooks.empty());
  EXPECT_THAT(inspectWith("pre_hook=print, post_hook=None").hooks, ElementsAre("pre_hook"));
  EXPECT_THAT(inspectWith("None, [], [], None, lambda nargs: nargs").hooks, ElementsAre("post_hook"));
  auto configured =
      parseModule("m.py", "import triton\ndef hook(nargs): pass\n@triton.autotune([triton.Config({'B': 1}), "
                          "triton.Config({'B': 2}, pre_hook=hook)], key=[])\n@triton.jit\ndef k(B): pass\n");
  EXPECT_THAT(inspect(*configured).at(0).hooks, ElementsAre("pre_hook"));
}

TEST(Configurations, OptionsOfZero) {
  auto read = [](const std::string &config) {
    auto module = parseModule("m.py", "import triton\n@triton.autotune([" + config +
                                          "], [])\n@triton.jit\ndef k(x, B):\n    pass\n");
    return inspect(*module).at(0);
  };
  for (const char *config : {"triton.Config({'B': 4}, num_stages=0)", "triton.Config({'B': 4, 'num_stages': 0})"}) {
    KernelInfo kernel = read(config);
    ASSERT_EQ(kernel.configs.size(), 1u) << kernel.configsProblem;
    EXPECT_EQ(kernel.configs[0].numStages, 0); // no pipelining
  }
  EXPECT_THAT(read("triton.Config({}, num_stages=-1)").configsProblem,
              HasSubstr("expected a non-negative integer for num_stages"));
  EXPECT_THAT(read("triton.Config({}, num_warps=0)").configsProblem,
              HasSubstr("expected a positive integer for num_warps"));
}

} // namespace
} // namespace tegula::lang
