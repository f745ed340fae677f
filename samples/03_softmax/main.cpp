// Lesson 3: fusion. The same softmax as one kernel and as three, and the memory traffic of each.
//
//   $ build/cpu/bin/samples/03_softmax
//   03_softmax on cpu (AMD EPYC, 2 cores, AVX2, FMA, AVX-512)
//     variant                      size                        first       time            rate max error / allowed
//     fused                        1823x781                  7.46 ms    4.96 ms       2.30 GB/s   7.0e-09 / 4.6e-07  ok
//     three passes                 1823x781                  19.2 ms    8.69 ms       1.31 GB/s   7.0e-09 / 4.6e-07  ok
//     traffic: fused reads x and writes y, 11.4 MB; three passes read x, x, e, e and write e, y, 34.2 MB
//     three passes take 1.75 times as long

#include "HostArray.h"
#include "Lesson.h"

#include <algorithm>
#include <cmath>

namespace {

using samples::Work;

std::vector<double> reference(const std::vector<float> &x, int64_t rows, int64_t cols) {
  std::vector<double> result(x.size());
  for (int64_t row = 0; row < rows; ++row) {
    const float *in = x.data() + row * cols;
    double *out = result.data() + row * cols;
    double largest = *std::max_element(in, in + cols), total = 0;
    for (int64_t col = 0; col < cols; ++col)
      total += out[col] = std::exp(in[col] - largest);
    for (int64_t col = 0; col < cols; ++col)
      out[col] /= total;
  }
  return result;
}

void runLesson(samples::Lesson &lesson, int64_t rows, int64_t cols) {
  std::vector<float> x = samples::normal(static_cast<size_t>(rows * cols), 3);
  std::vector<double> expected = reference(x, rows, cols);
  tegula::Stream &stream = lesson.stream();
  tegula::Buffer xs = samples::upload(stream, tegula::DType::F32, {rows, cols}, x);
  tegula::Buffer ys(lesson.device(), tegula::DType::F32, {rows, cols});
  stream.fill(ys, 0xff);
  std::string size = std::to_string(rows) + "x" + std::to_string(cols);
  double bytes = 4.0 * double(rows * cols);
  // Relative error: exp and the division err by a few units in the last place, the sum of a row by a few more.
  auto check = [&] {
    std::vector<float> y = samples::download(stream, ys);
    return samples::compare(
        y.size(), [&](size_t i) { return y[i]; }, [&](size_t i) { return expected[i]; }, {1e-9, 4e-6});
  };

  // One program for each row; the block is the row's length rounded up to a power of two.
  int64_t block = tegula::nextPowerOf2(cols);
  tegula::Kernel fused = lesson.kernel("softmax.py", "softmax_fused");
  samples::Timing one = lesson.time([&] {
    fused.launch(stream, {rows}, {xs, ys, xs.stride(0), ys.stride(0), cols},
                 lesson.with({{"BLOCK", block}}, block < 2048 ? 4 : 8));
  });
  lesson.report("fused", size, one, Work::bytes(2 * bytes), check());

  stream.fill(ys, 0xff);
  tegula::Buffer largest(lesson.device(), tegula::DType::F32, {rows});
  tegula::Buffer es(lesson.device(), tegula::DType::F32, {rows, cols});
  tegula::Kernel rowMax = lesson.kernel("softmax.py", "softmax_row_max");
  tegula::Kernel exponential = lesson.kernel("softmax.py", "softmax_exponential");
  tegula::Kernel normalize = lesson.kernel("softmax.py", "softmax_normalize");
  tegula::LaunchOptions options = lesson.with({{"BLOCK", std::min<int64_t>(block, 1024)}});
  samples::Timing three = lesson.time([&] {
    rowMax.launch(stream, {rows}, {xs, largest, xs.stride(0), cols}, options);
    exponential.launch(stream, {rows}, {xs, largest, es, xs.stride(0), es.stride(0), cols}, options);
    normalize.launch(stream, {rows}, {es, ys, es.stride(0), ys.stride(0), cols}, options);
  });
  // Both rates count the bytes that softmax needs at least, so their ratio is that of the times.
  lesson.report("three passes", size, three, Work::bytes(2 * bytes), check());

  char text[200];
  std::snprintf(text, sizeof text,
                "traffic: fused reads x and writes y, %.1f MB; three passes read x, x, e, e and write e, y, %.1f MB",
                2 * bytes / 1e6, (6 * bytes + 2 * 4.0 * double(rows)) / 1e6);
  lesson.note(text);
  std::snprintf(text, sizeof text, "three passes take %.2f times as long", three.median / one.median);
  lesson.note(text);
}

} // namespace

int main(int argc, char **argv) {
  int64_t rows = 1823, cols = 781;
  samples::Lesson lesson("03_softmax",
                         "Softmax of each row, fused into one kernel and as three, with the memory traffic of both.");
  lesson.option("--rows", rows, "rows, each normalised on its own", 1, 1 << 20);
  lesson.option("--cols", cols, "columns; any number, the kernel masks the rest of its block", 1, 65536);
  return lesson.run(argc, argv, [&] { runLesson(lesson, rows, cols); });
}
