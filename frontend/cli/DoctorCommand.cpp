#include "core/contracts/BackendNames.h"
#include "core/runtime/Session.h"
#include "core/support/Diagnostic.h"
#include "core/support/Environment.h"
#include "frontend/cli/Commands.h"
#include "frontend/cli/Options.h"
#include "frontend/cli/Timing.h"
#include "frontend/cli/Version.h"

#include <chrono>
#include <cstdio>
#include <filesystem>

namespace tegula::cli {
namespace {

using State = Finding::State;

void print(const Finding &finding) {
  const char *mark = finding.state == State::Fine ? "ok" : finding.state == State::Absent ? "--" : "!!";
  std::printf("%s %-11s %s\n", mark, finding.what.c_str(), finding.found.c_str());
  if (!finding.remedy.empty())
    std::printf("%-15sto mend it: %s\n", "", finding.remedy.c_str());
}

std::string quantity(size_t count, const char *noun, const char *plural) {
  return std::to_string(count) + " " + (count == 1 ? noun : plural);
}

std::vector<Finding> examineLibraries() {
  try {
    return session::examineCompiler();
  } catch (const ApiError &error) {
    return {{"compiler", State::Broken, error.what(),
             "cmake --build BUILD --target tegula-compiler, or install the package again"}};
  }
}

constexpr int kElements = 64;
constexpr const char *kProbe = "import triton\n"
                               "import triton.language as tl\n"
                               "@triton.jit\n"
                               "def probe(x, n: tl.constexpr):\n"
                               "    i = tl.arange(0, n)\n"
                               "    tl.store(x + i, tl.load(x + i) * 3 + i)\n";

/// Writes numbers to the device, runs a kernel on them and compares what it reads back. Throws ApiError.
bool runsKernels(const std::string &name) {
  Stream stream(Device::open(name));
  Buffer buffer(stream.device(), DType::I32, {kElements});
  std::vector<int32_t> numbers(kElements);
  for (int i = 0; i < kElements; ++i)
    numbers[i] = i * i;
  stream.write(buffer, numbers.data());
  Kernel::fromSource(kProbe, "probe", "probe.py").launch(stream, {1}, {buffer}, {.constants = {{"n", kElements}}});
  stream.read(buffer, numbers.data());
  for (int i = 0; i < kElements; ++i)
    if (numbers[i] != 3 * i * i + i)
      return false;
  return true;
}

Finding examineDevice(const Device::Info &device) {
  Finding finding{device.name, State::Broken, device.description + ", target " + device.target, {}};
  for (const auto &[property, value] : device.properties)
    if (property == "driver")
      finding.found += ", driver " + value;
  auto start = std::chrono::steady_clock::now();
  try {
    if (runsKernels(device.name)) {
      std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
      finding.state = State::Fine;
      finding.found += "; a kernel ran, compiled and checked in " + readable(seconds.count());
    } else {
      finding.found += "; a kernel ran and its result is wrong";
      finding.remedy = "update the device's driver";
    }
  } catch (const ApiError &error) {
    finding.found += std::string("; no kernel runs: ") + error.what();
    finding.remedy = "update the device's driver";
  }
  return finding;
}

std::vector<Finding> examineDevices() {
  std::vector<Finding> findings;
  std::vector<std::pair<std::string, std::string>> absent;
  for (const Device::Info &device : Device::list(&absent))
    findings.push_back(examineDevice(device));
  for (const auto &[backend, why] : absent) {
    const BackendNames *known = backendCalled(backend);
    findings.push_back({backend, State::Absent, "no device: " + why, known ? std::string(known->install) : ""});
  }
  std::vector<std::string> built = session::backends();
  for (const BackendNames &known : knownBackends())
    if (std::ranges::find(built, known.name) == built.end())
      findings.push_back({std::string(known.name), State::Absent, "not in this build",
                          "cmake -DTEGULA_BACKENDS=" + std::string(known.name) + " ..., then build again"});
  return findings;
}

Finding examineCache() {
  Finding finding{"cache", State::Fine, session::cacheDirectory(), {}};
  if (!session::isCacheUsable()) {
    finding.state = State::Broken;
    finding.found = finding.found.empty() ? "there is no home directory to keep compiled kernels in"
                                          : finding.found + " cannot be used, so each process compiles anew: a folder "
                                                            "that belongs to you and that nobody else can enter is "
                                                            "expected";
    finding.remedy = finding.found.starts_with("there") ? "export TEGULA_CACHE_DIR=FOLDER"
                                                        : "chmod 700 " + session::cacheDirectory();
    return finding;
  }
  uint64_t bytes = 0;
  std::vector<session::CacheEntry> entries = session::cacheEntries();
  for (const session::CacheEntry &entry : entries)
    bytes += entry.bytes;
  char size[32];
  std::snprintf(size, sizeof size, "%.1f MiB", static_cast<double>(bytes) / (1 << 20));
  finding.found += ": " + quantity(entries.size(), "entry", "entries") + ", " + size;
  return finding;
}

std::vector<Finding> examineTables() {
  size_t rows = 0, good = 0;
  std::vector<Finding> findings(1);
  for (const tuning::TableFile &table : session::tuningTables()) {
    rows += table.rows;
    good += table.problem.empty();
    if (!table.problem.empty())
      findings.push_back({"tables", State::Broken, table.file + " is not used: " + table.problem,
                          "correct the file, or take it out of TEGULA_TUNING_PATH"});
  }
  findings[0] = good ? Finding{"tables",
                               State::Fine,
                               quantity(rows, "row", "rows") + " in " + quantity(good, "tuning table", "tuning tables"),
                               {}}
                     : Finding{"tables", State::Absent,
                               "no tuning tables: kernels run with their first configuration until they are tuned",
                               "install share/tegula/tuning beside the libraries, or tune: tegula tune --help"};
  return findings;
}

Finding examineRecords() {
  std::string path = session::recordsPath();
  try {
    if (!std::filesystem::exists(path))
      return {"records", State::Fine, "none yet; " + path + " will hold what tuning finds", {}};
    return {"records",
            State::Fine,
            quantity(session::recordCount(), "tuning record", "tuning records") + " in " + path,
            {}};
  } catch (const ApiError &error) {
    return {"records", State::Broken, error.what(), "rm " + path};
  }
}

/// The variables that are set, since they change what the rest finds.
std::vector<Finding> examineEnvironment() {
  std::vector<Finding> findings;
  for (const EnvironmentVariable &row : environmentTable())
    if (const char *value = environmentValue(row.variable))
      findings.push_back({"variable", State::Fine, std::string(row.name) + "=" + value, {}});
  return findings;
}

} // namespace

int runDoctor(const std::vector<std::string> &arguments) {
  CLI::App app("Looks at what compiling and launching need on this machine, and says how to mend what is missing.",
               "tegula doctor");
  app.footer(
      "Examples:\n"
      "  tegula doctor\n"
      "  TEGULA_DEVICE=cpu tegula doctor\n\n"
      "A line for each thing: ok; -- for what is absent, without which the rest works; !! for what is broken. Each\n"
      "device that is found is opened and runs a small kernel. Exit status: 1 where something is broken.");
  if (auto over = parse(app, arguments))
    return *over;
  bool isBroken = false;
  auto report = [&](const std::vector<Finding> &findings) {
    for (const Finding &finding : findings) {
      print(finding);
      isBroken |= finding.state == State::Broken;
    }
  };
  report({{"build", State::Fine, versionLine(), {}}});
  report(examineLibraries());
  report(examineDevices());
  report({examineCache()});
  report(examineTables());
  report({examineRecords()});
  report(examineEnvironment());
  return isBroken ? kFailed : kSuccess;
}

} // namespace tegula::cli
