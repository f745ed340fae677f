#include "Lesson.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>

namespace samples {

struct Lesson::CommandLine {
  CLI::App app;
};

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::string threeDigits(double value) {
  char text[32];
  if (value != 0 && (value < 1e-3 || value >= 1e7))
    std::snprintf(text, sizeof text, "%.2e", value);
  else
    std::snprintf(text, sizeof text,
                  value >= 99.95    ? "%.0f"
                  : value >= 9.995  ? "%.1f"
                  : value >= 0.9995 ? "%.2f"
                                    : "%.3g",
                  value);
  return text;
}

std::string formatError(double error) {
  char text[32];
  std::snprintf(text, sizeof text, error == 0 ? "%.1f" : "%.1e", error);
  return text;
}

} // namespace

Lesson::Lesson(std::string name, std::string summary)
    : name_(std::move(name)), commandLine_(std::make_unique<CommandLine>()) {
  CLI::App &app = commandLine_->app;
  app.name(name_);
  app.description(std::move(summary));
  app.footer("Exit status: 0, all results are right; 1, a result is wrong or a kernel failed; 2, bad use.\n"
             "The kernel is in samples/" +
             name_ + "; edit it and run again: nothing needs rebuilding.");
  app.add_option(
         "--device", deviceName_,
         "where to run: cpu, cuda:0, ...; `tegula devices` lists them (default: $TEGULA_DEVICE, else the best found)")
      ->type_name("NAME");
  app.add_option("--repeat", repeat_, "timed launches, of which the median is shown")
      ->capture_default_str()
      ->check(CLI::Range(int64_t(1), int64_t(100000)))
      ->type_name("N");
  app.add_flag("--check", checked_, "test every memory access of the kernels: slow, and finds what they do wrong");
  app.add_option("--record", recordFile_, "append the results to this file, one line each, fields separated by tabs")
      ->type_name("FILE");
}

Lesson::~Lesson() = default;

void Lesson::option(const std::string &flags, int64_t &value, const std::string &help, int64_t least, int64_t most) {
  commandLine_->app.add_option(flags, value, help)
      ->capture_default_str()
      ->check(CLI::Range(least, most))
      ->type_name("N");
}

void Lesson::option(const std::string &flags, std::string &value, const std::string &help,
                    const std::vector<std::string> &choices) {
  CLI::Option *option = commandLine_->app.add_option(flags, value, help);
  if (!value.empty())
    option->capture_default_str();
  if (choices.empty())
    option->type_name("FILE");
  else
    option->check(CLI::IsMember(choices))->type_name("");
}

void Lesson::flag(const std::string &flags, bool &value, const std::string &help) {
  commandLine_->app.add_flag(flags, value, help);
}

// Returns the exit status, or -1 to continue.
int Lesson::parse(int argc, char **argv) {
  try {
    commandLine_->app.parse(argc, argv);
    return -1;
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0)
      return commandLine_->app.exit(error); // --help
    std::fprintf(stderr, "%s: %s; `%s --help` shows the options\n", name_.c_str(), error.what(), name_.c_str());
    return 2;
  }
}

void Lesson::open() {
  device_.emplace(tegula::Device::open(deviceName_));
  stream_.emplace(*device_);
  const tegula::Device::Info &info = device_->info();
  std::printf("%s on %s (%s)\n", name_.c_str(), info.name.c_str(), info.description.c_str());
}

int Lesson::run(int argc, char **argv, const std::function<void()> &body) {
  int status = parse(argc, argv);
  if (status >= 0)
    return status;
  try {
    open();
    body();
    return allRight_ ? 0 : 1;
  } catch (const BadUse &error) {
    std::fprintf(stderr, "%s: %s\n", name_.c_str(), error.what());
    return 2;
  } catch (const tegula::ApiError &error) {
    std::fprintf(stderr, "%s: %s\n", name_.c_str(), error.what());
    return error.kind() == tegula::ApiError::Kind::BadUse ? 2 : 1;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s: %s\n", name_.c_str(), error.what());
    return 1;
  }
}

tegula::Kernel Lesson::kernel(const std::string &file, const std::string &name) const {
  return tegula::Kernel::load(kernelPath(name_, file), name);
}

tegula::LaunchOptions Lesson::with(std::map<std::string, tegula::Constant> constants,
                                   std::optional<int> numWarps) const {
  tegula::LaunchOptions options;
  options.constants = std::move(constants);
  options.numWarps = numWarps;
  if (checked_)
    options.checked = true;
  return options;
}

Timing Lesson::time(const std::function<void()> &launch) {
  Timing timing;
  double start = now();
  launch();
  stream_->synchronize();
  timing.first = now() - start;
  std::vector<double> seconds;
  for (int64_t i = 0; i < repeat_; ++i) {
    tegula::Event before = stream_->record();
    launch();
    tegula::Event after = stream_->record();
    after.wait();
    seconds.push_back(after.secondsSince(before));
  }
  auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::nth_element(seconds.begin(), middle, seconds.end());
  timing.median = *middle;
  return timing;
}

void Lesson::report(const std::string &variant, const std::string &size, const Timing &timing, const Work &work,
                    const Comparison &comparison) {
  if (!headerPrinted_)
    std::printf("  %-28s %-22s %10s %10s %15s %19s\n", "variant", "size", "first", "time", "rate",
                "max error / allowed");
  headerPrinted_ = true;
  const char *verdict = comparison.ok() ? "ok" : "WRONG";
  std::string time = formatSeconds(timing.median), rate = formatRate(timing.median, work),
              error = formatError(comparison.maxError) + " / " + formatError(comparison.allowed);
  std::printf("  %-28s %-22s %10s %10s %15s %19s  %s\n", variant.c_str(), size.c_str(),
              formatSeconds(timing.first).c_str(), time.c_str(), rate.c_str(), error.c_str(), verdict);
  if (!comparison.ok())
    std::printf("    %zu of %zu elements are wrong: %s\n", comparison.wrong, comparison.checked,
                comparison.checked ? comparison.firstWrong.c_str() : "nothing was compared");
  std::fflush(stdout);
  allRight_ = allRight_ && comparison.ok();
  if (recordFile_.empty())
    return;
  std::ofstream record(recordFile_, std::ios::app);
  record << device_->info().name << '\t' << name_ << '\t' << variant << '\t' << size << '\t' << time << '\t' << rate
         << '\t' << error << '\t' << verdict << '\n';
  if (!record.flush())
    throw BadUse("cannot write the record file '" + recordFile_ + "'");
}

void Lesson::note(const std::string &text) {
  std::printf("  %s\n", text.c_str());
  std::fflush(stdout);
}

std::string formatSeconds(double seconds) {
  if (seconds < 1e-3)
    return threeDigits(seconds * 1e6) + " us";
  if (seconds < 1)
    return threeDigits(seconds * 1e3) + " ms";
  return threeDigits(seconds) + " s";
}

std::string formatRate(double seconds, const Work &work) {
  return threeDigits(work.count / work.perUnit / std::max(seconds, 1e-9)) + " " + work.unit;
}

std::string kernelPath(const std::string &lesson, const std::string &file) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  fs::path executable = fs::read_symlink("/proc/self/exe", ignored);
  for (const char *folder : {"../../samples", SAMPLES_RELATIVE_DIR}) { // in a package; in a build folder
    fs::path beside = executable.parent_path() / folder / lesson / file;
    if (!ignored && fs::exists(beside, ignored))
      return fs::weakly_canonical(beside, ignored).string();
  }
  return (fs::path(SAMPLES_SOURCE_DIR) / lesson / file).string();
}

} // namespace samples
