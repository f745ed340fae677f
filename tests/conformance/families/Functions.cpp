// Functions of one float: ordinary arguments within the stated ulp, special ones with their fixed results.
#include "tests/conformance/families/Families.h"

namespace tegula::conformance {

namespace functions_family {

const std::string kFile = "functions.py";

struct Row {
  const char *kernel;
  Number (*f)(Number);
  Number low, high; // of ordinary arguments
};

Number rsqrt(Number x) { return 1 / std::sqrt(x); }
Number sigmoid(Number x) { return 1 / (1 + std::exp(-x)); }

constexpr Row kRows[] = {
    {"exp", std::exp, -80, 80},         {"exp2", std::exp2, -120, 120},     {"log", std::log, 1e-30L, 1e30L},
    {"log2", std::log2, 1e-30L, 1e30L}, {"sin", std::sin, -100, 100},       {"cos", std::cos, -100, 100},
    {"erf", std::erf, -5, 5},           {"sqrt", std::sqrt, 0, 1e30L},      {"sqrt_rn", std::sqrt, 0, 1e30L},
    {"rsqrt", rsqrt, 1e-30L, 1e30L},    {"floor", std::floor, -1000, 1000}, {"ceil", std::ceil, -1000, 1000},
    {"sigmoid", sigmoid, -80, 80},
};

bool positive(const Row &row) { return row.low >= 0; }
/// Numbers of wide range in the row's domain: logarithmically spread where it is positive.
Fill ordinary(const Row &row, DType type) {
  if (positive(row)) {
    Number most = type == DType::F16 ? 14 : 90;
    return powers(-most, most);
  }
  Number limit = type == DType::F16 && std::string(row.kernel).starts_with("exp") ? 10 : row.high;
  return reals(-limit, limit);
}

void add(Cases &cases, const Row &row, DType type, Extent e, Fill x, Policy policy, const std::string &tag) {
  cases.add("functions", kFile, row.kernel, named(type) + "," + tag + "," + e.text())
      .in(type, e.n, std::move(x))
      .out(type, e.n, policy, each([&row, type](const Inputs &in, int64_t i) {
             // A root that must be right to the bit is rounded only once.
             bool root = std::string(row.kernel).starts_with("sqrt");
             return root ? inType(type, [](auto x) { return std::sqrt(x); }, in(0, i)) : row.f(in(0, i));
           }))
      .value(e.n)
      .with("BLOCK", e.block)
      .grid(e.programs())
      .warps(e.warps);
}

void addComposed(Cases &cases, DType type, Extent e, double unit) {
  auto one = [&](const char *kernel, Number (*f)(Number)) {
    cases.add("functions", kFile, kernel, named(type) + "," + e.text())
        .in(type, e.n, reals(-6, 6))
        .out(type, e.n, near(8 * unit, 8 * unit, 1), each([f](const Inputs &in, int64_t i) { return f(in(0, i)); }))
        .value(e.n)
        .with("BLOCK", e.block)
        .grid(e.programs())
        .warps(e.warps);
  };
  one("gelu", [](Number x) { return x / 2 * (1 + std::erf(x * 0.7071067811865476L)); });
  one("silu", [](Number x) { return x * sigmoid(x); });
  cases.add("functions", kFile, "math_namespace", named(type) + "," + e.text())
      .in(type, e.n, reals(0.5, 4))
      .out(type, e.n, near(0, 32 * unit, 1), each([](const Inputs &in, int64_t i) {
             Number x = in(0, i);
             return x + rsqrt(x) + std::sqrt(x) + x + std::floor(x) + std::exp(-x);
           }))
      .value(e.n)
      .with("BLOCK", e.block)
      .grid(e.programs())
      .warps(e.warps);
  cases.add("functions", kFile, "logsumexp_pair", named(type) + "," + e.text())
      .in(type, e.n, reals(-20, 20))
      .in(type, e.n, reals(-20, 20))
      .out(type, e.n, near(16 * unit, 16 * unit, 1), each([](const Inputs &in, int64_t i) {
             Number x = in(0, i), y = in(1, i), top = std::max(x, y);
             return top + std::log(std::exp(x - top) + std::exp(y - top));
           }))
      .value(e.n)
      .with("BLOCK", e.block)
      .grid(e.programs())
      .warps(e.warps);
}

} // namespace functions_family

void addFunctions(Cases &cases) {
  using namespace functions_family;
  size_t turn = 0;
  for (const Row &row : kRows)
    for (DType type : kFloats) {
      Policy policy = ofFunction(row.kernel, type);
      add(cases, row, type, extent(turn++), ordinary(row, type), policy, "ordinary");
      add(cases, row, type, extent(turn), reals(positive(row) ? 0.01L : -2, 2), policy, "near one");
      // Where the argument is huge the sine's is not asked for; everywhere else special arguments have fixed results.
      bool periodic = std::string(row.kernel) == "sin" || std::string(row.kernel) == "cos";
      auto kept = [periodic](Number x) { return !periodic || std::abs(x) <= 100 || !std::isfinite(x); };
      Extent few = {40, 64, 2};
      add(cases, row, type, few, only(special(), kept, 0.25L), policy, "special");
    }
  for (DType type : kAllFloats) {
    Extent e = extent(turn++);
    cases.add("functions", kFile, "keep_types", named(type) + "," + e.text())
        .in(type, e.n, reals(-9, 9))
        .out(type, e.n, exact(), each([](const Inputs &in, int64_t i) { return std::abs(in(0, i)); }))
        .value(e.n)
        .with("BLOCK", e.block)
        .grid(e.programs())
        .warps(e.warps);
  }
  for (const Row &row : kRows) // of 8-bit floats: those of small numbers, to one place
    for (DType type : kFp8)
      add(cases, row, type, {120, 128, 4}, reals(positive(row) ? 0.125L : -2, 2), ulps(1), "near one");
  for (DType type : {DType::F32, DType::F64})
    addComposed(cases, type, extent(turn++), std::ldexp(1.0, 1 - precisionOf(type)));
}

} // namespace tegula::conformance
