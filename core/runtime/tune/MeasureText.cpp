// Writes measurements as text.
#include "core/contracts/KernelOptions.h"
#include "core/runtime/ConstantText.h"
#include "core/runtime/tune/Measure.h"

#include <algorithm>
#include <cstdio>
#include <numeric>

namespace tegula {

std::string Measurement::describe(size_t candidate) const {
  const Configuration &configuration = candidates[candidate].configured->configuration;
  std::string text;
  std::string cap = "None";
  for (const auto &[name, value] : configuration.constants)
    if (name == kMaxRegisters)
      cap = tegula::describe(value);
    else
      text += name + ": " + tegula::describe(value) + ", ";
  return text + "num_warps: " + std::to_string(configuration.numWarps) +
         ", num_ctas: 1, num_stages: " + std::to_string(configuration.numStages) + ", maxnreg: " + cap;
}

std::string Measurement::report() const {
  std::vector<size_t> order(candidates.size());
  std::iota(order.begin(), order.end(), size_t(0));
  std::ranges::stable_sort(order, {}, [&](size_t i) {
    const tuning::Timed &timed = candidates[i].timed;
    return std::pair(!timed.dropped.empty(), timed.seconds());
  });
  std::string text;
  for (size_t i : order) {
    const tuning::Timed &timed = candidates[i].timed;
    char time[64] = "        not timed";
    if (!timed.samples.empty())
      std::snprintf(time, sizeof time, "%10.4f ms +-%3.0f%%", timed.seconds() * 1e3, timed.spread() * 50);
    text += std::string("  ") + time + "  " + describe(i) + (timed.dropped.empty() ? "" : "  (" + timed.dropped + ")") +
            "\n";
  }
  return text;
}

} // namespace tegula
