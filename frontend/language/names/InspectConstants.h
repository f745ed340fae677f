// Finds unannotated parameters that must be constants, by their uses.
#pragma once

#include "frontend/language/names/ModuleNames.h"

#include <map>
#include <set>
#include <string>

namespace tegula::lang {

/// The names of each function's constant parameters, annotated or found by their uses. Computed for all functions
/// together, because calls propagate constants.
std::map<const FunctionStmt *, std::set<std::string>> constantParams(const ModuleNames &names);

} // namespace tegula::lang
