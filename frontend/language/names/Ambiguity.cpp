// The message for a name that has several definitions.
#include "frontend/language/names/ModuleNames.h"

namespace tegula::lang {
namespace {

/// "'if HAS_FAST' at line 7": the header of a block as it stands in the file.
std::string headerOf(const Module &module, const Stmt &block) {
  std::string text(module.source->line(block.loc.line).substr(block.loc.column - 1));
  text = text.substr(0, text.find(" #"));
  while (!text.empty() && (text.back() == ' ' || text.back() == ':'))
    text.pop_back();
  std::string line = " at line " + std::to_string(block.loc.line);
  return (text.empty() || text.size() > 60 ? "the condition" : "'" + text + "'") + line;
}

} // namespace

Diagnostic ModuleNames::ambiguity(std::string_view name, const Binding &binding, Loc use) const {
  auto place = [&](Loc loc, std::string message, Diagnostic::Severity severity) {
    Diagnostic d;
    d.severity = severity;
    d.location = {module_.source->path, loc.line, loc.column};
    d.message = std::move(message);
    d.sourceLine = std::string(module_.source->line(loc.line));
    return d;
  };
  std::string message =
      "'" + std::string(name) + "' has " + std::to_string(binding.candidates.size()) + " definitions, and " +
      headerOf(module_, *binding.fork) +
      " decides between them, which cannot be known without running the host code; " +
      (binding.fork->kind == StmtKind::If ? "write its condition as a constant (True or False)" : "keep one of them") +
      ", or give each a name of its own";
  Diagnostic d = place(use, std::move(message), Diagnostic::Severity::Error);
  for (size_t i = 0; i < binding.candidates.size(); ++i)
    d.notes.push_back(place(binding.candidates[i].loc(), i ? "another is here" : "one definition is here",
                            Diagnostic::Severity::Note));
  return d;
}

} // namespace tegula::lang
