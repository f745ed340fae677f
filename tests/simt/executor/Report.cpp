#include "Report.h"

namespace tegula::simt_test {

const char *name(ReportKind kind) {
  switch (kind) {
  case ReportKind::Race: return "race";
  case ReportKind::MissingWait: return "missing-wait";
  case ReportKind::MissingFence: return "missing-fence";
  case ReportKind::Uninitialized: return "uninitialized";
  case ReportKind::Divergent: return "divergent";
  case ReportKind::Deadlock: return "deadlock";
  case ReportKind::OutOfBounds: return "out-of-bounds";
  case ReportKind::Misaligned: return "misaligned";
  case ReportKind::WrongUniform: return "wrong-uniform";
  case ReportKind::BarrierMisuse: return "barrier-misuse";
  case ReportKind::Assertion: return "assertion";
  case ReportKind::Undefined: return "undefined";
  }
  return "unknown";
}

std::string Report::text() const {
  std::string text = location + ": " + name(kind) + ": " + operation + ": " + message + " [thread " +
                     std::to_string(thread) + ", program " + std::to_string(program[0]) + ' ' +
                     std::to_string(program[1]) + ' ' + std::to_string(program[2]) + ']';
  if (times > 1)
    text += " (" + std::to_string(times) + " times)";
  if (!otherLocation.empty())
    text += "\n  " + otherLocation + ": this is the other place";
  return text;
}

} // namespace tegula::simt_test
