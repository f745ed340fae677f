// conformance_test: every case of the suite on devices, compared with the CPU backend. See --help.
#include "tests/conformance/Listing.h"
#include "tests/conformance/Share.h"
#include "tests/conformance/Skips.h"
#include "tests/conformance/Summary.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <unistd.h>

using namespace tegula;
using namespace tegula::conformance;

namespace {

constexpr const char *kDescription =
    "Runs the conformance suite: small kernels in the Triton language over types, shapes and numbers of warps.\n"
    "Results on a device are compared with those of the CPU backend; on the device cpu, with references computed in\n"
    "extended precision. A case that the device is known not to run must be refused by one located message.\n"
    "\n"
    "An execution whose code, inputs and driver are those of one that passed before on this machine is left out; the\n"
    "summary says how often. --fresh executes everything.";
constexpr const char *kExamples =
    "Examples:\n"
    "  conformance_test                                   # every device but the CPU\n"
    "  conformance_test --device=cpu                      # the CPU backend against its references\n"
    "  conformance_test --device=cpu/checked              # the same, every access tested\n"
    "  conformance_test --device=vulkan:0 --filter='reduce/*' --repeat=3\n"
    "  conformance_test --device=vulkan:0/validated --device=vulkan:0/generic@1/8 --seed=5\n"
    "                                                     # all cases validated; an eighth without subgroups\n"
    "  conformance_test --device=cpu@quick --device=vulkan:0@quick\n"
    "  conformance_test --list --json=cases.json          # what each case compiles: file, signature, constants, grid\n"
    "\n"
    "Behind a device's name: /VARIANT (docs/vulkan.md), then @1/N for a part that rotates with the seed, or @quick "
    "for\n"
    "one case of each kernel and class of type and a twentieth of the rest, chosen by the seed.\n"
    "\n"
    "Exit status: 0, all passed; 1, a case failed; 2, bad use or no device.";

struct Options {
  std::vector<std::string> devices, filters;
  std::string kernels, samples, seedKernels, json, shard, watch;
  bool list = false, quiet = false, fresh = false;
  int repeat = 1;
  uint64_t seed = 0;
  size_t jobs = std::max(1u, std::thread::hardware_concurrency());
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

/// A device to test and the cases that it runs.
struct Target {
  std::string device;
  Share share;
};

Target parseTarget(const std::string &text) {
  size_t at = text.find('@');
  return {text.substr(0, at), at == std::string::npos ? Share() : parseShare(text.substr(at + 1))};
}

/// Where none is named, all but the CPU. They are only listed here: the processes that run cases open them.
std::vector<Target> targetsOf(const Options &options) {
  std::vector<Target> targets;
  for (const std::string &text : options.devices)
    targets.push_back(parseTarget(text));
  if (targets.empty())
    for (const std::string &name : listDevices())
      if (name != "cpu")
        targets.push_back({name, Share()});
  if (targets.empty())
    throw BadUse("no device is here but the CPU; --device=cpu tests that one");
  return targets;
}

/// The library beside the build's programs, where a validated device is asked for and none is named.
std::string watchOf(const Options &options, const std::vector<Target> &targets) {
  bool wanted = std::any_of(targets.begin(), targets.end(),
                            [](const Target &target) { return target.device.find("validated") != std::string::npos; });
  if (!options.watch.empty() || !wanted)
    return options.watch;
  std::error_code ignored;
  std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  std::filesystem::path library = program.parent_path().parent_path() / "lib/libtegula_vulkan_watch.so";
  if (!std::filesystem::exists(library))
    throw BadUse("a validated device is watched by libtegula_vulkan_watch.so, which is not at " + library.string() +
                 "; name it by --watch");
  return library.string();
}

void writeJson(const std::string &path, const nlohmann::ordered_json &json) {
  std::ofstream file(path);
  file << json.dump(1) << "\n";
  if (!file.flush())
    throw BadUse("cannot write '" + path + "'");
}

bool runSuite(const Options &options, const Folders &folders, const std::vector<const Case *> &chosen) {
  std::vector<Target> targets = targetsOf(options);
  WorkerPlan plan;
  plan.cases = chosen;
  plan.folders = folders;
  plan.launches = options.repeat;
  plan.watch = watchOf(options, targets);
  Memory memory(Memory::standardFolder());
  std::vector<Job> jobs(chosen.size());
  for (size_t d = 0; d < targets.size(); ++d) {
    plan.devices.push_back(targets[d].device);
    std::vector<bool> wanted = chosenBy(targets[d].share, chosen, options.seed);
    for (size_t i = 0; i < chosen.size(); ++i) {
      if (!wanted[i])
        continue;
      jobs[i].made = i;
      jobs[i].devices.push_back(d);
      double cost = memory.cost(targets[d].device, chosen[i]->name);
      jobs[i].cost = cost < 0 || jobs[i].cost < 0 ? (jobs[i].devices.size() == 1 ? cost : -1) : jobs[i].cost + cost;
    }
  }
  std::erase_if(jobs, [](const Job &job) { return job.devices.empty(); });
  Summary summary(plan, jobs, options.quiet);
  Memory nothing((std::string()));
  WorkerResults results = runJobs(plan, options.fresh ? nothing : memory, std::move(jobs), options.jobs,
                                  [&](const Job &job, size_t device, const Report &report) {
                                    summary.add(job.made, device, report);
                                    if (!report.known)
                                      memory.setCost(plan.devices[device], chosen[job.made]->name, report.seconds);
                                    if (!report.key.empty() && !report.known) // the day of the execution counts
                                      memory.add(report.key);
                                  });
  memory.save();
  bool good = summary.conclude(results);
  bool rotates = std::any_of(targets.begin(), targets.end(),
                             [](const Target &target) { return target.share.kind != Share::Kind::All; });
  if (rotates)
    std::printf("the cases were chosen by --seed=%llu\n", static_cast<unsigned long long>(options.seed));
  if (!options.json.empty())
    writeJson(options.json, summary.json(results));
  return good;
}

int runTool(const Options &options) {
  PrivateCache cache;
  Folders folders = Folders::standard();
  if (!options.kernels.empty())
    folders.suite = options.kernels;
  if (!options.samples.empty())
    folders.samples = options.samples;
  folders.seeds = options.seedKernels;
  Cases cases = allCases(!options.seedKernels.empty());
  std::vector<const Case *> chosen = choose(cases, options);
  if (!options.list)
    return runSuite(options, folders, chosen) ? 0 : 1;
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Case *made : chosen) {
    json.push_back(describe(*made, folders));
    if (options.json.empty())
      std::printf("%s\n", made->name.c_str());
  }
  if (!options.json.empty())
    writeJson(options.json, json);
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app(kDescription);
  app.footer(kExamples);
  Options options;
  app.add_option(
      "--device", options.devices,
      "Device to test, as `tegula devices` names it, with variant and share; may be repeated (default: all but cpu)");
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
  app.add_option("--seed-kernels", options.seedKernels,
                 "Folder of the specification's kernel files, whose cases are then run too");
  app.add_option("--seed", options.seed, "Chooses the cases of devices with @1/N or @quick (default 0)");
  app.add_option("--jobs", options.jobs, "Processes that run cases (default: one a core)")->check(CLI::Range(1, 256));
  app.add_flag("--fresh", options.fresh, "Execute what passed before on this machine too");
  app.add_option(
      "--watch", options.watch,
      "Vulkan library that looks at every module and hears the validation layer; their findings fail a case\n"
      "(default, where a device is validated: libtegula_vulkan_watch.so of the build)");
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
