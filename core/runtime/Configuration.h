// The value of every constexpr parameter of a launch: given explicitly, else from a configuration, else from a
// heuristic, else the parameter's default.
#pragma once

#include "core/runtime/HostExpression.h"

#include <optional>

namespace tegula {

struct Configuration {
  Constants constants; // every constexpr parameter
  int numWarps = 4, numStages = 3;
};

/// Stages of software pipelining: 0 means none, as in Triton, which is 1 here.
constexpr int pipelineStages(int given) { return given == 0 ? 1 : given; }

/// Throws tegula::Error for a name that is no constexpr parameter of the kernel.
void checkConstants(const KernelInfo &kernel, const Constants &constants);

/// `config` is the configuration that is used, of the kernel's own or another; null: none. `arguments` finds the values
/// of the other parameters for heuristics. Throws tegula::Error: an unknown constant, one that names an ordinary
/// parameter, one that nothing supplies, a bad number of warps or stages.
Configuration configure(const KernelInfo &kernel, const Constants &given, const KernelConfig *config,
                        std::optional<int> numWarps, std::optional<int> numStages,
                        const HostExpression::Lookup &arguments);

/// The first configuration of `@triton.autotune`; null without.
const KernelConfig *firstConfig(const KernelInfo &kernel);

/// Names of the parameters, all or only the constexpr ones.
std::vector<std::string> parameterNames(const KernelInfo &kernel, bool onlyConstexpr);

} // namespace tegula
