// Integers of few bits as floats; products whose operands are computed from what is loaded; butterflies, which split
// tensors along one bit of an axis after the other; a convolution.
#include "tests/conformance/families/Families.h"

#include <bit>

namespace tegula::conformance {

namespace unpacked_family {

const std::string kFamily = "unpacked", kFile = "unpacked.py";

Fill smallNumbers() { return whole(-4, 4); }

int64_t fieldOf(int64_t integer, int64_t shift, int64_t bits, bool isSigned) {
  uint64_t field = uint64_t(integer) >> shift & ((uint64_t(1) << bits) - 1);
  bool isNegative = isSigned && (field >> (bits - 1) & 1);
  return int64_t(field) - (isNegative ? int64_t(1) << bits : 0);
}

void addFields(Cases &cases) {
  struct Field {
    int64_t shift, bits;
  };
  auto add = [&](DType from, Field field, bool isSigned, DType to) {
    constexpr int64_t kBlock = 256, kCount = 500;
    cases
        .add(kFamily, kFile, "fields",
             named(from) + "->" + named(to) + "," + std::to_string(field.bits) + " bits from " +
                 std::to_string(field.shift) + (isSigned ? ",signed" : ""))
        .in(from, kCount, anyBits())
        .out(to, kCount, exact(), each([=](const Inputs &in, int64_t i) {
               return Number(fieldOf(int64_t(in(0, i)), field.shift, field.bits, isSigned));
             }))
        .value(kCount)
        .with("SHIFT", field.shift)
        .with("BITS", field.bits)
        .with("SIGNED", isSigned)
        .with("TYPE", to)
        .with("BLOCK", kBlock)
        .grid(cdiv(kCount, kBlock))
        .warps(1);
  };
  for (DType to : {DType::F16, DType::BF16, DType::F32}) {
    for (Field field : {Field{0, 4}, {4, 4}, {0, 8}, {2, 3}, {1, 7}, {7, 1}}) {
      add(DType::I8, field, /*isSigned=*/true, to);
      add(DType::U8, field, /*isSigned=*/false, to);
    }
    for (Field field : {Field{0, 4}, {12, 4}, {24, 8}, {5, 7}, {3, 10}, {6, 11}, {9, 23}, {8, 24}}) {
      add(DType::I32, field, /*isSigned=*/true, to);
      add(DType::U32, field, /*isSigned=*/false, to);
    }
    for (Field field : {Field{0, 8}, {4, 4}, {0, 16}})
      add(DType::I16, field, /*isSigned=*/true, to);
  }
}

void addDifferences(Cases &cases) {
  struct Fields {
    int64_t shift, other, bits;
  };
  constexpr int64_t kBlock = 256, kCount = 500;
  auto add = [&](DType from, Fields fields, bool isSigned, DType to) {
    cases
        .add(kFamily, kFile, "differences",
             named(from) + "->" + named(to) + "," + std::to_string(fields.bits) + " bits from " +
                 std::to_string(fields.shift) + " and " + std::to_string(fields.other) + (isSigned ? ",signed" : ""))
        .in(from, kCount, anyBits())
        .in(from, kCount, anyBits())
        .out(to, kCount, exact(), each([=](const Inputs &in, int64_t i) {
               int64_t difference = fieldOf(int64_t(in(0, i)), fields.shift, fields.bits, isSigned) -
                                    fieldOf(int64_t(in(1, i)), fields.other, fields.bits, false);
               return Number(from == DType::I8 ? int8_t(difference) : difference);
             }))
        .value(kCount)
        .with("SHIFT", fields.shift)
        .with("OTHER", fields.other)
        .with("BITS", fields.bits)
        .with("SIGNED", isSigned)
        .with("TYPE", to)
        .with("BLOCK", kBlock)
        .grid(cdiv(kCount, kBlock))
        .warps(1);
  };
  for (DType to : {DType::F16, DType::BF16, DType::F32})
    for (bool isSigned : {false, true}) {
      for (Fields fields : {Fields{4, 0, 4}, {28, 12, 4}, {8, 24, 7}, {3, 20, 10}, {2, 1, 22}})
        if (fields.bits < (to == DType::F32 ? 24 : to == DType::F16 ? 11 : 8)) // the result is exact
          add(DType::I32, fields, isSigned, to);
      for (Fields fields : {Fields{4, 0, 4}, {0, 1, 6}, {1, 0, 7}})
        add(DType::I8, fields, isSigned, to); // some of the signed differences of 7 bits wrap
    }
}

void addCarried(Cases &cases) {
  constexpr int64_t kBlock = 64, kCount = 13;
  for (DType type : {DType::F16, DType::F32})
    for (int warps : {1, 2})
      cases.add(kFamily, kFile, "carried", named(type) + ",w=" + std::to_string(warps))
          .in(DType::I32, kBlock, whole(-9, 9))
          .out(DType::F32, kBlock, exact(), each([](const Inputs &, int64_t i) {
                 Number total = 0, number = 1 + i % 2;
                 for (int64_t k = 0; k < kCount; k += 3, number = number * 5 + 1)
                   total += number + 2 * Number(i + k);
                 for (int64_t k = 0; k < kCount; k += 4)
                   total += Number(i % 2 + k);
                 return total;
               }))
          .value(kCount)
          .with("TYPE", type)
          .with("BLOCK", kBlock)
          .warps(warps);
}

void addCarriedConstants(Cases &cases) {
  constexpr int64_t kSide = 16;
  for (DType type : {DType::F8E4M3, DType::F8E5M2, DType::F16})
    for (int warps : {1, 2, 4})
      cases.add(kFamily, kFile, "carried_constants", named(type) + ",w=" + std::to_string(warps))
          .out(DType::F32, kSide * kSide, exact(), each([](const Inputs &, int64_t) { return Number(6); }))
          .with("TYPE", type)
          .with("N", kSide)
          .warps(warps);
}

void addNibbles(Cases &cases) {
  struct Block {
    int64_t m, n, k, warps;
  };
  for (auto [m, n, k, warps] : {Block{16, 64, 64, 4}, {64, 32, 64, 4}, {128, 64, 32, 8}, {16, 16, 32, 1}})
    for (bool isAlongDepth : {false, true})
      for (DType type : {DType::F16, DType::BF16}) {
        int64_t depth = 4 * k, strideK = isAlongDepth ? 1 : n, strideN = isAlongDepth ? depth / 2 : 1;
        Case &made = cases
                         .add(kFamily, kFile, "nibbles",
                              named(type) + "," + by(m, n) + "," + std::to_string(k) + (isAlongDepth ? ",B^T" : ""))
                         .in(type, m * depth, smallNumbers())
                         .in(DType::I8, depth / 2 * n, anyBits())
                         .out(DType::F32, m * n, exactAnyZero(), each([=](const Inputs &in, int64_t at) {
                                Number total = 0;
                                for (int64_t p = 0; p < depth; ++p) {
                                  auto byte = int64_t(in(1, p / 2 * strideK + at % n * strideN));
                                  total += in(0, at / n * depth + p) * Number(fieldOf(byte, p % 2 * 4, 4, true));
                                }
                                return total;
                              }));
        for (int64_t value : {depth, strideK, strideN})
          made.value(value);
        made.with("M", m).with("N", n).with("K", k).warps(int(warps));
      }
}

void addComputed(Cases &cases) {
  struct Block {
    int64_t m, n, k, warps;
  };
  for (auto [m, n, k, warps] : {Block{64, 64, 64, 4}, {128, 128, 64, 8}, {16, 32, 32, 4}})
    for (const char *left : {"", "clamped", "summed"})
      for (const char *right : {"", "clamped", "cast"})
        for (int64_t iterations : {1, 5}) {
          int64_t depth = iterations * k;
          bool clampsA = left == std::string("clamped"), clampsB = right == std::string("clamped");
          bool sums = left == std::string("summed"), casts = right == std::string("cast");
          cases.add(kFamily, kFile, "computed", by(m, n) + "," + std::to_string(depth) + ",f=" + left + ",g=" + right)
              .in(DType::F16, m * depth, smallNumbers())
              .in(casts ? DType::I8 : DType::F16, depth * n, smallNumbers())
              .out(DType::F32, m * n, exactAnyZero(), each([=](const Inputs &in, int64_t at) {
                     Number total = 0;
                     for (int64_t p = 0; p < depth; ++p) {
                       Number a = in(0, at / n * depth + p), b = in(1, p * n + at % n);
                       total += (clampsA ? std::max<Number>(a, 0) : a) * (clampsB ? std::max<Number>(b, 0) : b);
                     }
                     return total;
                   }))
              .out(DType::F32, m, exactAnyZero(), each([=](const Inputs &in, int64_t row) {
                     Number total = 0;
                     for (int64_t p = 0; sums && p < depth; ++p)
                       total += in(0, row * depth + p);
                     return total;
                   }))
              .value(depth)
              .with("M", m)
              .with("N", n)
              .with("K", k)
              .with("LEFT", std::string(left))
              .with("RIGHT", std::string(right))
              .warps(int(warps));
        }
}

/// Element i after stages with strides below `count`, a power of two: the product of the row's aligned group of `count`
/// elements with a Hadamard matrix.
Number transformed(const Inputs &in, int64_t i, int64_t count) {
  Number total = 0;
  for (int64_t other = 0; other < count; ++other)
    total += in(0, i / count * count + other) * (std::popcount(uint64_t(i % count & other)) % 2 ? -1 : 1);
  return total;
}

void addButterflies(Cases &cases) {
  struct Row {
    int64_t n, stages;
    int warps;
  };
  for (auto [n, stages, warps] :
       {Row{4096, 12, 4}, {1024, 10, 1}, {512, 9, 8}, {256, 8, 4}, {64, 6, 1}, {2048, 3, 4}, {2048, 7, 2}})
    for (bool isDown : {false, true})
      for (DType result : {DType::F32, DType::BF16})
        cases
            .add(kFamily, kFile, "butterfly",
                 std::to_string(n) + "," + std::to_string(stages) + " stages" + (isDown ? ",down," : ",up,") +
                     named(result) + ",w=" + std::to_string(warps))
            .in(DType::F32, 2 * n, whole(-3, 3))
            .out(result, 2 * n, exactAnyZero(), each([stages = stages](const Inputs &in, int64_t i) {
                   return transformed(in, i, int64_t(1) << stages) / 2;
                 }))
            .with("N", n)
            .with("STAGES", stages)
            .with("DOWN", isDown)
            .with("TYPE", result)
            .grid(2)
            .warps(warps);
}

void addWindows(Cases &cases) {
  struct Image {
    int64_t height, width, channels, block, pixels, columns;
    int warps;
  };
  for (auto [height, width, channels, block, pixels, columns, warps] :
       {Image{7, 12, 32, 32, 64, 32, 4}, {9, 9, 20, 32, 128, 64, 8}, {4, 5, 16, 16, 16, 16, 1}}) {
    Case &made = cases.add(kFamily, kFile, "window", by(height, width) + "," + std::to_string(channels) + " channels")
                     .in(DType::F16, channels * height * width, smallNumbers())
                     .in(DType::F16, columns * channels * 9, smallNumbers())
                     .out(DType::F32, columns * height * width, exactAnyZero(), each([=](const Inputs &in, int64_t at) {
                            int64_t plane = height * width, column = at / plane, y = at % plane / width, x = at % width;
                            Number total = 0;
                            for (int64_t tap = 0; tap < 9; ++tap) {
                              int64_t h = y + tap / 3 - 1, w = x + tap % 3 - 1;
                              for (int64_t c = 0; c < channels && h >= 0 && h < height && w >= 0 && w < width; ++c)
                                total += in(0, c * plane + h * width + w) * in(1, (column * channels + c) * 9 + tap);
                            }
                            return total;
                          }));
    for (int64_t value : {height, width, channels})
      made.value(value);
    made.with("C", block).with("P", pixels).with("N", columns).grid(cdiv(height * width, pixels)).warps(warps);
  }
}

} // namespace unpacked_family

void addUnpacked(Cases &cases) {
  using namespace unpacked_family;
  addFields(cases);
  addDifferences(cases);
  addCarried(cases);
  addCarriedConstants(cases);
  addNibbles(cases);
  addComputed(cases);
  addButterflies(cases);
  addWindows(cases);
}

} // namespace tegula::conformance
