// Elementwise functions, operators and the matrix product.
#include "Conformance.h"

namespace tegula::conformance {

namespace {

const std::string kMathsFile = "maths.py";

struct Unary {
  const char *name;
  Number (*reference)(Number);
  Number low, high;
  Number ulps; // of f32
};

Number sigmoid(Number x) { return 1 / (1 + std::exp(-x)); }

constexpr Unary kUnary[] = {
    {"exp", std::exp, -20, 20, 4},
    {"exp2", std::exp2, -20, 20, 4},
    {"log", std::log, 0.01L, 100, 4},
    {"log2", std::log2, 0.01L, 100, 4},
    {"sin", std::sin, -10, 10, 4},
    {"cos", std::cos, -10, 10, 4},
    {"sqrt", std::sqrt, 0, 100, 1},
    {"sqrt_rn", std::sqrt, 0, 100, 0.5L},
    {"rsqrt", [](Number x) { return 1 / std::sqrt(x); }, 0.01L, 100, 2},
    {"erf", std::erf, -3, 3, 8},
    {"floor", std::floor, -50, 50, 0},
    {"ceil", std::ceil, -50, 50, 0},
    {"abs", std::abs, -50, 50, 0},
    {"sigmoid", sigmoid, -20, 20, 8},
};

void testUnary(const char *name) {
  for (const Unary &f : kUnary) {
    if (std::string(name) != f.name)
      continue;
    struct Width {
      DType type;
      Number unit; // of the last place, relative
    };
    for (auto [type, unit] :
         {Width{DType::F32, 0x1p-23L}, {DType::F64, 0x1p-52L}, {DType::F16, 0x1p-10L}, {DType::BF16, 0x1p-7L}}) {
      Array x = random(type, {512}, f.low, f.high), y = blank(type, {512});
      run(kMathsFile, "unary", {&x, &y}, {.constants = {{"NAME", f.name}, {"N", 512}}});
      // 16-bit floats are computed in f32 and rounded once.
      Number allowed = byteSize(type) == 2 ? (f.ulps > 0 ? Number(0.51L) : 0) : f.ulps;
      auto reference = [&, type = type](int64_t i) {
        Number exact = f.reference(x[i]), stored = rounded(type, exact);
        return std::isinf(stored) ? stored : exact;
      };
      expectNear(y, reference, allowed * unit, f.ulps > 0 ? unit * 0x1p-20L + (type == DType::F16 ? 0x1p-25L : 0) : 0);
    }
    return;
  }
  FAIL() << "no function " << name;
}

TEST(Maths, exp) { testUnary("exp"); }
TEST(Maths, exp2) { testUnary("exp2"); }
TEST(Maths, log) { testUnary("log"); }
TEST(Maths, log2) { testUnary("log2"); }
TEST(Maths, sin) { testUnary("sin"); }
TEST(Maths, cos) { testUnary("cos"); }
TEST(Maths, sqrt) { testUnary("sqrt"); }
TEST(Maths, sqrt_rn) { testUnary("sqrt_rn"); }
TEST(Maths, rsqrt) { testUnary("rsqrt"); }
TEST(Maths, erf) { testUnary("erf"); }
TEST(Maths, floor) { testUnary("floor"); }
TEST(Maths, ceil) { testUnary("ceil"); }
TEST(Maths, abs) { testUnary("abs"); }
TEST(Maths, sigmoid) { testUnary("sigmoid"); }

TEST(Maths, special_values) {
  Array x = of(DType::F32, {kInf, -kInf, kNan, 0, -1, 1, 1000, -1000}), e = blank(DType::F32, {8}), l = e, r = e;
  run(kMathsFile, "unary", {&x, &e}, {.constants = {{"NAME", "exp"}, {"N", 8}}});
  run(kMathsFile, "unary", {&x, &l}, {.constants = {{"NAME", "log"}, {"N", 8}}});
  run(kMathsFile, "unary", {&x, &r}, {.constants = {{"NAME", "sqrt"}, {"N", 8}}});
  const Number exps[] = {kInf, 0, kNan, 1, std::exp(Number(-1)), std::exp(Number(1)), kInf, 0};
  const Number logs[] = {kInf, kNan, kNan, -kInf, kNan, 0, std::log(Number(1000)), kNan};
  const Number roots[] = {kInf, kNan, kNan, 0, kNan, 1, std::sqrt(Number(1000)), kNan};
  expectNear(e, [&](int64_t i) { return exps[i]; }, 1e-6);
  expectNear(l, [&](int64_t i) { return logs[i]; }, 1e-6);
  expectNear(r, [&](int64_t i) { return roots[i]; }, 1e-6);
}

TEST(Maths, abs_of_integers) {
  Array x = random(DType::I8, {64}, -128, 127), y = blank(DType::I8, {64});
  run(kMathsFile, "unary", {&x, &y}, {.constants = {{"NAME", "abs"}, {"N", 64}}});
  expectEqual(y, [&](int64_t i) { return std::abs(x[i]); }); // -128 wraps to itself
}

TEST(Maths, math_namespace) {
  Array x = random(DType::F32, {64}, 0.5, 4), y = blank(DType::F32, {64});
  run(kMathsFile, "math_namespace", {&x, &y}, {.constants = {{"N", 64}}});
  expectNear(
      y,
      [&](int64_t i) {
        return x[i] + 1 / std::sqrt(x[i]) + std::sqrt(x[i]) + x[i] + std::floor(x[i]) + std::exp(-x[i]);
      },
      2e-6);
}

TEST(Maths, softmax) {
  Array x = random(DType::F32, {8, 32}, -30, 30), byColumn = blank(DType::F32, {8, 32}), byRow = byColumn;
  run(kMathsFile, "softmax", {&x, &byColumn, &byRow}, {.constants = {{"M", 8}, {"N", 32}}});
  auto expected = [&](int64_t i, int64_t first, int64_t count, int64_t stride) {
    Number total = 0;
    for (int64_t k = 0; k < count; ++k)
      total += std::exp(x[first + k * stride] - x[i]);
    return 1 / total;
  };
  expectNear(byColumn, [&](int64_t i) { return expected(i, i % 32, 8, 32); }, 3e-6, 1e-30L);
  expectNear(byRow, [&](int64_t i) { return expected(i, i / 32 * 32, 32, 1); }, 3e-6, 1e-30L);
}

void testBinary(const char *name, DType type, Number low, Number high,
                const std::function<Number(Number, Number)> &reference, std::optional<DType> result = {}) {
  Array x = random(type, {256}, low, high), y = random(type, {256}, low, high, 2),
        z = blank(result.value_or(type), {256});
  run(kMathsFile, "binary", {&x, &y, &z}, {.constants = {{"NAME", name}, {"N", 256}}});
  SCOPED_TRACE(std::string(name) + " of " + std::string(tegula::name(type)));
  expectEqual(z, [&](int64_t i) { return reference(x[i], y[i]); });
}

TEST(Maths, add) {
  for (DType type : {DType::F32, DType::F64, DType::F16, DType::BF16, DType::I32, DType::I8, DType::U16})
    testBinary("add", type, type == DType::U16 ? 0 : -100, 100, [](Number a, Number b) { return a + b; });
}
TEST(Maths, sub) {
  for (DType type : {DType::F32, DType::F16, DType::I64})
    testBinary("sub", type, -100, 100, [](Number a, Number b) { return a - b; });
}
TEST(Maths, mul) {
  for (DType type : {DType::F32, DType::F16, DType::BF16, DType::I32, DType::I16})
    testBinary("mul", type, -100, 100, [](Number a, Number b) { return a * b; });
}
TEST(Maths, fdiv) {
  testBinary("fdiv", DType::F32, 1, 100, [](Number a, Number b) { return a / b; });
}
TEST(Maths, div_rn) {
  testBinary("div_rn", DType::F32, 1, 100, [](Number a, Number b) { return a / b; });
}
TEST(Maths, cdiv) {
  testBinary("cdiv", DType::I32, 1, 1000, [](Number a, Number b) { return std::ceil(a / b); });
}
TEST(Maths, umulhi) {
  testBinary("umulhi", DType::U32, 0, 4294967295.0L, [](Number a, Number b) {
    return static_cast<Number>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b) >> 32);
  });
  testBinary("umulhi", DType::U64, 0, 18446744073709551000.0L, [](Number a, Number b) {
    return static_cast<Number>(
        static_cast<uint64_t>((static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b)) >> 64));
  });
}
TEST(Maths, maximum) {
  for (DType type : {DType::F32, DType::F16, DType::I32, DType::U8})
    testBinary("maximum", type, type == DType::U8 ? 0 : -100, 100, [](Number a, Number b) { return std::max(a, b); });
}
TEST(Maths, minimum) {
  for (DType type : {DType::F32, DType::BF16, DType::I32, DType::U8})
    testBinary("minimum", type, type == DType::U8 ? 0 : -100, 100, [](Number a, Number b) { return std::min(a, b); });
}

