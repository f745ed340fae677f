// Lesson 9: atomics. Many programs add to the same few numbers.
//
//   $ build/cpu/bin/samples/09_histogram
//   09_histogram on cpu (AMD EPYC, 2 cores, AVX2, FMA, AVX-512)
//     variant                      size                        first       time            rate max error / allowed
//     one atomic an element        5000000                   35.8 ms    68.7 ms     0.0728 GB/s           0.0 / 0.0  ok
//     counted in the program       5000000                   30.7 ms    29.1 ms      0.172 GB/s           0.0 / 0.0  ok

#include "HostArray.h"
#include "Lesson.h"

#include <algorithm>
#include <array>

namespace {

constexpr int64_t kBins = 256;

// Bytes around 100: some bins are crowded and some are empty, as in a photograph.
std::vector<uint8_t> makeData(size_t count) {
  std::vector<float> values = samples::normal(count, 14);
  std::vector<uint8_t> data(count);
  for (size_t i = 0; i < count; ++i)
    data[i] = static_cast<uint8_t>(std::clamp(100 + 25 * values[i], 0.0f, 255.0f));
  return data;
}

void runLesson(samples::Lesson &lesson, int64_t size) {
  std::vector<uint8_t> data = makeData(static_cast<size_t>(size));
  std::array<double, kBins> expected = {};
  for (uint8_t value : data)
    expected[value] += 1;

  tegula::Stream &stream = lesson.stream();
  tegula::Buffer values(lesson.device(), tegula::DType::U8, {size}), bins(lesson.device(), tegula::DType::I32, {kBins});
  stream.write(values, data.data());
  auto run = [&](const std::string &variant, const tegula::Kernel &kernel, const tegula::LaunchOptions &options,
                 int64_t block) {
    // Launches accumulate, so each one starts from empty bins.
    samples::Timing timing = lesson.time([&] {
      stream.fill(bins, 0);
      kernel.launch(stream, {tegula::cdiv(size, block)}, {values, bins, size}, options);
    });
    std::array<int32_t, kBins> actual;
    stream.read(bins, actual.data());
    stream.synchronize();
    samples::Comparison comparison =
        samples::compare(kBins, [&](size_t i) { return actual[i]; }, [&](size_t i) { return expected[i]; }, {});
    lesson.report(variant, std::to_string(size), timing, samples::Work::bytes(double(size)), comparison);
  };
  constexpr int64_t kBlock = 4096;
  run("one atomic an element", lesson.kernel("histogram.py", "histogram_direct"), lesson.with({{"BLOCK", kBlock}}),
      kBlock);
  run("counted in the program", lesson.kernel("histogram.py", "histogram_private"),
      lesson.with({{"BINS", kBins}, {"BLOCK", kBlock}}), kBlock);
}

} // namespace

int main(int argc, char **argv) {
  int64_t size = 5'000'000;
  samples::Lesson lesson("09_histogram",
                         "Counts bytes by value with atomic additions: one for each element, and few for each block.");
  lesson.option("--size", size, "bytes to count");
  return lesson.run(argc, argv, [&] { runLesson(lesson, size); });
}
