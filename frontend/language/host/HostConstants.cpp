#include "frontend/language/host/HostConstants.h"

#include "frontend/language/emit/Emitter.h"
#include "frontend/language/host/HostEvaluator.h"

#include <algorithm>

namespace tegula::lang {
namespace {

constexpr std::string_view kLanguage = "triton.language";

bool startsPath(std::string_view path, std::string_view module) {
  return path == module || (path.starts_with(module) && path[module.size()] == '.');
}

std::string_view topOf(std::string_view path) { return path.substr(0, path.find('.')); }

template <size_t N> bool isOneOf(std::string_view name, const std::string_view (&list)[N]) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

/// Whether a path of modules below triton.language exists in this implementation.
bool languageModuleExists(std::string_view path) {
  Namespace current{std::string(kLanguage)};
  for (size_t dot = kLanguage.size(); dot < path.size();) {
    size_t end = std::min(path.find('.', dot + 1), path.size());
    std::optional<Value> member = memberOf(current, std::string(path.substr(dot + 1, end - dot - 1)));
    auto *inner = member ? member->as<Namespace>() : nullptr;
    if (!inner)
      return false;
    current = *inner;
    dot = end;
  }
  return true;
}

} // namespace

std::optional<bool> HostConstants::memberExists(std::string_view path, const std::string &name) {
  constexpr std::string_view kOfTriton[] = {"language", "cdiv",       "next_power_of_2", "jit",
                                            "autotune", "Config",     "testing",         "runtime",
                                            "compiler", "heuristics", "__version__"};
  if (startsPath(path, kLanguage))
    return languageModuleExists(path) && memberOf(Namespace{std::string(path)}, name);
  if (path == "triton" && isOneOf(name, kOfTriton))
    return true;
  return std::nullopt;
}

std::string importedPath(const ImportStmt::Item &item) {
  if (!item.name.empty())
    return item.module + "." + item.name;
  return item.alias == topOf(item.module) ? item.alias : item.module;
}

std::optional<bool> importSucceeds(const ImportStmt::Item &item) {
  constexpr std::string_view kPython[] = {
      "abc",     "ast",       "collections", "contextlib", "copy", "dataclasses", "enum",   "functools", "importlib",
      "inspect", "itertools", "json",        "logging",    "math", "operator",    "os",     "pathlib",   "random",
      "re",      "string",    "sys",         "textwrap",   "time", "types",       "typing", "warnings",  "__future__"};
  std::string_view module = item.module;
  if (isOneOf(topOf(module), kPython))
    return true;
  bool isModule = item.name.empty() || item.name == "*";
  if (startsPath(module, kLanguage))
    return isModule ? languageModuleExists(module) : HostConstants::memberExists(module, item.name);
  if (module == "triton")
    return isModule ? true : HostConstants::memberExists(module, item.name);
  return std::nullopt;
}

void HostConstants::fail(Loc loc, const std::string &message) const {
  Diagnostic d;
  const SourceFile &source = *names_.module().source;
  d.location = {source.path, loc.line, loc.column};
  d.message = message;
  d.sourceLine = std::string(source.line(loc.line));
  throw Error(d);
}

std::optional<std::string> HostConstants::modulePath(const Expr &expr) const {
  if (auto *attribute = as<AttributeExpr>(&expr)) {
    auto base = modulePath(*attribute->base);
    return base ? std::optional(*base + "." + attribute->name) : std::nullopt;
  }
  auto *name = as<NameExpr>(&expr);
  auto *binding = name ? names_.find(name->id, time_) : nullptr;
  if (!binding || !binding->isCertain() || !binding->candidates[0].import)
    return std::nullopt;
  return importedPath(*binding->candidates[0].import);
}

std::optional<bool> HostConstants::pathExists(const Expr &expr) const {
  auto *attribute = as<AttributeExpr>(&expr);
  auto base = attribute ? modulePath(*attribute->base) : std::nullopt;
  return base ? memberExists(*base, attribute->name) : std::nullopt;
}

const Expr *HostConstants::assignedValue(const std::string &name) const {
  auto *binding = names_.find(name, time_);
  if (!binding || !binding->isCertain())
    return nullptr;
  const Stmt *statement = binding->candidates[0].statement;
  if (auto *annotated = as<AnnAssignStmt>(statement))
    return annotated->value.get();
  auto *assignment = as<AssignStmt>(statement);
  if (assignment)
    for (auto &target : assignment->targets)
      if (auto *n = as<NameExpr>(target); n && n->id == name)
        return assignment->value.get();
  return nullptr;
}

ConstantValue HostConstants::evaluate(const Expr &expr) const {
  auto constant = HostEvaluator(names_, time_).evaluate(expr).constant();
  if (!constant)
    fail(expr.loc, "expected a literal here; configurations and defaults that host code computes cannot be read");
  return *constant;
}

std::optional<bool> HostConstants::truth(const Expr &expr) const { return HostEvaluator(names_, time_).truth(expr); }

} // namespace tegula::lang