TEST(Maths, nan_in_extremes) {
  Array x = of(DType::F32, {kNan, 1, kNan, 2}), y = of(DType::F32, {5, kNan, kNan, 3}), z = blank(DType::F32, {4});
  auto check = [&](const char *name, std::vector<Number> expected) {
    run(kMathsFile, "binary", {&x, &y, &z}, {.constants = {{"NAME", name}, {"N", 4}}});
    SCOPED_TRACE(name);
    expectEqual(z, [&](int64_t i) { return expected[static_cast<size_t>(i)]; });
  };
  check("maximum", {5, 1, kNan, 3});
  check("minimum", {5, 1, kNan, 2});
  check("maximum_nan", {kNan, kNan, kNan, 3});
  check("minimum_nan", {kNan, kNan, kNan, 2});
}

TEST(Maths, fma) { // rounded once
  Array x = random(DType::F32, {256}), y = random(DType::F32, {256}, -4, 4, 2), z = random(DType::F32, {256}, -4, 4, 3),
        w = blank(DType::F32, {256});
  run(kMathsFile, "fma", {&x, &y, &z, &w}, {.constants = {{"N", 256}}});
  expectEqual(w, [&](int64_t i) {
    return std::fma(static_cast<float>(x[i]), static_cast<float>(y[i]), static_cast<float>(z[i]));
  });
}

