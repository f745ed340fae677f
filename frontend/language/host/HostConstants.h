// Constants of host code that can be read without Python: what stands in decorators, defaults and conditions of the
// module level (HostEvaluator.h computes them), and what is known of imported modules.
#pragma once

#include "core/contracts/Compiler.h"
#include "frontend/language/names/ModuleNames.h"

namespace tegula::lang {

class HostConstants {
public:
  /// Names have the values that they have at `time`.
  explicit HostConstants(const ModuleNames &names, unsigned time = ModuleNames::kEnd) : names_(names), time_(time) {}

  /// Throws tegula::Error, located, where the value cannot be read.
  ConstantValue evaluate(const Expr &expr) const;
  /// Whether a condition holds; nothing where that cannot be read.
  std::optional<bool> truth(const Expr &expr) const;
  /// The expression that `name` was assigned; null where the name is no plain, certain assignment.
  const Expr *assignedValue(const std::string &name) const;
  /// "triton.language.math" for `tl.math`; nothing where the expression is no path that begins with an import.
  std::optional<std::string> modulePath(const Expr &expr) const;
  /// Whether evaluating `base.name...` of imported modules succeeds; nothing where that is not known.
  std::optional<bool> pathExists(const Expr &expr) const;

  [[noreturn]] void fail(Loc loc, const std::string &message) const;
  /// Whether module `path` has `name`; nothing where that is not known.
  static std::optional<bool> memberExists(std::string_view path, const std::string &name);

private:
  const ModuleNames &names_;
  unsigned time_;
};

/// The module that an import binds to its name: "triton.language" for `import triton.language as tl`; for `from m
/// import n` "m.n".
std::string importedPath(const ImportStmt::Item &item);
/// Whether the import succeeds here; nothing where that depends on what else is installed.
std::optional<bool> importSucceeds(const ImportStmt::Item &item);

} // namespace tegula::lang
