// Lesson 4: storage types. The kernel computes in f32 for every element type of its buffers: one source for f32, f16,
// bf16.
//
//   $ build/cpu/bin/samples/04_layernorm
//   04_layernorm on cpu (AMD EPYC, 2 cores, AVX2, FMA, AVX-512)
//     variant                      size                        first       time            rate max error / allowed
//     layernorm f32                1823x781                  7.77 ms    4.98 ms       2.29 GB/s   9.6e-07 / 1.0e-05  ok
//     layernorm f16                1823x781                  7.94 ms    5.84 ms      0.974 GB/s   2.0e-03 / 2.2e-03  ok
//     layernorm bf16               1823x781                  13.3 ms    5.56 ms       1.02 GB/s   1.6e-02 / 2.3e-02  ok

#include "HostArray.h"
#include "Lesson.h"

#include <cmath>

namespace {

constexpr double kEps = 1e-5;

struct Data {
  std::vector<float> x, weight, bias;
};

struct Reference {
  std::vector<double> y, mean, rstd;
};

Reference reference(const Data &data, int64_t rows, int64_t cols) {
  Reference result{std::vector<double>(data.x.size()), {}, {}};
  for (int64_t row = 0; row < rows; ++row) {
    const float *x = data.x.data() + row * cols;
    double sum = 0, squares = 0;
    for (int64_t col = 0; col < cols; ++col)
      sum += x[col];
    double mean = sum / double(cols);
    for (int64_t col = 0; col < cols; ++col)
      squares += (x[col] - mean) * (x[col] - mean);
    double rstd = 1 / std::sqrt(squares / double(cols) + kEps);
    for (int64_t col = 0; col < cols; ++col)
      result.y[static_cast<size_t>(row * cols + col)] =
          (x[col] - mean) * rstd * data.weight[static_cast<size_t>(col)] + data.bias[static_cast<size_t>(col)];
    result.mean.push_back(mean);
    result.rstd.push_back(rstd);
  }
  return result;
}

void runLesson(samples::Lesson &lesson, tegula::DType type, int64_t rows, int64_t cols) {
  Data data = {samples::normal(static_cast<size_t>(rows * cols), 4),
               samples::uniform(static_cast<size_t>(cols), 5, 0.5, 1.5),
               samples::uniform(static_cast<size_t>(cols), 6, -1, 1)};
  for (std::vector<float> *part : {&data.x, &data.weight, &data.bias})
    samples::roundTo(type, *part);
  Reference expected = reference(data, rows, cols);

  tegula::Stream &stream = lesson.stream();
  tegula::Buffer x = samples::upload(stream, type, {rows, cols}, data.x);
  tegula::Buffer weight = samples::upload(stream, type, {cols}, data.weight);
  tegula::Buffer bias = samples::upload(stream, type, {cols}, data.bias);
  tegula::Buffer y(lesson.device(), type, {rows, cols});
  tegula::Buffer mean(lesson.device(), tegula::DType::F32, {rows}), rstd(lesson.device(), tegula::DType::F32, {rows});
  for (const tegula::Buffer &result : {y, mean, rstd})
    stream.fill(result, 0xff);

  tegula::Kernel layernorm = lesson.kernel("layernorm.py", "layernorm_kernel");
  int64_t block = tegula::nextPowerOf2(cols);
  samples::Timing timing = lesson.time([&] {
    layernorm.launch(stream, {rows}, {x, weight, bias, y, mean, rstd, x.stride(0), y.stride(0), cols, kEps},
                     lesson.with({{"BLOCK", block}}, block < 2048 ? 4 : 8));
  });

  // The error of f32 sums over a row of numbers of size 1, then one rounding to the storage type.
  samples::Tolerance tolerance = {1e-5, 1.01 * samples::roundingError(type)};
  samples::Comparison comparison;
  auto check = [&](const tegula::Buffer &buffer, const std::vector<double> &wanted, samples::Tolerance allowed) {
    std::vector<float> actual = samples::download(stream, buffer);
    for (size_t i = 0; i < actual.size(); ++i)
      comparison.add(i, actual[i], wanted[i], allowed);
  };
  check(y, expected.y, tolerance);
  check(mean, expected.mean, {1e-6, 1e-6});
  check(rstd, expected.rstd, {0, 1e-5});
  double bytes = 2.0 * double(tegula::byteSize(type)) * double(rows * cols);
  lesson.report("layernorm " + std::string(tegula::name(type)), std::to_string(rows) + "x" + std::to_string(cols),
                timing, samples::Work::bytes(bytes), comparison);
}

} // namespace

int main(int argc, char **argv) {
  int64_t rows = 1823, cols = 781;
  std::string type = "all";
  samples::Lesson lesson("04_layernorm",
                         "Layer normalisation of each row, with weight and bias, in three storage types.");
  lesson.option("--rows", rows, "rows, each normalised on its own", 1, 1 << 20);
  lesson.option("--cols", cols, "columns", 2, 65536);
  lesson.option("--type", type, "storage type", {"all", "f32", "f16", "bf16"});
  return lesson.run(argc, argv, [&] {
    for (tegula::DType each : {tegula::DType::F32, tegula::DType::F16, tegula::DType::BF16})
      if (type == "all" || type == tegula::name(each))
        runLesson(lesson, each, rows, cols);
  });
}
