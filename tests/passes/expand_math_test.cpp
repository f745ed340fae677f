// simt-expand-math emits core/math's algorithms: its expansions in the simt executor and core/math on the host give
// equal bits. Conversions to integers saturate, compared with limits written here.
#include "core/math/Functions.h"
#include "core/math/HostNumbers.h"
#include "tests/passes/Run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <random>

namespace tegula::passes_test {
namespace {

/// The results of `op` on vectors %x, %y, %z of four elements of type `in`, after the pass, for all elements of the
/// inputs.
template <class T, class R>
std::vector<R> evaluate(const std::string &op, const std::string &in, const std::string &out,
                        std::array<std::vector<T>, 3> inputs, const std::string &native = "") {
  std::string text = "func.func @k(%a: !tile.ptr<IN>, %b: !tile.ptr<IN>, %c: !tile.ptr<IN>, %o: !tile.ptr<OUT>) "
                     "attributes {simt.warps = 1 : i32, simt.warp_size = 32 : i32} {\n"
                     "%t = simt.thread_id : i32\n%p = tile.program_id 0\n%c32 = arith.constant 32 : i32\n"
                     "%c4 = arith.constant 4 : i32\n%s = arith.muli %p, %c32 : i32\n%u = arith.addi %s, %t : i32\n"
                     "%i = arith.muli %u, %c4 : i32\n"
                     "%x = simt.load %a[%i] : !tile.ptr<IN>, i32 -> vector<4xIN>\n"
                     "%y = simt.load %b[%i] : !tile.ptr<IN>, i32 -> vector<4xIN>\n"
                     "%z = simt.load %c[%i] : !tile.ptr<IN>, i32 -> vector<4xIN>\n"
                     "%r = " +
                     op + "\nsimt.store %o[%i], %r : !tile.ptr<OUT>, i32, vector<4xOUT>\nreturn\n}\n";
  for (auto [mark, type] : {std::pair<std::string, std::string>("OUT", out), {"IN", in}})
    for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark))
      text.replace(at, mark.size(), type);
  Module module(text);
  std::string target = native.empty() ? "" : "simt-set-target{fields={native_math=[\"" + native + "\"]}},";
  std::string messages = module.run(target + "simt-expand-math,canonicalize");
  EXPECT_EQ(messages, "");
  size_t count = (inputs[0].size() + 127) / 128 * 128;
  for (std::vector<T> &input : inputs)
    input.resize(count);
  std::vector<R> result(count);
  simt_test::SimtExecutor executor(module.kernel());
  executor.pointer(inputs[0], "x").pointer(inputs[1], "y").pointer(inputs[2], "z").pointer(result, "o");
  simt_test::RunResult run = executor.run({uint32_t(count / 128), 1, 1});
  EXPECT_EQ(run.text(), "");
  return result;
}

template <class T> using Bits = typename elementary::HostNumbers<T, false>::WholeValue;

template <class T> std::vector<T> anyNumbers(uint32_t seed) {
  std::mt19937_64 generator(seed);
  std::vector<T> numbers;
  for (double special : {0.0, -0.0, 1.0, -1.0, 0.5, 3.0, 1e30, -1e30})
    numbers.push_back(T(special));
  numbers.push_back(std::numeric_limits<T>::infinity());
  numbers.push_back(-std::numeric_limits<T>::infinity());
  numbers.push_back(std::numeric_limits<T>::quiet_NaN());
  numbers.push_back(std::numeric_limits<T>::denorm_min());
  while (numbers.size() < 512) {
    double usual = std::uniform_real_distribution<double>(-20, 20)(generator);
    numbers.push_back(numbers.size() % 2 ? T(usual) : std::bit_cast<T>(Bits<T>(generator())));
  }
  std::shuffle(numbers.begin(), numbers.end(), generator);
  return numbers;
}

template <class T> void expectSame(T found, T expected, const std::string &what) {
  if (std::isnan(found) && std::isnan(expected))
    return;
  EXPECT_EQ(std::bit_cast<Bits<T>>(found), std::bit_cast<Bits<T>>(expected))
      << what << ": " << found << ", " << expected;
}

template <class T> using Number = elementary::Real<elementary::HostNumbers<T, false>>;

