// Whole kernels against plain loops in double.
#include "tests/cpu/Harness.h"
#include "tests/cpu/Kernels.h"

#include <atomic>
#include <cmath>
#include <thread>

using namespace tegula::cpu;
using namespace tegula::cpu::test;

namespace {

struct Strides {
  int64_t row, column;
};

void checkMatmul(ElementKind kind, ElementKind outKind, int64_t M, int64_t N, int64_t K, const Shape &block,
                 bool transposeA, bool transposeB) {
  Array a(kind, static_cast<size_t>(M * K)), b(kind, static_cast<size_t>(K * N)),
      c(outKind, static_cast<size_t>(M * N + 16));
  std::mt19937 random(2);
  auto fill = [&](Array &x) {
    for (size_t i = 0; i < x.size(); ++i) {
      const int v = static_cast<int>(random() % 256) - 128;
      if (kind == ElementKind::I8)
        x.setBits(i, static_cast<uint64_t>(v));
      else
        x.setNumber(i, v / 128.0);
    }
  };
  fill(a);
  fill(b);
  for (size_t i = 0; i < c.size(); ++i)
    c.setBits(i, 0x5a);
  const Strides sa = transposeA ? Strides{1, M} : Strides{K, 1}, sb = transposeB ? Strides{1, K} : Strides{N, 1};
  LaunchOptions options;
  options.grid = {static_cast<uint32_t>((M + block[0] - 1) / block[0]),
                  static_cast<uint32_t>((N + block[1] - 1) / block[1]), 1};
  run(matmulModule(block[0], block[1], block[2], kind, outKind), options, a, b, c, M, N, K, sa.row, sa.column, sb.row,
      sb.column, N, 1);
  std::vector<double> va(a.size()), vb(b.size());
  auto value = [&](Array &x, size_t i) {
    return kind == ElementKind::I8 ? static_cast<double>(x.integer(i)) : x.number(i);
  };
  for (size_t i = 0; i < va.size(); ++i)
    va[i] = value(a, i);
  for (size_t i = 0; i < vb.size(); ++i)
    vb[i] = value(b, i);
  const double unit = outKind == ElementKind::F16 ? 1e-3 : kind == ElementKind::I8 ? 0 : 2e-6;
  for (int64_t i = 0; i < M; ++i)
    for (int64_t j = 0; j < N; ++j) {
      double sum = 0;
      for (int64_t p = 0; p < K; ++p)
        sum +=
            va[static_cast<size_t>(i * sa.row + p * sa.column)] * vb[static_cast<size_t>(p * sb.row + j * sb.column)];
      const auto at = static_cast<size_t>(i * N + j);
      const double actual = outKind == ElementKind::I32 ? static_cast<double>(c.integer(at)) : c.number(at);
      ASSERT_NEAR(actual, sum, unit * std::sqrt(static_cast<double>(K)) * 4) << i << ", " << j;
    }
  for (size_t i = static_cast<size_t>(M * N); i < c.size(); ++i)
    ASSERT_EQ(c.bits(i), 0x5au) << "written behind the end";
}

TEST(Program, MatmulOfSizesThatDivideNothing) {
  for (auto [M, N, K] : {std::array<int64_t, 3>{1, 1, 1}, {64, 64, 32}, {65, 63, 33}, {333, 77, 100}, {5, 200, 17}})
    for (bool ta : {false, true})
      for (bool tb : {false, true}) {
        checkMatmul(ElementKind::F32, ElementKind::F32, M, N, K, {64, 64, 32}, ta, tb);
        checkMatmul(ElementKind::F16, ElementKind::F16, M, N, K, {32, 64, 16}, ta, tb);
      }
  checkMatmul(ElementKind::BF16, ElementKind::F32, 70, 50, 64, {16, 16, 16}, false, true);
  checkMatmul(ElementKind::F8E5M2, ElementKind::F32, 70, 50, 64, {32, 32, 32}, false, false);
  checkMatmul(ElementKind::I8, ElementKind::I32, 70, 50, 300, {32, 32, 64}, true, false);
}

TEST(Program, SoftmaxOfOddRows) {
  for (int64_t columns : {1, 7, 781, 1024}) {
    const int64_t rows = 13, block = 1024;
    std::vector<float> x(static_cast<size_t>(rows * columns)), y(x.size() + 8, -3);
    std::mt19937 random(6);
    for (float &v : x)
      v = static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 50.0f;
    LaunchOptions options;
    options.grid = {static_cast<uint32_t>(rows), 1, 1};
    run(softmaxModule(block), options, y.data(), x.data(), columns, columns);
    for (int64_t r = 0; r < rows; ++r) {
      double top = -INFINITY, sum = 0;
      for (int64_t i = 0; i < columns; ++i)
        top = std::max(top, static_cast<double>(x[static_cast<size_t>(r * columns + i)]));
      for (int64_t i = 0; i < columns; ++i)
        sum += std::exp(x[static_cast<size_t>(r * columns + i)] - top);
      for (int64_t i = 0; i < columns; ++i) {
        const double expected = std::exp(x[static_cast<size_t>(r * columns + i)] - top) / sum;
        // x - top is rounded to f32: half an ulp of 64 is 2e-6 in the exponent.
        ASSERT_NEAR(y[static_cast<size_t>(r * columns + i)], expected, 3e-6 * expected + 1e-38);
      }
    }
    for (size_t i = x.size(); i < y.size(); ++i)
      ASSERT_EQ(y[i], -3);
  }
}

TEST(Program, AddIsExactAndRunsFromSeveralThreads) {
  const size_t n = 10000;
  const Program program(addModule(1024));
  auto work = [&](int seed) {
    std::vector<float> x(n), y(n), z(n);
    for (size_t i = 0; i < n; ++i) {
      x[i] = static_cast<float>(i * 3 + static_cast<size_t>(seed)) / 7;
      y[i] = static_cast<float>(i) / 3;
    }
    LaunchOptions options;
    options.grid = {10, 1, 1};
    const ArgumentValue values[] = {argument(x.data()), argument(y.data()), argument(z.data()),
                                    argument(static_cast<int64_t>(n))};
    for (int repeat = 0; repeat < 20; ++repeat)
      program.run(values, options);
    for (size_t i = 0; i < n; ++i)
      if (z[i] != x[i] + y[i])
        return false;
    return true;
  };
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] { right += work(t); });
  for (std::thread &t : threads)
    t.join();
  EXPECT_EQ(right, 4);
}

} // namespace
