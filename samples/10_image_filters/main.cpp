// Lesson 10: pictures. Reads a PNG, blurs it, finds its edges, and writes both results as PNG.
//
//   $ build/cpu/bin/samples/10_image_filters
//   10_image_filters on cpu (AMD EPYC, 2 cores, AVX2, FMA, AVX-512)
//     wrote ./10_image_filters-input.png
//     variant                      size                        first       time            rate max error / allowed
//     blur, radius 4               637x427                   25.1 ms    18.7 ms      0.436 GB/s   5.0e-01 / 5.0e-01  ok
//     edges                        637x427                   10.3 ms    6.06 ms       0.18 GB/s   5.0e-01 / 5.0e-01  ok
//     wrote ./10_image_filters-blur.png
//     wrote ./10_image_filters-edges.png

#include "HostArray.h"
#include "Lesson.h"
#include "Picture.h"
#include "Reference.h"

#include <filesystem>

namespace {

struct Options {
  std::string in, out = ".";
  int64_t width = 637, height = 427, radius = 4;
};

tegula::Buffer uploadBytes(samples::Lesson &lesson, const samples::Picture &picture) {
  tegula::Buffer buffer(lesson.device(), tegula::DType::U8, {static_cast<int64_t>(picture.bytes.size())});
  lesson.stream().write(buffer, picture.bytes.data());
  lesson.stream().synchronize();
  return buffer;
}

samples::Picture downloadBytes(samples::Lesson &lesson, const tegula::Buffer &buffer, int64_t width, int64_t height,
                               int64_t channels) {
  samples::Picture picture(width, height, channels);
  lesson.stream().read(buffer, picture.bytes.data());
  lesson.stream().synchronize();
  return picture;
}

// Writes the picture and reads it back; a grey picture is read as three equal channels.
void save(samples::Lesson &lesson, const std::string &path, const samples::Picture &picture) {
  samples::writePng(path, picture);
  samples::Picture again = samples::readPng(path);
  for (size_t i = 0; i < again.bytes.size(); ++i)
    if (again.bytes[i] != picture.bytes[picture.channels == 1 ? i / 3 : i])
      throw std::runtime_error("the picture in '" + path + "' differs from the one written");
  lesson.note("wrote " + path);
}

class Filters {
public:
  Filters(samples::Lesson &lesson, const samples::Picture &picture)
      : lesson_(lesson), picture_(picture), width_(picture.width), height_(picture.height),
        size_(std::to_string(width_) + "x" + std::to_string(height_)) {}

  samples::Picture blur(int64_t radius) {
    tegula::Stream &stream = lesson_.stream();
    std::vector<float> weights = gaussianWeights(radius);
    tegula::Buffer image = uploadBytes(lesson_, picture_);
    tegula::Buffer half(lesson_.device(), tegula::DType::F32, {width_ * height_ * 3});
    tegula::Buffer result(lesson_.device(), tegula::DType::U8, {width_ * height_ * 3});
    tegula::Buffer taps = samples::upload(stream, tegula::DType::F32, {2 * radius + 1}, weights);
    tegula::Kernel across = lesson_.kernel("image_filters.py", "blur_across");
    tegula::Kernel down = lesson_.kernel("image_filters.py", "blur_down");
    tegula::LaunchOptions options =
        lesson_.with({{"RADIUS", radius}, {"CHANNELS", 3}, {"BLOCK_X", kBlockX}, {"BLOCK_Y", kBlockY}});
    tegula::Grid grid(tegula::cdiv(width_, kBlockX), tegula::cdiv(height_, kBlockY), 3);
    samples::Timing timing = lesson_.time([&] {
      across.launch(stream, grid, {image, half, taps, width_, height_}, options);
      down.launch(stream, grid, {half, result, taps, width_, height_}, options);
    });
    samples::Picture blurred = downloadBytes(lesson_, result, width_, height_, 3);
    // Bytes for each channel and pass pair: 1 read and 4 written in the first pass, 4 read and 1 written in the second.
    report("blur, radius " + std::to_string(radius), timing, 10.0 * 3, blurred, referenceBlur(picture_, weights));
    return blurred;
  }

  // Takes the blurred picture: without the blur every grain of noise would be an edge.
  samples::Picture edges(const samples::Picture &blurred) {
    tegula::Stream &stream = lesson_.stream();
    tegula::Buffer image = uploadBytes(lesson_, blurred);
    tegula::Buffer result(lesson_.device(), tegula::DType::U8, {width_ * height_});
    tegula::Kernel edges = lesson_.kernel("image_filters.py", "edges");
    tegula::LaunchOptions options = lesson_.with({{"CHANNELS", 3}, {"BLOCK_X", kBlockX}, {"BLOCK_Y", kBlockY}});
    samples::Timing timing = lesson_.time([&] {
      edges.launch(stream, {tegula::cdiv(width_, kBlockX), tegula::cdiv(height_, kBlockY)},
                   {image, result, width_, height_}, options);
    });
    samples::Picture found = downloadBytes(lesson_, result, width_, height_, 1);
    report("edges", timing, 4, found, referenceEdges(blurred));
    return found;
  }

private:
  static constexpr int64_t kBlockX = 64, kBlockY = 16;

  // A grey level half way between two integers may be rounded either way: an error of one level is allowed.
  void report(const std::string &variant, const samples::Timing &timing, double bytesPerPixel,
              const samples::Picture &actual, const std::vector<double> &expected) {
    samples::Comparison comparison = samples::compare(
        expected.size(), [&](size_t i) { return actual.bytes[i]; }, [&](size_t i) { return expected[i]; }, {0.501, 0});
    lesson_.report(variant, size_, timing, samples::Work::bytes(bytesPerPixel * double(width_ * height_)), comparison);
  }

  samples::Lesson &lesson_;
  const samples::Picture &picture_;
  int64_t width_, height_;
  std::string size_;
};

void runLesson(samples::Lesson &lesson, const Options &options) {
  if (!std::filesystem::is_directory(options.out))
    throw samples::BadUse("--out must name a folder that exists; there is no folder '" + options.out + "'");
  std::string prefix = (std::filesystem::path(options.out) / "10_image_filters").string();
  samples::Picture picture =
      options.in.empty() ? samples::drawLandscape(options.width, options.height) : samples::readPng(options.in);
  if (options.in.empty()) {
    // Through a file, like a photograph.
    save(lesson, prefix + "-input.png", picture);
    picture = samples::readPng(prefix + "-input.png");
  }
  Filters filters(lesson, picture);
  samples::Picture blurred = filters.blur(options.radius);
  samples::Picture edges = filters.edges(blurred);
  save(lesson, prefix + "-blur.png", blurred);
  save(lesson, prefix + "-edges.png", edges);
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  samples::Lesson lesson("10_image_filters", "Separable Gaussian blur and Sobel edge detection of a PNG picture.");
  lesson.option("--in", options.in, "the picture, a PNG file; without it one is drawn");
  lesson.option("--out", options.out, "folder for 10_image_filters-{input,blur,edges}.png");
  lesson.option("--width", options.width, "of the drawn picture", 1, 16384);
  lesson.option("--height", options.height, "of the drawn picture", 1, 16384);
  lesson.option("--radius", options.radius, "of the blur, in pixels", 1, 64);
  return lesson.run(argc, argv, [&] { runLesson(lesson, options); });
}
