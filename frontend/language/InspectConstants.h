// Which unannotated parameters must be constants, from how they are used.
#pragma once

#include "frontend/language/Ast.h"

#include <map>
#include <set>
#include <string>

namespace tegula::lang {

/// Whether an annotation is `tl.constexpr`.
bool isConstexprAnnotation(const Expr *annotation);

/// Function name -> names of its parameters that are constants, annotated or by use. Computed for all functions
/// together, because a call hands constants on.
std::map<std::string, std::set<std::string>> constantParams(const Module &module);

} // namespace tegula::lang
