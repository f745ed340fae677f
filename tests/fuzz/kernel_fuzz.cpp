// kernel_fuzz: random kernels on a device and on the CPU backend. See --help.
#include "tests/fuzz/Execute.h"

#include <CLI/CLI.hpp>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

using namespace tegula;
using namespace tegula::fuzz;

namespace {

constexpr const char *kDescription = "Makes random kernels of the Triton language that are valid by construction, runs "
                                     "each on the CPU backend and on a\n"
                                     "device with the same random inputs, and compares all outputs bit for bit. A "
                                     "kernel that fails is made smaller and\n"
                                     "printed, with its seed. Kernel number i of a run has the seed SEED + i.";
constexpr const char *kExamples =
    "Examples:\n"
    "  kernel_fuzz                                   # 2,000 kernels on the first device that is not the CPU\n"
    "  kernel_fuzz --seed=1730 --count=1 --show      # one kernel again, with its text\n"
    "  kernel_fuzz --minutes=60 --seed=100000 --keep=found --failures=20\n"
    "  kernel_fuzz --device=cpu --count=100          # the CPU backend with itself: are the kernels in order?\n"
    "\n"
    "Exit status: 0, all agree; 1, a kernel failed; 2, bad use or no device.";

struct Options {
  uint64_t seed = 1;
  int64_t count = 2000, failures = 5;
  double minutes = 0, shrinkSeconds = 60;
  std::string device, keep, write;
  bool show = false, quiet = false;
};

using Clock = std::chrono::steady_clock;
double secondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Seconds after which a kernel counts as hanging.
constexpr unsigned kPatience = 120;

std::string heading(const Model &model, const Rendered &rendered) {
  std::string text = "# grid " + std::to_string(model.grid[0]) + "x" + std::to_string(model.grid[1]) + ", num_warps " +
                     std::to_string(model.warps);
  for (size_t i = 0; i < model.parameters.size(); ++i)
    text += ", n" + std::to_string(i) + " = " + std::to_string(model.parameters[i]);
  for (const BufferPlan &plan : rendered.buffers)
    text += ", " + plan.name + ": " + std::string(name(plan.type)) + "[" + std::to_string(plan.elements) + "]";
  return text + "\n";
}

/// The source without the helper functions that every kernel has.
std::string interesting(const std::string &source) {
  size_t end = source.find("set_a | set_b");
  return end == source.npos ? source : source.substr(source.find_first_not_of('\n', source.find('\n', end)));
}

void keep(const Options &options, uint64_t seed, const char *suffix, const std::string &text) {
  if (options.keep.empty())
    return;
  std::error_code ignored;
  std::filesystem::create_directories(options.keep, ignored);
  std::ofstream(options.keep + "/" + std::to_string(seed) + suffix) << text;
}

void report(const Options &options, uint64_t seed, const Outcome &outcome, const Trial &trial) {
  Model model = generate(seed);
  Rendered before = render(model);
  keep(options, seed, ".py", heading(model, before) + before.source);
  Model small = shrink(model, outcome, trial, options.shrinkSeconds);
  Rendered after = render(small);
  Outcome last = trial(small);
  std::string message = last.message.substr(0, last.message.find('\n'));
  keep(options, seed, ".min.py", "# " + message + "\n" + heading(small, after) + after.source);
  std::printf("FAILED seed %llu: %s\n%s%s\nfrom %d statements; again: kernel_fuzz --device=%s --seed=%llu --count=1 "
              "--turn=0\n\n",
              static_cast<unsigned long long>(seed), last.message.c_str(), heading(small, after).c_str(),
              interesting(after.source).c_str(), before.statements, options.device.c_str(),
              static_cast<unsigned long long>(seed));
}

/// A worker's message: 's' and a number when a kernel starts; 'a', 'u' or 'f' and the number when it is done.
struct Message {
  char what;
  int64_t index;
};

void tell(int pipe, char what, int64_t index) {
  Message message{what, index};
  if (write(pipe, &message, sizeof message) != sizeof message)
    std::_Exit(2);
}

/// The worker, a process of its own, because a driver may crash on its input.
int work(const Options &options, int64_t first, int pipe, Clock::time_point start) {
  try {
    Pair pair("cpu", options.device);
    for (int64_t i = first; i < options.count; ++i) {
      if (options.minutes > 0 && secondsSince(start) > options.minutes * 60)
        break;
      tell(pipe, 's', i);
      alarm(kPatience);
      Model model = generate(options.seed + uint64_t(i));
      if (options.show) {
        Rendered rendered = render(model);
        std::printf("%s%s\n", heading(model, rendered).c_str(), rendered.source.c_str());
      }
      Outcome outcome = pair.run(model);
      bool failed = outcome.kind == Outcome::Kind::Differ || outcome.kind == Outcome::Kind::Refused;
      if (failed)
        report(options, options.seed + uint64_t(i), outcome, [&](const Model &smaller) {
          alarm(kPatience);
          return pair.run(smaller);
        });
      else if (outcome.kind == Outcome::Kind::Unsupported && !options.quiet)
        std::printf("seed %llu: not for this device: %s\n", static_cast<unsigned long long>(options.seed + uint64_t(i)),
                    outcome.message.c_str());
      std::fflush(stdout);
      alarm(0);
      tell(pipe, failed ? 'f' : outcome.kind == Outcome::Kind::Agree ? 'a' : 'u', i);
    }
  } catch (const std::exception &error) {
    std::fprintf(stderr, "kernel_fuzz: %s\n", error.what());
    return 2;
  }
  return 0;
}

struct Tally {
  int64_t agreed = 0, unsupported = 0, failed = 0;
};

/// The outcome of a process that ended by a signal or a wrong status.
Outcome crash(int status) {
  std::string why = "the process ended with status " + std::to_string(WEXITSTATUS(status));
  if (WIFSIGNALED(status))
    why = WTERMSIG(status) == SIGALRM ? "it takes too long" : strsignal(WTERMSIG(status));
  return {Outcome::Kind::Crashed, why};
}

/// Runs one kernel in a process of its own.
Outcome tryAlone(const Options &options, const Model &model) {
  std::fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    alarm(20);
    try {
      Pair("cpu", options.device).run(model);
    } catch (const std::exception &) {
    }
    std::_Exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status ? crash(status) : Outcome{};
}

/// Follows one worker until it ends; returns the number of the next kernel, or -1 if the worker never started.
int64_t follow(const Options &options, int64_t first, Tally &tally, Clock::time_point start) {
  int ends[2];
  if (pipe(ends) != 0)
    throw std::runtime_error("no pipe");
  std::fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    int status = work(options, first, ends[1], start);
    std::fflush(stdout);
    std::_Exit(status); // without destructors of drivers, which may be broken
  }
  close(ends[1]);
  int64_t running = -1, next = first;
  Message message;
  while (tally.failed < options.failures && read(ends[0], &message, sizeof message) == sizeof message) {
    running = message.what == 's' ? message.index : -1;
    if (message.what == 's')
      continue;
    next = message.index + 1;
    tally.agreed += message.what == 'a';
    tally.unsupported += message.what == 'u';
    tally.failed += message.what == 'f';
    if (!options.quiet && next % 100 == 0)
      std::printf("%lld kernels, %lld failed, %.0f s\n", static_cast<long long>(next),
                  static_cast<long long>(tally.failed), secondsSince(start)),
          std::fflush(stdout);
  }
  close(ends[0]);
  if (tally.failed >= options.failures)
    kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  if (running >= 0 && tally.failed < options.failures) {
    report(options, options.seed + uint64_t(running), crash(status),
           [&](const Model &smaller) { return tryAlone(options, smaller); });
    ++tally.failed;
    return running + 1;
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
    return -1;
  return WIFEXITED(status) && next < options.count ? options.count : next;
}

/// Writes each kernel with its results on the device. A kernel that the device refuses is an error here.
int writeAll(const Options &options) {
  std::filesystem::create_directories(options.write);
  Device device = Device::open(options.device.empty() ? "cpu" : options.device);
  Stream stream(device);
  for (int64_t i = 0; i < options.count; ++i)
    record(options.write, options.seed + uint64_t(i), stream);
  return 0;
}

/// The first device's name, found in a process of its own: a driver that was started does not survive a fork.
std::string firstDevice() {
  int ends[2];
  if (pipe(ends) != 0)
    throw std::runtime_error("no pipe");
  pid_t child = fork();
  if (child == 0) {
    for (const Device::Info &info : Device::list())
      if (info.name != "cpu" && info.name.find("null") == info.name.npos)
        std::_Exit(write(ends[1], info.name.data(), info.name.size()) < 0);
    std::_Exit(0);
  }
  close(ends[1]);
  char text[256];
  ssize_t size = read(ends[0], text, sizeof text);
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return std::string(text, size > 0 ? size_t(size) : 0);
}

/// Compares the kernels on two devices; the exit status.
int compareAll(Options &options) {
  if (options.device.empty() && (options.device = firstDevice()).empty())
    throw std::runtime_error("there is no device but the CPU; --device=cpu compares it with itself");
  Tally tally;
  auto start = Clock::now();
  int64_t next = 0;
  while (next >= 0 && next < options.count && tally.failed < options.failures &&
         (options.minutes <= 0 || secondsSince(start) < options.minutes * 60))
    next = follow(options, next, tally, start);
  if (next < 0)
    return 2;
  std::printf("%lld kernels agree on cpu and %s, %lld are not for it, %lld failed; seeds from %llu, %.0f s\n",
              static_cast<long long>(tally.agreed), options.device.c_str(), static_cast<long long>(tally.unsupported),
              static_cast<long long>(tally.failed), static_cast<unsigned long long>(options.seed), secondsSince(start));
  return tally.failed ? 1 : 0;
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  CLI::App app(kDescription);
  app.footer(kExamples);
  uint64_t turn = 0;
  app.add_option("--seed", options.seed, "Seed of the first kernel (default: 1)");
  app.add_option("--count", options.count, "How many kernels (default: 2000)");
  app.add_option("--turn", turn, "Which of sixteen runs this is: run N begins N * COUNT seeds later (default: 0)")
      ->envname("TEGULA_TEST_SEED");
  app.add_option("--minutes", options.minutes, "Stop after so long, whatever --count says")->check(CLI::PositiveNumber);
  app.add_option("--device", options.device, "Device to compare with the CPU (default: the first that is not the CPU)");
  app.add_option("--keep", options.keep, "Folder for kernels that fail: SEED.py as made, SEED.min.py as shrunk");
  app.add_option("--write", options.write,
                 "Folder for all kernels, their inputs and their results on --device (default here: cpu), in place of "
                 "a comparison");
  app.add_option("--failures", options.failures, "Stop after so many failures (default: 5)")
      ->check(CLI::PositiveNumber);
  app.add_option("--shrink-seconds", options.shrinkSeconds, "Time to make one kernel smaller (default: 60)");
  app.add_flag("--show", options.show, "Print each kernel before it runs");
  app.add_flag("--quiet", options.quiet, "Only failures and the last line");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return app.exit(error) ? 2 : 0;
  }
  constexpr uint64_t kTurns = 16;
  options.seed += turn % kTurns * uint64_t(options.count);
  std::filesystem::path cache;
  int status = 2;
  try {
    if (!std::getenv("TEGULA_CACHE_DIR")) {
      cache = std::filesystem::temp_directory_path() / ("tegula-fuzz-" + std::to_string(getpid()));
      setenv("TEGULA_CACHE_DIR", cache.c_str(), 1);
    }
    status = options.write.empty() ? compareAll(options) : writeAll(options);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "kernel_fuzz: %s\n", error.what());
  }
  std::error_code ignored;
  if (!cache.empty())
    std::filesystem::remove_all(cache, ignored);
  return status;
}
