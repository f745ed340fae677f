// gpu_bench: see --help.
#include "tests/bench/gpu/Bench.h"
#include "tests/bench/gpu/Timing.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <optional>

namespace {

using gpubench::Case;
using Json = nlohmann::ordered_json;

constexpr int64_t kFlushBytes = int64_t(1) << 28; // several times the largest cache

struct Options {
  std::string device, modules, samples;
  std::vector<std::string> cases;
  double seconds = 0.3;
  bool quick = false, list = false, serve = false;
};

/// A folder of the source tree that contains `file`: in a package two levels above this executable, otherwise in the
/// tree of the build.
std::string folderOfTree(const char *folder, const char *file) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  fs::path here = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  fs::path packaged = here / ".." / ".." / folder;
  return fs::exists(packaged / file, ignored) ? fs::weakly_canonical(packaged, ignored).string()
                                              : std::string(TEGULA_SOURCE_DIR "/") + folder;
}

/// Runs cases on one device and keeps the last case's arrays, so that an immediate repetition can reuse them.
class Bench {
public:
  explicit Bench(Options options)
      : options_(std::move(options)), device_(tegula::Device::open(options_.device)), stream_(device_),
        flush_(device_, tegula::DType::I8, {kFlushBytes}) {}

  /// Runs a case and prints one line of JSON; true if nothing failed.
  bool run(const Case &which) {
    Json record = {{"case", which.name},  {"device", device_.info().name},
                   {"who", "tegula"},     {"ms", nullptr},
                   {"value", nullptr},    {"unit", which.unit},
                   {"runs", 0},           {"max_error", nullptr},
                   {"left_out", nullptr}, {"error", nullptr}};
    bool ok = true;
    std::string leftOut = which.leftOut(device_.info());
    if (!leftOut.empty())
      record["left_out"] = leftOut;
    else
      ok = measure(which, record);
    print(record);
    return ok;
  }

  static void print(const Json &record) {
    // A message may quote bytes that are not UTF-8.
    std::printf("%s\n", record.dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
    std::fflush(stdout);
  }

private:
  bool measure(const Case &which, Json &record) {
    try {
      if (current_ != &which) {
        prepared_.reset();
        current_ = nullptr;
        prepared_ = which.prepare({stream_, options_.modules, options_.samples});
        verdict_ = prepared_->check();
        current_ = &which;
      }
      if (std::isfinite(verdict_.maxError))
        record["max_error"] = verdict_.maxError;
      if (!verdict_.ok()) {
        record["error"] = "wrong result: " + verdict_.firstWrong;
        return false;
      }
      gpubench::Timing timing = gpubench::timeRuns(stream_, flush_, [&] { prepared_->launch(); }, options_.seconds);
      record["ms"] = timing.median * 1e3;
      record["least_ms"] = timing.least * 1e3;
      record["value"] = which.rate(timing.median);
      record["runs"] = timing.runs;
      return true;
    } catch (const std::exception &e) {
      record["error"] = e.what();
      return false;
    }
  }

  Options options_;
  tegula::Device device_;
  tegula::Stream stream_;
  tegula::Buffer flush_;
  const Case *current_ = nullptr;
  std::unique_ptr<gpubench::Prepared> prepared_;
  gpubench::Verdict verdict_;
};

const Case *find(const std::string &name) {
  for (const Case &each : gpubench::allCases())
    if (each.name == name)
      return &each;
  return nullptr;
}

/// Reads names from standard input, one a line; prints each case's records, then a line {"done": NAME}.
int serve(Bench &bench) {
  for (std::string line; std::getline(std::cin, line);) {
    if (const Case *which = find(line))
      bench.run(*which);
    Bench::print({{"done", line}});
  }
  return 0;
}

int runCases(Bench &bench, const Options &options) {
  bool ok = true;
  for (const Case &each : gpubench::allCases()) {
    bool isNamed = std::find(options.cases.begin(), options.cases.end(), each.name) != options.cases.end();
    if (options.cases.empty() ? each.isQuick == options.quick : isNamed)
      ok = bench.run(each) && ok;
  }
  return ok ? 0 : 1;
}

std::optional<int> parse(int argc, char **argv, Options &options) {
  CLI::App app("Times hand-written kernels and the device's own copies, each checked in double precision first.",
               "gpu_bench");
  app.add_option("--device", options.device,
                 "where to run; `tegula devices` lists them (default: $TEGULA_DEVICE, else the best found)");
  app.add_option("--cases", options.cases, "names of --list, separated by commas (default: all large ones)")
      ->delimiter(',');
  app.add_option("--modules", options.modules,
                 "folder with the .mlir files of tests/simt (default: the package's, or the tree's)");
  app.add_option("--samples", options.samples, "folder with the samples' folders (default: likewise)");
  app.add_option("--seconds", options.seconds, "device time for each case")
      ->capture_default_str()
      ->check(CLI::Range(0.001, 60.0));
  app.add_flag("--quick", options.quick, "the small cases, for trying the benchmark itself");
  app.add_flag("--list", options.list, "print the names of the cases, the small ones marked, and end");
  app.add_flag("--serve", options.serve, "read names of cases from standard input and run each as it comes");
  app.footer(
      "One line of JSON for each case: case, device, ms (the median), value in unit, max_error, left_out (why it does\n"
      "not run on this device) and error. Before each timed run 256 MiB are written, so that caches are cold.\n\n"
      "Examples:\n"
      "  gpu_bench --device cuda:0 --cases matmul_tma_wgmma/8192,copy/1GiB\n"
      "  gpu_bench --device cpu --quick\n\n"
      "Exit status: 0; 1, a result is wrong or a case failed; 2, bad use.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0)
      return app.exit(error);
    std::fprintf(stderr, "gpu_bench: %s; --help shows the options\n", error.what());
    return 2;
  }
  for (const std::string &name : options.cases)
    if (!find(name)) {
      std::fprintf(stderr, "gpu_bench: unknown case '%s'; --list shows all\n", name.c_str());
      return 2;
    }
  if (options.modules.empty())
    options.modules = folderOfTree("tests/simt", "vector_add.mlir");
  if (options.samples.empty())
    options.samples = folderOfTree("samples", "03_softmax/softmax.py");
  return {};
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  if (std::optional<int> over = parse(argc, argv, options))
    return *over;
  if (options.list) {
    for (const Case &each : gpubench::allCases())
      std::printf("%s%s\n", each.name.c_str(), each.isQuick ? "  (quick)" : "");
    return 0;
  }
  try {
    Bench bench(options);
    return options.serve ? serve(bench) : runCases(bench, options);
  } catch (const tegula::ApiError &error) {
    std::fprintf(stderr, "gpu_bench: %s\n", error.what());
    return error.kind() == tegula::ApiError::Kind::BadUse ? 2 : 1;
  }
}
