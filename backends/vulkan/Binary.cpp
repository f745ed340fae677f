#include "backends/vulkan/Binary.h"
#include "core/support/ByteStream.h"

#include <algorithm>

namespace tegula::vulkan {
namespace {

constexpr std::string_view kMagic = "TGSPIRV2";
constexpr uint32_t kSpirvMagic = 0x07230203;
constexpr size_t kSpirvHeaderWords = 5;
constexpr uint32_t kOpCapability = 17;

} // namespace

std::vector<uint8_t> encode(const KernelBinary &binary) {
  ByteWriter out;
  out.putRaw(std::span(reinterpret_cast<const uint8_t *>(kMagic.data()), kMagic.size()));
  out.put(binary.passing);
  out.put(binary.subgroupSize);
  out.put(static_cast<uint32_t>(binary.words.size()));
  for (uint32_t word : binary.words)
    out.put(word);
  out.put(static_cast<uint32_t>(binary.needs.size()));
  for (const KernelBinary::Need &need : binary.needs) {
    out.put(need.capability);
    out.put(need.location.file);
    out.put(need.location.line);
    out.put(need.location.column);
  }
  return out.take();
}

KernelBinary decodeBinary(std::span<const uint8_t> bytes) {
  if (bytes.size() < kMagic.size() || !std::equal(kMagic.begin(), kMagic.end(), bytes.begin()))
    throw Error("not a kernel for Vulkan: it does not start with '" + std::string(kMagic) + "'");
  ByteReader in(bytes.subspan(kMagic.size()));
  KernelBinary binary;
  binary.passing = in.getEnum(KernelBinary::Passing::Buffer);
  binary.subgroupSize = in.get<uint32_t>();
  uint32_t count = in.getCount(4);
  binary.words.reserve(count);
  for (uint32_t i = 0; i < count; ++i)
    binary.words.push_back(in.get<uint32_t>());
  if (binary.words.size() < kSpirvHeaderWords || binary.words[0] != kSpirvMagic)
    throw Error("damaged kernel for Vulkan: it holds no SPIR-V module");
  for (uint32_t left = in.getCount(16); left > 0; --left) {
    KernelBinary::Need &need = binary.needs.emplace_back();
    need.capability = in.get<uint32_t>();
    need.location.file = in.getString();
    need.location.line = in.get<uint32_t>();
    need.location.column = in.get<uint32_t>();
  }
  return binary;
}

std::vector<uint32_t> capabilitiesOf(std::span<const uint32_t> words) {
  std::vector<uint32_t> capabilities;
  for (size_t at = kSpirvHeaderWords; at + 1 < words.size(); at += words[at] >> 16) {
    if ((words[at] & 0xffff) != kOpCapability || words[at] >> 16 != 2)
      break; // OpCapability instructions precede all others
    capabilities.push_back(words[at + 1]);
  }
  return capabilities;
}

} // namespace tegula::vulkan
