// 128-bit checksums (XXH3, Yann Collet's xxHash 0.8), to detect damage and to name cache entries; not safe against
// forgery.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tegula {

/// Canonical (big-endian) bytes, the same on every machine.
using Hash128 = std::array<uint8_t, 16>;

Hash128 hash128(std::span<const uint8_t> bytes);
Hash128 hash128(std::string_view text);

/// 32 lower-case hexadecimal digits.
std::string toHex(const Hash128 &hash);

} // namespace tegula
