#include "core/runtime/ConstantText.h"
#include "core/runtime/Session.h"
#include "core/support/Diagnostic.h"
#include "core/support/Files.h"
#include "frontend/cli/Commands.h"
#include "frontend/cli/GridExpression.h"
#include "frontend/cli/Options.h"
#include "frontend/cli/Png.h"
#include "frontend/cli/Timing.h"
#include "frontend/cli/bench/Results.h"

#include <algorithm>
#include <cstdio>
#include <sstream>

namespace tegula::cli {
namespace {

constexpr const char *kExamples =
    "{EXPR} in a VALUE stands for a size, {T} for the type. The bytes of a launch are those of its arrays, or "
    "--bytes.\n"
    "Rates are of medians; `of copy` compares with a copy on the device, measured at the same time.\n\n"
    "Examples:\n"
    "  tegula bench matmul.py::matmul_2d --shapes='M=N=K=128; M=N=K=256; M=N=K=512' --types=f32,f16 \\\n"
    "      --devices=cpu --grid='cdiv(M, BLOCK_M), cdiv(N, BLOCK_N)' --flops='2*M*N*K' --svg matmul.svg \\\n"
    "      --const PRECISION=ieee BLOCK_M=64 BLOCK_N=64 BLOCK_K=32 a_ptr='rand:{T}:{M}x{K}' b_ptr='rand:{T}:{K}x{N}' "
    "\\\n"
    "      c_ptr='empty:{T}:{M}x{N}' stride_am='{K}' stride_ak=1 stride_bk='{N}' stride_bn=1 stride_cm='{N}' \\\n"
    "      stride_cn=1 --json before.json\n\n"
    "  tegula bench --compare before.json after.json";

struct BenchOptions {
  std::string kernel, grid, shapes, types, devices, flops, bytes, csv, json, svg, png;
  std::vector<std::string> values, constants, modulePath, compare;
  std::optional<int> numWarps, numStages;
  double seconds = 0.5;
};

std::optional<int> parseOptions(BenchOptions &options, const std::vector<std::string> &arguments) {
  CLI::App app("Times a kernel over sizes, types and devices.", "tegula bench");
  app.add_option("FILE::KERNEL", options.kernel, "FILE.py::KERNEL");
  app.add_option("NAME=VALUE", options.values, "A value for each parameter, as for `tegula run`");
  app.add_option("--shapes", options.shapes, "Sizes: 'M=N=1024; M=64 N=4096'");
  app.add_option("--types", options.types, "Types that {T} stands for, with commas between");
  app.add_option("--devices", options.devices, "Devices, with commas between; default: the one that `run` takes");
  app.add_option("--grid", options.grid, "Programs: EXPR[, EXPR[, EXPR]]");
  app.add_option("--flops", options.flops, "Floating-point operations of a launch, over the sizes: '2*M*N*K'");
  app.add_option("--bytes", options.bytes, "Bytes that a launch moves, over the sizes");
  app.add_option("--seconds", options.seconds, "How long each case is timed (default 0.5)")
      ->check(CLI::Range(0.001, 1e4));
  app.add_option("--num-warps", options.numWarps, "Warps a program");
  app.add_option("--num-stages", options.numStages, "Stages of software pipelining");
  app.add_option("--const", options.constants, "A constexpr parameter's value; plain NAME=VALUE does the same")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  for (auto [name, file] :
       {std::pair("--csv", &options.csv), {"--json", &options.json}, {"--svg", &options.svg}, {"--png", &options.png}})
    app.add_option(name, *file, "Write the results there, too")->type_name("FILE");
  app.add_option("--compare", options.compare, "Show the ratios of two files that --json wrote")
      ->type_name("OLD NEW")
      ->expected(2);
  addModulePath(app, options.modulePath);
  app.footer(kExamples);
  return parse(app, arguments);
}

std::vector<std::string> listOf(const std::string &text) {
  std::vector<std::string> items;
  std::istringstream in(text);
  for (std::string item; std::getline(in, item, ',');)
    items.push_back(item);
  return items.empty() ? std::vector<std::string>(1) : items;
}

double evaluate(const std::string &expression, const char *label, const Sizes &sizes) {
  auto lookup = [&](std::string_view name) -> std::optional<HostValue> {
    auto found = sizes.find(name);
    return found == sizes.end() ? std::nullopt : std::optional<HostValue>(found->second);
  };
  std::vector<std::string> names;
  for (const auto &[name, size] : sizes)
    names.push_back(name);
  return double(HostExpression::parse(expression, label).evaluateInteger(lookup, names));
}

/// Launches that take about `seconds`, after a first one: at least 7, at most 1000.
std::vector<double> timeFor(Stream &stream, double seconds, const std::function<void()> &launch) {
  launch();
  double once = timeLaunches(stream, 3, launch)[1];
  return timeLaunches(stream, static_cast<int>(std::clamp(seconds / std::max(once, 1e-9), 7.0, 1000.0)), launch);
}

/// Bytes a second that a copy reads and writes: of 256 MiB on a GPU, beyond any cache; of 64 MiB elsewhere.
double copyRate(Stream &stream) {
  int64_t count = stream.device().info().isRealGpu ? 256 << 20 : 64 << 20;
  Buffer from(stream.device(), DType::I8, {count}), to(stream.device(), DType::I8, {count});
  stream.fill(from, 1);
  std::vector<double> times = timeFor(stream, 0.3, [&] { stream.copy(to, from); });
  return 2 * double(count) / quantile(times, 0.5);
}

class Bench {
public:
  explicit Bench(const BenchOptions &options)
      : options_(options), grid_(options.grid), shapes_(parseShapes(options.shapes)) {
    KernelReference reference = parseReference(options.kernel);
    kernel_.emplace(Kernel::load(reference.file, reference.kernel, {.modulePath = options.modulePath}));
    report_.kernel = options.kernel.substr(options.kernel.rfind('/') + 1);
  }

