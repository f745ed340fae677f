#include "backends/cuda/Versions.h"

#include <algorithm>

namespace tegula::cuda {
namespace {

constexpr CompiledVersion kVersions[] = {{75, 64 << 10},  {80, 163 << 10}, {86, 99 << 10},
                                         {87, 163 << 10}, {89, 99 << 10},  {90, 227 << 10}};

std::string nameOf(const char *prefix, uint32_t version) { return prefix + std::to_string(version); }

} // namespace

std::span<const CompiledVersion> compiledVersions() { return kVersions; }

std::string targetOf(uint32_t version, uint32_t sharedBytes) {
  if (version == 90)
    return "sm_90a";
  std::vector<std::string> variants = variantsOf(version, sharedBytes);
  bool isKnown = std::ranges::find(kVersions, version, &CompiledVersion::number) != std::end(kVersions);
  return isKnown || variants.empty() ? nameOf("sm_", version) : variants.back();
}

std::vector<std::string> variantsOf(uint32_t version, uint32_t sharedBytes) {
  std::vector<std::string> targets;
  for (const CompiledVersion &compiled : kVersions)
    if (compiled.number <= version && compiled.sharedBytes <= sharedBytes)
      targets.push_back(nameOf("compute_", compiled.number));
  return targets;
}

} // namespace tegula::cuda
