// arith and math on register tiles: integers against 128-bit arithmetic, floats of all formats against LLVM's APFloat,
// functions against long double.
#include "tests/simt/Kernel.h"

#include "llvm/ADT/APFloat.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <random>
#include <span>

namespace tegula::simt_test {
namespace {

constexpr uint32_t kElements = 64;

using Bits = std::vector<uint64_t>;

std::vector<std::byte> packed(const Bits &values, unsigned bytes) {
  std::vector<std::byte> memory(values.size() * bytes);
  for (size_t i = 0; i < values.size(); ++i)
    for (unsigned j = 0; j < bytes; ++j)
      memory[i * bytes + j] = static_cast<std::byte>(values[i] >> (8 * j));
  return memory;
}

/// r = op(x, y, z) for 64 elements of type `in`; `op` is the text after `%r = `, with IN and OUT for the vector types.
Bits evaluate(std::string op, const std::string &in, const std::string &out, std::array<Bits, 3> inputs,
              std::string *reports = nullptr) {
  for (auto [mark, type] : {std::pair<std::string, std::string>("OUT", out), {"IN", in}})
    for (size_t at = op.find(mark); at != std::string::npos; at = op.find(mark))
      op.replace(at, mark.size(), "vector<4x" + type + ">");
  std::string load = "simt.load %PTR[%i] : !tile.ptr<" + in + ">, i32 -> vector<4x" + in + ">\n";
  std::string text = "func.func @k(%a: !tile.ptr<" + in + ">, %b: !tile.ptr<" + in + ">, %c: !tile.ptr<" + in +
                     ">, %o: !tile.ptr<" + out + ">) attributes {simt.warps = 2 : i32, simt.warp_size = 8 : i32} {\n" +
                     "%t = simt.thread_id : i32\n%c4 = arith.constant 4 : i32\n%i = arith.muli %t, %c4 : i32\n";
  for (auto [name, pointer] : {std::pair("x", "a"), {"y", "b"}, {"z", "c"}})
    text += std::string("%") + name + " = " + std::string(load).replace(load.find("PTR"), 3, pointer);
  text += "%r = " + op + "\nsimt.store %o[%i], %r : !tile.ptr<" + out + ">, i32, vector<4x" + out + ">\nreturn\n}\n";
  Kernel kernel(text);
  auto argument = [&](unsigned number) {
    return byteSize(
        numberType(mlir::cast<tile::PtrType>(kernel.function().getArgument(number).getType()).getPointee()));
  };
  unsigned inBytes = argument(0), outBytes = argument(3);
  std::array<std::vector<std::byte>, 3> memory;
  SimtExecutor executor = kernel.executor();
  for (size_t i = 0; i < 3; ++i) {
    inputs[i].resize(kElements);
    memory[i] = packed(inputs[i], inBytes);
    executor.pointer(std::span(memory[i]), "in");
  }
  std::vector<std::byte> result(kElements * outBytes);
  executor.pointer(std::span(result), "out");
  RunResult run = executor.run({1, 1, 1});
  if (reports)
    *reports = run.text();
  else
    EXPECT_EQ(run.text(), "") << op;
  Bits values(kElements);
  for (size_t i = 0; i < kElements; ++i)
    for (unsigned j = 0; j < outBytes; ++j)
      values[i] |= uint64_t(result[i * outBytes + j]) << (8 * j);
  return values;
}

uint64_t low(__int128 value, unsigned width) {
  return static_cast<uint64_t>(value) & (width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1);
}
__int128 asSigned(uint64_t bits, unsigned width) {
  __int128 value = bits;
  return bits >> (width - 1) & 1 ? value - (__int128(1) << width) : value;
}
__int128 floorDivide(__int128 x, __int128 y) { return x / y - ((x % y != 0) && ((x < 0) != (y < 0))); }

struct IntegerCase {
  const char *op;
  std::function<__int128(__int128 xs, __int128 ys, __int128 xu, __int128 yu, unsigned width)> expected;
};

const std::vector<IntegerCase> &integerCases() {
#define OF(...)                                                                                                        \
  [](__int128 xs, __int128 ys, __int128 xu, __int128 yu, unsigned width) -> __int128 {                                 \
    (void)xs;                                                                                                          \
    (void)ys;                                                                                                          \
    (void)xu;                                                                                                          \
    (void)yu;                                                                                                          \
    (void)width;                                                                                                       \
    return __VA_ARGS__;                                                                                                \
  }
  static const std::vector<IntegerCase> cases = {
      {"arith.addi %x, %y : IN", OF(xs + ys)},
      {"arith.subi %x, %y : IN", OF(xs - ys)},
      {"arith.muli %x, %y : IN",
       OF(static_cast<__int128>(static_cast<unsigned __int128>(xs) * static_cast<unsigned __int128>(ys)))},
      {"arith.divsi %x, %y : IN", OF(xs / ys)},
      {"arith.divui %x, %y : IN", OF(xu / yu)},
      {"arith.remsi %x, %y : IN", OF(xs % ys)},
      {"arith.remui %x, %y : IN", OF(xu % yu)},
      {"arith.floordivsi %x, %y : IN", OF(floorDivide(xs, ys))},
      {"arith.ceildivsi %x, %y : IN", OF(-floorDivide(-xs, ys))},
      {"arith.ceildivui %x, %y : IN", OF((xu + yu - 1) / yu)},
      {"arith.andi %x, %y : IN", OF(xu & yu)},
      {"arith.ori %x, %y : IN", OF(xu | yu)},
      {"arith.xori %x, %y : IN", OF(xu ^ yu)},
      {"arith.minsi %x, %y : IN", OF(xs < ys ? xs : ys)},
      {"arith.maxsi %x, %y : IN", OF(xs > ys ? xs : ys)},
      {"arith.minui %x, %y : IN", OF(xu < yu ? xu : yu)},
      {"arith.maxui %x, %y : IN", OF(xu > yu ? xu : yu)},
      {"math.absi %x : IN", OF(xs < 0 ? -xs : xs)},
      {"math.ctpop %x : IN", OF(std::popcount(static_cast<uint64_t>(xu)))},
      {"math.ctlz %x : IN", OF(xu == 0 ? width : width - 1 - (63 - std::countl_zero(static_cast<uint64_t>(xu))))},
      {"math.cttz %x : IN", OF(xu == 0 ? width : std::countr_zero(static_cast<uint64_t>(xu)))},
  };
#undef OF
  return cases;
}

Bits randomBits(unsigned width, uint32_t seed) {
  std::mt19937_64 generator(seed);
  Bits values(kElements);
  for (size_t i = 0; i < kElements; ++i)
    values[i] = low(static_cast<__int128>(generator() >> (generator() % width)), width);
  values[0] = 0;
  values[1] = low(-1, width);
  values[2] = uint64_t(1) << (width - 1);
  values[3] = (uint64_t(1) << (width - 1)) - 1;
  return values;
}

TEST(Elementwise, Integers) {
  for (unsigned width : {8u, 16u, 32u, 64u}) {
    std::string type = "i" + std::to_string(width);
    Bits x = randomBits(width, width), y = randomBits(width, width + 1);
    std::rotate(y.begin(), y.begin() + 7, y.end());
    for (uint64_t &divisor : y)
      divisor += divisor == 0;
    for (const IntegerCase &test : integerCases()) {
      Bits found = evaluate(test.op, type, type, {x, y, {}});
      for (size_t i = 0; i < kElements; ++i)
        EXPECT_EQ(found[i], low(test.expected(asSigned(x[i], width), asSigned(y[i], width), x[i], y[i], width), width))
            << test.op << ' ' << type << ' ' << x[i] << ' ' << y[i];
    }
  }
}

TEST(Elementwise, ShiftsAndComparisons) {
  for (unsigned width : {8u, 32u, 64u}) {
    std::string type = "i" + std::to_string(width);
    Bits x = randomBits(width, 5), by(kElements), y = randomBits(width, 6);
    std::rotate(y.begin(), y.begin() + 1, y.end());
    y[20] = x[20];
    for (size_t i = 0; i < kElements; ++i)
      by[i] = i % width;
    Bits left = evaluate("arith.shli %x, %y : IN", type, type, {x, by, {}});
    Bits arithmetic = evaluate("arith.shrsi %x, %y : IN", type, type, {x, by, {}});
    Bits logical = evaluate("arith.shrui %x, %y : IN", type, type, {x, by, {}});
    for (size_t i = 0; i < kElements; ++i) {
      __int128 power = __int128(1) << by[i];
      EXPECT_EQ(left[i], low(static_cast<__int128>(static_cast<unsigned __int128>(x[i]) << by[i]), width));
      EXPECT_EQ(arithmetic[i], low(floorDivide(asSigned(x[i], width), power), width));
      EXPECT_EQ(logical[i], low(__int128(x[i]) / power, width));
    }
    std::pair<const char *, std::function<bool(__int128, __int128, __int128, __int128)>> predicates[] = {
        {"eq", [](auto, auto, auto x, auto y) { return x == y; }},
        {"ne", [](auto, auto, auto x, auto y) { return x != y; }},
        {"slt", [](auto x, auto y, auto, auto) { return x < y; }},
        {"sle", [](auto x, auto y, auto, auto) { return x <= y; }},
        {"sgt", [](auto x, auto y, auto, auto) { return x > y; }},
        {"sge", [](auto x, auto y, auto, auto) { return x >= y; }},
        {"ult", [](auto, auto, auto x, auto y) { return x < y; }},
        {"ule", [](auto, auto, auto x, auto y) { return x <= y; }},
        {"ugt", [](auto, auto, auto x, auto y) { return x > y; }},
        {"uge", [](auto, auto, auto x, auto y) { return x >= y; }},
    };
    for (auto &[predicate, holds] : predicates) {
      Bits found = evaluate(std::string("arith.cmpi ") + predicate + ", %x, %y : IN", type, "i1", {x, y, {}});
      for (size_t i = 0; i < kElements; ++i)
        EXPECT_EQ(found[i], holds(asSigned(x[i], width), asSigned(y[i], width), x[i], y[i])) << predicate;
    }
  }
}

struct Format {
  const char *type;
  const llvm::fltSemantics &semantics;
  unsigned width;
};
const Format kFormats[] = {
    {"f16", llvm::APFloat::IEEEhalf(), 16},
    {"bf16", llvm::APFloat::BFloat(), 16},
    {"f32", llvm::APFloat::IEEEsingle(), 32},
    {"f64", llvm::APFloat::IEEEdouble(), 64},
    {"f8E4M3FN", llvm::APFloat::Float8E4M3FN(), 8},
    {"f8E5M2", llvm::APFloat::Float8E5M2(), 8},
    {"f8E4M3FNUZ", llvm::APFloat::Float8E4M3FNUZ(), 8},
    {"f8E5M2FNUZ", llvm::APFloat::Float8E5M2FNUZ(), 8},
};

llvm::APFloat asFloat(const Format &format, uint64_t bits) {
  return llvm::APFloat(format.semantics, llvm::APInt(format.width, bits));
}
uint64_t bitsOf(const llvm::APFloat &value) { return value.bitcastToAPInt().getZExtValue(); }

void expectSame(const Format &format, uint64_t found, const llvm::APFloat &expected, const std::string &what) {
  if (expected.isNaN())
    EXPECT_TRUE(asFloat(format, found).isNaN()) << what;
  else
    EXPECT_EQ(found, bitsOf(expected)) << what;
}

/// Floats mostly of medium size, but of all exponents and with special values.
Bits randomFloats(const Format &format, uint32_t seed) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<double> normal(0, 4);
  Bits values(kElements);
  for (size_t i = 0; i < kElements; ++i) {
    llvm::APFloat value(normal(generator));
    bool lost;
    value.convert(format.semantics, llvm::APFloat::rmNearestTiesToEven, &lost);
    values[i] = i % 4 == 0 ? low(static_cast<__int128>(generator()), format.width) : bitsOf(value);
  }
  return values;
}

TEST(Elementwise, FloatArithmetic) {
  constexpr auto kNearest = llvm::APFloat::rmNearestTiesToEven;
  for (const Format &format : std::span(kFormats, 4)) // no arithmetic of 8-bit floats gets here (tile-widen-fp8)
    for (uint32_t seed = 0; seed < 4; ++seed) {
      Bits x = randomFloats(format, seed), y = randomFloats(format, seed + 10), z = randomFloats(format, seed + 20);
      Bits sum = evaluate("arith.addf %x, %y : IN", format.type, format.type, {x, y, {}});
      Bits difference = evaluate("arith.subf %x, %y : IN", format.type, format.type, {x, y, {}});
      Bits product = evaluate("arith.mulf %x, %y : IN", format.type, format.type, {x, y, {}});
      Bits quotient = evaluate("arith.divf %x, %y : IN", format.type, format.type, {x, y, {}});
      Bits fused = evaluate("math.fma %x, %y, %z : IN", format.type, format.type, {x, y, z});
      for (size_t i = 0; i < kElements; ++i) {
        llvm::APFloat a = asFloat(format, x[i]), b = asFloat(format, y[i]), c = asFloat(format, z[i]), r = a;
        std::string what = std::string(format.type) + ' ' + std::to_string(a.convertToDouble()) + ' ' +
                           std::to_string(b.convertToDouble());
        (r = a).add(b, kNearest);
        expectSame(format, sum[i], r, "add " + what);
        (r = a).subtract(b, kNearest);
        expectSame(format, difference[i], r, "sub " + what);
        (r = a).multiply(b, kNearest);
        expectSame(format, product[i], r, "mul " + what);
        (r = a).divide(b, kNearest);
        expectSame(format, quotient[i], r, "div " + what);
        (r = a).fusedMultiplyAdd(b, c, kNearest);
        expectSame(format, fused[i], r, "fma " + what);
      }
    }
}

TEST(Elementwise, MinimaAndMaxima) {
  for (const Format &format : {kFormats[0], kFormats[2], kFormats[3]}) {
    Bits x = randomFloats(format, 1), y = randomFloats(format, 2);
    x[1] = bitsOf(llvm::APFloat::getNaN(format.semantics));
    y[2] = x[1];
    x[5] = bitsOf(llvm::APFloat::getZero(format.semantics));
    y[5] = bitsOf(llvm::APFloat::getZero(format.semantics, true));
    auto check = [&](const char *op, auto function) {
      Bits found = evaluate(std::string(op) + " %x, %y : IN", format.type, format.type, {x, y, {}});
      for (size_t i = 0; i < kElements; ++i)
        expectSame(format, found[i], function(asFloat(format, x[i]), asFloat(format, y[i])), op);
    };
    using F = const llvm::APFloat &;
    check("arith.minimumf", [](F a, F b) { return llvm::minimum(a, b); });
    check("arith.maximumf", [](F a, F b) { return llvm::maximum(a, b); });
    check("arith.minnumf",
          [](F a, F b) { return a.isZero() && b.isZero() ? llvm::minimum(a, b) : llvm::minnum(a, b); });
    check("arith.maxnumf",
          [](F a, F b) { return a.isZero() && b.isZero() ? llvm::maximum(a, b) : llvm::maxnum(a, b); });
  }
}

TEST(Elementwise, FloatConversions) {
  for (const Format &from : kFormats)
    for (const Format &to : kFormats) {
      if (from.width == to.width)
        continue;
      Bits x = randomFloats(from, 3);
      std::string op = to.width == 8           ? "tile.fp_cast %x : IN -> OUT"
                       : from.width < to.width ? "arith.extf %x : IN to OUT"
                                               : "arith.truncf %x : IN to OUT";
      Bits found = evaluate(op, from.type, to.type, {x, {}, {}});
      for (size_t i = 0; i < kElements; ++i) {
        llvm::APFloat value = asFloat(from, x[i]);
        bool lost;
        value.convert(to.semantics, llvm::APFloat::rmNearestTiesToEven, &lost);
        if (llvm::APFloat source = asFloat(from, x[i]); to.width == 8 && !value.isFinite() && !source.isNaN())
          value = llvm::APFloat::getLargest(to.semantics, source.isNegative());
        expectSame(to, found[i], value, std::string(from.type) + " to " + to.type);
      }
    }
}

TEST(Elementwise, IntegersToFloatsAndBack) {
  for (const Format &format : {kFormats[0], kFormats[2], kFormats[3]})
    for (bool isSigned : {true, false}) {
      Bits x = randomBits(32, 9);
      Bits found = evaluate(isSigned ? "arith.sitofp %x : IN to OUT" : "arith.uitofp %x : IN to OUT", "i32",
                            format.type, {x, {}, {}});
      for (size_t i = 0; i < kElements; ++i) {
        llvm::APFloat value(format.semantics);
        value.convertFromAPInt(llvm::APInt(32, x[i]), isSigned, llvm::APFloat::rmNearestTiesToEven);
        expectSame(format, found[i], value, format.type);
      }
      Bits small(kElements);
      for (size_t i = 0; i < kElements; ++i)
        small[i] = bitsOf([&] {
          llvm::APFloat value((double(i) - (isSigned ? 32 : 0)) * 2.75);
          bool lost;
          value.convert(format.semantics, llvm::APFloat::rmNearestTiesToEven, &lost);
          return value;
        }());
      Bits back = evaluate(isSigned ? "arith.fptosi %x : IN to OUT" : "arith.fptoui %x : IN to OUT", format.type, "i16",
                           {small, {}, {}});
      for (size_t i = 0; i < kElements; ++i)
        EXPECT_EQ(back[i], low(static_cast<__int128>(asFloat(format, small[i]).convertToDouble()), 16));
    }
  // Beyond the range: the range's ends; NaN: zero.
  for (auto [from, toSigned, toUnsigned] : {std::tuple{0x7F000000u, 0x7FFFu, 0xFFFFu},
                                            {0xFF800000u, 0x8000u, 0u},
                                            {0x7FC00000u, 0u, 0u},
                                            {0x47800000u, 0x7FFFu, 0xFFFFu}}) {
    Bits value(kElements, from);
    EXPECT_EQ(evaluate("arith.fptosi %x : IN to OUT", "f32", "i16", {value, {}, {}}), Bits(kElements, toSigned));
    EXPECT_EQ(evaluate("arith.fptoui %x : IN to OUT", "f32", "i16", {value, {}, {}}), Bits(kElements, toUnsigned));
  }
}

TEST(Elementwise, IntegerWidths) {
  Bits x = randomBits(16, 4);
  Bits wide = evaluate("arith.extsi %x : IN to OUT", "i16", "i64", {x, {}, {}});
  Bits unsignedWide = evaluate("arith.extui %x : IN to OUT", "i16", "i64", {x, {}, {}});
  Bits narrow = evaluate("arith.trunci %x : IN to OUT", "i16", "i8", {x, {}, {}});
  Bits same = evaluate("arith.bitcast %x : IN to OUT", "i16", "f16", {x, {}, {}});
  for (size_t i = 0; i < kElements; ++i) {
    EXPECT_EQ(wide[i], low(asSigned(x[i], 16), 64));
    EXPECT_EQ(unsignedWide[i], x[i]);
    EXPECT_EQ(narrow[i], x[i] & 255);
    EXPECT_EQ(same[i], x[i]);
  }
}

TEST(Elementwise, Functions) {
  std::pair<const char *, long double (*)(long double)> functions[] = {
      {"exp", std::exp},
      {"exp2", std::exp2},
      {"expm1", std::expm1},
      {"log", std::log},
      {"log2", std::log2},
      {"log10", std::log10},
      {"log1p", std::log1p},
      {"sqrt", std::sqrt},
      {"cbrt", std::cbrt},
      {"sin", std::sin},
      {"cos", std::cos},
      {"tan", std::tan},
      {"atan", std::atan},
      {"sinh", std::sinh},
      {"cosh", std::cosh},
      {"tanh", std::tanh},
      {"asinh", std::asinh},
      {"erf", std::erf},
      {"absf", std::fabs},
      {"floor", std::floor},
      {"ceil", std::ceil},
      {"trunc", std::trunc},
      {"round", std::round},
      {"roundeven", [](long double x) { return std::nearbyint(x); }},
      {"rsqrt", [](long double x) { return 1 / std::sqrt(x); }},
  };
  std::mt19937 generator(8);
  std::uniform_real_distribution<float> uniform(0.01f, 9);
  for (auto [name, function] : functions) {
    Bits x(kElements), wide(kElements);
    for (size_t i = 0; i < kElements; ++i) {
      float value = uniform(generator);
      x[i] = std::bit_cast<uint32_t>(value);
      wide[i] = std::bit_cast<uint64_t>(double(value));
    }
    Bits found = evaluate(std::string("math.") + name + " %x : IN", "f32", "f32", {x, {}, {}});
    Bits foundWide = evaluate(std::string("math.") + name + " %x : IN", "f64", "f64", {wide, {}, {}});
    for (size_t i = 0; i < kElements; ++i) {
      long double expected = function(std::bit_cast<float>(static_cast<uint32_t>(x[i])));
      EXPECT_EQ(std::bit_cast<float>(static_cast<uint32_t>(found[i])), float(expected)) << name;
      EXPECT_NEAR(std::bit_cast<double>(foundWide[i]), double(expected), std::fabs(double(expected)) * 0x1p-51) << name;
    }
  }
}

} // namespace
} // namespace tegula::simt_test
