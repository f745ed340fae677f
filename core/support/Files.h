// Whole files in and out.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tegula {

/// Most bytes that are read from a pipe or device, which may never end.
inline constexpr uint64_t kMostStreamed = uint64_t(1) << 28;
/// Most bytes of a text file.
inline constexpr uint64_t kMostText = uint64_t(1) << 26;

/// For files that a user names. Throws tegula::Error that names the file and the reason: missing, a directory,
/// unreadable, above `maxBytes`, or no regular file and above kMostStreamed.
std::vector<uint8_t> readFile(const std::string &path, uint64_t maxBytes = uint64_t(1) << 40);
/// The same for at most kMostText bytes.
std::string readTextFile(const std::string &path);
/// For files that a program names. Never waits: throws tegula::Error for what is no regular file, too.
std::string readRegularText(const std::string &path, uint64_t maxBytes);

/// Throws tegula::Error that names the file and the reason. A file that could not be written in full is removed.
void writeFile(const std::string &path, std::span<const uint8_t> bytes);
void writeFile(const std::string &path, std::string_view text);

} // namespace tegula