  const BenchReport &run() {
    for (const std::string &name : listOf(options_.devices)) {
      Stream stream(Device::open(name));
      double copy = copyRate(stream);
      for (const std::string &type : listOf(options_.types))
        for (const Sizes &sizes : shapes_) {
          BenchResult result = measure(stream, type, sizes);
          result.copyRate = copy;
          report_.results.push_back(std::move(result));
        }
    }
    return report_;
  }

private:
  BenchResult measure(Stream &stream, const std::string &type, const Sizes &sizes) {
    const KernelInfo &info = session::info(*kernel_);
    std::vector<std::string> values = options_.values;
    values.insert(values.end(), options_.constants.begin(), options_.constants.end());
    for (std::string &value : values)
      for (size_t at = value.find("{T}"); at != std::string::npos; at = value.find("{T}", at + type.size()))
        value.replace(at, 3, type);
    Inputs inputs(info, stream, valuesOf(sizes, values, info));
    LaunchOptions options;
    options.constants = inputs.constants();
    options.numWarps = options_.numWarps;
    options.numStages = options_.numStages;
    options.checked = false;
    NamedArguments arguments(inputs.arguments());
    bool isEmpty = false; // the last grid
    auto gridOf = [&](const std::map<std::string, Constant> &constants) {
      Grid grid = grid_.evaluate(info, inputs, constants);
      isEmpty = std::ranges::find(grid.axes, 0) != grid.axes.end();
      return grid;
    };
    std::vector<double> times = timeFor(stream, options_.seconds, [&] {
      kernel_->launch(stream, gridOf, arguments, options);
      if (isEmpty)
        throw Error("--grid gives no programs for " + describe(sizes) + "; nothing can be timed");
    });
    BenchResult result;
    result.device = stream.device().info().name;
    result.description = stream.device().info().description;
    result.type = type;
    result.sizes = sizes;
    result.median = quantile(times, 0.5);
    result.lower = quantile(times, 0.25);
    result.upper = quantile(times, 0.75);
    result.launches = static_cast<int>(times.size());
    result.bytes = options_.bytes.empty() ? double(inputs.bytes()) : evaluate(options_.bytes, "--bytes", sizes);
    result.flops = options_.flops.empty() ? 0 : evaluate(options_.flops, "--flops", sizes);
    const Configuration used = session::lastLaunch(*kernel_).configuration;
    result.configuration = tegula::describe(used.constants) + (used.constants.empty() ? "" : ", ") +
                           "num_warps=" + std::to_string(used.numWarps) +
                           ", num_stages=" + std::to_string(used.numStages);
    return result;
  }

  const BenchOptions &options_;
  GridExpression grid_;
  std::vector<Sizes> shapes_;
  std::optional<Kernel> kernel_;
  BenchReport report_;
};

void write(const BenchOptions &options, const BenchReport &report) {
  if (!options.csv.empty())
    writeFile(options.csv, formatCsv(report));
  if (!options.json.empty())
    writeFile(options.json, formatJson(report));
  if (!options.svg.empty())
    writeFile(options.svg, plotReport(report));
  if (!options.png.empty())
    writePng(options.png, plotReport(report));
}

} // namespace

int runBench(const std::vector<std::string> &arguments) {
  BenchOptions options;
  if (auto over = parseOptions(options, arguments))
    return *over;
  if (!options.compare.empty()) {
    BenchReport before = parseReport(readTextFile(options.compare[0]), options.compare[0]);
    BenchReport after = parseReport(readTextFile(options.compare[1]), options.compare[1]);
    std::printf("%s", compareReports(before, after).c_str());
    return kSuccess;
  }
  for (const auto &[name, value] :
       {std::pair("FILE.py::KERNEL", &options.kernel), {"--shapes", &options.shapes}, {"--grid", &options.grid}})
    if (value->empty())
      throw Error(std::string(name) + " is missing; `tegula bench --help` has examples");
  if (!options.png.empty())
    checkPng(options.png);
  Bench bench(options);
  const BenchReport &report = bench.run();
  std::printf("%s", formatTable(report).c_str());
  write(options, report);
  return kSuccess;
}

} // namespace tegula::cli
