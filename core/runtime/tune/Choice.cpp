#include "core/runtime/tune/Choice.h"
#include "core/contracts/KernelOptions.h"
#include "core/runtime/ConstantText.h"
#include "core/runtime/KernelEncoding.h"
#include "core/runtime/launch/Checked.h"
#include "core/runtime/launch/Configure.h"
#include "core/support/Environment.h"
#include "core/support/Log.h"
#include "core/support/Suggest.h"
#include "core/tuning/Records.h"
#include "core/tuning/TableFiles.h"

#include <algorithm>
#include <cstdio>
#include <ctime>

namespace tegula {
namespace {

std::string backendOf(const Device::Impl &device) { return device.info.name.substr(0, device.info.name.find(':')); }

/// Text that names the device and, if it has one, the version of its driver. A record is valid only for the device and
/// the driver with which its times were measured.
std::string driverOf(const Device::Impl &device) {
  std::string text = device.info.description;
  for (const auto &[name, value] : device.info.properties)
    if (name.find("driver") != std::string::npos)
      text += ", " + name + " " + value;
  return text;
}

KernelConfig toKernelConfig(const tuning::Config &config) {
  KernelConfig made;
  made.constants = config.constants;
  made.numWarps = config.numWarps;
  made.numStages = config.numStages;
  return made;
}

void logChoice(const tuning::Query &query, const Configured &configured, const std::string &why) {
  const Configuration &chosen = configured.configuration;
  logLine("tuning", query.kernel + " on " + query.target + " for " +
                        (query.key.empty() ? "any sizes" : tuning::describeKey(query)) + ": " + why + ": " +
                        describe(chosen.constants) + (chosen.constants.empty() ? "" : ", ") + "num_warps=" +
                        std::to_string(chosen.numWarps) + ", num_stages=" + std::to_string(chosen.numStages));
}

/// Completes a configuration from a record or a table with the constants of the call, heuristics and defaults. If it
/// does not fit the kernel, logs that and returns null. `why`: where it comes from, for the log.
std::unique_ptr<Configured> tryConfig(const MeasureRequest &request, const tuning::Query &query,
                                      const tuning::Config &config, const std::string &why) {
  KernelConfig made = toKernelConfig(config);
  try {
    std::unique_ptr<Configured> configured =
        configureWith(request.kernel, request.binding, request.given, request.options, &made);
    logChoice(query, *configured, why);
    return configured;
  } catch (const Error &e) {
    logLine("tuning", query.kernel + ": " + why + " is not used: " + e.diagnostic().message);
    return nullptr;
  }
}

std::string describe(const tuning::Record &record) {
  char text[128];
  std::snprintf(text, sizeof text, "a record, %.4f ms, the best of %lld", record.seconds * 1e3,
                static_cast<long long>(record.compared));
  return text;
}

std::string describe(const tuning::Row &row, double far) {
  char text[64] = "";
  if (far > 0)
    std::snprintf(text, sizeof text, ", nearest at a distance of %.1f", far);
  return "row " + row.file + ":" + std::to_string(row.line) + text + ", " + row.source;
}

std::unique_ptr<Configured> fromRecords(const MeasureRequest &request, const tuning::Query &query) {
  std::optional<tuning::Record> record = tuning::Records::open().find(tuning::recordFor(query));
  if (!record)
    return nullptr;
  if (const std::string *name = tuning::unfit(record->config, query)) {
    logLine("tuning", query.kernel + ": " + describe(*record) + " is not used: it sets '" + *name +
                          "', which the call has a value for");
    return nullptr;
  }
  return tryConfig(request, query, record->config, describe(*record));
}

/// Logs the first table row for a kernel of the same name with another text. Such a row is not used, although the user
/// may expect it to be.
void logOtherText(const std::vector<tuning::Row> &rows, const tuning::Query &query) {
  auto other = std::ranges::find_if(
      rows, [&](const tuning::Row &row) { return row.kernel == query.kernel && row.text != query.text; });
  if (other != rows.end())
    logLine("tuning", query.kernel + ": row " + other->file + ":" + std::to_string(other->line) +
                          " is not used: it is for another kernel of this name; the text of this one is " + query.text);
}

std::unique_ptr<Configured> fromTables(const MeasureRequest &request, const tuning::Query &query) {
  const std::vector<tuning::Row> &rows = tuning::rowsFor(query.backend, query.target);
  logOtherText(rows, query);
  const tuning::Row *row = tuning::nearest(rows, query);
  return row ? tryConfig(request, query, *tuning::ownConfig(*row, query),
                         describe(*row, tuning::fitOf(*row, query)->distance))
             : nullptr;
}

/// The part of a configuration that is stored in a record: the constants that `configs` set, and the options that the
/// call leaves open.
tuning::Config configToKeep(const Configured &configured, const std::vector<KernelConfig> &configs,
                            const LaunchOptions &options) {
  tuning::Config kept;
  for (const KernelConfig &config : configs)
    for (const auto &[name, value] : config.constants)
      if (auto found = configured.configuration.constants.find(name); found != configured.configuration.constants.end())
        kept.constants.insert(*found);
  if (auto cap = configured.configuration.constants.find(kMaxRegisters);
      cap != configured.configuration.constants.end() && !options.constants.contains(std::string(kMaxRegisters)))
    kept.constants.insert(*cap);
  if (!options.numWarps)
    kept.numWarps = configured.configuration.numWarps;
  if (!options.numStages)
    kept.numStages = configured.configuration.numStages;
  return kept;
}

/// The tuning key in Triton's form: `(1024, 512, 'fp16')`, the key's values and the buffers' element types.
std::string tritonKey(const tuning::Query &query, const Binding &binding) {
  std::string text = "(";
  for (const auto &[name, bucket] : query.key)
    text += std::to_string(bucket) + ", ";
  for (const BoundArgument &argument : binding.arguments)
    if (argument.buffer || argument.isAddress)
      text += "'" + std::string(name(argument.type)) + "', ";
  return text.size() > 1 ? text.replace(text.size() - 2, 2, ")") : "()";
}

void printAutotuning(const tuning::Query &query, const Binding &binding, const Measurement &measurement) {
  if (!measurement.best || !environmentFlag(Variable::PrintAutotuning))
    return;
  std::printf("Triton autotuning for function %s,\nwith key as %s,\nfinished after %.2fs,\nbest config selected: %s;\n",
              query.kernel.c_str(), tritonKey(query, binding).c_str(), measurement.seconds,
              measurement.describe(*measurement.best).c_str());
  std::printf("%s%s", measurement.report().c_str(),
              measurement.isComplete ? "" : "  the search ended because its time was spent\n");
  std::fflush(stdout);
}

/// Warns that hooks of @triton.autotune do not run: a hook may prepare memory that the kernel reads.
void warnOfHooks(const Kernel::Impl &kernel, const Constants &given) {
  const KernelInfo &info = kernel.prototype.info;
  if (info.hooks.empty() || openConstants(info, given).empty() || kernel.saidHooks.exchange(true))
    return;
  report(Severity::Warning, "warning: kernel '" + info.name +
                                "' has Python code that does not run: " + listed(info.hooks) +
                                " of @triton.autotune; do what it does before each launch, or give all constants\n");
}

constexpr double kBudget = 60; // seconds of a measurement that a launch starts

/// Measures the kernel's configurations and returns the fastest. Null if pruning leaves no configuration, or if none
/// could be measured. Sets `sawEmptyGrid` if the grid of a configuration was empty.
std::unique_ptr<Configured> fastest(const MeasureRequest &request, const tuning::Query &query, Trial &trial,
                                    bool &sawEmptyGrid) {
  std::vector<KernelConfig> configs = prunedConfigs(request);
  if (configs.empty())
    return nullptr;
  tuning::SearchOptions search;
  search.budget = request.options.tuneSeconds.value_or(kBudget);
  search.rep = request.kernel.prototype.info.tuneMilliseconds.value_or(100) * 1e-3;
  Measurement measurement = measureAndRecord(request, configs, trial, search);
  sawEmptyGrid = measurement.sawEmptyGrid;
  if (!measurement.best)
    return nullptr;
  std::unique_ptr<Configured> best = std::move(measurement.candidates[*measurement.best].configured);
  logChoice(query, *best, "the fastest of " + std::to_string(measurement.timed()) + " measured");
  return best;
}

/// Measures and returns the fastest configuration. If measuring fails, returns the kernel's first configuration. Later
/// launches with the same key then use that one without measuring, because measuring would fail again; but if a grid
/// was empty, the next launch with this key measures.
std::unique_ptr<Configured> byMeasurement(const MeasureRequest &request, const tuning::Query &query, Trial &trial) {
  bool sawEmptyGrid = false;
  try {
    if (std::unique_ptr<Configured> best = fastest(request, query, trial, sawEmptyGrid))
      return best;
  } catch (const Error &e) {
    report(Severity::Warning, "warning: kernel '" + query.kernel + "' is not tuned: " + e.diagnostic().message + "\n");
  }
  auto first = configureWith(request.kernel, request.binding, request.given, request.options,
                             firstConfig(request.kernel.prototype.info));
  first->isSettled = !sawEmptyGrid;
  return first;
}

} // namespace

std::vector<std::string> openConstants(const KernelInfo &kernel, const Constants &given) {
  std::vector<std::string> open;
  for (const KernelInfo::Param &param : kernel.params) {
    bool isConfigured = std::ranges::any_of(
        kernel.configs, [&](const KernelConfig &config) { return config.constants.contains(param.name); });
    if (param.isConstexpr && !given.contains(param.name) && (isConfigured || !param.defaultValue))
      open.push_back(param.name);
  }
  return open;
}

std::vector<std::string> settableConstants(const KernelInfo &kernel, const Constants &given) {
  std::vector<std::string> settable = openConstants(kernel, given);
  for (std::string_view option : {kDepthSplits, kMaxRegisters})
    if (isTunedOption(kernel, option) && !given.contains(option))
      settable.emplace_back(option);
  return settable;
}

std::vector<tuning::Config> ownConfigs(const KernelInfo &kernel) {
  std::vector<tuning::Config> configs;
  const Configuration standard;
  for (const KernelConfig &config : kernel.configs) {
    tuning::Config &own = configs.emplace_back(config.constants, config.numWarps.value_or(standard.numWarps),
                                               pipelineStages(config.numStages.value_or(standard.numStages)));
    if (config.maxRegisters && isOption(kernel, kMaxRegisters))
      own.constants.emplace(kMaxRegisters, int64_t(*config.maxRegisters));
  }
  return configs;
}

std::string describeGiven(const Constants &given, std::optional<int> numWarps, std::optional<int> numStages) {
  std::string text = describe(given);
  if (numWarps)
    text += "; num_warps=" + std::to_string(*numWarps);
  if (numStages)
    text += "; num_stages=" + std::to_string(*numStages);
  return text;
}

bool isKey(const KernelInfo &kernel, const std::string &argument) {
  return kernel.configs.empty() || std::ranges::find(kernel.autotuneKey, argument) != kernel.autotuneKey.end();
}

tuning::Query queryFor(const MeasureRequest &request) {
  const Device::Impl &device = *request.specialization.device;
  const Prototype &prototype = request.kernel.prototype;
  tuning::Query query;
  query.kernel = prototype.info.name;
  query.text = prototype.info.text;
  query.target = device.info.target;
  query.backend = backendOf(device);
  query.driver = driverOf(device);
  query.build = buildId();
  Constants given = request.given;
  if (isChecked(request.options)) // such launches never measure; they use results measured without assertions
    given.erase(std::string(kAssertions));
  query.fixed = given;
  query.numWarps = request.options.numWarps;
  if (request.options.numStages)
    query.numStages = pipelineStages(*request.options.numStages);
  query.given = describeGiven(given, request.options.numWarps, request.options.numStages);
  query.open = settableConstants(prototype.info, request.given);
  query.own = ownConfigs(prototype.info);
  for (const BoundArgument &argument : request.binding.arguments) {
    query.types += (query.types.empty() ? "" : ", ") + describe(argument.paramType());
    if ((argument.buffer || argument.isAddress) && isFloat(argument.type) &&
        std::ranges::find(query.floats, argument.type) == query.floats.end())
      query.floats.push_back(argument.type);
  }
  for (uint32_t index : request.specialization.deciding.bucketed)
    query.key.emplace_back(prototype.info.params[prototype.runtime[index]].name,
                           bucketOf(request.binding.arguments[index]));
  return query;
}

bool isTunable(const Kernel::Impl &kernel, const Device::Impl &device, const Constants &given) {
  const KernelInfo &info = kernel.prototype.info;
  if (kernel.bundled || openConstants(info, given).empty())
    return false;
  return info.configs.size() > 1 || tuning::Records::open().hasKernel(info.name, info.text, device.info.target);
}

std::vector<uint32_t> keyArguments(const Prototype &prototype, const Binding &binding) {
  const KernelInfo &info = prototype.info;
  std::vector<uint32_t> indices;
  for (uint32_t i = 0; i < binding.arguments.size(); ++i) {
    const BoundArgument &argument = binding.arguments[i];
    const std::string &name = info.params[prototype.runtime[i]].name;
    bool isInteger = argument.kind == ParamType::Kind::Scalar && argument.hasFacts();
    if (isInteger && isKey(info, name))
      indices.push_back(i);
  }
  return indices;
}

std::unique_ptr<Configured> chooseConfiguration(const MeasureRequest &request, Trial *trial) {
  const KernelInfo &info = request.kernel.prototype.info;
  if (request.kernel.bundled)
    return configureBundled(
        request.kernel, *request.specialization.device->driver,
        {request.binding.arguments, request.given, request.options.numWarps, request.options.numStages,
         [&](std::string_view name) { return request.binding.find(request.kernel.prototype, name); },
         isChecked(request.options)});
  warnOfHooks(request.kernel, request.given);
  if (request.specialization.isTunable) {
    tuning::Query query = queryFor(request);
    if (std::unique_ptr<Configured> found = fromRecords(request, query))
      return found;
    if (std::unique_ptr<Configured> found = fromTables(request, query))
      return found;
    if (trial && info.configs.size() > 1)
      return byMeasurement(request, query, *trial);
  }
  return configureWith(request.kernel, request.binding, request.given, request.options, firstConfig(info));
}

Measurement measureAndRecord(const MeasureRequest &request, const std::vector<KernelConfig> &configs, Trial &trial,
                             const tuning::SearchOptions &search) {
  tuning::Query query = queryFor(request);
  Measurement measurement = measure(request, configs, trial, search);
  printAutotuning(query, request.binding, measurement);
  if (!measurement.best)
    return measurement;
  auto warn = [&](const std::string &why) {
    report(Severity::Warning, "warning: the result of tuning '" + query.kernel + "' is not kept: " + why + "\n");
  };
  if (!measurement.isDecided()) {
    warn("the time was spent when one of " + std::to_string(measurement.candidates.size()) +
         " configurations had been measured; allow more");
    return measurement;
  }
  const Measurement::Candidate &best = measurement.candidates[*measurement.best];
  tuning::Record record = tuning::recordFor(query);
  record.config = configToKeep(*best.configured, configs, request.options);
  record.seconds = best.timed.seconds();
  record.spread = best.timed.spread();
  record.compared = static_cast<int64_t>(measurement.timed());
  record.when = std::time(nullptr);
  try {
    tuning::Records::open().store({record});
    measurement.isKept = true;
  } catch (const Error &e) {
    warn(e.diagnostic().message);
  }
  return measurement;
}

} // namespace tegula
