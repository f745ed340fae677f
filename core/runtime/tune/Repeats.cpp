#include "core/runtime/tune/Repeats.h"
#include "core/support/Suggest.h"

#include <algorithm>

namespace tegula {

std::string warningOfRepeats(const Kernel::Impl &kernel, const Artifact &artifact,
                             const std::vector<std::string> &restored) {
  std::vector<std::string> names;
  for (const ArtifactParam &param : artifact.params)
    if (param.access == ArtifactParam::Access::Accumulates && !param.workspace && !param.tensor &&
        std::ranges::find(restored, param.name) == restored.end())
      names.push_back(param.name);
  if (names.empty())
    return {};
  return "kernel '" + kernel.prototype.info.name + "' adds to the memory of " + listed(names) +
         " by atomics, and is measured by repeated launches, each of which adds again: name it in reset_to_zero or "
         "restore_value of @triton.autotune, or measure on copies";
}

std::string warningOfRepeats(const Kernel::Impl &kernel, const std::vector<std::string> &restored) {
  auto first = [](const auto &list) { return list.load(std::memory_order_acquire); };
  std::string warning;
  for (const Specialization *types = first(kernel.specializations); types; types = types->next)
    for (const Configured *configured = first(types->configured); configured; configured = configured->next)
      for (const Variant *variant = first(configured->variants); variant && warning.empty(); variant = variant->next)
        warning = warningOfRepeats(kernel, variant->compiled.artifact, restored);
  return warning;
}

} // namespace tegula
