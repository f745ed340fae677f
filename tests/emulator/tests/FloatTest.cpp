#include "tests/emulator/tests/Values.h"
#include "tests/emulator/tests/Vectors.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tegula::emulator::test {
namespace {

/// a * b + c in a type in which the product and the sum are exact, rounded once. Of f64: by the C library.
template <class T> T fused(T a, T b, T c) {
  if constexpr (sizeof(T) == 2)
    return toHalf(static_cast<__float128>(a) * static_cast<__float128>(b) + static_cast<__float128>(c));
  else
    return std::fma(a, b, c);
}

template <class T> bool before(T a, T b) { // in the order with -0 before +0
  return a < b || (a == 0 && b == 0 && std::signbit(double(a)) && !std::signbit(double(b)));
}
template <class T> bool isNone(T x) { return !(x == x); }
template <class T> T least(T a, T b) { return isNone(a) ? b : isNone(b) ? a : before(b, a) ? b : a; }
template <class T> T most(T a, T b) { return isNone(a) ? b : isNone(b) ? a : before(a, b) ? b : a; }
template <class T> T leastOrNone(T a, T b) { return isNone(a) ? a : isNone(b) ? b : least(a, b); }
template <class T> T mostOrNone(T a, T b) { return isNone(a) ? a : isNone(b) ? b : most(a, b); }
template <class T> T median(T a, T b, T c) {
  if (isNone(a) || isNone(b) || isNone(c))
    return least(least(a, b), c);
  T top = most(most(a, b), c);
  return top == a ? most(b, c) : top == b ? most(a, c) : most(a, b);
}

/// x - floor(x), below 1.
template <class T> T fraction(T x) {
  T rest = T(x - T(std::floor(double(x))));
  constexpr unsigned kBits = 8 * sizeof(T);
  T below1 = TypeOf<T>::from(kBits == 64 ? 0x3fefffffffffffff : kBits == 32 ? 0x3f7fffff : 0x3bff);
  return rest >= T(1) ? below1 : rest;
}

template <class T> std::string typeName() { return "f" + std::to_string(8 * sizeof(T)); }

template <class T> void addArithmetic(std::vector<Row> &rows) {
  auto add = [&](const std::string &names, auto f, Upper upper = Upper::Zero) {
    std::string all;
    for (const std::string &name : words(names))
      all += "v_" + name + "_" + typeName<T>() + " ";
    rows.push_back(row(all, f).with(upper));
  };
  add("add", [](T a, T b) { return T(a + b); });
  add("sub", [](T a, T b) { return T(a - b); });
  add("subrev", [](T a, T b) { return T(b - a); });
  add("mul", [](T a, T b) { return T(a * b); });
  add("fma", [](T a, T b, T c) { return fused(a, b, c); });
  add("fmac", [](T a, T b, Old<T> c) { return fused(a, b, c.value); }, Upper::Keep);
  add("min min_num", [](T a, T b) { return least(a, b); });
  add("max max_num", [](T a, T b) { return most(a, b); });
  add("minimum", [](T a, T b) { return leastOrNone(a, b); });
  add("maximum", [](T a, T b) { return mostOrNone(a, b); });
  add("floor", [](T a) { return T(std::floor(double(a))); });
  add("ceil", [](T a) { return T(std::ceil(double(a))); });
  add("trunc", [](T a) { return T(std::trunc(double(a))); });
  add("rndne", [](T a) { return T(std::rint(double(a))); });
  add("fract", [](T a) { return fraction(a); });
  add("frexp_mant", [](T a) {
    int exponent;
    return std::isfinite(double(a)) ? T(std::frexp(double(a), &exponent)) : a;
  });
}

template <class T> void addThree(std::vector<Row> &rows) {
  Upper upper = Upper::Keep;
  auto add = [&](const std::string &names, auto f) {
    std::string all;
    for (const std::string &name : words(names))
      all += "v_" + name + "_" + typeName<T>() + " ";
    rows.push_back(row(all, f).with(upper));
  };
  add("fmaak", [](T a, T b, K<T> k) { return fused(a, b, k.value); });
  add("fmamk", [](T a, K<T> k, T b) { return fused(a, k.value, b); });
  add("madak", [](T a, T b, K<T> k) { return T(T(a * b) + k.value); });
  add("madmk", [](T a, K<T> k, T b) { return T(T(a * k.value) + b); });
  upper = Upper::Either;
  add("min3 min3_num", [](T a, T b, T c) { return least(least(a, b), c); });
  add("max3 max3_num", [](T a, T b, T c) { return most(most(a, b), c); });
  add("minimum3", [](T a, T b, T c) { return leastOrNone(leastOrNone(a, b), c); });
  add("maximum3", [](T a, T b, T c) { return mostOrNone(mostOrNone(a, b), c); });
  add("med3 med3_num", [](T a, T b, T c) { return median(a, b, c); });
  add("minmax minmax_num", [](T a, T b, T c) { return most(least(a, b), c); });
  add("maxmin maxmin_num", [](T a, T b, T c) { return least(most(a, b), c); });
  add("minimummaximum", [](T a, T b, T c) { return mostOrNone(leastOrNone(a, b), c); });
  add("maximumminimum", [](T a, T b, T c) { return leastOrNone(mostOrNone(a, b), c); });
}

TEST(Float, Arithmetic) {
  std::vector<Row> rows;
  addArithmetic<_Float16>(rows);
  addArithmetic<float>(rows);
  addArithmetic<double>(rows);
  addThree<_Float16>(rows);
  addThree<float>(rows);
  using D = double;
  rows.push_back(row("v_mac_f32", [](float a, float b, Old<float> c) { return a * b + c.value; }));
  rows.push_back(row("v_mad_f32", [](float a, float b, float c) { return a * b + c; }));
  rows.push_back(
      row("v_mul_legacy_f32 v_mul_dx9_zero_f32", [](float a, float b) { return a == 0 || b == 0 ? 0 : a * b; }));
  // The power's sum with the exponent is far from every limit of int.
  auto power = [](D x, int n) { return std::ldexp(x, std::max(-4000, std::min(4000, n))); };
  rows.push_back(row("v_ldexp_f16", [=](_Float16 a, int16_t n) { return _Float16(power(D(a), n)); }));
  rows.push_back(row("v_ldexp_f32", [=](float a, int n) { return float(power(a, n)); }));
  rows.push_back(row("v_ldexp_f64", [=](D a, int n) { return power(a, n); }));
  auto exponent = [](D x) {
    int n = 0;
    if (std::isfinite(x))
      std::frexp(x, &n);
    return n;
  };
  rows.push_back(row("v_frexp_exp_i32_f32", [=](float a) { return exponent(a); }));
  rows.push_back(row("v_frexp_exp_i32_f64", [=](D a) { return exponent(a); }));
  rows.push_back(row("v_frexp_exp_i16_f16", [=](_Float16 a) { return int16_t(exponent(D(a))); }));
  checkRows(rows);
}

/// The hardware approximates these; f32's are not documented for denormal numbers.
template <class T> void addFunctions(std::vector<Row> &rows, double tolerance) {
  auto isUsual = [](double x) { return sizeof(T) != 4 || x == 0 || !(std::fabs(x) < 0x1p-126); };
  auto add = [&](const std::string &name, double (*f)(double)) {
    rows.push_back(
        row("v_" + name, [f](T a) { return T(f(double(a))); }).within(tolerance).where([=](const uint64_t *x) {
          double a = double(TypeOf<T>::from(x[0]));
          return isUsual(a) && isUsual(f(a));
        }));
  };
  std::string type = "_" + typeName<T>();
  add("rcp" + type, [](double x) { return 1 / x; });
  add("rsq" + type, [](double x) { return 1 / std::sqrt(x); });
  add("sqrt" + type, [](double x) { return std::sqrt(x); });
  if (sizeof(T) == 8)
    return;
  if (sizeof(T) == 4)
    add("rcp_iflag_f32", [](double x) { return 1 / x; });
  add("exp" + type, [](double x) { return std::exp2(x); });
  add("log" + type, [](double x) { return std::log2(x); });
  for (bool isSine : {true, false})
    rows.push_back(row(std::string("v_") + (isSine ? "sin" : "cos") + type,
                       [isSine](T a) {
                         double turn = std::fmod(double(a), 1.0) * 2 * M_PI;
                         return T(isSine ? std::sin(turn) : std::cos(turn));
                       })
                       .within(sizeof(T) == 2 ? 1e-2 : 1e-5)
                       .where([=](const uint64_t *x) { // in turns, at most 256 of them
                         double a = double(TypeOf<T>::from(x[0]));
                         return std::fabs(a) <= 256 && std::fabs(a) > 1e-3 && std::fabs(std::sin(a * 4 * M_PI)) > 1e-2;
                       }));
}

TEST(Float, Functions) {
  std::vector<Row> rows;
  addFunctions<_Float16>(rows, 2e-3);
  addFunctions<float>(rows, 3e-7);
  addFunctions<double>(rows, 1e-7);
  checkRows(rows);
}

} // namespace
} // namespace tegula::emulator::test
