#include "Picture.h"
#include "HostArray.h"
#include "Lesson.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <png.h>

namespace samples {

namespace {

struct PngImage : png_image {
  PngImage() {
    std::memset(static_cast<png_image *>(this), 0, sizeof(png_image));
    version = PNG_IMAGE_VERSION;
  }
  PngImage(const PngImage &) = delete;
  PngImage &operator=(const PngImage &) = delete;
  ~PngImage() { png_image_free(this); }
};

} // namespace

Picture readPng(const std::string &path) {
  PngImage image;
  if (!png_image_begin_read_from_file(&image, path.c_str()))
    throw BadUse("cannot read the picture '" + path + "': " + image.message);
  // A header may claim any size; memory is limited, and kernels index pixels with 32 bits.
  if (static_cast<uint64_t>(image.width) * image.height > (uint64_t(1) << 29))
    throw BadUse("the picture '" + path + "' is " + std::to_string(image.width) + "x" + std::to_string(image.height) +
                 ", more than 2^29 pixels");
  image.format = PNG_FORMAT_RGB;
  Picture picture(image.width, image.height, 3);
  png_color black = {0, 0, 0};
  if (!png_image_finish_read(&image, &black, picture.bytes.data(), 0, nullptr))
    throw BadUse("cannot read the picture '" + path + "': " + image.message);
  return picture;
}

void writePng(const std::string &path, const Picture &picture) {
  PngImage image;
  image.width = static_cast<png_uint_32>(picture.width);
  image.height = static_cast<png_uint_32>(picture.height);
  image.format = picture.channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  if (!png_image_write_to_file(&image, path.c_str(), 0, picture.bytes.data(), 0, nullptr))
    throw BadUse("cannot write the picture '" + path + "': " + image.message);
}

Picture drawLandscape(int64_t width, int64_t height) {
  Picture picture(width, height, 3);
  std::vector<float> noise = uniform(static_cast<size_t>(width * height), 10, -6, 6);
  for (int64_t y = 0; y < height; ++y)
    for (int64_t x = 0; x < width; ++x) {
      float u = static_cast<float>(x) / static_cast<float>(width),
            v = static_cast<float>(y) / static_cast<float>(height);
      float color[3] = {90 + 130 * v, 150 + 70 * v, 235 - 20 * v}; // sky
      float aspect = static_cast<float>(width) / static_cast<float>(height);
      if (std::hypot((u - 0.75f) * aspect, v - 0.22f) < 0.1f)
        color[0] = 255, color[1] = 230, color[2] = 120; // sun
      if (v > 0.55f + 0.08f * std::sin(9 * u) + 0.03f * std::sin(31 * u))
        color[0] = 60, color[1] = 120 + 60 * (1 - v), color[2] = 70; // hills
      if (v > 0.8f) {                                                // field: chequers that grow towards the viewer
        float depth = 1 / (v - 0.7f);
        bool light = (static_cast<int>(std::floor((u - 0.5f) * 20 * (v - 0.6f) * depth)) +
                      static_cast<int>(std::floor(4 * depth))) &
                     1;
        for (float &part : color)
          part = light ? 200 : 90;
      }
      for (int64_t channel = 0; channel < 3; ++channel)
        picture.at(x, y, channel) =
            static_cast<uint8_t>(std::clamp(color[channel] + noise[static_cast<size_t>(y * width + x)], 0.0f, 255.0f));
    }
  return picture;
}

} // namespace samples
