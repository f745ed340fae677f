// The kernels of samples/, unchanged, each at two sizes or more.
#include "tests/conformance/families/Families.h"
#include "tests/conformance/families/References.h"

#include <algorithm>

namespace tegula::conformance {

namespace samples_family {

Case &sample(Cases &cases, const std::string &folder, const std::string &kernel, const std::string &variant) {
  Case &made = cases.add("samples", folder + "/" + folder.substr(3) + ".py", kernel, variant);
  made.folder = Folder::Samples;
  return made;
}

void addMovement(Cases &cases) {
  for (int64_t n : {1, 1000, 4096})
    sample(cases, "01_vector_add", "add_kernel", "n=" + std::to_string(n))
        .in(DType::F32, n, reals(-4, 4))
        .in(DType::F32, n, reals(-4, 4))
        .out(DType::F32, n, exact(), each([](const Inputs &in, int64_t i) { return in(0, i) + in(1, i); }))
        .value(n)
        .with("BLOCK", 1024)
        .grid(cdiv(n, 1024));
  for (auto [m, n] : {std::pair{64, 64}, {100, 37}})
    for (DType type : {DType::F32, DType::F16, DType::I8})
      for (bool columns : {false, true})
        sample(cases, "02_copy_2d", "copy_kernel", named(type) + "," + by(m, n) + (columns ? ",columns" : ""))
            .in(type, m * n, anyBits())
            .out(type, m * n, exact(), each([m = m, n = n, columns](const Inputs &in, int64_t i) {
                   return in(0, columns ? i / n + i % n * m : i);
                 }))
            .value(m)
            .value(n)
            .value(columns ? 1 : n)
            .value(columns ? m : 1)
            .value(n)
            .value(1)
            .with("BLOCK_ROWS", 32)
            .with("BLOCK_COLS", 32)
            .grid(cdiv(m, 32), cdiv(n, 32));
}

void addRows(Cases &cases) {
  for (auto [rows, columns] : {std::pair{20, 781}, {5, 1024}, {3, 2}, {2, 16000}}) {
    int64_t count = rows * columns, block = nextPowerOf2(columns);
    std::string variant = by(rows, columns);
    sample(cases, "03_softmax", "softmax_fused", variant)
        .in(DType::F32, count, reals(-5, 5))
        .out(DType::F32, count, near(1e-9, 4e-6), softmaxRows(0, columns))
        .value(columns)
        .value(columns)
        .value(columns)
        .with("BLOCK", block)
        .grid(rows);
    if (block > 1024) // more than a thread's registers hold, in the kernel above
      continue;
    sample(cases, "03_softmax", "softmax_row_max", variant)
        .in(DType::F32, count, reals(-5, 5))
        .out(DType::F32, rows, exact(), each([columns = columns](const Inputs &in, int64_t row) {
               return *std::max_element(in.all(0).begin() + row * columns, in.all(0).begin() + (row + 1) * columns);
             }))
        .value(columns)
        .value(columns)
        .with("BLOCK", 256)
        .grid(rows);
    sample(cases, "03_softmax", "softmax_exponential", variant)
        .in(DType::F32, count, reals(-5, 5))
        .in(DType::F32, rows, constant(5))
        .out(DType::F32, count, near(0, 2e-6), each([](const Inputs &in, int64_t i) { return std::exp(in(0, i) - 5); }))
        .value(columns)
        .value(columns)
        .value(columns)
        .with("BLOCK", 256)
        .grid(rows);
    sample(cases, "03_softmax", "softmax_normalize", variant)
        .in(DType::F32, count, whole(1, 9))
        .out(DType::F32, count, ulps(4), each([columns = columns](const Inputs &in, int64_t i) {
               Number total = 0;
               for (int64_t j = 0; j < columns; ++j)
                 total += in(0, i / columns * columns + j);
               return in(0, i) / total;
             }))
        .value(columns)
        .value(columns)
        .value(columns)
        .with("BLOCK", 256)
        .grid(rows);
    for (DType type : {DType::F32, DType::F16, DType::BF16})
      sample(cases, "04_layernorm", "layernorm_kernel", named(type) + "," + variant)
          .in(type, count, reals(-3, 3))
          .in(type, columns, reals(0.5, 1.5))
          .in(type, columns, reals(-1, 1))
          .out(type, count, near(1e-5, 1e-5), layernormRows(0, 1, 2, columns, 1e-5))
          .out(DType::F32, rows, near(1e-6, 1e-6), each([columns = columns](const Inputs &in, int64_t row) {
                 Number mean = 0;
                 for (int64_t j = 0; j < columns; ++j)
                   mean += in(0, row * columns + j) / columns;
                 return mean;
               }))
          .out(DType::F32, rows, near(0, 1e-5), each([columns = columns](const Inputs &in, int64_t row) {
                 Number mean = 0, squares = 0;
                 for (int64_t j = 0; j < columns; ++j)
                   mean += in(0, row * columns + j) / columns;
                 for (int64_t j = 0; j < columns; ++j)
                   squares += (in(0, row * columns + j) - mean) * (in(0, row * columns + j) - mean);
                 return 1 / std::sqrt(squares / columns + 1e-5L);
               }))
          .value(columns)
          .value(columns)
          .value(columns)
          .real(1e-5)
          .with("BLOCK", block)
          .grid(rows);
  }
}

void addProducts(Cases &cases) {
  struct Problem {
    int64_t m, n, k;
  };
  for (const Problem &p : {Problem{130, 70, 50}, Problem{64, 128, 64}})
    for (DType type : {DType::F32, DType::F16, DType::BF16}) {
      int64_t tilesM = cdiv(p.m, 64), tilesN = cdiv(p.n, 64);
      std::string variant = named(type) + "," + by(p.m, p.n) + "x" + std::to_string(p.k);
      auto add = [&](const std::string &folder, const char *kernel, bool transposed) -> Case & {
        int64_t am = transposed ? 1 : p.k, ak = transposed ? p.m : 1, bk = transposed ? 1 : p.n,
                bn = transposed ? p.k : 1;
        return sample(cases, folder, kernel, variant + (transposed ? ",transposed" : ""))
            .in(type, p.m * p.k, whole(-2, 2))
            .in(type, p.k * p.n, whole(-2, 2))
            .out(type, p.m * p.n, exactAnyZero(), matrixProduct(p.n, p.k, am, ak, bk, bn))
            .value(p.m)
            .value(p.n)
            .value(p.k)
            .value(am)
            .value(ak)
            .value(bk)
            .value(bn)
            .value(p.n)
            .value(1)
            .with("BLOCK_M", 64)
            .with("BLOCK_N", 64)
            .with("BLOCK_K", 32);
      };
      for (bool transposed : {false, true})
        add("05_matmul", "matmul_2d", transposed).with("PRECISION", "tf32").grid(tilesM, tilesN);
      add("05_matmul", "matmul_grouped", false).with("PRECISION", "ieee").with("GROUP_M", 8).grid(tilesM * tilesN);
      add("06_matmul_persistent", "matmul_persistent", false).with("GROUP_M", 8).with("PROGRAMS", 3).grid(3);
    }
  for (const Problem &p : {Problem{100, 72, 40}, Problem{64, 128, 64}}) {
    std::string variant = by(p.m, p.n) + "x" + std::to_string(p.k);
    Reference product = matrixProduct(p.n, p.k, p.k, 1, 1, p.k);
    sample(cases, "07_matmul_descriptor", "matmul_descriptor", variant)
        .describedIn(DType::F16, {p.m, p.k}, {64, 32}, whole(-2, 2))
        .describedIn(DType::F16, {p.n, p.k}, {64, 32}, whole(-2, 2))
        .describedOut(DType::F16, {p.m, p.n}, {64, 64}, blank(), exactAnyZero(), product)
        .value(p.m)
        .value(p.n)
        .value(p.k)
        .with("BLOCK_M", 64)
        .with("BLOCK_N", 64)
        .with("BLOCK_K", 32)
        .grid(cdiv(p.m, 64), cdiv(p.n, 64));
    sample(cases, "07_matmul_descriptor", "matmul_device_descriptor", variant)
        .in(DType::F16, p.m * p.k, whole(-2, 2))
        .in(DType::F16, p.n * p.k, whole(-2, 2))
        .out(DType::F16, p.m * p.n, exactAnyZero(), product)
        .value(p.m)
        .value(p.n)
        .value(p.k)
        .with("BLOCK_M", 64)
        .with("BLOCK_N", 64)
        .with("BLOCK_K", 32)
        .grid(cdiv(p.m, 64), cdiv(p.n, 64));
  }
  for (auto [heads, queries, keys, width] : {std::tuple{2, 50, 50, 32}, {1, 64, 100, 64}})
    for (DType type : {DType::F32, DType::F16})
      for (bool causal : {false, true}) {
        double error = type == DType::F16 ? 4e-3 : 2e-3;
        sample(cases, "08_flash_attention", "attention_forward",
               named(type) + "," + by(queries, keys) + "x" + std::to_string(width) + (causal ? ",causal" : ""))
            .in(type, heads * queries * width, reals(-1, 1))
            .in(type, heads * keys * width, reals(-1, 1))
            .in(type, heads * keys * width, reals(-1, 1))
            .out(type, heads * queries * width, near(error), attentionOf(queries, keys, width, 0.25, causal))
            .value(queries)
            .value(keys)
            .real(0.25)
            .with("HEAD", width)
            .with("BLOCK_Q", 32)
            .with("BLOCK_K", 32)
            .with("CAUSAL", causal)
            .grid(cdiv(queries, 32), heads);
      }
}

Reference counted() {
  return [](const Inputs &in, int64_t bins) {
    std::vector<Number> count(static_cast<size_t>(bins), 0);
    for (Number value : in.all(0))
      ++count[static_cast<size_t>(value)];
    return Expected(count.begin(), count.end());
  };
}

void addPictures(Cases &cases) {
  for (int64_t n : {1000, 4096})
    for (const char *kernel : {"histogram_direct", "histogram_private"}) {
      Case &made = sample(cases, "09_histogram", kernel, "n=" + std::to_string(n))
                       .in(DType::U8, n, whole(0, 255))
                       .inOut(DType::I32, 256, constant(0), exact(), counted())
                       .value(n)
                       .with("BLOCK", 512)
                       .grid(cdiv(n, 512));
      if (std::string(kernel) == "histogram_private")
        made.with("BINS", 256);
    }
  for (auto [width, height] : {std::pair{40, 30}, {64, 16}}) {
    constexpr int64_t kChannels = 3;
    int64_t count = width * height * kChannels;
    std::string variant = by(width, height);
    auto clamped = [](int64_t i, int64_t size) { return std::min(std::max<int64_t>(i, 0), size - 1); };
    // Weights 1/4, 1/2, 1/4 keep the sums exact.
    auto blur = [&](const char *kernel, DType from, DType to, Reference expected) {
      sample(cases, "10_image_filters", kernel, variant)
          .in(from, count, whole(0, 255))
          .out(to, count, exact(), std::move(expected))
          .in(DType::F32, 3, listed({0.25L, 0.5L, 0.25L}))
          .value(width)
          .value(height)
          .with("RADIUS", 1)
          .with("CHANNELS", kChannels)
          .with("BLOCK_X", 32)
          .with("BLOCK_Y", 8)
          .grid(cdiv(width, 32), cdiv(height, 8), kChannels);
    };
    blur("blur_across", DType::U8, DType::F32, each([=, width = width](const Inputs &in, int64_t i) {
           int64_t channel = i % kChannels, x = i / kChannels % width, row = i / kChannels / width * width;
           auto at = [&](int64_t column) { return in(0, (row + clamped(column, width)) * kChannels + channel); };
           return (at(x - 1) + 2 * at(x) + at(x + 1)) / 4;
         }));
    blur("blur_down", DType::F32, DType::U8, each([=, width = width, height = height](const Inputs &in, int64_t i) {
           int64_t line = width * kChannels, y = i / line;
           auto at = [&](int64_t row) { return in(0, clamped(row, height) * line + i % line); };
           return std::floor((at(y - 1) + 2 * at(y) + at(y + 1)) / 4 + 0.5L);
         }));
    // A result beside a rounding boundary may fall to either side of it.
    sample(cases, "10_image_filters", "edges", variant)
        .in(DType::U8, count, whole(0, 60))
        .out(DType::U8, width * height, near(1), each([=, width = width, height = height](const Inputs &in, int64_t i) {
               auto light = [&](int64_t x, int64_t y) {
                 int64_t at = (clamped(y, height) * width + clamped(x, width)) * kChannels;
                 return 0.299L * in(0, at) + 0.587L * in(0, at + 1) + 0.114L * in(0, at + 2);
               };
               Number across = 0, down = 0;
               for (int dy = -1; dy <= 1; ++dy)
                 for (int dx = -1; dx <= 1; ++dx) {
                   across += light(i % width + dx, i / width + dy) * dx * (2 - dy * dy);
                   down += light(i % width + dx, i / width + dy) * dy * (2 - dx * dx);
                 }
               return std::floor(std::min<Number>(std::sqrt(across * across + down * down) + 0.5L, 255));
             }))
        .value(width)
        .value(height)
        .with("CHANNELS", kChannels)
        .with("BLOCK_X", 32)
        .with("BLOCK_Y", 8)
        .grid(cdiv(width, 32), cdiv(height, 8));
  }
}

} // namespace samples_family

void addSamples(Cases &cases) {
  using namespace samples_family;
  addMovement(cases);
  addRows(cases);
  addProducts(cases);
  addPictures(cases);
}

} // namespace tegula::conformance
