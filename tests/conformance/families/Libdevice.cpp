// Functions of libdevice on f32 and f64: ordinary arguments within the stated ulp, special ones with their fixed
// results.
#include "tests/conformance/families/Families.h"

#include <algorithm>
#include <cmath>

namespace tegula::conformance {

namespace libdevice_family {

const std::string kFile = "libdevice.py";

struct Row {
  const char *kernel;
  Number (*f)(Number);
  Number limit; // of ordinary arguments
  double ulps;  // 0: bit for bit
  bool isPositive = false;
};

Number roundEven(Number x) {
  Number whole = std::trunc(x), rest = std::abs(x - whole);
  bool isUp = rest > 0.5L || (rest == 0.5L && std::fmod(whole, 2.0L) != 0);
  return isUp ? whole + (x < 0 ? -1 : 1) : whole;
}
Number saturate(Number x) { return x > 0 ? std::min<Number>(x, 1) : 0; }
Number isNan(Number x) { return x != x; }
Number isInfinite(Number x) { return std::isinf(x); }
Number isFinite(Number x) { return std::isfinite(x); }

constexpr Row kRows[] = {
    {"tanh", std::tanh, 10, 4},           {"expm1", std::expm1, 20, 4},   {"log1p", std::log1p, 1e6L, 4, true},
    {"log10", std::log10, 1e6L, 4, true}, {"tan", std::tan, 100, 6},      {"sinh", std::sinh, 85, 6},
    {"cosh", std::cosh, 85, 6},           {"trunc", std::trunc, 1000, 0}, {"round", std::round, 1000, 0},
    {"rint", roundEven, 1000, 0},         {"saturatef", saturate, 3, 0},
};
constexpr Row kTests[] = {{"isnan", isNan, 0, 0}, {"isinf", isInfinite, 0, 0}, {"finite", isFinite, 0, 0}};

Case &add(Cases &cases, const Row &row, DType type, DType out, Extent e, Fill x, const std::string &tag) {
  return cases.add("libdevice", kFile, row.kernel, named(type) + "," + tag + "," + e.text())
      .in(type, e.n, std::move(x))
      .out(out, e.n, row.ulps == 0 ? exact() : ulps(row.ulps),
           each([&row](const Inputs &in, int64_t i) { return row.f(in(0, i)); }))
      .value(e.n)
      .with("BLOCK", e.block)
      .grid(e.programs())
      .warps(e.warps);
}

} // namespace libdevice_family

void addLibdevice(Cases &cases) {
  using namespace libdevice_family;
  const Extent few = {40, 64, 2};
  size_t turn = 0;
  for (DType type : {DType::F32, DType::F64}) {
    for (const Row &row : kRows) {
      add(cases, row, type, type, extent(turn++), reals(row.isPositive ? 0.01L : -row.limit, row.limit), "ordinary");
      add(cases, row, type, type, extent(turn), reals(row.isPositive ? 0.01L : -2, 2), "near one");
      add(cases, row, type, type, extent(turn),
          byIndex([&row](int64_t i) { return (static_cast<Number>(i % 41) - (row.isPositive ? -1 : 20)) / 2; }),
          "halves");
    }
    for (const Row &row : kRows)
      if (row.ulps == 0)
        add(cases, row, type, type, few, special(), "special");
    for (const Row &row : kTests)
      add(cases, row, type, DType::I32, few, special(), "special");
    for (bool isSign : {false, true}) {
      Extent e = extent(turn++);
      cases.add("libdevice", kFile, isSign ? "copysign" : "fmod", named(type) + "," + e.text())
          .in(type, e.n, reals(-50, 50))
          .in(type, e.n, reals(-7, 7))
          .out(type, e.n, exact(), each([isSign](const Inputs &in, int64_t i) {
                 return isSign ? std::copysign(in(0, i), in(1, i)) : std::fmod(in(0, i), in(1, i));
               }))
          .value(e.n)
          .with("BLOCK", e.block)
          .grid(e.programs())
          .warps(e.warps);
    }
  }
}

} // namespace tegula::conformance
