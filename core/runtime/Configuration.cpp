#include "core/runtime/Configuration.h"
#include "core/contracts/KernelOptions.h"
#include "core/support/Suggest.h"

#include <algorithm>

namespace tegula {
namespace {

const KernelInfo::Param *findParam(const KernelInfo &kernel, std::string_view name) {
  for (const KernelInfo::Param &param : kernel.params)
    if (param.name == name)
      return &param;
  return nullptr;
}

std::string quoted(const std::string &name) { return "'" + name + "'"; }

std::string missing(const KernelInfo &kernel, const std::string &name) {
  std::string message = "kernel " + quoted(kernel.name) + " needs a value for its constexpr parameter " + quoted(name);
  for (std::string problem : {kernel.configsProblem, kernel.heuristicsProblem}) {
    while (problem.ends_with('\n'))
      problem.pop_back();
    if (!problem.empty())
      return message +
             ", and a decorator that may supply it cannot be evaluated; give it among the constants: " + problem;
  }
  if (kernel.configs.empty())
    return message + ", which has no default; give it among the constants";
  return message + ", which neither its first autotune configuration (line " + std::to_string(kernel.configs[0].line) +
         ") nor a default supplies; give it among the constants";
}

/// Evaluates heuristics as triton.heuristics does: each one sees the arguments, the given constants, and the constants
/// that earlier heuristics computed.
void applyHeuristics(const KernelInfo &kernel, Configuration &configuration, const HostExpression::Lookup &arguments) {
  Constants &constants = configuration.constants;
  std::vector<std::string_view> computed;
  for (const KernelHeuristic &heuristic : kernel.heuristics) {
    // If two heuristics compute the same constant, the later one in the list (the inner decorator) overwrites the value
    // of the earlier one.
    bool isComputed = std::ranges::find(computed, heuristic.name) != computed.end();
    if (constants.contains(heuristic.name) && !isComputed)
      continue;
    computed.push_back(heuristic.name);
    const KernelInfo::Param *target = findParam(kernel, heuristic.name);
    int *option = target                           ? nullptr
                  : heuristic.name == "num_warps"  ? &configuration.numWarps
                  : heuristic.name == "num_stages" ? &configuration.numStages
                                                   : nullptr;
    if (!option && (!target || !target->isConstexpr) && !isOption(kernel, heuristic.name))
      throw Error("the heuristic for " + quoted(heuristic.name) + " of kernel " + quoted(kernel.name) +
                  " names no constexpr parameter of it" + suggestion(heuristic.name, parameterNames(kernel, true)));
    if (heuristic.expression.empty()) {
      std::string problem = heuristic.problem;
      while (problem.ends_with('\n'))
        problem.pop_back();
      throw Error("the heuristic for " + quoted(heuristic.name) + " of kernel " + quoted(kernel.name) +
                  " cannot be evaluated; give the constant instead: " + problem);
    }
    auto lookup = [&](std::string_view name) -> std::optional<HostValue> {
      if (auto found = constants.find(name); found != constants.end())
        return toHostValue(found->second);
      if (arguments)
        if (std::optional<HostValue> value = arguments(name))
          return value;
      const KernelInfo::Param *param = findParam(kernel, name);
      if (param && param->defaultValue)
        return toHostValue(*param->defaultValue);
      return std::nullopt;
    };
    std::string label = "heuristic " + heuristic.name + " of " + kernel.name;
    HostExpression expression = HostExpression::parse(heuristic.expression, label);
    if (option)
      *option = static_cast<int>(expression.evaluateInteger(lookup, parameterNames(kernel, false)));
    else
      constants[heuristic.name] = expression.evaluateConstant(lookup, parameterNames(kernel, false));
  }
}

void checkOptions(const Configuration &configuration) {
  int warps = configuration.numWarps;
  if (warps < 1 || warps > 32 || (warps & (warps - 1)))
    throw Error("num_warps is " + std::to_string(warps) + "; it must be a power of two from 1 to 32");
  if (configuration.numStages < 1 || configuration.numStages > 16)
    throw Error("num_stages is " + std::to_string(configuration.numStages) + "; it must be from 0 to 16");
}

} // namespace

void checkConstants(const KernelInfo &kernel, const Constants &given) {
  optionsOf(kernel, given); // throws
  for (const auto &[name, value] : given) {
    if (isOption(kernel, name))
      continue;
    const KernelInfo::Param *param = findParam(kernel, name);
    if (param && param->isConstexpr)
      continue;
    if (param)
      throw Error("parameter " + quoted(name) + " of kernel " + quoted(kernel.name) +
                  " is not constexpr; pass it among the arguments, or annotate it with tl.constexpr");
    if (name == "num_warps" || name == "num_stages")
      throw Error(quoted(name) + " is not a constant of kernel " + quoted(kernel.name) +
                  " but an option of the launch");
    std::vector<std::string> constants = parameterNames(kernel, true);
    throw Error("kernel " + quoted(kernel.name) + " has no constexpr parameter " + quoted(name) +
                (constants.empty() ? "; it has none at all" : "; it has " + listed(constants)) +
                suggestion(name, constants));
  }
}

std::vector<std::string> parameterNames(const KernelInfo &kernel, bool onlyConstexpr) {
  std::vector<std::string> names;
  for (const KernelInfo::Param &param : kernel.params)
    if (param.isConstexpr || !onlyConstexpr)
      names.push_back(param.name);
  return names;
}

const KernelConfig *firstConfig(const KernelInfo &kernel) {
  return kernel.configs.empty() ? nullptr : &kernel.configs.front();
}

Configuration configure(const KernelInfo &kernel, const Constants &given, const KernelConfig *config,
                        std::optional<int> numWarps, std::optional<int> numStages,
                        const HostExpression::Lookup &arguments) {
  checkConstants(kernel, given);
  Configuration result;
  result.constants = given;
  if (config) {
    result.constants.insert(config->constants.begin(), config->constants.end()); // constants of the call are kept
    if (config->maxRegisters && isOption(kernel, kMaxRegisters))
      result.constants.emplace(kMaxRegisters, int64_t(*config->maxRegisters));
    result.numWarps = config->numWarps.value_or(result.numWarps);
    result.numStages = config->numStages.value_or(result.numStages);
    checkConstants(kernel, result.constants);
  }
  applyHeuristics(kernel, result, arguments);
  result.numWarps = numWarps.value_or(result.numWarps);
  result.numStages = pipelineStages(numStages.value_or(result.numStages));
  checkOptions(result);
  optionsOf(kernel, result.constants); // throws for bad values, also those that a heuristic computed
  for (const KernelInfo::Param &param : kernel.params) {
    if (!param.isConstexpr || result.constants.contains(param.name))
      continue;
    if (!param.defaultValue)
      throw Error(missing(kernel, param.name));
    result.constants[param.name] = *param.defaultValue;
  }
  return result;
}

} // namespace tegula
