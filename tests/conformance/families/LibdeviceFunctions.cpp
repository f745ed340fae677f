// Functions of libdevice that are expansions of core/math on GPUs and libm's on the CPU.
#include "tests/conformance/families/LibdeviceCases.h"

#include <cmath>

namespace tegula::conformance {

namespace libdevice_functions {

using libdevice_cases::neighbour, libdevice_cases::vector;

// --- references ---

Number sinpi(Number x) { return std::sin(std::remainder(x, 2.0L) * 3.14159265358979323846264L); }
Number cospi(Number x) { return std::cos(std::remainder(x, 2.0L) * 3.14159265358979323846264L); }
Number exp10(Number x) { return std::pow(10.0L, x); }
Number rcbrt(Number x) { return 1 / std::cbrt(x); }
Number erfcx(Number x) { return std::exp(x * x) * std::erfc(x); }
Number normcdf(Number x) { return std::erfc(-x * 0.707106781186547524400844L) / 2; }
/// The t with f(t) = y, f rising from `low` to `high`, by halving.
Number inverse(Number (*f)(Number), Number y, Number low, Number high) {
  for (int i = 0; i < 200; ++i) {
    Number middle = (low + high) / 2;
    (f(middle) < y ? low : high) = middle;
  }
  return low;
}
Number erfinv(Number x) {
  return inverse([](Number t) { return std::erf(t); }, x, -8, 8);
}
Number erfcinv(Number y) {
  if (std::abs(1 - y) < 0.5L)
    return erfinv(1 - y);
  return -inverse([](Number t) { return std::erfc(-t); }, y, -12, 12);
}
Number normcdfinv(Number y) { return -erfcinv(2 * y) * 1.41421356237309504880169L; }

struct Row {
  const char *name;
  Number (*f)(Number);
  Number low, high;
  double ulps;
};
/// The ulp stated in docs/math.md, on the side of the device, and half an ulp for the reference.
constexpr Row kOne[] = {
    {"asin", std::asin, -1, 1, 1.5},
    {"acos", std::acos, -1, 1, 1.5},
    {"atan", std::atan, -30, 30, 2.5},
    {"asinh", std::asinh, -50, 50, 2.5},
    {"acosh", std::acosh, 1, 50, 2.5},
    {"atanh", std::atanh, -1, 1, 2.5},
    {"cbrt", std::cbrt, -100, 100, 1.5},
    {"rcbrt", rcbrt, 0.1L, 100, 3},
    {"exp10", exp10, -30, 30, 2},
    {"sinpi", sinpi, -20, 20, 2},
    {"cospi", cospi, -20, 20, 2},
    {"erfc", std::erfc, -3, 8, 4.5},
    {"erfcx", erfcx, -3, 20, 4.5},
    {"erfinv", erfinv, -0.99L, 0.99L, 4.5},
    {"erfcinv", erfcinv, 0.01L, 1.9L, 4.5},
    {"normcdf", normcdf, -8, 5, 5.5},
    {"normcdfinv", normcdfinv, 0.01L, 0.4L, 5.5},
    {"lgamma", std::lgamma, 0.1L, 60, 4.5},
    {"tgamma", std::tgamma, -3.5L, 30, 6.5},
};

void addExpansions(Cases &cases) {
  size_t turn = 0;
  for (DType type : {DType::F32, DType::F64})
    for (const Row &row : kOne)
      for (bool isWide : {true, false}) {
        Extent e = extent(turn++);
        // Near zero of these results an ulp is that of the terms.
        Number low = isWide ? row.low : std::max(row.low, Number(0.3L)),
               high = isWide ? row.high : std::min(row.high, 0.9L);
        if (low >= high)
          continue;
        bool nearZero = row.f == sinpi || row.f == cospi;
        Policy policy = ulps(row.ulps);
        if (nearZero)
          policy.absolute = type == DType::F32 ? 1e-9 : 1e-18;
        vector(cases, "of_one", std::string(row.name) + "," + named(type) + (isWide ? "" : ",near"), e)
            .in(type, e.n, reals(low, high))
            .out(type, e.n, policy, each([&row](const Inputs &in, int64_t i) { return row.f(in(0, i)); }))
            .value(e.n)
            .with("NAME", row.name);
      }
}

/// Arguments at which these results are near zero.
void addInversesNearZero(Cases &cases) {
  for (DType type : {DType::F32, DType::F64})
    for (bool isDistribution : {false, true}) {
      const char *name = isDistribution ? "normcdfinv" : "erfcinv";
      Number (*f)(Number) = isDistribution ? normcdfinv : erfcinv;
      Number zero = isDistribution ? 0.5L : 1;
      Extent e = {100, 64, 2};
      int64_t digits = type == DType::F32 ? 23 : 52;
      vector(cases, "of_one", std::string(name) + "," + named(type) + ",zero", e)
          .in(type, e.n, byIndex([=](int64_t i) -> Number {
                return zero * (1 + (i % 2 ? 1 : -1) * std::ldexp(1.0L, -1 - static_cast<int>(i / 2 % digits)));
              }))
          .out(type, e.n, ulps(5.5), each([f](const Inputs &in, int64_t i) { return f(in(0, i)); }))
          .value(e.n)
          .with("NAME", name);
    }
}

struct Pair {
  const char *name;
  Number (*f)(Number, Number);
  Number lowX, highX, lowY, highY;
  double ulps; // 0: exact
};
Number hypot(Number x, Number y) { return std::hypot(x, y); }
Number remainder(Number x, Number y) { return std::remainder(x, y); }
Number fdim(Number x, Number y) { return x > y ? x - y : 0; }
constexpr Pair kTwo[] = {
    {"pow", std::pow, 0.01L, 30, -9, 9, 2},  {"atan2", std::atan2, -9, 9, -9, 9, 3},
    {"hypot", hypot, -100, 100, -9, 9, 2.5}, {"remainder", remainder, -900, 900, 0.5L, 7, 0},
    {"fdim", fdim, -9, 9, -9, 9, 0},
};

void addPairs(Cases &cases) {
  size_t turn = 0;
  for (DType type : {DType::F32, DType::F64}) {
    for (const Pair &row : kTwo) {
      Extent e = extent(turn++);
      vector(cases, "of_two", std::string(row.name) + "," + named(type), e)
          .in(type, e.n, reals(row.lowX, row.highX))
          .in(type, e.n, reals(row.lowY, row.highY))
          .out(type, e.n, row.ulps == 0 ? exact() : ulps(row.ulps),
               each([&row](const Inputs &in, int64_t i) { return row.f(in(0, i), in(1, i)); }))
          .value(e.n)
          .with("NAME", row.name);
    }
    Extent e = {40, 64, 2};
    vector(cases, "of_two", "nextafter," + named(type), e)
        .in(type, e.n, special())
        .in(type, e.n, reals(-9, 9))
        .out(type, e.n, exact(), each([type](const Inputs &in, int64_t i) {
               Number x = in(0, i), y = in(1, i);
               return std::isnan(x) || x == y ? x : neighbour(type, x, x < y);
             }))
        .value(e.n)
        .with("NAME", "nextafter");
    vector(cases, "of_two", "remainder,special," + named(type), e)
        .in(type, e.n, reals(-9, 9))
        .in(type, e.n, special())
        .out(type, e.n, exact(), each([](const Inputs &in, int64_t i) { return remainder(in(0, i), in(1, i)); }))
        .value(e.n)
        .with("NAME", "remainder");
    vector(cases, "of_two", "pow,integer," + named(type), e)
        .in(type, e.n, listed({-1, 1, -2, -0.5L, 2, -3}))
        .in(DType::I32, e.n, byIndex([](int64_t i) -> Number {
              return i % 6 == 0 ? 16777217 - i % 4 : i % 13 - 6; // beyond the integers that an f32 holds
            }))
        .out(type, e.n, ulps(2), each([](const Inputs &in, int64_t i) { return std::pow(in(0, i), in(1, i)); }))
        .value(e.n)
        .with("NAME", "pow");
    vector(cases, "scaled", named(type), e)
        .in(type, e.n, orderedSpecial())
        .in(DType::I32, e.n, listed({0, 1, -1, 30, -30, 127, -127, -149, 300, -300, 1100, -1100, 5000, -5000}))
        .out(type, e.n, exact(),
             each([](const Inputs &in, int64_t i) { return std::ldexp(in(0, i), static_cast<int>(in(1, i))); }))
        .out(DType::I32, e.n, exact(), each([](const Inputs &in, int64_t i) -> Number {
               Number x = in(0, i);
               return std::isinf(x) ? INT32_MAX : x == 0 || std::isnan(x) ? INT32_MIN : std::ilogb(x);
             }))
        .out(DType::I32, e.n, exact(), each([](const Inputs &in, int64_t i) { return Number(std::signbit(in(0, i))); }))
        .value(e.n);
  }
}

} // namespace libdevice_functions

void addLibdeviceFunctions(Cases &cases) {
  libdevice_functions::addExpansions(cases);
  libdevice_functions::addInversesNearZero(cases);
  libdevice_functions::addPairs(cases);
}

} // namespace tegula::conformance
