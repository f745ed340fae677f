#include "core/runtime/tune/Tune.h"
#include "core/runtime/Translate.h"
#include "core/runtime/launch/Specialize.h"
#include "core/runtime/tune/Choice.h"
#include "core/tuning/Records.h"
#include "core/tuning/TableFiles.h"

#include <filesystem>
#include <map>

namespace tegula {
namespace {

session::TuneReport reportOf(const Measurement &measurement, const tuning::Query &query) {
  session::TuneReport report;
  report.key = tuning::describeKey(query);
  report.candidates = measurement.candidates.size();
  report.seconds = measurement.seconds;
  report.isComplete = measurement.isComplete;
  report.table = measurement.report();
  if (measurement.best) {
    report.best = measurement.describe(*measurement.best);
    report.launchSeconds = measurement.candidates[*measurement.best].timed.seconds();
    report.spread = measurement.candidates[*measurement.best].timed.spread();
  }
  return report;
}

} // namespace

session::TuneReport tune(const Kernel::Impl &kernel, const Binding &binding, const LaunchOptions &options, Trial &trial,
                         const session::TuneRequest &request) {
  return translated(ApiError::Kind::BadUse, [&] {
    if (kernel.bundled)
      throw Error("kernel '" + kernel.prototype.info.name + "' of bundle '" + kernel.bundled->file->path +
                  "' has the configurations that it was built with; tune it from its source");
    ApiConstants given = binding.mergedConstants(kernel.prototype, options.constants);
    Constants constants = toConstants(given);
    std::unique_ptr<Specialization> specialization =
        specialize(kernel, trial.stream.device().impl(), binding, given, options);
    specialization->deciding.bucketed = keyArguments(kernel.prototype, binding);
    MeasureRequest measured{kernel, *specialization, binding, constants, options};
    std::vector<KernelConfig> space = request.space.empty() ? prunedConfigs(measured) : request.space;
    if (space.empty())
      throw Error("kernel '" + kernel.prototype.info.name +
                  "' has no configurations to choose from: it has no @triton.autotune; give a space");
    tuning::SearchOptions search;
    search.budget = request.budget;
    search.exhaustive = request.exhaustive;
    search.rep = kernel.prototype.info.tuneMilliseconds.value_or(100) * 1e-3;
    search.progress = request.progress;
    Measurement measurement = measureAndRecord(measured, space, trial, search);
    return reportOf(measurement, queryFor(measured));
  });
}

namespace session {

std::vector<std::pair<std::string, std::string>> exportRecords() {
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

size_t importRecords(const std::string &text, const std::string &file) {
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

std::string tableFile(const std::string &folder, const std::string &target) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed); // writing the file says what is wrong
  return folder + "/" + tuning::fileNameOf(target) + ".json";
}

std::string recordsPath() { return tuning::Records::open().path(); }

} // namespace session
} // namespace tegula
