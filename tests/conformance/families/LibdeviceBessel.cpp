// Bessel functions of libdevice, rsqrt rounded to nearest, and the upper half of a reciprocal.
#include "tests/conformance/families/LibdeviceCases.h"

#include <cmath>

namespace tegula::conformance {

namespace libdevice_bessel {

using libdevice_cases::vector;

Number i0(Number x) { return std::cyl_bessel_i(0.0L, std::fabs(x)); }
Number i1(Number x) { return std::copysign(std::cyl_bessel_i(1.0L, std::fabs(x)), x); }

struct Row {
  const char *name;
  Number (*f)(Number);
  Number low, high;
  double ulps; // of the result, or of 1 where the result is smaller
};
constexpr Row kRows[] = {
    {"j0", ::j0l, -90, 90, 4.5},     {"j1", ::j1l, -90, 90, 4.5},    {"j0", ::j0l, -0.5L, 0.5L, 4.5},
    {"j1", ::j1l, -0.5L, 0.5L, 4.5}, {"y0", ::y0l, 0.001L, 90, 4.5}, {"y1", ::y1l, 0.001L, 90, 4.5},
    {"y0", ::y0l, 0.001L, 2, 4.5},   {"y1", ::y1l, 0.001L, 2, 4.5},  {"i0", i0, -85, 85, 20.5},
    {"i1", i1, -85, 85, 20.5},       {"i0", i0, -0.5L, 0.5L, 20.5},  {"i1", i1, -0.5L, 0.5L, 20.5},
};

/// As `count` ulps, but of 1 where the result is smaller: near a zero of the function its digits cancel.
Policy ulpsOrOfOne(double count, DType type) {
  Policy policy = ulps(count);
  policy.absolute = count * (type == DType::F32 ? 0x1p-23 : 0x1p-52);
  return policy;
}

void addBessel(Cases &cases) {
  size_t turn = 0;
  for (DType type : {DType::F32, DType::F64}) {
    for (const Row &row : kRows) {
      Extent e = extent(turn++);
      std::string range = row.high > 2 ? "" : row.high > 1 ? ",near" : ",zero";
      vector(cases, "bessel", std::string(row.name) + "," + named(type) + range, e)
          .in(type, e.n, reals(row.low, row.high))
          .out(type, e.n, ulpsOrOfOne(row.ulps, type),
               each([&row](const Inputs &in, int64_t i) { return row.f(in(0, i)); }))
          .value(e.n)
          .with("NAME", row.name);
    }
    // Orders above and below the argument; Y grows beyond f32 only for orders far above it.
    Extent e = {200, 64, 4};
    vector(cases, "bessel_orders", named(type), e)
        .in(DType::I32, e.n, listed({0, 1, 2, 3, 5, 8, 13, 17}))
        .in(type, e.n, reals(2, 40))
        .out(type, e.n, ulpsOrOfOne(4.5, type),
             each([](const Inputs &in, int64_t i) { return ::jnl(static_cast<int>(in(0, i)), in(1, i)); }))
        .out(type, e.n, ulpsOrOfOne(20.5, type),
             each([](const Inputs &in, int64_t i) { return ::ynl(static_cast<int>(in(0, i)), in(1, i)); }))
        .value(e.n);
  }
}

void addRoots(Cases &cases) {
  Extent e = {200, 64, 4};
  auto root = each([](const Inputs &in, int64_t i) { return 1 / std::sqrt(in(0, i)); });
  vector(cases, "rounded_root", "", e)
      .in(DType::F32, e.n, reals(0.001L, 1000))
      .out(DType::F32, e.n, exact(), root)
      .value(e.n);
  vector(cases, "rounded_root", "special", e)
      .in(DType::F32, e.n, listed({0, 1, 4, 0x1p-126L, 0x1p-40L, 0x1p127L, 3 * 0x1p100L, -1, HUGE_VALL}))
      .out(DType::F32, e.n, exact(), root)
      .value(e.n);
  // A target may divide with an error of 2 ulp, which the upper half shows as one of its own at most.
  vector(cases, "upper_reciprocal", "", e)
      .in(DType::F64, e.n, reals(-1000, 1000))
      .out(DType::F64, e.n, near(0, 0x1p-20), each([](const Inputs &in, int64_t i) { return 1 / in(0, i); }))
      .out(DType::I32, e.n, exact(), each([](const Inputs &, int64_t) { return Number(0); }))
      .value(e.n);
}

} // namespace libdevice_bessel

void addLibdeviceBessel(Cases &cases) {
  libdevice_bessel::addBessel(cases);
  libdevice_bessel::addRoots(cases);
}

} // namespace tegula::conformance
