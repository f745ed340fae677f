#include "Matmul.h"
#include "HostArray.h"

#include <algorithm>
#include <thread>

namespace samples {

namespace {

std::vector<float> roundedNormal(tegula::DType type, int64_t count, uint64_t seed) {
  std::vector<float> values = normal(static_cast<size_t>(count), seed);
  roundTo(type, values);
  return values;
}

tegula::Buffer uploadMatrix(tegula::Stream &stream, tegula::DType type, const Matrix &matrix) {
  if (matrix.transposed)
    return upload(stream, type, {matrix.cols, matrix.rows}, matrix.values).transposed();
  return upload(stream, type, {matrix.rows, matrix.cols}, matrix.values);
}

// One row of A B. The inner loop runs along a row of B, which is contiguous.
std::vector<double> productRow(const Matrix &a, const std::vector<double> &b, int64_t n, int64_t row) {
  std::vector<double> result(static_cast<size_t>(n));
  for (int64_t k = 0; k < a.cols; ++k) {
    double factor = a.at(row, k);
    const double *line = b.data() + k * n;
    for (int64_t j = 0; j < n; ++j)
      result[static_cast<size_t>(j)] += factor * line[j];
  }
  return result;
}

std::vector<int64_t> rowsToCheck(int64_t rows, int64_t workPerRow) {
  constexpr int64_t kMostWork = int64_t(1) << 31;
  int64_t count = std::clamp<int64_t>(kMostWork / std::max<int64_t>(workPerRow, 1), std::min<int64_t>(rows, 2), rows);
  std::vector<int64_t> chosen;
  for (int64_t i = 0; i < count; ++i)
    chosen.push_back(count == 1 ? 0 : i * (rows - 1) / (count - 1));
  return chosen;
}

} // namespace

Matrix::Matrix(tegula::Stream &stream, tegula::DType type, int64_t rows, int64_t cols, bool transposed, uint64_t seed)
    : rows(rows), cols(cols), transposed(transposed), values(roundedNormal(type, rows * cols, seed)),
      buffer(uploadMatrix(stream, type, *this)) {}

Comparison compareProduct(tegula::Stream &stream, const tegula::Buffer &c, const Matrix &a, const Matrix &b,
                          const Tolerance &tolerance) {
  std::vector<float> actual = download(stream, c);
  int64_t n = b.cols;
  std::vector<double> dense(static_cast<size_t>(b.rows * n));
  for (int64_t k = 0; k < b.rows; ++k)
    for (int64_t j = 0; j < n; ++j)
      dense[static_cast<size_t>(k * n + j)] = b.at(k, j);

  std::vector<int64_t> rows = rowsToCheck(a.rows, a.cols * n);
  std::vector<std::vector<double>> expected(rows.size());
  size_t workers = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::jthread> threads;
  for (size_t worker = 0; worker < workers; ++worker)
    threads.emplace_back([&, worker] {
      for (size_t i = worker; i < rows.size(); i += workers)
        expected[i] = productRow(a, dense, n, rows[i]);
    });
  threads.clear(); // joins all threads

  Comparison comparison;
  for (size_t i = 0; i < rows.size(); ++i)
    for (int64_t j = 0; j < n; ++j) {
      size_t index = static_cast<size_t>(rows[i] * n + j);
      comparison.add(index, actual[index], expected[i][static_cast<size_t>(j)], tolerance);
    }
  return comparison;
}

} // namespace samples
