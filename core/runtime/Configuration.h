// Determines the value of every constexpr parameter of a launch. The first source that has a value decides: the call,
// the configuration, a heuristic, the parameter's default.
#pragma once

#include "core/runtime/HostExpression.h"

#include <optional>

namespace tegula {

struct Configuration {
  Constants constants; // the value of every constexpr parameter
  int numWarps = 4, numStages = 3;
};

/// The number of stages of software pipelining. 1 means none; as in Triton, 0 means none, too, and is returned as 1.
constexpr int pipelineStages(int given) { return given == 0 ? 1 : given; }

/// Throws tegula::Error if a name is no constexpr parameter of the kernel.
void checkConstants(const KernelInfo &kernel, const Constants &constants);

/// Determines the value of each constexpr parameter. `config`: the configuration to use, one of the kernel's own or
/// another; null: none. `arguments` finds values of the other parameters for heuristics. Throws tegula::Error for an
/// unknown constant, a constant that names an ordinary parameter, a constexpr parameter without a value, and a bad
/// number of warps or stages.
Configuration configure(const KernelInfo &kernel, const Constants &given, const KernelConfig *config,
                        std::optional<int> numWarps, std::optional<int> numStages,
                        const HostExpression::Lookup &arguments);

/// The first configuration of `@triton.autotune`; null if the kernel has none.
const KernelConfig *firstConfig(const KernelInfo &kernel);

/// The names of all parameters, or only of the constexpr ones.
std::vector<std::string> parameterNames(const KernelInfo &kernel, bool onlyConstexpr);

} // namespace tegula
