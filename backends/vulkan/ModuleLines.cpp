#include "backends/vulkan/ModuleLines.h"
#include "core/support/Diagnostic.h"

#include <spirv/unified1/spirv.hpp11>

#include <algorithm>

namespace tegula::vulkan {

std::vector<uint32_t> withoutLines(std::span<const uint32_t> words) {
  constexpr size_t kHeaderWords = 5;
  std::vector<uint32_t> result(words.begin(), words.begin() + ptrdiff_t(std::min(words.size(), kHeaderWords)));
  for (size_t at = kHeaderWords; at < words.size();) {
    size_t count = words[at] >> spv::WordCountShift;
    if (!count || count > words.size() - at)
      throw Error("damaged kernel for Vulkan: an instruction of its module ends outside of it");
    auto op = spv::Op(words[at] & spv::OpCodeMask);
    if (op != spv::Op::OpLine && op != spv::Op::OpNoLine && op != spv::Op::OpString)
      result.insert(result.end(), words.begin() + ptrdiff_t(at), words.begin() + ptrdiff_t(at + count));
    at += count;
  }
  return result;
}

} // namespace tegula::vulkan
