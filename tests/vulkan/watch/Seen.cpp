#include "tests/vulkan/watch/Seen.h"
#include "backends/vulkan/Binary.h"
#include "backends/vulkan/spirv/Newer.h"

#include <algorithm>
#include <spirv-tools/libspirv.hpp>
#include <utility>

namespace tegula::vulkan::test {
namespace {

namespace newer = spirv::newer;

/// Debian 12's spirv-val stops at these capabilities. A newer validation layer contains a newer validator.
bool isTooNew(std::span<const uint32_t> words) {
  static constexpr std::array kUnknown = {newer::CooperativeMatrixKHR, newer::BFloat16TypeKHR, newer::Float8EXT};
  std::vector<uint32_t> used = capabilitiesOf(words);
  return std::any_of(kUnknown.begin(), kUnknown.end(), [&](spv::Capability capability) {
    return std::find(used.begin(), used.end(), static_cast<uint32_t>(capability)) != used.end();
  });
}

bool hasLines(std::span<const uint32_t> words) {
  constexpr size_t kHeaderWords = 5;
  for (size_t at = kHeaderWords; at < words.size() && words[at] >> spv::WordCountShift;
       at += words[at] >> spv::WordCountShift)
    if (spv::Op(words[at] & spv::OpCodeMask) == spv::Op::OpLine)
      return true;
  return false;
}

} // namespace

Seen &Seen::get() {
  static auto *seen = new Seen; // never destroyed: drivers call until the process ends
  return *seen;
}

Findings Seen::takeFindings() {
  std::lock_guard lock(mutex_);
  return std::exchange(findings_, {});
}

CacheTraffic Seen::takeCacheTraffic() {
  std::lock_guard lock(mutex_);
  return std::exchange(traffic_, {});
}

void Seen::addMessage(std::string text) {
  std::lock_guard lock(mutex_);
  findings_.messages.push_back(std::move(text));
}

void Seen::addCache(bool isFilled) {
  std::lock_guard lock(mutex_);
  ++traffic_.made;
  traffic_.filled += isFilled;
}

void Seen::addModule(std::span<const uint32_t> words) {
  if (isTooNew(words)) {
    std::lock_guard lock(mutex_);
    ++findings_.tooNew;
    return;
  }
  std::string said;
  spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_2);
  tools.SetMessageConsumer([&](spv_message_level_t, const char *, const spv_position_t &at, const char *text) {
    said += (said.empty() ? "" : "; ") + std::string(text) + " (word " + std::to_string(at.index) + ")";
  });
  bool isValid = tools.Validate(words.data(), words.size());
  std::lock_guard lock(mutex_);
  ++findings_.modules;
  findings_.withLines += hasLines(words);
  if (!isValid)
    findings_.refusals.push_back(said);
}

} // namespace tegula::vulkan::test
