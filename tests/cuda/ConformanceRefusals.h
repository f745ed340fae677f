// Cases of the conformance suite that a target refuses, each with the reason. A listed case must be refused, with a
// located message; one that compiles fails the test, so that the list cannot grow stale.
#pragma once

#include "tests/conformance/Skips.h"

#include <vector>

namespace tegula::test {

struct ConformanceRefusal {
  const char *targets, *cases; // patterns as conformance::matches takes them
  const char *message;         // what the refusal must say
  const char *reason;
};

/// None today.
inline const std::vector<ConformanceRefusal> kConformanceRefusals = {};

inline const ConformanceRefusal *findRefusal(const std::string &target, const std::string &name) {
  for (const ConformanceRefusal &refusal : kConformanceRefusals)
    if (conformance::matches(refusal.targets, target) && conformance::matches(refusal.cases, name))
      return &refusal;
  return nullptr;
}

} // namespace tegula::test
