// Reads and writes whole files.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tegula {

/// The most bytes that are read from a pipe or device, because these may never end.
inline constexpr uint64_t kMostStreamed = uint64_t(1) << 28;
/// The most bytes of a text file.
inline constexpr uint64_t kMostText = uint64_t(1) << 26;

/// Reads a file that a user names. Throws tegula::Error that names the file and the reason: it is missing, a directory,
/// unreadable or larger than `maxBytes`; or it is no regular file and has more than kMostStreamed bytes.
std::vector<uint8_t> readFile(const std::string &path, uint64_t maxBytes = uint64_t(1) << 40);
/// Reads a text file of at most kMostText bytes; throws like readFile.
std::string readTextFile(const std::string &path);
/// Reads a file that a program names. Never blocks: also throws tegula::Error if it is no regular file.
std::string readRegularText(const std::string &path, uint64_t maxBytes);

/// Writes a file. Throws tegula::Error that names the file and the reason. A file that could not be written completely
/// is removed.
void writeFile(const std::string &path, std::span<const uint8_t> bytes);
void writeFile(const std::string &path, std::string_view text);

} // namespace tegula
