// Translates `@triton.heuristics` to the host expression language (core/runtime/HostExpression.h), which a launch
// evaluates:
//
//   {"EVEN_K": lambda args: args["K"] % args["BLOCK_K"] == 0}      becomes      EVEN_K: K % BLOCK_K == 0
//
// The lambda may also be a plain function. Then a variable is replaced by its value where it is used, and an `if`
// becomes a conditional expression.
#pragma once

#include "frontend/language/host/HostEvaluator.h"

namespace tegula::lang {

/// Adds the heuristics of a decorator to `info`; `time` is when Python evaluates it. What cannot be translated becomes
/// the problem of its heuristic.
void readHeuristics(const ModuleNames &names, unsigned time, const CallExpr &call, KernelInfo &info);

} // namespace tegula::lang
