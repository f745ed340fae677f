// Pictures in memory and in PNG files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace samples {

/// Rows of pixels from the top, `channels` bytes a pixel: 3 are red, green and blue, 1 is grey.
struct Picture {
  Picture(int64_t width, int64_t height, int64_t channels)
      : width(width), height(height), channels(channels), bytes(static_cast<size_t>(width * height * channels)) {}
  uint8_t &at(int64_t x, int64_t y, int64_t channel) {
    return bytes[static_cast<size_t>((y * width + x) * channels + channel)];
  }
  uint8_t at(int64_t x, int64_t y, int64_t channel) const {
    return bytes[static_cast<size_t>((y * width + x) * channels + channel)];
  }
  int64_t width, height, channels;
  std::vector<uint8_t> bytes;
};

/// Reads any PNG as 8-bit red, green and blue; transparent pixels over black. Throws BadUse that names the file.
Picture readPng(const std::string &path);
/// Writes a picture of 1 or 3 channels. Throws BadUse that names the file.
void writePng(const std::string &path, const Picture &picture);

/// A landscape computed by arithmetic: a smooth sky, a sharp sun, hills, a chequered field and some noise; equal on
/// every machine.
Picture drawLandscape(int64_t width, int64_t height);

} // namespace samples
