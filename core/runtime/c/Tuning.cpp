#include "core/runtime/c/GridCallback.h"

struct tegula_tuned {
  tegula::TuneReport report;
};

using namespace tegula;
using namespace tegula::c;

namespace {

TuneOptions tuneOptions(const tegula_tune_options &given) {
  TuneOptions result;
  if (given.space_count)
    required(given.space, "how.space");
  for (size_t i = 0; i < given.space_count; ++i) {
    const tegula_config &config = given.space[i];
    Config &made = result.space.emplace_back();
    made.constants = constants(config.constants, config.constant_count);
    if (config.num_warps)
      made.numWarps = config.num_warps;
    if (config.num_stages)
      made.numStages = config.num_stages;
  }
  if (given.seconds != 0)
    result.seconds = given.seconds;
  result.exhaustive = given.exhaustive != 0;
  if (given.progress)
    result.progress = [call = given.progress, user = given.progress_user](double done, double left) {
      call(user, done, left);
    };
  return result;
}

/// The grid callback of the options if it is set, else the fixed grid.
Kernel::GridFunction gridOf(const tegula_launch_options &options, const int64_t *grid) {
  if (options.grid)
    return gridFunction(options);
  return [programs = gridOfAxes(&required(grid, "grid"))](const std::map<std::string, Constant> &) { return programs; };
}

} // namespace

tegula_status tegula_kernel_tune(const tegula_kernel *kernel, tegula_stream *stream, const int64_t grid[3],
                                 size_t argument_count, const tegula_argument *arguments,
                                 const tegula_launch_options *options, const tegula_tune_options *how,
                                 tegula_tuned **out) {
  return guardedWithGrid([&] {
    const Kernel &tuned = required(kernel, "kernel").value;
    const Stream &where = required(stream, "stream").value;
    tegula_launch_options given = received(options, "options");
    TuneOptions search = tuneOptions(received(how, "how"));
    Arguments values(argument_count, arguments);
    LaunchOptions launch = launchOptions(given);
    Kernel::GridFunction programs = gridOf(given, grid);
    required(out, "out");
    make(out, values.named ? tuned.tune(where, programs, NamedArguments(std::move(values.byName)), launch, search)
                           : tuned.tune(where, programs, values.byPosition, launch, search));
  });
}

tegula_status tegula_tuned_get_info(const tegula_tuned *tuned, tegula_tuned_info *info) {
  return guarded([&] {
    const TuneReport &report = required(tuned, "tuned").report;
    tegula_tuned_info known TEGULA_TUNED_INFO_INIT;
    if (report.best) {
      known.text = report.text.c_str();
      known.constant_count = report.best->constants.size();
      known.num_warps = report.best->numWarps.value_or(0);
      known.num_stages = report.best->numStages.value_or(0);
      known.launch_seconds = report.launchSeconds;
      known.spread = report.spread;
    }
    known.key = report.key.c_str();
    known.table = report.table.c_str();
    known.candidates = report.candidates;
    known.seconds = report.seconds;
    known.is_complete = report.isComplete;
    give(info, known, "info");
  });
}

tegula_status tegula_tuned_get_constant(const tegula_tuned *tuned, size_t index, tegula_constant *out) {
  return guarded([&] {
    const TuneReport &report = required(tuned, "tuned").report;
    size_t count = report.best ? report.best->constants.size() : 0;
    if (index >= count)
      badUse("the configuration has " + std::to_string(count) + " constants; number " + std::to_string(index) +
             " was asked for");
    auto at = std::next(report.best->constants.begin(), static_cast<ptrdiff_t>(index));
    required(out, "out") = {at->first.c_str(), value(at->second.value())};
  });
}

void tegula_tuned_release(tegula_tuned *tuned) { delete tuned; }

tegula_status tegula_tuning_export(tegula_table_callback each, void *user) {
  return guarded([&] {
    if (!each)
      badUse("each is null");
    for (const auto &[target, table] : exportTuning())
      each(user, target.c_str(), table.c_str());
  });
}

tegula_status tegula_tuning_import(const char *table, const char *name, size_t *count) {
  return guarded([&] {
    size_t merged = importTuning(text(table, "table"), name ? name : "<table>");
    if (count)
      *count = merged;
  });
}
