// Whole files in and out.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tegula {

/// Throws tegula::Error that names the file and the reason: missing, a directory, unreadable, above `maxBytes`.
std::vector<uint8_t> readFile(const std::string &path, uint64_t maxBytes = uint64_t(1) << 40);
std::string readTextFile(const std::string &path);

/// Throws tegula::Error that names the file and the reason. A file that could not be written in full is removed.
void writeFile(const std::string &path, std::span<const uint8_t> bytes);
void writeFile(const std::string &path, std::string_view text);

} // namespace tegula