TEST(Maths, clamp) {
  Array x = random(DType::F32, {64}), y = blank(DType::F32, {64}), z = y;
  x.values[3] = kNan;
  run(kMathsFile, "clamp", {&x, &y, &z}, {.constants = {{"N", 64}}});
  auto clamped = [](Number v) { return std::min(std::max(v, Number(-1)), Number(1.5)); };
  expectEqual(y, [&](int64_t i) { return i == 3 ? Number(-1) : clamped(x[i]); });
  expectEqual(z, [&](int64_t i) { return i == 3 ? kNan : clamped(x[i]); });
}

TEST(Maths, float_operators) {
  Array x = random(DType::F32, {64}, 1, 4), y = random(DType::F32, {64}, 1, 4, 2), z = blank(DType::F32, {64});
  run(kMathsFile, "float_operators", {&x, &y, &z}, {.constants = {{"N", 64}}});
  expectNear(
      z, [&](int64_t i) { return (x[i] + y[i]) * 2 - x[i] / y[i] + 1 / x[i] - x[i] - 3 + x[i] * y[i]; }, 1e-6, 4e-6);
}

TEST(Maths, float_modulo) { // the sign of the dividend, as in C
  Array x = random(DType::F32, {64}, -20, 20), y = random(DType::F32, {64}, 1, 5, 2), z = blank(DType::F32, {64});
  run(kMathsFile, "float_modulo", {&x, &y, &z}, {.constants = {{"N", 64}}});
  expectEqual(z, [&](int64_t i) { return std::fmod(x[i], y[i]); });
}

