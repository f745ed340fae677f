// Inline assembly: what its instructions are defined to compute.
#include "tests/conformance/families/Families.h"

#include <bit>
#include <cmath>

namespace tegula::conformance {

namespace assembly_family {

const std::string kFamily = "assembly", kFile = "assembly.py";

float single(Number x) { return static_cast<float>(x); }
uint32_t word(Number x) { return static_cast<uint32_t>(static_cast<int64_t>(x)); }
Number fromWord(uint32_t bits) { return static_cast<int32_t>(bits); }

/// Floats whose lower 13 bits are at and beside the ties of a rounding to tf32, with infinities and NaNs.
Number bitsNearTf32(int64_t i) {
  constexpr uint32_t kRest[] = {0, 1, 0xfff, 0x1000, 0x1001, 0x1fff, 0x2fff, 0x3000, 0x3001};
  constexpr uint32_t kKept[] = {0, 0x80000000, 0x3f800000, 0xbf7fc000, 0x7f7fc000, 0x7f800000, 0xff800000, 0x7fffc000};
  return fromWord(kKept[i / 9 % 8] | kRest[i % 9]);
}

/// `roundsUp(kept, rest)`: whether the lower 13 bits of a float, `rest`, increase the magnitude of the others.
template <class RoundsUp> Number tf32Of(Number x, RoundsUp roundsUp) {
  uint32_t bits = word(x), rest = bits & 0x1fff, kept = bits - rest;
  if (std::isnan(std::bit_cast<float>(bits)))
    return fromWord(0x7fffffff);
  return fromWord(roundsUp(kept, rest) ? kept + 0x2000 : kept);
}

/// Rows of n results, one row for each function.
template <class... F> Reference rows(int64_t n, F... functions) {
  return [n, functions...](const Inputs &in, int64_t) {
    Expected out;
    auto add = [&](auto f) {
      for (int64_t i = 0; i < n; ++i)
        out.push_back(f(in, i));
    };
    (add(functions), ...);
    return out;
  };
}

void addFloats(Cases &cases, Extent e) {
  cases.add(kFamily, kFile, "floats", e.text())
      .in(DType::F32, e.n, reals(-9, 9))
      .in(DType::F32, e.n, reals(-5, 5))
      .out(DType::F32, 4 * e.n, exactAnyZero(),
           rows(
               e.n, [](const Inputs &in, int64_t i) -> Number { return single(in(0, i)) + single(in(1, i)); },
               [](const Inputs &in, int64_t i) -> Number {
                 Number exact = in(0, i) * in(1, i);
                 float nearest = single(exact);
                 return nearest > exact ? std::nextafter(nearest, -INFINITY) : nearest;
               },
               [](const Inputs &in, int64_t i) -> Number {
                 float twice = std::fma(single(in(0, i)), 2.0F, single(in(1, i)));
                 return twice < -2 ? 2 : twice; // limited and negated
               },
               [](const Inputs &in, int64_t i) { return std::min(std::max(std::abs(in(0, i)), in(1, i)), Number(4)); }))
      .value(e.n)
      .with("BLOCK", e.block)
      .grid(e.programs())
      .warps(e.warps);
  Policy policy = ulps(4);
  policy.absolute = 1e-6; // near the zero of the logarithm
  cases.add(kFamily, kFile, "functions", e.text())
      .in(DType::F32, e.n, reals(0.1L, 9))
      .out(DType::F32, 6 * e.n, policy,
           rows(
               e.n, [](const Inputs &in, int64_t i) { return std::exp2(in(0, i)); },
               [](const Inputs &in, int64_t i) { return std::log2(in(0, i)); },
               [](const Inputs &in, int64_t i) { return 1 / in(0, i); },
               [](const Inputs &in, int64_t i) { return 1 / std::sqrt(in(0, i)); },
               [](const Inputs &in, int64_t i) { return std::tanh(in(0, i)); },
               [](const Inputs &in, int64_t i) { return std::sqrt(1 / in(0, i)); }))
      .value(e.n)
      .with("BLOCK", e.block)
      .grid(e.programs())
      .warps(e.warps);
}

void addIntegers(Cases &cases, Extent e) {
  auto onWords = [](auto f) {
    return [f](const Inputs &in, int64_t i) { return fromWord(f(word(in(0, i)), word(in(1, i)))); };
  };
  cases.add(kFamily, kFile, "integers", e.text())
      .in(DType::I32, e.n, anyBits())
      .in(DType::I32, e.n, anyBits())
      .out(DType::I32, 14 * e.n, exact(),
           rows(e.n, onWords([](uint32_t x, uint32_t y) { return x * y + 17; }),
                onWords([](uint32_t x, uint32_t y) { return uint32_t(uint64_t(x) * y >> 32); }),
                onWords([](uint32_t x, uint32_t y) { return (x & y) | (~x & 0x0F0F0F0FU); }), // 0xCA: x ? y : mask
                onWords([](uint32_t x, uint32_t y) {
                  return (x & 255) | (y & 255) << 8 | (x >> 8 & 255) << 16 | (y >> 8 & 255) << 24;
                }),
                onWords([](uint32_t x, uint32_t) { return uint32_t(int32_t(x << 16) >> 21); }),
                onWords([](uint32_t x, uint32_t y) { return (y & ~(511U << 7)) | (x & 511) << 7; }),
                onWords([](uint32_t x, uint32_t y) { return y << 9 | x >> 23; }),
                onWords([](uint32_t x, uint32_t y) { return uint32_t((int64_t(int32_t(x)) * int32_t(y)) >> 16); }),
                onWords([](uint32_t x, uint32_t y) { return int32_t(x) > int32_t(y) || x == 0 ? x : y; }),
                onWords([](uint32_t x, uint32_t) { return uint32_t(std::popcount(x)) + 5; }),
                onWords([](uint32_t x, uint32_t y) {
                  uint32_t bytes =
                      (x & 255) | (y >> 8 & 255) << 8 | (x >> 7 & 1) * 0xff0000 | (y >> 7 & 1) * 0xff000000;
                  return std::max(bytes, y) - std::min(bytes, y) + 8;
                }),
                onWords([](uint32_t x, uint32_t y) {
                  int64_t a = int64_t(x) << 9, b = y;
                  return uint32_t((std::abs(a - b) + b) >> 8);
                }),
                onWords([](uint32_t x, uint32_t y) { return uint32_t(std::max(std::min(int32_t(x), int32_t(y)), 0)); }),
                onWords([](uint32_t x, uint32_t y) { return uint32_t(int32_t(x) >> 31) + y; })))
      .value(e.n)
      .with("BLOCK", e.block)
      .grid(e.programs())
      .warps(e.warps);
  cases.add(kFamily, kFile, "two_results", e.text())
      .in(DType::I32, e.n, anyBits())
      .in(DType::I32, e.n, anyBits())
      .out(DType::I32, 2 * e.n, exact(),
           rows(
               e.n, [](const Inputs &in, int64_t i) { return std::min(in(0, i), in(1, i)); },
               [](const Inputs &in, int64_t i) { return std::max(in(0, i), in(1, i)); }))
      .value(e.n)
      .with("BLOCK", e.block)
      .grid(e.programs())
      .warps(e.warps);
}

void addPacked(Cases &cases, int64_t n, int warps) {
  std::string variant = "n=" + std::to_string(n);
  cases.add(kFamily, kFile, "packed_bytes", variant)
      .in(DType::U8, n, anyBits())
      .out(DType::U8, n, exact(), each([](const Inputs &in, int64_t i) { return Number(word(in(0, i)) ^ 0x80U); }))
      .out(DType::U16, n, exact(), each([](const Inputs &in, int64_t i) { return in(0, i); }))
      .with("N", n)
      .warps(warps);
  cases.add(kFamily, kFile, "halves", variant)
      .in(DType::F16, n, whole(-20, 20))
      .in(DType::F16, n, whole(-20, 20))
      .out(DType::F16, n, exactAnyZero(),
           each([](const Inputs &in, int64_t i) { return in(0, i) * in(1, i) + in(0, i) - in(1, i); }))
      .with("N", n)
      .warps(warps);
  Fill mixed = byIndex([](int64_t i) { return Number(i % 97 - 48) * 1.375L * (i % 5 == 0 ? 40 : 1); });
  cases.add(kFamily, kFile, "conversions", variant)
      .in(DType::F32, n, mixed)
      .out(DType::I32, 2 * n, exact(),
           rows(
               n,
               [](const Inputs &in, int64_t i) -> Number {
                 Number x = in(0, i), whole = std::floor(x), rest = x - whole;
                 return rest > 0.5L || (rest == 0.5L && std::fmod(whole, 2.0L) != 0) ? whole + 1 : whole;
               },
               [](const Inputs &in, int64_t i) { return std::floor(in(0, i)); }))
      .out(DType::U8, n, exact(), each([](const Inputs &in, int64_t i) {
             return std::min(std::max(std::trunc(in(0, i)), Number(0)), Number(255));
           }))
      .out(DType::F32, n, exact(), each([](const Inputs &in, int64_t i) -> Number {
             uint32_t bits = std::bit_cast<uint32_t>(single(in(0, i)));
             return std::bit_cast<float>((bits + 0x1000) & 0xffffe000);
           }))
      .with("N", n)
      .warps(warps);
  cases.add(kFamily, kFile, "saturated", variant)
      .in(DType::F32, n, byIndex([](int64_t i) { return std::ldexp(Number(i % 2 ? -1.5 : 1.5), int(i % 24)); }))
      .out(DType::F32, n, exact(), each([](const Inputs &in, int64_t i) {
             return std::min(std::max(in(0, i), Number(-65504)), Number(65504));
           }))
      .out(DType::F32, n, exact(),
           each([](const Inputs &in, int64_t i) { return std::copysign(Number(0x1.fep127), in(0, i)); }))
      .out(DType::I32, 2 * n, exact(),
           rows(
               n, [](const Inputs &in, int64_t i) -> Number { return in(0, i) < 0 ? INT32_MIN : INT32_MAX; },
               [](const Inputs &in, int64_t i) -> Number { return in(0, i) < 0 ? 0 : -1; }))
      .with("N", n)
      .warps(warps);
  cases.add(kFamily, kFile, "to_tf32", variant)
      .in(DType::I32, n, byIndex(bitsNearTf32))
      .out(DType::I32, 3 * n, exact(),
           rows(
               n,
               [](const Inputs &in, int64_t i) { return tf32Of(in(0, i), [](uint32_t, uint32_t) { return false; }); },
               [](const Inputs &in, int64_t i) {
                 return tf32Of(in(0, i), [](uint32_t, uint32_t rest) { return rest >= 0x1000; });
               },
               [](const Inputs &in, int64_t i) {
                 return tf32Of(in(0, i), [](uint32_t kept, uint32_t rest) {
                   return rest > 0x1000 || (rest == 0x1000 && (kept & 0x2000));
                 });
               }))
      .with("N", n)
      .warps(warps);
  cases.add(kFamily, kFile, "narrowed", variant)
      .in(DType::F32, n, mixed)
      .out(DType::F8E4M3, n, exact(),
           each([](const Inputs &in, int64_t i) { return std::min(std::max(in(0, i), Number(-448)), Number(448)); }))
      .out(DType::BF16, n, exact(), each([](const Inputs &in, int64_t i) { return in(0, i); }))
      .with("N", n)
      .warps(warps);
  cases.add(kFamily, kFile, "barrier", variant)
      .in(DType::I32, n, anyBits())
      .out(DType::I32, n, exact(), each([](const Inputs &in, int64_t i) { return in(0, i); }))
      .with("N", n)
      .warps(warps);
  cases.add(kFamily, kFile, "widened", variant)
      .in(DType::F8E5M2, n, anyBits())
      .out(DType::F16, n, exact(), each([](const Inputs &in, int64_t i) { return in(0, i); }))
      .with("N", n)
      .warps(warps);
}

} // namespace assembly_family

void addAssembly(Cases &cases) {
  using namespace assembly_family;
  for (size_t turn : {0U, 4U}) {
    addFloats(cases, extent(turn));
    addIntegers(cases, extent(turn + 1));
  }
  addPacked(cases, 256, 2);
  addPacked(cases, 16, 1);
}

} // namespace tegula::conformance
