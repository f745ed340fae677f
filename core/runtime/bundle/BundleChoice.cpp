#include "core/runtime/bundle/BundleChoice.h"
#include "core/contracts/KernelOptions.h"
#include "core/runtime/Configuration.h"
#include "core/runtime/ConstantConversion.h"
#include "core/runtime/ConstantText.h"
#include "core/runtime/launch/PickKey.h"
#include "core/support/Suggest.h"

#include <algorithm>
#include <limits>

namespace tegula {
namespace {

bool isAsked(const KernelInfo &info, const BundleFile::Instance &instance, const BundleQuery &query) {
  auto matches = [](const BoundArgument &argument, const ParamType &type) { return argument.matches(type); };
  if (!std::ranges::equal(query.arguments, instance.types, matches))
    return false;
  for (const auto &[name, value] : query.given) {
    if (query.isChecked && name == kAssertions && isOption(info, name))
      continue;
    auto built = instance.constants.find(name);
    if (built == instance.constants.end() && isNeutral(name, value))
      continue; // an instance without the option behaves as with this value
    if (built == instance.constants.end() || !sameConstant(toConstant(built->second), toConstant(value)))
      return false;
  }
  return query.numWarps.value_or(instance.numWarps) == instance.numWarps &&
         pipelineStages(query.numStages.value_or(instance.numStages)) == instance.numStages;
}

/// True if the heuristics, evaluated for these arguments, compute the instance's constants.
bool heuristicsAgree(const KernelInfo &info, const BundleFile::Instance &instance, const BundleQuery &query) {
  Constants others = instance.constants;
  for (const KernelHeuristic &heuristic : info.heuristics)
    if (!query.given.contains(heuristic.name))
      others.erase(heuristic.name);
  if (others.size() == instance.constants.size())
    return true;
  return sameConstants(configure(info, others, nullptr, instance.numWarps, instance.numStages, query.values).constants,
                       instance.constants);
}

template <class Types> std::string listTypes(const Types &types) {
  std::string text;
  for (const ParamType &type : types)
    text += (text.empty() ? "" : ", ") + describe(type);
  return "(" + text + ")";
}

/// Text such as " with BLOCK=128, num_warps=4" for constants and the given options; empty if there are none.
std::string with(const Constants &constants, std::optional<int> numWarps, std::optional<int> numStages) {
  std::string text = describe(constants);
  auto add = [&](const char *name, std::optional<int> value) {
    if (value)
      text += (text.empty() ? "" : ", ") + std::string(name) + "=" + std::to_string(*value);
  };
  add("num_warps", numWarps);
  add("num_stages", numStages);
  return text.empty() ? text : " with " + text;
}

[[noreturn]] void failNone(const BundledKernel &bundled, const BundleQuery &query) {
  std::vector<ParamType> types;
  for (const BoundArgument &argument : query.arguments)
    types.push_back(argument.paramType());
  const BundleFile &file = *bundled.file;
  std::string message = "kernel '" + file.kernels[bundled.kernel].info.name + "' of bundle '" + file.path +
                        "' was not built for " + listTypes(types) + with(query.given, query.numWarps, query.numStages);
  message +=
      bundled.file->kernels[bundled.kernel].info.heuristics.empty() ? "" : " and what its heuristics give for them";
  message += "; it was built for ";
  std::vector<std::string> built;
  for (const BundleFile::Instance &instance : file.instances)
    if (instance.kernel == bundled.kernel) // warps and stages are listed only if the launch sets them
      built.push_back(listTypes(instance.types) +
                      with(instance.constants, query.numWarps ? std::optional(instance.numWarps) : std::nullopt,
                           query.numStages ? std::optional(instance.numStages) : std::nullopt));
  std::string separator;
  for (const std::string &text : built) {
    message += separator + text;
    separator = "; ";
  }
  throw Error(message);
}

/// Calls `each` with the index and the name of every argument that is an integer.
template <class Each>
void forEachInteger(const KernelInfo &info, const std::vector<BoundArgument> &arguments, Each &&each) {
  uint32_t index = 0;
  for (const KernelInfo::Param &param : info.params) {
    if (param.isConstexpr || index == arguments.size())
      continue;
    if (arguments[index].kind == ParamType::Kind::Scalar && arguments[index].hasFacts())
      each(index, param.name);
    ++index;
  }
}

/// How well the sizes of a launch fit the code's tuning rows: the distance and width of the row that fits best. The
/// distance is infinite if the code has no rows.
tuning::Fit fitOf(const BundleFile::Code &code, const tuning::Buckets &buckets) {
  tuning::Fit best{std::numeric_limits<double>::infinity(), 0};
  for (const BundleFile::TuningRow &row : code.tuning)
    if (std::optional<tuning::Fit> found = tuning::fitOf(row.ranges, buckets))
      best = std::min(best, *found, [](const auto &a, const auto &b) { return a < b; });
  return best;
}

/// True if the instance's code contains assertions although the launch asks for none, or lacks them although the launch
/// asks for them.
bool differsInAssertions(const KernelInfo &info, const BundleFile::Instance &instance, const BundleQuery &query) {
  if (!isOption(info, kAssertions))
    return false;
  auto hasAssertions = [](const Constants &constants) {
    auto found = constants.find(kAssertions);
    return found != constants.end() && found->second == ConstantValue(true);
  };
  return hasAssertions(instance.constants) != (query.isChecked || hasAssertions(query.given));
}

/// The rank of a code for a launch, which takes the code with the lowest rank; among equal ranks, the first one in the
/// file.
struct Rank {
  int unsuitability;
  bool differsInAssertions;
  tuning::Fit fit;
  auto operator<=>(const Rank &) const = default;
};

} // namespace

std::vector<uint32_t> keyArguments(const BundledKernel &bundled, const std::vector<BoundArgument> &arguments) {
  const BundleFile &file = *bundled.file;
  auto isNamed = [&](const std::string &name) {
    return std::ranges::any_of(file.code, [&](const BundleFile::Code &code) {
      return file.instances[code.instance].kernel == bundled.kernel &&
             std::ranges::any_of(code.tuning, [&](const BundleFile::TuningRow &row) {
               return std::ranges::find(row.ranges, name, &tuning::KeyRanges::value_type::first) != row.ranges.end();
             });
    });
  };
  std::vector<uint32_t> indices;
  forEachInteger(file.kernels[bundled.kernel].info, arguments, [&](uint32_t index, const std::string &name) {
    if (isNamed(name))
      indices.push_back(index);
  });
  return indices;
}

BundleChoice choose(const BundledKernel &bundled, const Driver &driver, const BundleQuery &query) {
  const BundleFile &file = *bundled.file;
  const KernelInfo &info = file.kernels[bundled.kernel].info;
  tuning::Buckets buckets;
  forEachInteger(info, query.arguments, [&](uint32_t index, const std::string &name) {
    buckets.emplace_back(name, bucketOf(query.arguments[index]));
  });
  BundleChoice best;
  std::optional<Rank> least;
  for (const BundleFile::Instance &instance : file.instances) {
    if (instance.kernel != bundled.kernel || !isAsked(info, instance, query) || !heuristicsAgree(info, instance, query))
      continue;
    if (!best.instance)
      best.instance = &instance;
    for (const BundleFile::Code &code : file.code) {
      int suitability = &file.instances[code.instance] == &instance ? driver.suitability(code.target) : 0;
      if (suitability <= 0)
        continue;
      Rank rank{-suitability, differsInAssertions(info, instance, query), fitOf(code, buckets)};
      if (!least || rank < *least) {
        best = {&instance, &code};
        least = rank;
      }
    }
  }
  if (!best.instance)
    failNone(bundled, query);
  return best;
}

std::string lacks(const BundledKernel &bundled, const BundleFile::Instance &instance, const Driver &driver) {
  const BundleFile &file = *bundled.file;
  std::vector<std::string> targets;
  for (const BundleFile::Code &code : file.code)
    if (&file.instances[code.instance] == &instance)
      targets.push_back(code.target);
  return "kernel '" + file.kernels[bundled.kernel].info.name + "' of bundle '" + file.path +
         "' has no code that runs on " + driver.info().name + ", whose target is " + driver.info().target +
         (targets.empty() ? "; it has none at all" : "; it has code for " + listed(targets));
}

std::string describe(const BundleFile &file, const BundleFile::Instance &instance) {
  std::string text = file.kernels[instance.kernel].info.name + listTypes(instance.types) + " with ";
  if (!instance.constants.empty())
    text += describe(instance.constants) + ", ";
  return text + "num_warps=" + std::to_string(instance.numWarps) + ", num_stages=" + std::to_string(instance.numStages);
}

} // namespace tegula
