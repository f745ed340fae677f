#include "Sink.h"

#include "Flatten.h"

namespace tegula::simt_test {

Report Sink::make(ReportKind kind, mlir::Operation *op, mlir::Operation *other, uint32_t thread, Grid program,
                  std::string message) {
  Report report;
  report.kind = kind;
  report.message = std::move(message);
  report.operation = op->getName().getStringRef().str();
  report.location = locationText(op->getLoc());
  report.line = locationLine(op->getLoc());
  if (other) {
    report.otherLocation = locationText(other->getLoc());
    report.otherLine = locationLine(other->getLoc());
  }
  report.thread = thread;
  report.program = program;
  return report;
}

bool RunResult::has(ReportKind kind) const {
  for (const Report &report : reports)
    if (report.kind == kind)
      return true;
  return false;
}

std::string RunResult::text() const {
  std::string text;
  for (const Report &report : reports)
    text += report.text() + '\n';
  return text;
}

} // namespace tegula::simt_test
