// Rows that begin at any multiple of their element, end anywhere, and are shorter than their block. Values move
// unchanged or are whole numbers, so everything but softmax is compared bit for bit, and memory around the outputs too.
#include "tests/conformance/families/Families.h"

#include <algorithm>
#include <cmath>

namespace tegula::conformance {

namespace rows_family {

const std::string kFamily = "rows", kFile = "rows.py";

/// `stride` elements from row to row; `lead` elements before the first.
struct Shape {
  int64_t rows, cols, stride, block, lead;
  int warps;
  std::string text() const {
    return by(rows, cols) + ",s=" + std::to_string(stride) + ",b=" + std::to_string(block) +
           ",lead=" + std::to_string(lead) + ",w=" + std::to_string(warps);
  }
};

/// Odd lengths, all alignments of a row's begin, an empty row, a row of one element, a row that fills its block, and
/// programs in which a thread has one element, one access and several.
std::vector<Shape> shapes(DType type) {
  int64_t bytes = bitsOf(type) <= 8 ? 1 : bitsOf(type) / 8, most = 16 / bytes;
  std::vector<Shape> all = {{17, 781, 781, 1024, 0, 1}, {17, 781, 783, 1024, 1, 2},  {3, 0, 5, 256, 1, 1},
                            {5, 1, 3, 512, 2, 2},       {3, 1024, 1031, 1024, 3, 4}, {9, 129, 130, 256, 1, 1},
                            {9, 250, 257, 256, 0, 4}};
  for (int64_t lead = 0; lead < most; ++lead)
    all.push_back({2, 301 + lead, 320, 512, lead, 1 << (lead % 3)});
  return all;
}

/// Whole numbers that each type has, with sums of a row below its limit for i32.
Fill numbers() { return whole(-20, 20); }

void addBetween(Cases &cases, DType type) {
  struct Part {
    int64_t low, high;
  };
  size_t turn = 0;
  for (const Shape &s : shapes(type)) {
    if (s.cols == 0)
      continue; // the kernel stores nothing
    const Part parts[] = {{0, s.cols}, {3, s.cols - 3}, {s.cols / 2, s.cols / 2 + 1}, {5, 5}, {-4, s.cols + 9}};
    Part part = parts[turn++ % 5];
    part.high = std::min(part.high, s.block);
    int64_t last = s.lead + s.stride * s.rows + s.block; // reads beyond the row stay within the buffer
    cases.add(kFamily, kFile, "between", named(type) + "," + s.text())
        .in(type, last, anyBits(), s.lead)
        .out(type, s.rows * s.stride, exact(), each([=](const Inputs &in, int64_t i) -> std::optional<Number> {
               int64_t row = i / s.stride, col = i % s.stride;
               if (col >= s.cols)
                 return std::nullopt;
               return col >= part.low && col < part.high ? in(0, row * s.stride + col) : Number(5);
             }),
             turn % 2 ? s.lead : 1)
        .value(s.stride)
        .value(s.stride)
        .value(part.low)
        .value(part.high)
        .value(s.cols)
        .with("BLOCK", s.block)
        .grid(s.rows)
        .warps(s.warps);
  }
}

void addWhole(Cases &cases, DType type) {
  for (int64_t lead : {0, 1, 3})
    for (int64_t block : {64, 1024}) {
      int64_t xs = block + 1 + lead, ys = block + 2 * lead;
      cases
          .add(kFamily, kFile, "whole_rows",
               named(type) + ",b=" + std::to_string(block) + ",lead=" + std::to_string(lead))
          .in(type, 5 * xs, anyBits(), lead)
          .out(type, 5 * ys, exact(), each([=](const Inputs &in, int64_t i) -> std::optional<Number> {
                 return i % ys < block ? std::optional(in(0, i / ys * xs + i % ys)) : std::nullopt;
               }),
               lead == 3 ? 1 : lead)
          .value(xs)
          .value(ys)
          .with("BLOCK", block)
          .grid(5)
          .warps(block == 64 ? 1 : 4);
    }
}

void addInPlace(Cases &cases, DType type) {
  for (const Shape &s : shapes(type)) {
    if (s.cols == 0)
      continue;
    cases.add(kFamily, kFile, "in_place", named(type) + "," + s.text())
        .inOut(type, s.rows * s.stride, numbers(), exact(),
               each([=](const Inputs &in, int64_t i) -> std::optional<Number> {
                 Number x = in(0, i);
                 return i % s.stride < s.cols ? (x + 1) * 2 : x;
               }))
        .value(s.stride)
        .value(s.cols)
        .with("BLOCK", s.block)
        .grid(s.rows)
        .warps(s.warps);
  }
}

void addComputed(Cases &cases, DType type) {
  size_t turn = 0;
  for (const Shape &s : shapes(type)) {
    if (turn++ % 2 && type != DType::F16)
      continue;
    std::string variant = named(type) + "," + s.text();
    auto result = [=](const Inputs &in, int64_t row, int64_t col) {
      return in(0, row * s.stride + col) * 3 + in(1, col) + Number(col);
    };
    cases.add(kFamily, kFile, "combined", variant)
        .in(type, s.rows * s.stride, numbers(), s.lead)
        .in(DType::F16, s.cols + 1, numbers(), s.lead % 2 ? 0 : 3)
        .out(DType::I32, s.rows * s.stride, exact(), each([=](const Inputs &in, int64_t i) -> std::optional<Number> {
               int64_t row = i / s.stride, col = i % s.stride;
               return col < s.cols ? std::optional(result(in, row, col)) : std::nullopt;
             }),
             s.lead % 3)
        .out(DType::I32, s.rows, exact(), each([=](const Inputs &in, int64_t row) -> std::optional<Number> {
               Number sum = 0;
               for (int64_t col = 0; col < s.cols; ++col)
                 sum += result(in, row, col);
               return sum;
             }))
        .value(s.stride)
        .value(s.stride)
        .value(s.cols)
        .with("BLOCK", s.block)
        .grid(s.rows)
        .warps(s.warps);
    Reference sums = each([=](const Inputs &in, int64_t row) -> std::optional<Number> {
      Number sum = 0;
      for (int64_t col = 0; col < s.cols; ++col)
        sum += in(0, row * s.stride + col);
      return sum;
    });
    cases.add(kFamily, kFile, "sums_of_blocks", variant)
        .in(type, s.rows * s.stride, numbers(), s.lead)
        .out(DType::I32, s.rows, exact(), sums)
        .value(s.stride)
        .value(s.cols)
        .with("BLOCK", s.block / 4)
        .grid(s.rows)
        .warps(1);
  }
}

/// Lengths around half, three quarters and the whole of the block, where the copies of the code for long rows begin and
/// end, and those where numbers wrap below the length.
void addWeighted(Cases &cases, DType type) {
  int64_t lead = 0;
  for (int warps : {1, 2, 4, 8})
    for (int64_t cols : {1,   31,  300, 512, 513, 544, 575, 576, 700,  767,  768,
                         769, 781, 799, 831, 832, 991, 992, 993, 1009, 1023, 1024}) {
      constexpr int64_t kRows = 5, kBlock = 1024;
      int64_t stride = cols + 1 + lead % 2;
      std::string variant =
          named(type) + ",n=" + std::to_string(cols) + ",lead=" + std::to_string(lead) + ",w=" + std::to_string(warps);
      cases.add(kFamily, kFile, "weighted", variant)
          .in(type, kRows * stride, numbers(), lead)
          .in(type, cols, numbers())
          .in(type, cols, numbers())
          .out(type, kRows * stride, exact(), each([=](const Inputs &in, int64_t i) -> std::optional<Number> {
                 int64_t col = i % stride;
                 return col < cols ? std::optional(in(0, i) * in(1, col) + in(2, col)) : std::nullopt;
               }),
               lead % 3)
          .out(DType::I32, kRows, exact(), each([=](const Inputs &in, int64_t row) -> std::optional<Number> {
                 Number sum = 0;
                 for (int64_t col = 0; col < cols; ++col)
                   sum += in(0, row * stride + col);
                 return sum;
               }))
          .value(stride)
          .value(stride)
          .value(cols)
          .with("BLOCK", kBlock)
          .grid(kRows)
          .warps(warps);
      lead = (lead + 1) % 8;
    }
}

/// Columns beyond the row's end, which its mask excludes, are also stored under another bound, read without a mask and
/// summed up as numbers.
void addWeightedApart(Cases &cases, DType type) {
  for (int warps : {1, 2, 4})
    for (int64_t cols : {300, 600, 781, 900, 1000})
      for (int64_t more : {-50, 0, 19}) {
        constexpr int64_t kRows = 5, kBlock = 1024;
        int64_t stored = cols + more, stride = std::max(cols, stored) + 33 + stored % 2;
        std::string variant = named(type) + ",n=" + std::to_string(cols) + ",stored=" + std::to_string(stored) +
                              ",w=" + std::to_string(warps);
        cases.add(kFamily, kFile, "weighted_apart", variant)
            .in(type, kRows * stride, numbers(), 1)
            .in(type, kBlock, numbers())
            .in(type, cols, numbers())
            .out(type, kRows * stride, exactAnyZero(), each([=](const Inputs &in, int64_t i) -> std::optional<Number> {
                   int64_t col = i % stride;
                   if (col >= stored)
                     return std::nullopt;
                   return col < cols ? in(0, i) * in(1, col) + in(2, col) : Number(0);
                 }),
                 1)
            .out(DType::I32, kRows, exact(), each([=](const Inputs &in, int64_t) -> std::optional<Number> {
                   Number sum = kBlock * (kBlock - 1) / 2;
                   for (int64_t col = 0; col < kBlock; ++col)
                     sum += in(1, col);
                   return sum;
                 }))
            .value(stride)
            .value(stride)
            .value(cols)
            .value(stored)
            .with("BLOCK", kBlock)
            .grid(kRows)
            .warps(warps);
      }
}

void addSlots(Cases &cases) {
  for (int64_t position : {0, 4, 100, 124})
    cases.add(kFamily, kFile, "slots", "position=" + std::to_string(position))
        .out(DType::I32, 512, exact(), each([=](const Inputs &, int64_t i) -> std::optional<Number> {
               return i < 509 ? std::optional(Number((i - position / 4) & 255)) : std::nullopt;
             }))
        .value(position)
        .with("BLOCK", 512)
        .warps(1);
}

void addOrdered(Cases &cases, DType type) {
  Shape s{4, 99, 101, 128, 1, 2};
  cases.add(kFamily, kFile, "running_sums", named(type))
      .in(type, s.rows * s.stride, numbers(), s.lead)
      .out(DType::I32, s.rows * s.stride, exact(), each([=](const Inputs &in, int64_t i) -> std::optional<Number> {
             int64_t row = i / s.stride;
             if (i % s.stride >= s.cols)
               return std::nullopt;
             Number sum = 0;
             for (int64_t at = row * s.stride; at <= i; ++at)
               sum += in(0, at);
             return sum;
           }))
      .value(s.stride)
      .value(s.stride)
      .value(s.cols)
      .with("BLOCK", s.block)
      .grid(s.rows)
      .warps(s.warps);
}

void addTiles(Cases &cases, DType type) {
  for (int64_t cols : {8, 13, 61, 64})
    for (int64_t low : {0, 7}) {
      int64_t rows = 13, stride = 64;
      cases
          .add(kFamily, kFile, "tile_of_rows",
               named(type) + ",cols=" + std::to_string(cols) + ",low=" + std::to_string(low))
          .in(type, rows * stride, anyBits())
          .out(type, rows * stride, exact(), each([=](const Inputs &in, int64_t i) -> std::optional<Number> {
                 return i % stride >= low && i % stride < cols ? std::optional(in(0, i)) : std::nullopt;
               }))
          .value(stride)
          .value(rows)
          .value(low)
          .value(cols)
          .with("ROWS", 8)
          .with("BLOCK", 64)
          .grid(2)
          .warps(cols == 13 ? 4 : 1);
    }
}

/// Softmax of rows times a number of either sign, and 0.
void addScaledSoftmax(Cases &cases) {
  for (double scale : {0.125, -0.5, 0.0})
    for (auto [rows, cols, block, warps] : {std::tuple{5, 100, 128, 1}, {3, 781, 1024, 4}})
      cases.add(kFamily, kFile, "scaled_softmax", by(rows, cols) + ",times " + std::to_string(scale))
          .in(DType::F32, rows * cols, reals(-8, 8))
          .out(DType::F32, rows * cols, near(1e-9, 4e-6), each([=, n = cols](const Inputs &in, int64_t at) {
                 int64_t first = at / n * n;
                 auto score = [&](int64_t i) { return static_cast<double>(in(0, first + i)) * scale; };
                 double largest = score(0), total = 0;
                 for (int64_t i = 1; i < n; ++i)
                   largest = std::max(largest, score(i));
                 for (int64_t i = 0; i < n; ++i)
                   total += std::exp(score(i) - largest);
                 return Number(std::exp(score(at % n) - largest) / total);
               }))
          .real(scale)
          .value(cols)
          .value(rows)
          .value(cols)
          .value(2)
          .with("BLOCK", block)
          .grid(2)
          .warps(warps);
}

} // namespace rows_family

void addUnalignedRows(Cases &cases) {
  using namespace rows_family;
  for (DType type : {DType::F16, DType::BF16, DType::F32, DType::I8}) {
    addBetween(cases, type);
    addWhole(cases, type);
    addTiles(cases, type);
    addOrdered(cases, type);
  }
  for (DType type : {DType::F16, DType::F32, DType::I8})
    addComputed(cases, type);
  addScaledSoftmax(cases);
  for (DType type : {DType::F16, DType::I8})
    addInPlace(cases, type);
  for (DType type : {DType::F16, DType::F32}) {
    addWeighted(cases, type);
    addWeightedApart(cases, type);
  }
  addSlots(cases);
}

} // namespace tegula::conformance
