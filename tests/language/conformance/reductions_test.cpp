// Reductions and scans.
#include "Conformance.h"

#include <algorithm>

namespace tegula::conformance {

namespace {

const std::string kReductionsFile = "reductions.py";
constexpr int64_t kReducedRows = 16, kColumns = 64;

std::map<std::string, Constant> tileConstants() { return {{"M", kReducedRows}, {"N", kColumns}}; }

using Fold = Number (*)(Number, Number);
Number foldRow(const Array &x, int64_t row, Number start, Fold f) {
  for (int64_t c = 0; c < kColumns; ++c)
    start = f(start, x[row * kColumns + c]);
  return start;
}
Number foldColumn(const Array &x, int64_t column, Number start, Fold f) {
  for (int64_t r = 0; r < kReducedRows; ++r)
    start = f(start, x[r * kColumns + column]);
  return start;
}
Number plus(Number a, Number b) { return a + b; }
Number times(Number a, Number b) { return a * b; }
Number greater(Number a, Number b) { return std::max(a, b); }
Number lesser(Number a, Number b) { return std::min(a, b); }

TEST(Reductions, sum_of_rows) {
  for (DType type : {DType::F32, DType::F64, DType::I32, DType::F16, DType::BF16}) {
    Array x = random(type, {kReducedRows, kColumns}), y = blank(type, {kReducedRows});
    run(kReductionsFile, "sum_rows", {&x, &y}, {.constants = tileConstants()});
    // 16-bit floats accumulate in f32 and are rounded once.
    Number unit = type == DType::F16 ? 0x1p-11L : type == DType::BF16 ? 0x1p-8L : 0;
    expectNear(y, [&](int64_t i) { return foldRow(x, i, 0, plus); }, unit * 1.01L, type == DType::I32 ? 0 : 1e-4);
  }
}

TEST(Reductions, sum_of_columns) {
  Array x = random(DType::F32, {kReducedRows, kColumns}), y = blank(DType::F32, {kColumns});
  run(kReductionsFile, "sum_columns", {&x, &y}, {.constants = tileConstants()});
  expectNear(y, [&](int64_t i) { return foldColumn(x, i, 0, plus); }, 0, 1e-5);
}

TEST(Reductions, sum_of_all) {
  Array x = random(DType::I32, {kReducedRows, kColumns}, -1000, 1000), y = blank(DType::I32, {1});
  run(kReductionsFile, "sum_all", {&x, &y}, {.constants = tileConstants()});
  Number total = 0;
  for (Number v : x.values)
    total += v;
  expectEqual(y, [&](int64_t) { return total; });
}

TEST(Reductions, sum_keep_dims) {
  Array x = random(DType::F32, {kReducedRows, kColumns}), y = blank(DType::F32, {kReducedRows, kColumns});
  run(kReductionsFile, "sum_keep_dims", {&x, &y}, {.constants = tileConstants()});
  expectNear(y, [&](int64_t i) { return x[i] - foldRow(x, i / kColumns, 0, plus) / kColumns; }, 0, 1e-5);
}

TEST(Reductions, sum_types) { // narrow integers are summed in 32 bits of the same sign
  struct Row {
    DType input, result;
  };
  for (auto [input, result] : {Row{DType::I8, DType::I32},
                               {DType::U8, DType::U32},
                               {DType::I16, DType::I32},
                               {DType::I64, DType::I64},
                               {DType::F16, DType::F16},
                               {DType::BF16, DType::BF16},
                               {DType::F64, DType::F64}}) {
    Array x = random(input, {64}, 0, 120), y = blank(result, {1});
    if (input >= DType::F16)
      for (Number &v : x.values)
        v = 1;
    run(kReductionsFile, "sum_types", {&x, &y}, {.constants = {{"N", 64}, {"EXPECTED", result}}});
    Number total = 0;
    for (Number v : x.values)
      total += v;
    expectEqual(y, [&](int64_t) { return total; });
  }
}

TEST(Reductions, sum_dtype) {
  Array x = random(DType::I32, {64}, 2000000000, 2100000000), y = blank(DType::I64, {1});
  run(kReductionsFile, "sum_dtype", {&x, &y}, {.constants = {{"N", 64}}});
  Number total = 0;
  for (Number v : x.values)
    total += v;
  expectEqual(y, [&](int64_t) { return total; });
}

TEST(Reductions, sum_booleans) {
  Array x = random(DType::F32, {256}), y = blank(DType::I32, {1});
  run(kReductionsFile, "sum_booleans", {&x, &y}, {.constants = {{"N", 256}}});
  expectEqual(y,
              [&](int64_t) { return std::count_if(x.values.begin(), x.values.end(), [](Number v) { return v > 0; }); });
}

TEST(Reductions, extremes) {
  for (DType type : {DType::F32, DType::I32, DType::F64, DType::U32}) {
    Array x = random(type, {kReducedRows, kColumns}, type == DType::U32 ? 0 : -1000, 1000),
          most = blank(type, {kReducedRows}), least = most;
    run(kReductionsFile, "extremes", {&x, &most, &least}, {.constants = tileConstants()});
    expectEqual(most, [&](int64_t i) { return foldRow(x, i, -kInf, greater); });
    expectEqual(least, [&](int64_t i) { return foldRow(x, i, kInf, lesser); });
  }
}

TEST(Reductions, extremes_of_all) {
  Array x = random(DType::F32, {kReducedRows, kColumns}), y = blank(DType::F32, {2});
  run(kReductionsFile, "extremes_of_all", {&x, &y}, {.constants = tileConstants()});
  auto [least, most] = std::minmax_element(x.values.begin(), x.values.end());
  expectEqual(y, [&](int64_t i) { return i == 0 ? *most : *least; });
}

TEST(Reductions, extreme_types) { // narrow types come out in 32 bits
  struct Row {
    DType input, result;
  };
  for (auto [input, result] : {Row{DType::I8, DType::I32},
                               {DType::U16, DType::I32},
                               {DType::F16, DType::F32},
                               {DType::BF16, DType::F32},
                               {DType::I64, DType::I64},
                               {DType::F64, DType::F64}}) {
    Array x = random(input, {64}, 0, 100), y = blank(result, {1});
    run(kReductionsFile, "extreme_types", {&x, &y}, {.constants = {{"N", 64}, {"EXPECTED", result}}});
    expectEqual(y, [&](int64_t) { return *std::max_element(x.values.begin(), x.values.end()); });
  }
}

TEST(Reductions, nan_is_ignored_by_extremes) {
  Array x = random(DType::F32, {kReducedRows, kColumns}), most = blank(DType::F32, {kReducedRows}), least = most;
  for (size_t i = 5; i < x.values.size(); i += 7)
    x.values[i] = kNan;
  run(kReductionsFile, "extremes", {&x, &most, &least}, {.constants = tileConstants()});
  expectEqual(most, [&](int64_t i) {
    return foldRow(x, i, -kInf, [](Number a, Number b) { return std::isnan(b) ? a : std::max(a, b); });
  });
  expectEqual(least, [&](int64_t i) {
    return foldRow(x, i, kInf, [](Number a, Number b) { return std::isnan(b) ? a : std::min(a, b); });
  });
}

int64_t indexInRow(const Array &x, int64_t row, bool isMax) { // the leftmost of equals
  auto begin = x.values.begin() + row * kColumns, end = begin + kColumns;
  return (isMax ? std::max_element(begin, end) : std::min_element(begin, end)) - begin;
}

TEST(Reductions, extremes_with_indices) {
  Array x = random(DType::F32, {kReducedRows, kColumns}), v = blank(DType::F32, {2 * kReducedRows}),
        index = blank(DType::I32, {2 * kReducedRows});
  for (Number &value : x.values)
    value = std::floor(value); // many ties
  run(kReductionsFile, "extremes_with_indices", {&x, &v, &index}, {.constants = tileConstants()});
  expectEqual(
      v, [&](int64_t i) { return x[i % kReducedRows * kColumns + indexInRow(x, i % kReducedRows, i < kReducedRows)]; });
  expectEqual(index, [&](int64_t i) { return indexInRow(x, i % kReducedRows, i < kReducedRows); });
}

TEST(Reductions, arg_extremes) {
  for (DType type : {DType::F32, DType::I32, DType::BF16, DType::I64}) {
    Array x = random(type, {kReducedRows, kColumns}), y = blank(DType::I32, {2 * kColumns});
    run(kReductionsFile, "arg_extremes", {&x, &y}, {.constants = tileConstants()});
    expectEqual(y, [&](int64_t i) {
      bool isMax = i < kColumns;
      int64_t column = i % kColumns, best = 0;
      for (int64_t r = 1; r < kReducedRows; ++r) {
        Number a = x[r * kColumns + column], b = x[best * kColumns + column];
        if (isMax ? a > b : a < b)
          best = r;
      }
      return best;
    });
  }
}

TEST(Reductions, arg_extreme_fast) {
  Array x = iota(DType::I32, {64}), y = blank(DType::I32, {2});
  std::swap(x.values[63], x.values[20]);
  std::swap(x.values[0], x.values[50]);
  run(kReductionsFile, "arg_extreme_fast", {&x, &y}, {.constants = {{"N", 64}}});
  expectEqual(y, [](int64_t i) { return i == 0 ? 20 : 50; });
}

TEST(Reductions, bitwise) {
  for (DType type : {DType::I32, DType::U8}) {
    Array x = random(type, {kReducedRows, kColumns}, 0, 100), odd = blank(type, {kReducedRows}), any = odd;
    run(kReductionsFile, "bitwise", {&x, &odd, &any}, {.constants = tileConstants()});
    expectEqual(odd, [&](int64_t i) {
      return foldRow(x, i, 0, [](Number a, Number b) { return Number(int64_t(a) ^ int64_t(b)); });
    });
    expectEqual(any, [&](int64_t i) {
      return foldRow(x, i, 0, [](Number a, Number b) { return Number(int64_t(a) | int64_t(b)); });
    });
  }
}

TEST(Reductions, product) {
  Array x = random(DType::F32, {kReducedRows, kColumns}, 0.5, 1.5), y = blank(DType::F32, {kColumns});
  run(kReductionsFile, "product", {&x, &y}, {.constants = tileConstants()});
  expectNear(y, [&](int64_t i) { return foldColumn(x, i, 1, times); }, 1e-5);
}

TEST(Reductions, product_of_all) {
  Array x = random(DType::F32, {kReducedRows, kColumns}, 0.99, 1.01), y = blank(DType::F32, {1});
  run(kReductionsFile, "product_of_all", {&x, &y}, {.constants = tileConstants()});
  Number total = 1;
  for (Number v : x.values)
    total *= v;
  expectNear(y, [&](int64_t) { return total; }, 1e-4);
}

TEST(Reductions, variance) {
  Array x = random(DType::F32, {kReducedRows, kColumns}), y = blank(DType::F32, {2 * kReducedRows});
  run(kReductionsFile, "variance", {&x, &y}, {.constants = tileConstants()});
  auto mean = [&](int64_t row) { return foldRow(x, row, 0, plus) / kColumns; };
  expectNear(
      y,
      [&](int64_t i) {
        int64_t row = i % kReducedRows;
        if (i < kReducedRows)
          return mean(row);
        Number total = 0;
        for (int64_t c = 0; c < kColumns; ++c)
          total += (x[row * kColumns + c] - mean(row)) * (x[row * kColumns + c] - mean(row));
        return total / kColumns;
      },
      1e-5, 1e-6);
}

TEST(Reductions, reduce_with_branch) {
  Array x = random(DType::I32, {128}, -1000, 1000), y = blank(DType::I32, {1});
  run(kReductionsFile, "reduce_with_branch", {&x, &y}, {.constants = {{"N", 128}}});
  expectEqual(y, [&](int64_t) { return *std::max_element(x.values.begin(), x.values.end()); });
}

TEST(Scans, cumsum) {
  for (DType type : {DType::I32, DType::F32, DType::F64}) {
    Array x = random(type, {kReducedRows, kColumns}), y = blank(type, {kReducedRows, kColumns}), z = y;
    run(kReductionsFile, "cumsum", {&x, &y, &z}, {.constants = tileConstants()});
    Number tolerance = type == DType::I32 ? 0 : 1e-4L;
    expectNear(
        y,
        [&](int64_t i) {
          Number total = 0;
          for (int64_t k = i / kColumns * kColumns; k <= i; ++k)
            total += x[k];
          return total;
        },
        0, tolerance);
    expectNear(
        z,
        [&](int64_t i) { // from the last row upwards
          Number total = 0;
          for (int64_t k = i; k < kReducedRows * kColumns; k += kColumns)
            total += x[k];
          return total;
        },
        0, tolerance);
  }
}

TEST(Scans, cumsum_types) {
  struct Row {
    DType input, result;
  };
  for (auto [input, result] :
       {Row{DType::I8, DType::I32}, {DType::U8, DType::U32}, {DType::BF16, DType::F32}, {DType::F16, DType::F16}}) {
    Array x = random(input, {64}, 0, 20), y = blank(result, {64});
    for (Number &v : x.values)
      v = std::floor(v);
    run(kReductionsFile, "cumsum_types", {&x, &y}, {.constants = {{"N", 64}, {"EXPECTED", result}}});
    expectEqual(y, [&](int64_t i) {
      Number total = 0;
      for (int64_t k = 0; k <= i; ++k)
        total += x[k];
      return total;
    });
  }
}

TEST(Scans, cumprod) {
  Array x = random(DType::F32, {64}, 0.5, 1.5), y = blank(DType::F32, {64}), z = y;
  run(kReductionsFile, "cumprod", {&x, &y, &z}, {.constants = {{"N", 64}}});
  auto product = [&](int64_t from, int64_t to) {
    Number total = 1;
    for (int64_t k = from; k < to; ++k)
      total *= x[k];
    return total;
  };
  expectNear(y, [&](int64_t i) { return product(0, i + 1); }, 1e-5);
  expectNear(z, [&](int64_t i) { return product(i, 64); }, 1e-5);
}

TEST(Scans, associative_scan) {
  Array a = random(DType::F32, {128}, -0.9, 0.9), b = random(DType::F32, {128}, -1, 1, 2), y = blank(DType::F32, {128});
  run(kReductionsFile, "associative_scan", {&a, &b, &y}, {.constants = {{"N", 128}}});
  std::vector<Number> expected;
  for (int64_t i = 0; i < 128; ++i)
    expected.push_back(b[i] + (i ? a[i] * expected.back() : 0));
  expectNear(y, [&](int64_t i) { return expected[static_cast<size_t>(i)]; }, 1e-5, 1e-5);
}

TEST(Scans, running_max) {
  Array x = random(DType::F32, {128}), y = blank(DType::F32, {128});
  run(kReductionsFile, "running_max", {&x, &y}, {.constants = {{"N", 128}}});
  expectEqual(y, [&](int64_t i) { return *std::max_element(x.values.begin() + i, x.values.end()); });
}

TEST(Scans, histogram) {
  Array x = random(DType::I32, {1024}, 0, 31), y = blank(DType::I32, {32}), z = y;
  run(kReductionsFile, "histogram", {&x, &y}, {.constants = {{"N", 1024}, {"BINS", 32}}});
  run(kReductionsFile, "histogram_masked", {&x, &z, int64_t(700)}, {.constants = {{"N", 1024}, {"BINS", 32}}});
  expectEqual(y, [&](int64_t i) { return std::count(x.values.begin(), x.values.end(), Number(i)); });
  expectEqual(z, [&](int64_t i) { return std::count(x.values.begin(), x.values.begin() + 700, Number(i)); });
}

} // namespace

} // namespace tegula::conformance
