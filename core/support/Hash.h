// 128-bit checksums (XXH3, Yann Collet's xxHash 0.8), which detect damage and name cache entries. They do not protect
// against forgery.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tegula {

/// Canonical (big-endian) bytes, equal on all machines.
using Hash128 = std::array<uint8_t, 16>;

Hash128 hash128(std::span<const uint8_t> bytes);
Hash128 hash128(std::string_view text);

/// The hash as 32 lower-case hexadecimal digits.
std::string toHex(const Hash128 &hash);

} // namespace tegula
