// `@triton.heuristics({"EVEN_K": lambda args: args["K"] % args["BLOCK_K"] == 0})` as text of the host expression
// language (core/runtime/HostExpression.h), in which `args["X"]` is the name X. A plain function in place of the lambda
// is translated too: its assignments are put in at their uses, and its ifs become conditional expressions.
#pragma once

#include "frontend/language/names/HostEvaluator.h"

namespace tegula::lang {

/// Adds the heuristics of a decorator to `info`; `time` is when Python evaluates it. What cannot be translated becomes
/// the problem of its heuristic.
void readHeuristics(const ModuleNames &names, unsigned time, const CallExpr &call, KernelInfo &info);

} // namespace tegula::lang
