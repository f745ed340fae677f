#include "core/runtime/Session.h"
#include "core/support/Diagnostic.h"
#include "core/support/Files.h"
#include "frontend/cli/Commands.h"
#include "frontend/cli/GridExpression.h"
#include "frontend/cli/Options.h"
#include "frontend/cli/Shapes.h"

#include <charconv>
#include <cstdio>
#include <unistd.h>

namespace tegula::cli {
namespace {

constexpr const char *kExamples =
    "Measures configurations and keeps the fastest of each shape as a record, which later launches take where the "
    "call\n"
    "gives no constants of its own. {EXPR} in a VALUE stands for a size of the shape.\n\n"
    "Examples:\n"
    "  # A kernel with @triton.autotune brings its configurations.\n"
    "  tegula tune softmax.py::softmax --shapes='rows=4096 cols=1024; rows=64 cols=65536' --grid=rows \\\n"
    "      x_ptr='rand:f32:{rows}x{cols}' y_ptr='empty:f32:{rows}x{cols}'\n\n"
    "  # Any kernel, over a space of your own.\n"
    "  tegula tune matmul.py::matmul_2d --shapes='M=N=K=512' --grid='cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)' \\\n"
    "      --space='BLOCK_M=32|64|128 BLOCK_N=32|64|128 BLOCK_K=32 num_warps=4|8' --budget=60s --const PRECISION=ieee "
    "\\\n"
    "      a_ptr='rand:f32:{M}x{K}' b_ptr='rand:f32:{K}x{N}' c_ptr='empty:f32:{M}x{N}' stride_am='{K}' stride_ak=1 \\\n"
    "      stride_bk='{N}' stride_bn=1 stride_cm='{N}' stride_cn=1\n\n"
    "  tegula tune --export=mine     writes mine/TARGET.json, a table for each target\n"
    "  tegula tune --import=mine/cpu.json";

struct TuneArguments {
  std::string kernel, device, grid, shapes, space, budget = "60s", exportTo, importFrom;
  std::vector<std::string> values, constants, modulePath;
  bool verbose = false, exhaustive = false;
};

/// `60`, `60s`, `2m`, `1.5h`
double parseBudget(const std::string &text) {
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string unit(end, text.data() + text.size());
  double scale = unit.empty() || unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : 0;
  if (error != std::errc() || scale == 0 || !(value > 0) || value * scale > 1e7)
    throw Error("--budget is '" + text + "'; expected a time such as 60s, 2m or 1h");
  return value * scale;
}

std::optional<int> parseOptions(TuneArguments &options, const std::vector<std::string> &arguments) {
  CLI::App app("Finds the fastest configuration of a kernel and keeps it.", "tegula tune");
  app.add_option("FILE::KERNEL", options.kernel, "FILE.py::KERNEL");
  app.add_option("NAME=VALUE", options.values, "A value for each parameter, as for `tegula run`");
  app.add_option("--shapes", options.shapes, "Sizes: 'M=N=1024; M=64 N=4096'; each shape is tuned");
  app.add_option("--grid", options.grid, "Programs: EXPR[, EXPR[, EXPR]]");
  app.add_option("--space", options.space, "Configurations: 'BLOCK=64|128 num_warps=4|8'; default: the kernel's own");
  app.add_option("--budget", options.budget, "Time for all shapes together: 60s (the default), 2m, 1h");
  app.add_option("--const", options.constants, "A constexpr parameter's value that stays as it is")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app.add_option("--device", options.device, "Device to run on; `tegula devices` lists them");
  app.add_option("--export", options.exportTo, "Write all records as tables into a folder")->type_name("FOLDER");
  app.add_option("--import", options.importFrom, "Merge the records of a table")->type_name("FILE.json");
  app.add_flag("--exhaustive", options.exhaustive, "Measure every configuration to the end, slow ones, too");
  app.add_flag("--verbose", options.verbose, "Print the time of every configuration");
  addModulePath(app, options.modulePath);
  app.footer(kExamples);
  return parse(app, arguments);
}

void exportTo(const std::string &folder) {
  std::vector<std::pair<std::string, std::string>> tables = exportTuning();
  for (const auto &[target, text] : tables) {
    std::string file = session::tableFile(folder, target);
    writeFile(file, text);
    std::printf("%s\n", file.c_str());
  }
  if (tables.empty())
    std::printf("there are no records in %s\n", session::recordsPath().c_str());
}

void importFrom(const std::string &file) {
  std::printf("%zu records merged into %s\n", importTuning(readTextFile(file), file), session::recordsPath().c_str());
}

void showProgress(double done, double left) {
  static const bool isTerminal = isatty(STDERR_FILENO);
  if (isTerminal)
    std::fprintf(stderr, "\r%3.0f%%, about %.0f s left \033[K%s", done * 100, left, done >= 1 ? "\r\033[K" : "");
}

/// False if no configuration was kept.
bool tuneShape(const Kernel &kernel, const Stream &stream, const Sizes &shape, const TuneArguments &options,
               const GridExpression &grid, const TuneOptions &how) {
  const KernelInfo &info = session::info(kernel);
  std::vector<std::string> values = options.values;
  values.insert(values.end(), options.constants.begin(), options.constants.end());
  Inputs inputs(info, stream, valuesOf(shape, values, info));
  LaunchOptions launch;
  launch.constants = inputs.constants();
  auto gridOf = [&](const std::map<std::string, Constant> &constants) {
    return grid.evaluate(info, inputs, constants);
  };
  TuneReport report = kernel.tune(stream, gridOf, NamedArguments(inputs.arguments()), launch, how);
  std::printf("%s: ", describe(shape).c_str());
  if (!report.best)
    std::printf("none of %zu configurations can be launched\n", report.candidates);
  else
    std::printf("%.4f ms +-%.0f%%, the best of %zu in %.1f s%s: %s\n", report.launchSeconds * 1e3, report.spread * 50,
                report.timed, report.seconds, report.isComplete ? "" : " (the budget ended the search)",
                report.text.c_str());
  if (options.verbose || !report.best)
    std::printf("%s", report.table.c_str());
  std::fflush(stdout);
  return report.isKept;
}

} // namespace

int runTune(const std::vector<std::string> &arguments) {
  TuneArguments options;
  if (auto over = parseOptions(options, arguments))
    return *over;
  session::showLongCompiles(false); // `showProgress` writes to the same line
  if (!options.importFrom.empty())
    importFrom(options.importFrom);
  if (!options.exportTo.empty())
    exportTo(options.exportTo);
  if (options.kernel.empty()) {
    if (options.importFrom.empty() && options.exportTo.empty())
      throw Error(
          "nothing to do: FILE.py::KERNEL, --export or --import is expected; `tegula tune --help` has examples");
    return kSuccess;
  }
  for (const auto &[name, value] : {std::pair("--shapes", &options.shapes), std::pair("--grid", &options.grid)})
    if (value->empty())
      throw Error(std::string(name) + " is missing; `tegula tune --help` has examples");
  GridExpression grid(options.grid);
  std::vector<Sizes> shapes = parseShapes(options.shapes);
  TuneOptions how;
  how.space = parseSpace(options.space);
  how.seconds = parseBudget(options.budget) / double(shapes.size());
  how.exhaustive = options.exhaustive;
  how.progress = showProgress;
  KernelReference reference = parseReference(options.kernel);
  Kernel kernel = Kernel::load(reference.file, reference.kernel, {.modulePath = options.modulePath});
  Stream stream(Device::open(options.device));
  bool all = true;
  for (const Sizes &shape : shapes)
    all &= tuneShape(kernel, stream, shape, options, grid, how);
  return all ? kSuccess : kFailed;
}

} // namespace tegula::cli