template <class T> struct Case {
  const char *op;
  std::function<Number<T>(Number<T>, Number<T>, Number<T>)> function;
};

template <class T> const std::vector<Case<T>> &cases() {
  namespace e = elementary;
  static const std::vector<Case<T>> all = {
      {"math.exp %x", [](auto x, auto, auto) { return e::exp(x); }},
      {"math.exp2 %x", [](auto x, auto, auto) { return e::exp2(x); }},
      {"math.expm1 %x", [](auto x, auto, auto) { return e::expm1(x); }},
      {"math.log %x", [](auto x, auto, auto) { return e::log(x); }},
      {"math.log2 %x", [](auto x, auto, auto) { return e::log2(x); }},
      {"math.log1p %x", [](auto x, auto, auto) { return e::log1p(x); }},
      {"math.sin %x", [](auto x, auto, auto) { return e::sin(x); }},
      {"math.cos %x", [](auto x, auto, auto) { return e::cos(x); }},
      {"math.tanh %x", [](auto x, auto, auto) { return e::tanh(x); }},
      {"math.erf %x", [](auto x, auto, auto) { return e::erf(x); }},
      {"math.rsqrt %x", [](auto x, auto, auto) { return e::rsqrt(x); }},
      {"math.fma %x, %y, %z", [](auto x, auto y, auto z) { return e::fma(x, y, z); }},
      {"math.tan %x", [](auto x, auto, auto) { return e::tan(x); }},
      {"math.asin %x", [](auto x, auto, auto) { return e::asin(x); }},
      {"math.acos %x", [](auto x, auto, auto) { return e::acos(x); }},
      {"math.atan %x", [](auto x, auto, auto) { return e::atan(x); }},
      {"math.sinh %x", [](auto x, auto, auto) { return e::sinh(x); }},
      {"math.cosh %x", [](auto x, auto, auto) { return e::cosh(x); }},
      {"math.atan2 %x, %y", [](auto x, auto y, auto) { return e::atan2(x, y); }},
      {"math.powf %x, %y", [](auto x, auto y, auto) { return e::pow(x, y); }},
      {"tile.function acosh(%x)", [](auto x, auto, auto) { return e::acosh(x); }},
      {"tile.function asinh(%x)", [](auto x, auto, auto) { return e::asinh(x); }},
      {"tile.function atanh(%x)", [](auto x, auto, auto) { return e::atanh(x); }},
      {"tile.function cbrt(%x)", [](auto x, auto, auto) { return e::cbrt(x); }},
      {"tile.function cospi(%x)", [](auto x, auto, auto) { return e::cospi(x); }},
      {"tile.function erfc(%x)", [](auto x, auto, auto) { return e::erfc(x); }},
      {"tile.function erfcinv(%x)", [](auto x, auto, auto) { return e::erfcinv(x); }},
      {"tile.function erfcx(%x)", [](auto x, auto, auto) { return e::erfcx(x); }},
      {"tile.function erfinv(%x)", [](auto x, auto, auto) { return e::erfinv(x); }},
      {"tile.function exp10(%x)", [](auto x, auto, auto) { return e::exp10(x); }},
      {"tile.function lgamma(%x)", [](auto x, auto, auto) { return e::lgamma(x); }},
      {"tile.function normcdf(%x)", [](auto x, auto, auto) { return e::normcdf(x); }},
      {"tile.function normcdfinv(%x)", [](auto x, auto, auto) { return e::normcdfinv(x); }},
      {"tile.function sinpi(%x)", [](auto x, auto, auto) { return e::sinpi(x); }},
      {"tile.function tgamma(%x)", [](auto x, auto, auto) { return e::tgamma(x); }},
      {"tile.function hypot(%x, %y)", [](auto x, auto y, auto) { return e::hypot(x, y); }},
      {"tile.function fma_rd(%x, %y, %z)",
       [](auto x, auto y, auto z) { return e::fma<elementary::HostNumbers<T, false>, e::Rounding::Down>(x, y, z); }},
      {"tile.function fma_ru(%x, %y, %z)",
       [](auto x, auto y, auto z) { return e::fma<elementary::HostNumbers<T, false>, e::Rounding::Up>(x, y, z); }},
      {"tile.function fma_rz(%x, %y, %z)",
       [](auto x, auto y, auto z) { return e::fma<elementary::HostNumbers<T, false>, e::Rounding::Zero>(x, y, z); }},
      {"arith.remf %x, %y", [](auto x, auto y, auto) { return e::remainder(x, y); }},
  };
  return all;
}

