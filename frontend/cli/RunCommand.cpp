#include "core/runtime/ConstantText.h"
#include "core/runtime/Session.h"
#include "core/support/Diagnostic.h"
#include "frontend/cli/Commands.h"
#include "frontend/cli/GridExpression.h"
#include "frontend/cli/Inputs.h"
#include "frontend/cli/Options.h"
#include "frontend/cli/Timing.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace tegula::cli {
namespace {

constexpr const char *kRunExamples =
    "Values:\n"
    "  n=1000  eps=1e-5  flag=True        scalars; i32 where they fit, f32 for floats, unless the kernel annotates a "
    "type\n"
    "  BLOCK=64  ACT=relu  OUT=tl.float16  constants: numbers, None, strings, dtypes\n"
    "  depth_splits=4                      programs that share the loop of one, for few blocks of great depth\n"
    "  debug=True                          tl.device_assert is compiled, as it always is with --check\n"
    "  maxnreg=128  sanitize_overflow=True other options of the compilation (docs/tuning.md, docs/debugging.md)\n"
    "  x=@x.npy   x=bf16:@x.npy           an array from NumPy; Fortran order is passed as it is stored\n"
    "  x=zeros:f32:64x128  x=empty:f32:64  x=rand:f16:64x128:SEED\n"
    "  a=desc:64x32:@a.npy                a tensor descriptor that reads blocks of 64x32\n"
    "  p=ptrs:@a.npy,@b.npy               an array of device pointers\n\n"
    "Examples:\n"
    "  # Every access tested; empty: means that reading an element before it is written is reported, too.\n"
    "  tegula run add.py::add_kernel --grid='cdiv(n, BLOCK)' --check \\\n"
    "      x_ptr=@x.npy y_ptr=rand:f32:1000 z_ptr=empty:f32:1000 n=1000 BLOCK=256 --out z_ptr=z.npy\n\n"
    "  # Timed. An autotuned kernel brings its constants, and the grid may name them.\n"
    "  tegula run matmul.py::matmul --grid='cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)' --time --repeat 20 \\\n"
    "      a_ptr=rand:f16:512x256 b_ptr=rand:f16:256x512 c_ptr=zeros:f16:512x512 M=512 N=512 K=256 \\\n"
    "      stride_am=256 stride_ak=1 stride_bk=512 stride_bn=1 stride_cm=512 stride_cn=1\n\n"
    "The grid: up to three integer expressions over arguments and constants, with + - * // % ** ( ), comparisons,\n"
    "`a if c else b`, cdiv, min, max, abs and next_power_of_2.";

struct RunOptions {
  std::string kernel, device, grid;
  std::vector<std::string> values, constants, outputs, modulePath;
  std::optional<int> numWarps, numStages;
  bool time = false, check = false, stats = false, firstConfig = false;
  std::optional<int> repeat;
};

void printTimes(const std::vector<double> &sorted, uint64_t bytes) {
  double median = quantile(sorted, 0.5);
  std::printf("time: min %s, median %s over %zu launches", readable(sorted.front()).c_str(), readable(median).c_str(),
              sorted.size());
  if (bytes && median > 0)
    std::printf("; %.2f GB/s of %llu argument bytes", static_cast<double>(bytes) / median * 1e-9,
                static_cast<unsigned long long>(bytes));
  std::printf("\n");
}

void printStats(const Kernel &kernel, const Device &device, const Grid &grid, double firstLaunch) {
  session::LaunchReport report = session::lastLaunch(kernel);
  std::string from = report.from == session::LaunchReport::From::Compiler ? "compiled in "
                     : report.from == session::LaunchReport::From::Disk   ? "found in the disk cache in "
                                                                          : "found in memory; compiled in ";
  int64_t programs = grid.axes[0] * grid.axes[1] * grid.axes[2];
  std::printf("device:    %s (%s), target %s\n", device.info().name.c_str(), device.info().description.c_str(),
              report.target.c_str());
  std::printf("programs:  %lld (%lld x %lld x %lld)\n", static_cast<long long>(programs),
              static_cast<long long>(grid.axes[0]), static_cast<long long>(grid.axes[1]),
              static_cast<long long>(grid.axes[2]));
  std::printf("kernel:    %s%s, %zu bytes, %zu guards\n", from.c_str(), readable(report.compileSeconds).c_str(),
              report.binaryBytes, report.guards.size());
  std::printf("constants: %s%snum_warps=%d, num_stages=%d\n", describe(report.configuration.constants).c_str(),
              report.configuration.constants.empty() ? "" : ", ", report.configuration.numWarps,
              report.configuration.numStages);
  std::printf("launch:    %s\n", readable(firstLaunch).c_str());
}

/// What an emulated device counted between two moments.
void printCounts(const Counts &before, const Counts &after) {
  for (size_t i = 0; i < after.size(); ++i) {
    uint64_t count = after[i].second - (i < before.size() ? before[i].second : 0);
    std::printf("%s%12llu %s\n", i == 0 ? "counted:   " : "           ", static_cast<unsigned long long>(count),
                after[i].first.c_str());
  }
}

std::optional<int> parseOptions(RunOptions &options, const std::vector<std::string> &arguments) {
  CLI::App app("Launches a kernel once on arrays from files or made on the spot.", "tegula run");
  app.add_option("FILE::KERNEL", options.kernel, "FILE.py::KERNEL; the kernel may be left out where the file has one")
      ->required();
  app.add_option("NAME=VALUE", options.values, "A value for each parameter");
  app.add_option("--grid", options.grid, "Programs: EXPR[, EXPR[, EXPR]]")->required();
  app.add_option("--device", options.device, "Device to run on; `tegula devices` lists them");
  app.add_option("--const", options.constants, "A constexpr parameter's value; plain NAME=VALUE does the same")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  app.add_option("--out", options.outputs, "Write an array after the launch; repeat for more")
      ->type_name("NAME=FILE.npy")
      ->allow_extra_args(false);
  addModulePath(app, options.modulePath);
  app.add_option("--num-warps", options.numWarps, "Warps a program: a power of two from 1 to 32");
  app.add_option("--num-stages", options.numStages, "Stages of software pipelining");
  app.add_flag("--check", options.check, "Test every access: the checked mode");
  app.add_flag("--stats", options.stats,
               "Print programs, where the kernel came from, constants and the first launch's time");
  app.add_flag("--no-autotune", options.firstConfig,
               "Measure nothing: where nothing is known, take the first configuration of @triton.autotune");
  app.add_flag("--time", options.time, "Time further launches: minimum, median and the rate of argument bytes");
  app.add_option("--repeat", options.repeat,
                 "How many further launches to time (default 10); --out shows the first one");
  app.footer(kRunExamples);
  std::optional<int> over = parse(app, arguments);
  if (options.repeat && (*options.repeat < 1 || *options.repeat > 1000000))
    throw Error("--repeat is " + std::to_string(*options.repeat) + "; it must be from 1 to 1000000");
  return over;
}

} // namespace

