#include "core/support/Diagnostic.h"

#include <algorithm>

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

/// The most bytes of a source line that are shown; of a longer line, a part around the caret is shown.
constexpr size_t kMostShown = 160;

struct Quote {
  std::string text;
  size_t caret; // number of bytes before the caret
};

Quote quoteOf(const std::string &line, uint32_t column) {
  const size_t size = line.size(), caret = std::min<size_t>(column ? column - 1 : 0, size);
  if (size <= kMostShown)
    return {line, caret};
  const std::string cut = "...";
  auto continues = [&](size_t at) { return (static_cast<unsigned char>(line[at]) & 0xc0) == 0x80; }; // UTF-8
  size_t begin = caret > kMostShown / 2 ? std::min(caret - kMostShown / 2, size - kMostShown) : 0;
  size_t end = begin + kMostShown;
  for (begin += begin ? cut.size() : 0; begin < caret && continues(begin);)
    ++begin;
  for (end -= end < size ? cut.size() : 0; end < size && end > caret && continues(end);)
    --end;
  const std::string before = begin ? cut : "";
  return {before + line.substr(begin, end - begin) + (end < size ? cut : ""), before.size() + caret - begin};
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
    Quote quote = quoteOf(d.sourceLine, d.location.column);
    out += "    " + quote.text + "\n    ";
    for (size_t i = 0; i < quote.caret; ++i)
      out += quote.text[i] == '\t' ? '\t' : ' ';
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
