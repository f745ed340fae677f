// tl.dot_scaled: small whole numbers and powers of two, so that every sum is exact.
#include "tests/conformance/families/Families.h"

#include <cmath>

namespace tegula::conformance {

namespace scaled_family {

const std::string kFamily = "dot", kFile = "scaled.py";

struct Format {
  const char *name;
  DType type;      // as it is stored
  int64_t perByte; // elements in a stored one
};
constexpr Format kE2m1 = {"e2m1", DType::U8, 2}, kE4m3 = {"e4m3", DType::F8E4M3, 1}, kE5m2 = {"e5m2", DType::F8E5M2, 1},
                 kBf16 = {"bf16", DType::BF16, 1}, kFp16 = {"fp16", DType::F16, 1};

Fill elements(const Format &format) { return format.perByte == 2 ? whole(0, 255) : whole(-6, 6); }

/// Element (row, k) of an operand stored in rows of K elements.
Number element(const Inputs &in, size_t buffer, const Format &format, int64_t row, int64_t k, int64_t depth) {
  if (format.perByte == 1)
    return in(buffer, row * depth + k);
  constexpr Number kValues[] = {0, 0.5L, 1, 1.5L, 2, 3, 4, 6};
  auto byte = static_cast<int>(in(buffer, (row * depth + k) / 2)), nibble = k % 2 ? byte >> 4 : byte & 15;
  return nibble & 8 ? -kValues[nibble & 7] : kValues[nibble & 7];
}
Number scaleOf(const Inputs &in, size_t buffer, int64_t row, int64_t k, int64_t depth) {
  return std::ldexp(Number(1), static_cast<int>(in(buffer, row * (depth / 32) + k / 32)) - 127);
}

void addBoth(Cases &cases, Format a, Format b, int64_t m, int64_t n, int64_t k, int warps) {
  cases.add(kFamily, kFile, "dot_scaled", std::string(a.name) + "x" + b.name + "," + by(m, n) + "x" + std::to_string(k))
      .in(a.type, m * k / a.perByte, elements(a))
      .in(DType::U8, m * k / 32, whole(125, 129))
      .in(b.type, n * k / b.perByte, elements(b))
      .in(DType::U8, n * k / 32, whole(125, 129))
      .out(DType::F32, m * n, exactAnyZero(), each([=](const Inputs &in, int64_t i) {
             Number sum = 0;
             for (int64_t at = 0; at < k; ++at)
               sum += element(in, 0, a, i / n, at, k) * scaleOf(in, 1, i / n, at, k) * element(in, 2, b, i % n, at, k) *
                      scaleOf(in, 3, i % n, at, k);
             return sum;
           }))
      .with("M", m)
      .with("N", n)
      .with("K", k)
      .with("A_WIDTH", k / a.perByte)
      .with("B_WIDTH", k / b.perByte)
      .with("A", a.name)
      .with("B", b.name)
      .warps(warps);
}

void addOneSide(Cases &cases, Format a, Format b) {
  constexpr int64_t kM = 32, kN = 16, kK = 64;
  cases.add(kFamily, kFile, "dot_scaled_one_side", std::string(a.name) + "x" + b.name)
      .in(a.type, kM * kK / a.perByte, elements(a))
      .in(DType::U8, kM * kK / 32, whole(124, 130))
      .in(b.type, kK * kN, whole(-5, 5))
      .out(DType::F32, kM * kN, exactAnyZero(), each([=](const Inputs &in, int64_t i) {
             Number sum = 3;
             for (int64_t at = 0; at < kK; ++at)
               sum += element(in, 0, a, i / kN, at, kK) * scaleOf(in, 1, i / kN, at, kK) * in(2, at * kN + i % kN);
             return sum;
           }))
      .with("M", kM)
      .with("N", kN)
      .with("K", kK)
      .with("A_WIDTH", kK / a.perByte)
      .with("A", a.name)
      .with("B", b.name)
      .warps(4);
}

} // namespace scaled_family

void addDotScaled(Cases &cases) {
  using namespace scaled_family;
  addBoth(cases, kE2m1, kE2m1, 32, 32, 64, 4);
  addBoth(cases, kE2m1, kE4m3, 16, 64, 128, 2);
  addBoth(cases, kE4m3, kE5m2, 64, 16, 64, 4);
  addBoth(cases, kE5m2, kE2m1, 16, 16, 32, 1);
  for (Format narrow : {kE2m1, kE4m3})
    for (Format wide : {kBf16, kFp16})
      addOneSide(cases, narrow, wide);
}

} // namespace tegula::conformance
