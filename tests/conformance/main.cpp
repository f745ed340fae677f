// conformance_test: every case of the suite on devices, compared with the CPU backend. See --help.
#include "tests/conformance/Listing.h"
#include "tests/conformance/Skips.h"
#include "tests/conformance/Watching.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace tegula;
using namespace tegula::conformance;

namespace {

constexpr const char *kDescription =
    "Runs the conformance suite: small kernels in the Triton language over types, shapes and numbers of warps.\n"
    "Results on a device are compared with those of the CPU backend; on the device cpu, with references computed in\n"
    "extended precision. A case that the device is known not to run must be refused by one located message.";
constexpr const char *kExamples =
    "Examples:\n"
    "  conformance_test                                   # every device but the CPU\n"
    "  conformance_test --device=cpu                      # the CPU backend against its references\n"
    "  conformance_test --device=vulkan:0 --filter='reduce/*' --repeat=3\n"
    "  conformance_test --list --json=cases.json          # what each case compiles: file, signature, constants, grid\n"
    "\n"
    "Exit status: 0, all passed; 1, a case failed; 2, bad use or no device.";

struct Options {
  std::vector<std::string> devices, filters;
  std::string kernels, samples, seeds, json, shard, watch;
  bool list = false, quiet = false, check = false;
  int repeat = 1;
};

/// A kernel cache of this process's own, so that every compilation is this run's; kept where the user names one.
struct PrivateCache {
  std::filesystem::path folder;
  PrivateCache() {
    if (std::getenv("TEGULA_CACHE_DIR") || std::getenv("TRITON_CACHE_DIR"))
      return;
    folder = std::filesystem::temp_directory_path() / ("tegula-conformance-" + std::to_string(getpid()));
    setenv("TEGULA_CACHE_DIR", folder.c_str(), 1);
  }
  ~PrivateCache() {
    std::error_code ignored;
    if (!folder.empty())
      std::filesystem::remove_all(folder, ignored);
  }
};

struct BadUse : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::vector<const Case *> choose(const Cases &cases, const Options &options) {
  size_t index = 0, count = 1;
  if (!options.shard.empty() &&
      (std::sscanf(options.shard.c_str(), "%zu/%zu", &index, &count) != 2 || count == 0 || index >= count))
    throw BadUse("--shard is '" + options.shard + "'; i/n with 0 <= i < n is expected, e.g. 0/4");
  std::vector<const Case *> chosen;
  size_t next = 0;
  for (const Case &made : cases.all()) {
    bool wanted = options.filters.empty() || std::any_of(options.filters.begin(), options.filters.end(),
                                                         [&](const std::string &f) { return matches(f, made.name); });
    if (wanted && next++ % count == index)
      chosen.push_back(&made);
  }
  if (chosen.empty())
    throw BadUse("no case is chosen; --list shows the names");
  return chosen;
}

/// Rewritten in place on a terminal, a line every few seconds elsewhere.
class Progress {
public:
  Progress(std::string device, size_t total, bool quiet)
      : device_(std::move(device)), total_(total), terminal_(isatty(2)), quiet_(quiet) {}
  void step(size_t done, size_t failed) {
    auto now = std::chrono::steady_clock::now();
    if (quiet_ || (done < total_ && now - last_ < std::chrono::milliseconds(terminal_ ? 100 : 10000)))
      return;
    last_ = now;
    std::fprintf(stderr, "%s%s: %zu of %zu cases, %zu failed%s", terminal_ ? "\r" : "", device_.c_str(), done, total_,
                 failed, terminal_ && done < total_ ? "" : "\n");
  }
  /// Before another line is printed.
  void clear() const {
    if (terminal_ && !quiet_)
      std::fprintf(stderr, "\r%*s\r", 70, "");
  }

private:
  std::string device_;
  size_t total_;
  bool terminal_, quiet_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

struct Tally {
  size_t passed = 0, failed = 0, skipped = 0;
  void add(Status status) { ++(status == Status::Passed ? passed : status == Status::Failed ? failed : skipped); }
};

void printCompilation(const std::vector<Report> &reports) {
  std::vector<std::pair<double, const Report *>> times;
  for (const Report &report : reports)
    if (report.cold)
      times.emplace_back(report.compileSeconds * 1e3, &report);
  if (times.empty())
    return;
  std::sort(times.begin(), times.end());
  std::printf("compilation: %zu cases compiled cold, median %.1f ms, maximum %.1f ms (%s)\n", times.size(),
              times[times.size() / 2].first, times.back().first, times.back().second->made->name.c_str());
}

void printSummary(const Device::Info &device, const Suite &suite, const std::vector<Report> &reports, double seconds) {
  std::map<std::string, Tally> families;
  std::map<std::string, size_t> reasons;
  Tally all;
  for (const Report &report : reports) {
    families[report.made->family()].add(report.status);
    all.add(report.status);
    if (report.status == Status::Skipped)
      ++reasons[report.detail];
  }
  std::printf("\n%-16s %8s %8s %8s\n", "family", "passed", "failed", "skipped");
  for (const auto &[family, tally] : families)
    std::printf("%-16s %8zu %8zu %8zu\n", family.c_str(), tally.passed, tally.failed, tally.skipped);
  for (const auto &[reason, count] : reasons)
    std::printf("skipped %zu: %s\n", count, reason.c_str());
  for (DType type : suite.flushed())
    std::printf("denormal numbers of %s are not kept by this device; cases leave them out\n",
                std::string(name(type)).c_str());
  ProductCount products;
  for (const Report &report : reports) {
    products.eligible += report.products.eligible;
    products.served += report.products.served;
  }
  std::printf("products of matrices: %u that an instruction of the device could do, %u done by one\n",
              products.eligible, products.served);
  printCompilation(reports);
  std::printf("%s (%s): %zu passed, %zu failed, %zu skipped in %.1f s\n", device.name.c_str(), device.target.c_str(),
              all.passed, all.failed, all.skipped, seconds);
}

std::vector<Report> runOn(const Device &device, const std::vector<const Case *> &chosen, const Folders &folders,
                          const Options &options, Watching *watching, nlohmann::ordered_json &json) {
  auto start = std::chrono::steady_clock::now();
  bool isOracle = device.info().name == "cpu";
  Runner runner(device, folders, options.check);
  std::optional<Runner> oracle;
  if (!isOracle)
    oracle.emplace(Device::open("cpu"), folders);
  Suite suite(runner, oracle ? &*oracle : nullptr, options.repeat);
  Progress progress(device.info().name, chosen.size(), options.quiet);
  std::vector<Report> reports;
  size_t failed = 0;
  for (const Case *made : chosen) {
    reports.push_back(suite.run(*made));
    const Report &report = reports.back();
    if (watching)
      watching->look(device.info().name + " " + made->name);
    if (report.status == Status::Failed) {
      ++failed;
      progress.clear();
      std::printf("FAILED %s %s: %s\n", device.info().name.c_str(), made->name.c_str(), report.detail.c_str());
      std::fflush(stdout);
    }
    progress.step(reports.size(), failed);
  }
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  printSummary(device.info(), suite, reports, seconds);
  json.push_back(describe(device.info(), suite.flushed(), reports));
  return reports;
}

std::vector<Device> openDevices(const Options &options) {
  std::vector<Device> devices;
  for (const std::string &name : options.devices)
    devices.push_back(Device::open(name));
  if (options.devices.empty())
    for (const Device::Info &info : Device::list())
      if (info.name != "cpu")
        devices.push_back(Device::open(info.name));
  if (devices.empty())
    throw BadUse("no device is here but the CPU; --device=cpu tests that one");
  return devices;
}

void writeJson(const std::string &path, const nlohmann::ordered_json &json) {
  std::ofstream file(path);
  file << json.dump(1) << "\n";
  if (!file.flush())
    throw BadUse("cannot write '" + path + "'");
}

int runTool(const Options &options) {
  PrivateCache cache;
  Folders folders = Folders::standard();
  if (!options.kernels.empty())
    folders.suite = options.kernels;
  if (!options.samples.empty())
    folders.samples = options.samples;
  folders.seeds = options.seeds;
  Cases cases = allCases(!options.seeds.empty());
  std::vector<const Case *> chosen = choose(cases, options);
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  std::optional<Watching> watching;
  if (!options.watch.empty())
    watching.emplace(options.watch);
  bool good = true;
  if (options.list) {
    for (const Case *made : chosen) {
      json.push_back(describe(*made, folders));
      if (options.json.empty())
        std::printf("%s\n", made->name.c_str());
    }
  } else {
    for (const Device &device : openDevices(options))
      for (const Report &report : runOn(device, chosen, folders, options, watching ? &*watching : nullptr, json))
        good = good && report.status != Status::Failed;
  }
  if (watching) {
    watching->look("after the last case"); // the devices are closed
    good = watching->conclude() && good;
  }
  if (!options.json.empty())
    writeJson(options.json, json);
  return good ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app(kDescription);
  app.footer(kExamples);
  Options options;
  app.add_option("--device", options.devices,
                 "Device to test, as `tegula devices` names it; may be repeated (default: all but cpu)");
  app.add_option("--filter", options.filters,
                 "Run the cases whose name matches, e.g. 'dot/*' or '*/f16*'; may be repeated");
  app.add_flag("--list", options.list, "Name the cases and run nothing; with --json, describe them");
  app.add_option("--json", options.json, "Write the results, or the list, to this file");
  app.add_option("--repeat", options.repeat, "Launch each case this often (default 1); it must be right every time")
      ->check(CLI::Range(1, 1000));
  app.add_option("--shard", options.shard, "i/n: only every n-th of the chosen cases, from the i-th");
  app.add_option("--kernels", options.kernels,
                 "Folder of the suite's kernels (default: beside the program, or in the source tree)");
  app.add_option("--samples", options.samples, "Folder of the samples (default: likewise)");
  app.add_option("--seed-kernels", options.seeds,
                 "Folder of the specification's kernel files, whose cases are then run too");
  app.add_flag("--check", options.check,
               "Launch in the checked mode, which tests every access of the kernels; the CPU has one");
  app.add_option(
      "--watch", options.watch,
      "Vulkan library that watches (libtegula_vulkan_watch.so of the build): what the validation layer says\n"
      "is counted, spirv-val sees every module, and either of them fails the run");
  app.add_flag("--quiet", options.quiet, "No progress line");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &help) {
    return app.exit(help);
  } catch (const CLI::ParseError &wrong) {
    app.exit(wrong);
    return 2;
  }
  try {
    return runTool(options);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "conformance_test: %s\n", error.what());
  }
  return 2;
}
