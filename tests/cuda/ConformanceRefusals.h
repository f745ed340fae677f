// Cases of the conformance suite that a target refuses, each with the reason. A listed case must be refused, with a
// located message; one that compiles fails the test, so that the list cannot grow stale.
#pragma once

#include "tests/conformance/Skips.h"

namespace tegula::test {

struct ConformanceRefusal {
  const char *targets, *cases; // patterns as conformance::matches takes them
  const char *message;         // what the refusal must say
  const char *reason;
};

inline constexpr const char *kPrints = "prints and assertions are not lowered for this target yet";
inline constexpr const char *kFunctions = "the function has no hardware, and is not expanded for this target yet";

inline constexpr ConformanceRefusal kConformanceRefusals[] = {
    {"*", "debug/print*", "'tile.print' op has no lowering", kPrints},
    {"*", "debug/assert*", "'simt.assert': target", kPrints},
    {"*", "functions/sin/*", "has no code for this op", kFunctions},
    {"*", "functions/cos/*", "has no code for this op", kFunctions},
    {"*", "functions/erf/*", "has no code for this op", kFunctions},
    {"*", "functions/gelu/*", "has no code for this op", kFunctions},
    {"*", "random/normal/*", "has no code for this op", kFunctions},
    {"*", "functions/exp/f64*", "has no code for this op", kFunctions},
    {"*", "functions/exp2/f64*", "has no code for this op", kFunctions},
    {"*", "functions/log/f64*", "has no code for this op", kFunctions},
    {"*", "functions/log2/f64*", "has no code for this op", kFunctions},
    {"*", "functions/rsqrt/f64*", "has no code for this op", kFunctions},
    {"*", "functions/sigmoid/f64*", "has no code for this op", kFunctions},
    {"*", "functions/silu/f64*", "has no code for this op", kFunctions},
    {"*", "functions/logsumexp_pair/f64*", "has no code for this op", kFunctions},
};

inline const ConformanceRefusal *findRefusal(const std::string &target, const std::string &name) {
  for (const ConformanceRefusal &refusal : kConformanceRefusals)
    if (conformance::matches(refusal.targets, target) && conformance::matches(refusal.cases, name))
      return &refusal;
  return nullptr;
}

} // namespace tegula::test