template <class T> class ExpandMath : public testing::Test {
public:
  static constexpr const char *kType = sizeof(T) == 4 ? "f32" : "f64";
};
using Widths = testing::Types<float, double>;
TYPED_TEST_SUITE(ExpandMath, Widths);

TYPED_TEST(ExpandMath, EmitsWhatTheAlgorithmsCompute) {
  using T = TypeParam;
  std::vector<T> x = anyNumbers<T>(1), y = anyNumbers<T>(2), z = anyNumbers<T>(3);
  for (const Case<T> &c : cases<T>()) {
    std::vector<T> found = evaluate<T, T>(std::string(c.op) + " : vector<4xIN>", this->kType, this->kType, {x, y, z});
    elementary::HostNumbers<T, false> n;
    for (size_t i = 0; i < x.size(); ++i)
      expectSame(found[i], c.function({&n, x[i]}, {&n, y[i]}, {&n, z[i]}).v, c.op);
  }
}

/// Conversions of f32 and f64 to integers saturate at the type's limits.
template <class T, class R>
void checkConversion(const std::string &op, const std::string &from, const std::string &to) {
  std::vector<T> x = anyNumbers<T>(5);
  for (int k = 0; k < 66; ++k)
    for (double base : {std::ldexp(1.0, k), -std::ldexp(1.0, k)})
      for (double step : {-1.0, -0.5, 0.0, 0.5, 1.0})
        x.push_back(T(base + step));
  std::vector<R> found = evaluate<T, R>(op + " %x : vector<4xIN> to vector<4xOUT>", from, to, {x, {}, {}});
  for (size_t i = 0; i < x.size(); ++i) {
    long double whole = std::trunc(static_cast<long double>(x[i]));
    R expected = std::isnan(x[i])                                                   ? R(0)
                 : whole >= static_cast<long double>(std::numeric_limits<R>::max()) ? std::numeric_limits<R>::max()
                 : whole <= static_cast<long double>(std::numeric_limits<R>::min()) ? std::numeric_limits<R>::min()
                                                                                    : static_cast<R>(whole);
    EXPECT_EQ(found[i], expected) << op << ' ' << from << " to " << to << " of " << x[i];
  }
}

TEST(ExpandMathConversions, Saturate) {
  checkConversion<float, int8_t>("arith.fptosi", "f32", "i8");
  checkConversion<float, uint8_t>("arith.fptoui", "f32", "i8");
  checkConversion<float, int16_t>("arith.fptosi", "f32", "i16");
  checkConversion<float, int32_t>("arith.fptosi", "f32", "i32");
  checkConversion<float, uint32_t>("arith.fptoui", "f32", "i32");
  checkConversion<float, int64_t>("arith.fptosi", "f32", "i64");
  checkConversion<float, uint64_t>("arith.fptoui", "f32", "i64");
  checkConversion<double, int16_t>("arith.fptosi", "f64", "i16");
  checkConversion<double, uint16_t>("arith.fptoui", "f64", "i16");
  checkConversion<double, int32_t>("arith.fptosi", "f64", "i32");
  checkConversion<double, int64_t>("arith.fptosi", "f64", "i64");
  checkConversion<double, uint64_t>("arith.fptoui", "f64", "i64");
}

/// Functions that the target has stay: the executor computes them by the C library.
TEST(ExpandMathNative, Stays) {
  std::vector<float> x = anyNumbers<float>(6);
  std::vector<float> found =
      evaluate<float, float>("math.exp2 %x : vector<4xIN>", "f32", "f32", {x, {}, {}}, "exp2.f32");
  for (size_t i = 0; i < x.size(); ++i)
    expectSame(found[i], float(std::exp2(double(x[i]))), "exp2");
}

} // namespace
} // namespace tegula::passes_test
