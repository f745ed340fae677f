// What every lesson shares: the command line, the device, timing, checking and the line that reports a result.
// Nothing here knows a kernel. A lesson is
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

/// Wrong options that only the lesson itself can see; `run` prints the text and returns 2.
class BadUse : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Seconds that a launch took.
struct Timing {
  double first = 0;  // wall clock of the first launch, with the compilation
  double median = 0; // device time of the others
};

/// What a launch must move or compute at least, whichever limits it: the line shows GB/s or TFLOP/s.
struct Work {
  static Work bytes(double count) { return {count, "GB/s", 1e9}; }
  static Work flops(double count) { return {count, "TFLOP/s", 1e12}; }
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

  /// Reads the command line, opens the device and calls `body`. Returns the exit status: 0, all results were right;
  /// 1, one was wrong or a kernel failed; 2, bad use.
  int run(int argc, char **argv, const std::function<void()> &body);

  // The rest is for `body`.
  const tegula::Device &device() const { return *device_; }
  tegula::Stream &stream() { return *stream_; }
  /// A kernel of the lesson's own folder.
  tegula::Kernel kernel(const std::string &file, const std::string &name) const;
  /// Constants and the like, with the checked mode that the command line chose.
  tegula::LaunchOptions with(std::map<std::string, tegula::Constant> constants,
                             std::optional<int> numWarps = std::nullopt) const;

  /// Calls `launch` once to compile, then --repeat times, and takes the median.
  Timing time(const std::function<void()> &launch);
  /// Prints one line: variant, size, time, rate, error, ok or WRONG; where wrong, a second line says what and where.
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

/// "4.12 ms"; three digits, in the unit that suits.
std::string formatSeconds(double seconds);
/// "12.3 GB/s"; three digits.
std::string formatRate(double seconds, const Work &work);
/// The kernel file of a lesson: beside the executable where the whole tree was moved, else in the source tree.
std::string kernelPath(const std::string &lesson, const std::string &file);

} // namespace samples
