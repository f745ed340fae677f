// Pictures as PNG: `rsvg-convert` (Debian: librsvg2-bin) renders what the commands draw as SVG.
#pragma once

#include <string>

namespace tegula::cli {

/// Throws tegula::Error if the program is not installed: before something is measured for `file`.
void checkPng(const std::string &file);
/// Throws tegula::Error: the program is not installed, or it fails.
void writePng(const std::string &file, const std::string &svg);

} // namespace tegula::cli
