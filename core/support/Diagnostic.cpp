#include "core/support/Diagnostic.h"

namespace tegula {
namespace {

const char *label(Diagnostic::Severity severity) {
  switch (severity) {
  case Diagnostic::Severity::Error: return "error";
  case Diagnostic::Severity::Warning: return "warning";
  case Diagnostic::Severity::Note: return "note";
  }
  return "error";
}

void append(std::string &out, const Diagnostic &d) {
  if (!d.location.file.empty()) {
    out += d.location.file + ":";
    if (d.location.line)
      out += std::to_string(d.location.line) + ":" + std::to_string(d.location.column) + ":";
    out += " ";
  }
  out += label(d.severity);
  out += ": " + d.message + "\n";
  if (!d.sourceLine.empty() && d.location.line) {
    out += "    " + d.sourceLine + "\n    ";
    for (uint32_t i = 1; i < d.location.column && i <= d.sourceLine.size(); ++i)
      out += d.sourceLine[i - 1] == '\t' ? '\t' : ' ';
    out += "^\n";
  }
  for (const Diagnostic &note : d.notes)
    append(out, note);
}

Diagnostic plain(std::string message) {
  Diagnostic d;
  d.message = std::move(message);
  return d;
}

} // namespace

std::string format(const Diagnostic &diagnostic) {
  std::string out;
  append(out, diagnostic);
  return out;
}

Error::Error(std::string message) : Error(plain(std::move(message))) {}

Error::Error(std::string message, Shortage shortage)
    : Error([&] {
        Diagnostic diagnostic = plain(std::move(message));
        diagnostic.shortage = std::move(shortage);
        return diagnostic;
      }()) {}

Error::Error(Diagnostic diagnostic) : std::runtime_error(format(diagnostic)), diagnostic_(std::move(diagnostic)) {}

} // namespace tegula
