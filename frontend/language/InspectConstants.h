// Finds unannotated parameters that must be constants, by their uses.
#pragma once

#include "frontend/language/Ast.h"

#include <map>
#include <set>
#include <string>

namespace tegula::lang {

/// Whether an annotation is `tl.constexpr`.
bool isConstexprAnnotation(const Expr *annotation);

/// Function name -> names of its constant parameters, annotated or found by their uses. Computed for all functions
/// together, because calls propagate constants.
std::map<std::string, std::set<std::string>> constantParams(const Module &module);

} // namespace tegula::lang
