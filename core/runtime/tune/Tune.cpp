#include "core/runtime/tune/Tune.h"
#include "core/contracts/KernelOptions.h"
#include "core/runtime/Session.h"
#include "core/runtime/Translate.h"
#include "core/runtime/launch/Specialize.h"
#include "core/runtime/tune/Choice.h"
#include "core/tuning/Records.h"
#include "core/tuning/TableFiles.h"

#include <algorithm>
#include <filesystem>
#include <map>

namespace tegula {
namespace {

TuneReport reportOf(const Measurement &measurement, const tuning::Query &query) {
  TuneReport report;
  report.key = tuning::describeKey(query);
  report.candidates = measurement.candidates.size();
  report.seconds = measurement.seconds;
  report.timed = measurement.timed();
  report.isComplete = measurement.isComplete;
  report.isKept = measurement.isKept;
  report.table = measurement.report();
  if (!measurement.best)
    return report;
  const Measurement::Candidate &best = measurement.candidates[*measurement.best];
  const Configuration &configuration = best.configured->configuration;
  report.best = Config{best.configured->resolved, configuration.numWarps, configuration.numStages};
  report.text = measurement.describe(*measurement.best);
  report.launchSeconds = best.timed.seconds();
  report.spread = best.timed.spread();
  return report;
}

std::vector<KernelConfig> toKernelConfigs(const std::vector<Config> &space, const KernelInfo &kernel) {
  std::vector<KernelConfig> configs;
  for (const Config &config : space) {
    KernelConfig &made = configs.emplace_back();
    made.constants = toConstants(config.constants);
    checkConstants(kernel, made.constants);
    made.numWarps = config.numWarps;
    made.numStages = config.numStages;
  }
  return configs;
}

/// Throws tegula::Error if a configuration of the search space sets a constant that a record may not set
/// (settableConstants). A constant that the call gives as well is allowed: the call's value takes precedence.
void checkSpace(const std::vector<KernelConfig> &space, const KernelInfo &kernel, const Constants &given) {
  std::vector<std::string> open = settableConstants(kernel, given);
  bool isOpen = !openConstants(kernel, given).empty();
  for (const KernelConfig &config : space)
    for (const auto &[name, value] : config.constants) {
      if (!isOpen && isTunedOption(kernel, name))
        throw Error("the configurations set " + name + ", but the call gives all other constants of kernel '" +
                    kernel.name + "', and such launches look for no record; leave one of these to the configurations");
      if (!given.contains(name) && std::ranges::find(open, name) == open.end())
        throw Error("the space sets '" + name + "', for which kernel '" + kernel.name +
                    "' has a default that callers may have computed the grid with: later launches would not take the "
                    "result; remove the default, or leave '" +
                    name + "' out of the space");
    }
}

/// Makes later launches choose again, because earlier choices were made without the new record.
void forgetPicks(const Kernel::Impl &kernel) {
  std::unique_lock lock(kernel.mutex);
  awaitMeasured(kernel, lock);
  for (Specialization *item = kernel.specializations.load(std::memory_order_acquire); item; item = item->next)
    item->isRetired = true;
  for (const std::unique_ptr<Specialization> &item : kernel.unready) // being compiled for a choice without the record
    item->isRetired = true;
}

} // namespace

TuneReport tune(const Kernel::Impl &kernel, const Binding &binding, const LaunchOptions &options, Trial &trial,
                const TuneOptions &how) {
  return translated(ApiError::Kind::BadUse, [&] {
    if (kernel.bundled)
      throw Error("kernel '" + kernel.prototype.info.name + "' of bundle '" + kernel.bundled->file->path +
                  "' has the configurations that it was built with; tune it from its source");
    if (!(how.seconds > 0))
      throw Error("the time for tuning is " + std::to_string(how.seconds) + " s; a positive one is expected");
    ApiConstants given = binding.mergedConstants(kernel.prototype, options.constants);
    Constants constants = toConstants(given);
    std::unique_ptr<Specialization> specialization =
        specialize(kernel, trial.stream.device().impl(), binding, given, options);
    specialization->deciding.bucketed = keyArguments(kernel.prototype, binding);
    MeasureRequest measured{kernel, *specialization, binding, constants, options};
    std::vector<KernelConfig> space =
        how.space.empty() ? prunedConfigs(measured) : toKernelConfigs(how.space, kernel.prototype.info);
    checkSpace(space, kernel.prototype.info, constants);
    if (space.empty())
      throw Error("kernel '" + kernel.prototype.info.name +
                  "' has no configurations to choose from: it has no @triton.autotune; give a space");
    tuning::SearchOptions search;
    search.budget = how.seconds;
    search.exhaustive = how.exhaustive;
    search.rep = kernel.prototype.info.tuneMilliseconds.value_or(100) * 1e-3;
    search.progress = how.progress;
    Measurement measurement = [&] {
      InsideMeasurement inside;
      return measureAndRecord(measured, space, trial, search);
    }();
    if (measurement.isKept)
      forgetPicks(kernel);
    return reportOf(measurement, queryFor(measured));
  });
}

std::vector<std::pair<std::string, std::string>> exportTuning() {
  return translated(ApiError::Kind::BadUse, [] {
    std::map<std::string, std::vector<tuning::Record>> byTarget;
    for (tuning::Record &record : tuning::Records::open().list())
      byTarget[record.target].push_back(std::move(record));
    std::vector<std::pair<std::string, std::string>> tables;
    for (const auto &[target, records] : byTarget)
      tables.emplace_back(target, tuning::formatTable(target, records));
    return tables;
  });
}

size_t importTuning(const std::string &text, const std::string &file) {
  return translated(ApiError::Kind::BadUse, [&] {
    std::vector<tuning::Record> records;
    for (tuning::Row &row : tuning::parseTable(text, file).rows)
      if (row.record)
        records.push_back(std::move(*row.record));
    if (!records.empty())
      tuning::Records::open().store(records);
    return records.size();
  });
}

namespace session {

std::string tableFile(const std::string &folder, const std::string &target) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed); // on failure, writing the file reports the problem
  return folder + "/" + tuning::fileNameOf(target) + ".json";
}

std::string recordsPath() { return tuning::Records::open().path(); }

} // namespace session
} // namespace tegula
