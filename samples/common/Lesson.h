// The part common to all lessons: the command line, the device, timing, checking and the line that reports a result. No
// kernels here. A lesson is
//
//   int main(int argc, char **argv) {
//     int64_t size = 1 << 22;
//     samples::Lesson lesson("01_vector_add", "what it shows");
//     lesson.option("--size", size, "elements of each vector");
//     return lesson.run(argc, argv, [&] { ... lesson.time(...); lesson.report(...); });
//   }
#pragma once

#include "Compare.h"
#include "tegula/tegula.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace samples {

/// An invalid option value that only the lesson can detect; `run` prints the text and returns 2.
class BadUse : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Times of launches, in seconds.
struct Timing {
  double first = 0;  // wall clock of the first launch, including the compilation
  double median = 0; // device time of the other launches
};

/// The least bytes that a launch must move, or operations that it must compute; reported as GB/s or GFLOP/s.
struct Work {
  static Work bytes(double count) { return {count, "GB/s", 1e9}; }
  static Work flops(double count) { return {count, "GFLOP/s", 1e9}; }
  double count;
  const char *unit;
  double perUnit;
};

class Lesson {
public:
  Lesson(std::string name, std::string summary);
  ~Lesson();

  void option(const std::string &flags, int64_t &value, const std::string &help, int64_t least = 1,
              int64_t most = std::numeric_limits<int32_t>::max());
  void option(const std::string &flags, std::string &value, const std::string &help,
              const std::vector<std::string> &choices = {});
  void flag(const std::string &flags, bool &value, const std::string &help);

  /// Reads the command line, opens the device and calls `body`. Returns the exit status: 0: all results were right; 1:
  /// one was wrong or a kernel failed; 2: invalid use.
  int run(int argc, char **argv, const std::function<void()> &body);

  // The functions below are for `body`.
  const tegula::Device &device() const { return *device_; }
  tegula::Stream &stream() { return *stream_; }
  /// A kernel in the lesson's folder.
  tegula::Kernel kernel(const std::string &file, const std::string &name) const;
  /// Launch options with these constants, and the checked mode if the command line asks for it.
  tegula::LaunchOptions with(std::map<std::string, tegula::Constant> constants,
                             std::optional<int> numWarps = std::nullopt) const;

  /// Calls `launch` once to compile, then --repeat times; returns the first time and the median of the others.
  Timing time(const std::function<void()> &launch);
  /// Prints one line: variant, size, time, rate, error and what is allowed there, ok or WRONG; for a wrong result a
  /// second line with the first wrong element.
  void report(const std::string &variant, const std::string &size, const Timing &timing, const Work &work,
              const Comparison &comparison);
  /// A remark between the lines.
  void note(const std::string &text);

private:
  struct CommandLine;
  int parse(int argc, char **argv);
  void open();

  std::string name_, deviceName_, recordFile_;
  int64_t repeat_ = 5;
  bool checked_ = false, headerPrinted_ = false, allRight_ = true;
  std::unique_ptr<CommandLine> commandLine_;
  std::optional<tegula::Device> device_;
  std::optional<tegula::Stream> stream_;
};

/// "4.12 ms"; three digits, in the fitting unit.
std::string formatSeconds(double seconds);
/// "12.3 GB/s"; three digits.
std::string formatRate(double seconds, const Work &work);
/// The path of a lesson's kernel file: in the samples folder of the executable's package or build folder, if it is
/// there, else in the source tree.
std::string kernelPath(const std::string &lesson, const std::string &file);

} // namespace samples