int runRun(const std::vector<std::string> &arguments) {
  RunOptions options;
  if (auto over = parseOptions(options, arguments))
    return *over;
  GridExpression gridExpression(options.grid);
  KernelReference reference = parseReference(options.kernel);
  std::vector<std::pair<std::string, std::string>> outputs;
  for (const std::string &text : options.outputs)
    outputs.push_back(parseAssignment(text));
  Kernel kernel = Kernel::load(reference.file, reference.kernel, {.modulePath = options.modulePath});
  const KernelInfo &info = session::info(kernel);
  Stream stream(Device::open(options.device));
  std::vector<std::string> values = options.values;
  values.insert(values.end(), options.constants.begin(), options.constants.end());
  Inputs inputs(info, stream, values);
  for (const auto &[name, path] : outputs)
    inputs.checkOutput(name);

  LaunchOptions launchOptions;
  launchOptions.constants = inputs.constants();
  launchOptions.numWarps = options.numWarps;
  launchOptions.numStages = options.numStages;
  if (options.check)
    launchOptions.checked = true;
  if (options.firstConfig)
    launchOptions.autotune = false;
  Grid grid(1);
  NamedArguments named(inputs.arguments());
  auto launch = [&] {
    kernel.launch(
        stream,
        [&](const std::map<std::string, Constant> &constants) {
          return grid = gridExpression.evaluate(info, inputs, constants);
        },
        named, launchOptions);
  };
  Counts before = session::counted(stream.device());
  auto start = std::chrono::steady_clock::now();
  launch();
  stream.synchronize();
  double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (options.stats) {
    session::LaunchReport report = session::lastLaunch(kernel);
    bool made = report.from != session::LaunchReport::From::Memory;
    printStats(kernel, stream.device(), grid, std::max(0.0, wall - (made ? report.compileSeconds : 0)));
    printCounts(before, session::counted(stream.device()));
  }
  for (const auto &[name, path] : outputs)
    inputs.write(stream, name, path);
  if (options.time) {
    printTimes(timeLaunches(stream, options.repeat.value_or(10), launch), inputs.bytes());
  } else {
    for (int i = 0; i < options.repeat.value_or(0); ++i)
      launch();
    stream.synchronize();
  }
  return kSuccess;
}

} // namespace tegula::cli
