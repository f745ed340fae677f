#include "core/support/Hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>

namespace tegula {

Hash128 hash128(std::span<const uint8_t> bytes) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
  Hash128 hash;
  std::memcpy(hash.data(), canonical.digest, hash.size());
  return hash;
}

Hash128 hash128(std::string_view text) {
  return hash128(std::span(reinterpret_cast<const uint8_t *>(text.data()), text.size()));
}

std::string toHex(const Hash128 &hash) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (uint8_t byte : hash) {
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

} // namespace tegula