TEST(Maths, integer_operators) {
  for (DType type : {DType::I32, DType::I64, DType::U32}) {
    bool isUnsigned = type == DType::U32;
    Array x = random(type, {64}, isUnsigned ? 0 : -1000, 1000), y = random(type, {64}, 1, 20, 2);
    if (!isUnsigned)
      for (size_t i = 0; i < 64; i += 3)
        y.values[i] = -y.values[i];
    Array q = blank(type, {64}), r = q, b = q, s = q;
    run(kMathsFile, "integer_operators", {&x, &y, &q, &r, &b, &s}, {.constants = {{"N", 64}}});
    SCOPED_TRACE(std::string(name(type)));
    auto whole = [](Number v) { return static_cast<int64_t>(v); };
    expectEqual(q, [&](int64_t i) { return std::trunc(x[i] / y[i]); }); // towards zero, as in C
    expectEqual(r, [&](int64_t i) { return std::fmod(x[i], y[i]); });
    expectEqual(b, [&](int64_t i) {
      int64_t a = whole(x[i]), c = whole(y[i]);
      return (a & c) + (a | 5) * (a ^ c) + ~a;
    });
    expectEqual(s, [&](int64_t i) { return (whole(x[i]) * 8) + (whole(x[i]) >> 1); });
  }
}

TEST(Maths, comparisons) {
  for (DType type : {DType::F32, DType::I32, DType::U8, DType::F16}) {
    Array x = random(type, {128}, 0, 3), y = random(type, {128}, 0, 3, 2), z = blank(DType::I32, {128});
    if (type == DType::F32)
      x.values[0] = kNan;
    run(kMathsFile, "comparisons", {&x, &y, &z}, {.constants = {{"N", 128}}});
    expectEqual(z, [&](int64_t i) {
      Number a = x[i], b = y[i];
      return (a < b) + (a <= b) * 10 + (a > b) * 100 + (a >= b) * 1000 + (a == b) * 10000 + (a != b) * 100000;
    });
  }
}

TEST(Maths, logic) {
  Array x = random(DType::F32, {128}), z = blank(DType::I32, {128});
  run(kMathsFile, "logic", {&x, &z}, {.constants = {{"N", 128}}});
  expectEqual(z, [&](int64_t i) {
    bool both = x[i] > 0 && x[i] < 2, either = x[i] < -2 || x[i] > 2;
    return both + either * 2 + !both * 4 + (both != either) * 8;
  });
}

TEST(Maths, integer_division_by_true_divide) {
  Array x = random(DType::I32, {64}, -100, 100), y = random(DType::I32, {64}, 1, 9, 2), z = blank(DType::F32, {64});
  run(kMathsFile, "integer_division_by_true_divide", {&x, &y, &z}, {.constants = {{"N", 64}}});
  expectEqual(z, [&](int64_t i) { return x[i] / y[i]; });
}

TEST(Maths, promotion) {
  Array h = of(DType::F16, {1}), b = of(DType::BF16, {1}), f = of(DType::F32, {1}), s = of(DType::I8, {1}),
        y = blank(DType::I32, {1});
  run(kMathsFile, "promotion", {&h, &b, &f, &s, &y});
  expectEqual(y, [](int64_t) { return 1; });
}

Number product(const Array &a, const Array &b, int64_t row, int64_t column, int64_t n, int64_t k) {
  Number total = 0;
  for (int64_t i = 0; i < k; ++i)
    total += a[row * k + i] * b[i * n + column];
  return total;
}

TEST(Dot, types) {
  for (DType type : {DType::F32, DType::F16, DType::BF16, DType::F64, DType::F8E4M3, DType::F8E5M2}) {
    DType result = type == DType::F64 ? DType::F64 : DType::F32;
    Array a = random(type, {32, 64}, -1, 1), b = random(type, {64, 16}, -1, 1, 2), c = blank(result, {32, 16});
    run(kMathsFile, "dot", {&a, &b, &c}, {.constants = {{"M", 32}, {"N", 16}, {"K", 64}}});
    SCOPED_TRACE(std::string(name(type)));
    // f32 operands may be rounded to tf32 (10 bits of mantissa) where a device has it.
    Number tolerance = type == DType::F32 ? 64 * 0x1p-11L * 0.25L : type == DType::F64 ? 1e-13L : 64 * 0x1p-23L;
    expectNear(c, [&](int64_t i) { return product(a, b, i / 16, i % 16, 16, 64); }, 0, tolerance);
  }
}

TEST(Dot, integers_are_exact) {
  Array a = random(DType::I8, {32, 128}, -128, 127), b = random(DType::I8, {128, 16}, -128, 127, 2),
        c = blank(DType::I32, {32, 16});
  run(kMathsFile, "dot", {&a, &b, &c}, {.constants = {{"M", 32}, {"N", 16}, {"K", 128}}});
  expectEqual(c, [&](int64_t i) { return product(a, b, i / 16, i % 16, 16, 128); });
}

TEST(Dot, accumulator) {
  Array a = random(DType::F16, {16, 32}, -1, 1), b = random(DType::F16, {32, 16}, -1, 1, 2),
        c = random(DType::F32, {16, 16}, -9, 9, 3), d = blank(DType::F32, {16, 16});
  run(kMathsFile, "dot_accumulator", {&a, &b, &c, &d}, {.constants = {{"M", 16}, {"N", 16}, {"K", 32}}});
  expectNear(d, [&](int64_t i) { return c[i] + 2 * product(a, b, i / 16, i % 16, 16, 32); }, 1e-6, 1e-5);
}

TEST(Dot, precisions) {
  Array a = random(DType::F32, {32, 32}, -1, 1), b = random(DType::F32, {32, 32}, -1, 1, 2),
        c = blank(DType::F32, {32, 32});
  for (const char *precision : {"ieee", "tf32", "tf32x3", "bf16x3", "bf16x6"}) {
    run(kMathsFile, "dot_precisions", {&a, &b, &c}, {.constants = {{"M", 32}, {"PRECISION", precision}}});
    SCOPED_TRACE(precision);
    bool isTf32 = std::string(precision) == "tf32", isBf16x3 = std::string(precision) == "bf16x3";
    expectNear(
        c, [&](int64_t i) { return product(a, b, i / 32, i % 32, 32, 32); }, 0,
        isTf32     ? 8e-3L
        : isBf16x3 ? 1e-3L
                   : 2e-5L);
  }
}

TEST(Dot, allow_tf32) {
  Array a = random(DType::F32, {16, 16}, -1, 1), b = random(DType::F32, {16, 16}, -1, 1, 2),
        c = blank(DType::F32, {16, 16}), d = c;
  run(kMathsFile, "dot_allow_tf32", {&a, &b, &c, &d}, {.constants = {{"M", 16}}});
  expectNear(c, [&](int64_t i) { return product(a, b, i / 16, i % 16, 16, 16); }, 0, 4e-3L);
  expectNear(d, [&](int64_t i) { return product(a, b, i / 16, i % 16, 16, 16); }, 0, 4e-6L);
}

TEST(Dot, out_dtype) {
  Array a = random(DType::F16, {16, 16}, -1, 1), b = random(DType::F16, {16, 16}, -1, 1, 2),
        c = blank(DType::F16, {16, 16});
  run(kMathsFile, "dot_out_dtype", {&a, &b, &c}, {.constants = {{"M", 16}}});
  expectNear(c, [&](int64_t i) { return product(a, b, i / 16, i % 16, 16, 16); }, 0x1p-10L, 0x1p-10L);
}

TEST(Dot, batched) {
  Array a = random(DType::F16, {4, 16, 16}, -1, 1), b = random(DType::F16, {4, 16, 16}, -1, 1, 2),
        c = blank(DType::F32, {4, 16, 16});
  run(kMathsFile, "dot_batched", {&a, &b, &c}, {.constants = {{"B", 4}, {"M", 16}}});
  expectNear(
      c,
      [&](int64_t i) {
        Number total = 0;
        int64_t base = i / 256 * 256, row = i / 16 % 16, column = i % 16;
        for (int64_t k = 0; k < 16; ++k)
          total += a[base + row * 16 + k] * b[base + k * 16 + column];
        return total;
      },
      1e-6, 1e-5);
}

} // namespace

} // namespace tegula::conformance
