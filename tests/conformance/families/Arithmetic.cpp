// Arithmetic on elements: every operation and type, over pairs of special values.
#include "tests/conformance/families/Families.h"

namespace tegula::conformance {

namespace arithmetic_family {

const std::string kFamily = "elementwise", kFile = "arithmetic.py";

using Binary = std::function<Number(DType, Number, Number)>;

/// Every pair of special values needs n >= the square of their number: the first extent is long enough for all types.
/// The result is converted to `result`.
void binary(Cases &cases, const std::string &kernel, DType type, DType result, Extent e, Fill x, Fill y, Policy policy,
            Binary f, const std::string &tag = "") {
  cases.add(kFamily, kFile, kernel, named(type) + tag + "," + e.text())
      .in(type, e.n, std::move(x))
      .in(type, e.n, std::move(y))
      .out(result, e.n, policy, each([f = std::move(f), type, result](const Inputs &in, int64_t i) {
             Number value = f(type, in(0, i), in(1, i));
             return isFp8(result) ? rounded(result, value) : value;
           }))
      .value(e.n)
      .with("BLOCK", e.block)
      .grid(e.programs())
      .warps(e.warps);
}

void unary(Cases &cases, const std::string &kernel, DType type, Extent e, Fill x, Policy policy,
           std::function<Number(Number)> f) {
  cases.add(kFamily, kFile, kernel, named(type) + "," + e.text())
      .in(type, e.n, std::move(x))
      .out(type, e.n, policy, each([f = std::move(f)](const Inputs &in, int64_t i) { return f(in(0, i)); }))
      .value(e.n)
      .with("BLOCK", e.block)
      .grid(e.programs())
      .warps(e.warps);
}

/// `f` as the type computes it: of integers modulo 2^64 and then wrapped, because their results can have more bits than
/// a Number.
template <class F> Number ring(DType type, Number x, Number y, F f) {
  return isFloat(type) ? inType(type, f, x, y) : decode(type, f(encode(type, x), encode(type, y)));
}

Number sum(DType type, Number x, Number y) {
  return ring(type, x, y, [](auto a, auto b) { return a + b; });
}
Number difference(DType type, Number x, Number y) {
  return ring(type, x, y, [](auto a, auto b) { return a - b; });
}
Number product(DType type, Number x, Number y) {
  return ring(type, x, y, [](auto a, auto b) { return a * b; });
}
Number quotient(DType type, Number x, Number y) {
  return inType(type, [](auto a, auto b) { return a / b; }, x, y);
}

void addRing(Cases &cases) {
  size_t turn = 0;
  for (DType type : kAllNumbers) {
    Extent e = turn % 2 ? Extent{1000, 256, 4} : Extent{2048, 1024, 4};
    for (auto [kernel, f] : {std::pair<const char *, Number (*)(DType, Number, Number)>{"add", sum},
                             {"sub", difference},
                             {"mul", product}}) {
      binary(cases, kernel, type, type, e, special(), special(specialCount(type)), exact(), f);
      binary(cases, kernel, type, type, extent(2 + turn++), anyBits(), anyBits(), exact(), f, ",bits");
    }
    Extent some = extent(turn);
    cases.add(kFamily, kFile, "named_operators", named(type) + "," + some.text())
        .in(type, some.n, whole(0, 9))
        .in(type, some.n, whole(0, 9))
        .out(type, 3 * some.n, exact(), each([n = some.n](const Inputs &in, int64_t i) {
               Number x = in(0, i % n), y = in(1, i % n);
               return i < n ? x + y : i < 2 * n ? x - y : x * y;
             }))
        .value(some.n)
        .with("BLOCK", some.block)
        .grid(some.programs())
        .warps(some.warps);
  }
}

void addDivision(Cases &cases) {
  size_t turn = 0;
  for (DType type : kAllFloats) {
    Extent e = extent(turn++);
    auto policy = [type](const char *kernel) { return isFp8(type) ? exact() : ofFunction(kernel, type); };
    for (const char *kernel : {"div", "fdiv", "div_rn"}) {
      if (std::string(kernel) == "div_rn" && byteSize(type) <= 2)
        continue; // of f32 and f64 only
      // Special values where the answer is fixed; ordinary ones within what division may err.
      binary(
          cases, kernel, type, type, {1024, 256, 4},
          only(
              special(), [](Number x) { return x == 0 || !std::isfinite(x) || std::abs(x) == 1; }, 3),
          only(
              special(specialCount(type)), [](Number x) { return x == 0 || !std::isfinite(x) || std::abs(x) == 1; }, 2),
          policy(kernel), quotient, ",special");
      binary(cases, kernel, type, type, e, powers(-8, 8, true), powers(-8, 8, true), policy(kernel), quotient);
    }
    binary(cases, "mod", type, type, extent(turn), reals(-100, 100),
           only(
               reals(-10, 10), [](Number y) { return std::abs(y) > 0.01L; }, 3),
           exact(),
           [](DType t, Number x, Number y) { return inType(t, [](auto a, auto b) { return std::fmod(a, b); }, x, y); });
    unary(cases, "reciprocal", type, extent(turn + 3), powers(-8, 8, true), policy("div"),
          [type](Number x) { return quotient(type, 1, x); });
  }
  auto notZero = [](Number y) { return y != 0 && y != -1; };
  auto truncated = [](DType, Number x, Number y) { return std::trunc(x / y); };
  auto rest = [](DType, Number x, Number y) { return std::fmod(x, y); };
  for (DType type : kIntegers) {
    // The lowest number by -1 has no answer.
    Fill divisor = only(special(specialCount(type)), notZero, 5);
    for (bool specials : {true, false}) {
      Extent e = specials ? Extent{1000, 256, 4} : extent(turn++);
      Fill x = specials ? special() : anyBits(), y = specials ? divisor : only(anyBits(), notZero, 3);
      std::string tag = specials ? ",special" : ",bits";
      // 64-bit quotients do not fit a division of Numbers exactly: the whole part is taken from the remainder.
      auto quotient64 = [](DType, Number a, Number b) { return (a - std::fmod(a, b)) / b; };
      binary(cases, "floordiv", type, type, e, x, y, exact(),
             byteSize(type) == 8 ? Binary(quotient64) : Binary(truncated), tag);
      binary(cases, "mod", type, type, e, x, y, exact(), rest, tag);
    }
    binary(cases, "floordiv", type, type, extent(turn), whole(-100, 100),
           only(whole(-9, 9), [](Number y) { return y != 0; }, 4), exact(), truncated, ",small");
    // Two elements a thread: NVIDIA's Vulkan driver 580 gets the first of them wrong if it divides signed i64 itself.
    for (Extent e : {Extent{64, 64, 1}, Extent{1000, 256, 4}})
      unary(cases, "mod_of_bits", type, e, anyBits(), exact(), [type](Number x) {
        Number divisor = decode(type, encode(type, x) & 15) + 1;
        return difference(type, std::fmod(x, divisor), 37);
      });
    binary(cases, "div", type, DType::F32, extent(turn), whole(-100, 100),
           only(
               whole(1, 100), [](Number y) { return y != 0; }, 4),
           ofFunction("div", DType::F32), [](DType, Number a, Number b) { return a / b; });
    if (byteSize(type) >= 4)
      binary(cases, "cdiv", type, type, extent(turn), whole(0, 1000), whole(1, 30), exact(),
             [](DType, Number a, Number b) { return std::ceil(a / b); });
  }
}

void addExtremes(Cases &cases) {
  size_t turn = 0;
  for (DType type : kAllNumbers) {
    Extent e = turn++ % 2 ? Extent{1000, 256, 4} : Extent{777, 1024, 8};
    // A NaN loses against a number, or wins where it propagates.
    auto greater = [](DType, Number x, Number y) { return std::fmax(x, y); };
    auto lesser = [](DType, Number x, Number y) { return std::fmin(x, y); };
    Fill x = special(), y = special(specialCount(type));
    binary(cases, "maximum", type, type, e, x, y, exactAnyZero(), greater);
    binary(cases, "minimum", type, type, e, x, y, exactAnyZero(), lesser);
    unary(cases, "negate", type, extent(turn), special(), exact(), [](Number v) { return -v; });
    unary(cases, "absolute", type, extent(turn + 1), special(), exact(), [](Number v) { return std::abs(v); });
    if (!isFloat(type))
      continue;
    auto poisoned = [](auto f) {
      return [f](DType t, Number a, Number b) { return std::isnan(a) || std::isnan(b) ? kNan : f(t, a, b); };
    };
    binary(cases, "maximum_all", type, type, e, x, y, exactAnyZero(), poisoned(greater));
    binary(cases, "minimum_all", type, type, e, x, y, exactAnyZero(), poisoned(lesser));
    unary(cases, "clamp_all", type, e, special(), exact(),
          [](Number v) { return std::isnan(v) ? v : std::fmin(std::fmax(v, -1), 1.5L); });
    unary(cases, "known_sign", type, e, special(), exact(),
          [type](Number v) { return std::isnan(v) ? 4 : inType(type, std::plus<>(), std::fabs(v), std::fabs(v)); });
    unary(cases, "clamp", type, e, special(), exact(), // a NaN loses against the lower bound
          [](Number v) { return std::fmin(std::fmax(v, -1), 1.5L); });
    binary(cases, "clamp_between", type, type, e, x, y, exactAnyZero(),
           [](DType, Number v, Number bound) { return std::fmin(std::fmax(v, std::fabs(bound)), std::fabs(bound)); });
  }
}

void addProducts(Cases &cases) {
  size_t turn = 0;
  for (DType type : {DType::I32, DType::U32, DType::I64, DType::U64})
    binary(cases, "umulhi", type, type, extent(turn++), anyBits(), anyBits(), exact(), [](DType t, Number x, Number y) {
      unsigned bits = bitsOf(t);
      auto wide = [&](Number v) {
        return static_cast<unsigned __int128>(encode(t, v) & (bits == 64 ? ~uint64_t(0) : 0xffffffff));
      };
      return decode(t, static_cast<uint64_t>((wide(x) * wide(y)) >> bits));
    });
  for (DType type : kFp8)
    for (bool fused : {true, false})
      cases.add(kFamily, kFile, fused ? "fma" : "mul_add", named(type) + ",bits")
          .in(type, 3000, anyBits())
          .in(type, 3000, anyBits())
          .in(type, 3000, anyBits())
          .out(type, 3000, exact(), each([type, fused](const Inputs &in, int64_t i) {
                 Number product = in(0, i) * in(1, i); // these numbers hold it, and its sum, exactly
                 return rounded(type, (fused ? product : rounded(type, product)) + in(2, i));
               }))
          .value(3000)
          .with("BLOCK", 1024)
          .grid(3)
          .warps(4);
  for (DType type : kFloats)
    for (bool fused : {true, false}) {
      Extent e = extent(turn++);
      std::string kernel = fused ? "fma" : "mul_add";
      double unit = std::ldexp(1.0, 1 - precisionOf(type));
      cases.add(kFamily, kFile, kernel, named(type) + "," + e.text())
          .in(type, e.n, reals(-4, 4))
          .in(type, e.n, reals(-4, 4))
          .in(type, e.n, reals(-16, 16))
          .out(type, e.n, fused ? ofFunction("fma", type) : near(32 * unit),
               each([type, fused](const Inputs &in, int64_t i) {
                 auto f = [fused](auto x, auto y, auto z) { return fused ? std::fma(x, y, z) : x * y + z; };
                 return inType(type, f, in(0, i), in(1, i), in(2, i));
               }))
          .value(e.n)
          .with("BLOCK", e.block)
          .grid(e.programs())
          .warps(e.warps);
    }
  for (DType type : {DType::F16, DType::BF16}) // products that are often halfway between two numbers
    cases.add(kFamily, kFile, "fma", named(type) + ",nearly halfway")
        .in(type, 1000, whole(-120, 120))
        .in(type, 1000, whole(-120, 120))
        .in(type, 1000, listed({std::ldexp(1.0L, -20), -std::ldexp(1.0L, -20), 0}))
        .out(type, 1000, exact(), each([](const Inputs &in, int64_t i) { return in(0, i) * in(1, i) + in(2, i); }))
        .value(1000)
        .with("BLOCK", 256)
        .grid(4)
        .warps(4);
}

void addScalars(Cases &cases) {
  size_t turn = 0;
  for (DType type : kNumbers) {
    Extent e = extent(turn++);
    auto scalar = [&](const char *kernel, std::function<Number(Number)> f) {
      cases.add(kFamily, kFile, kernel, named(type) + "," + e.text())
          .in(type, e.n, whole(0, 9))
          .out(type, e.n, exact(), each([f](const Inputs &in, int64_t i) { return f(in(0, i)); }))
          .value(e.n)
          .value(5)
          .with("BLOCK", e.block)
          .grid(e.programs())
          .warps(e.warps);
    };
    scalar("scalar_right", [](Number x) { return x * 5 - 3; });
    scalar("scalar_left", [](Number x) { return 5 - 2 * x; });
  }
  for (DType type : kAllNumbers)
    binary(cases, "chain", type, type, extent(turn++), whole(0, 4), whole(0, 4), exact(),
           [type](DType, Number x, Number y) {
             // Unsigned numbers compare after they have wrapped; 8-bit floats round each result.
             auto wrap = [type](Number v) { return rounded(type, v); };
             Number a = wrap(wrap(x * 3) + y), b = a > wrap(x + 2) ? wrap(a - x) : wrap(a + y);
             return wrap(wrap(std::max(b, x) * 2) - y);
           });
  for (DType type : {DType::I1, DType::I8, DType::I16, DType::I32, DType::I64, DType::F16, DType::F32, DType::F64,
                     DType::BF16, DType::F8E4M3, DType::F8E5M2, DType::F8E4M3FNUZ, DType::F8E5M2FNUZ}) {
    Extent e = extent(turn++);
    cases.add(kFamily, kFile, "where", named(type) + "," + e.text())
        .in(DType::I1, e.n, booleans())
        .in(type, e.n, special())
        .in(type, e.n, anyBits())
        .out(type, e.n, exact(), each([](const Inputs &in, int64_t i) { return in(0, i) != 0 ? in(1, i) : in(2, i); }))
        .value(e.n)
        .with("BLOCK", e.block)
        .grid(e.programs())
        .warps(e.warps);
  }
  for (DType type : {DType::F32, DType::F16, DType::F64})
    for (Extent e : {extent(0), extent(3)})
      binary(cases, "where_scalars", type, type, e, whole(-9, 9), whole(-9, 9), exactAnyZero(),
             [all = e.n > 500](DType, Number x, Number y) { return (x > y ? x : -1) + (all ? y : 0); });
}

void addUnsignedOfSigned(Cases &cases) {
  for (auto [from, to] : {std::pair(DType::I8, DType::U32), std::pair(DType::I16, DType::U32),
                          std::pair(DType::I16, DType::U64), std::pair(DType::I32, DType::U64)}) {
    Extent e = {1000, 256, 4};
    auto result = [n = e.n, to](const Inputs &in, int64_t i) {
      auto x = uint64_t(rounded(to, in(0, i % n))), divisor = (uint64_t(int64_t(in(1, i % n))) & 15) + 1;
      if (i >= 3 * n)
        return Number(uint64_t(rounded(to, Number(-3))) % divisor);
      return Number(i < n ? x / divisor : i < 2 * n ? x % divisor : divisor / (x | 1));
    };
    cases.add(kFamily, kFile, "unsigned_of_signed", named(from) + "->" + named(to) + "," + e.text())
        .in(from, e.n, anyBits())
        .in(DType::I32, e.n, anyBits())
        .out(to, 4 * e.n, exact(), each(result))
        .value(e.n)
        .with("BLOCK", e.block)
        .grid(e.programs())
        .warps(e.warps);
  }
}

void addKnownZeros(Cases &cases) {
  constexpr std::array<Number (*)(Number), 8> kResults = {
      [](Number x) { return x + 0; }, [](Number x) { return 0 - x; },    [](Number x) { return x - 0; },
      [](Number x) { return x * 0; }, [](Number x) { return x * 0; },    [](Number x) { return x / Number(0); },
      [](Number x) { return 0 / x; }, [](Number x) { return 0 + x + x; }};
  for (DType type : kAllFloats) {
    Extent e = {1000, 256, 4};
    cases.add(kFamily, kFile, "known_zeros", named(type) + "," + e.text())
        .in(type, e.n, special())
        .out(type, int64_t(kResults.size()) * e.n, exact(),
             each([kResults, type, n = e.n](const Inputs &in, int64_t i) {
               Number result = kResults[size_t(i / n)](in(0, i % n));
               return isFp8(type) ? rounded(type, result) : result;
             }))
        .value(e.n)
        .with("BLOCK", e.block)
        .grid(e.programs())
        .warps(e.warps);
  }
}

void addMixed(Cases &cases) {
  struct Pair {
    DType x, y, sum;
  };
  // The wider kind wins, of one kind the wider type; bf16 with f16 is f16, with anything else f32; two formats of 8
  // bits are f16; integers of a width are unsigned if one is.
  constexpr Pair kPairs[] = {
      {DType::I32, DType::F32, DType::F32},        {DType::I8, DType::I32, DType::I32},
      {DType::U8, DType::I16, DType::I16},         {DType::F16, DType::F32, DType::F32},
      {DType::BF16, DType::F16, DType::F16},       {DType::I64, DType::F16, DType::F16},
      {DType::F32, DType::F64, DType::F64},        {DType::I32, DType::U32, DType::U32},
      {DType::U16, DType::I64, DType::I64},        {DType::BF16, DType::F32, DType::F32},
      {DType::I32, DType::I64, DType::I64},        {DType::U32, DType::F64, DType::F64},
      {DType::I8, DType::U8, DType::U8},           {DType::I16, DType::BF16, DType::F32},
      {DType::F8E4M3, DType::F8E5M2, DType::F16},  {DType::F8E5M2FNUZ, DType::F8E4M3FNUZ, DType::F16},
      {DType::F8E5M2, DType::F16, DType::F16},     {DType::F8E4M3, DType::BF16, DType::F32},
      {DType::F8E4M3FNUZ, DType::F32, DType::F32}, {DType::F8E5M2FNUZ, DType::F64, DType::F64},
  };
  size_t turn = 0;
  for (const Pair &pair : kPairs) {
    Extent e = extent(turn++);
    cases.add(kFamily, kFile, "mixed_add", named(pair.x) + "+" + named(pair.y) + "," + e.text())
        .in(pair.x, e.n, whole(0, 60))
        .in(pair.y, e.n, whole(0, 60))
        .out(pair.sum, e.n, exact(), each([](const Inputs &in, int64_t i) { return in(0, i) + in(1, i); }))
        .value(e.n)
        .with("BLOCK", e.block)
        .grid(e.programs())
        .warps(e.warps);
  }
}

/// Numbers in the text beside narrow types, in functions that widen them.
void addLiterals(Cases &cases) {
  size_t turn = 0;
  auto add = [&](const char *kernel, DType type, DType result, Fill x, std::function<Number(Number)> f) {
    Extent e = extent(turn++);
    cases.add(kFamily, kFile, kernel, named(type) + "," + e.text())
        .in(type, e.n, std::move(x))
        .out(result, e.n, exact(), each([f = std::move(f)](const Inputs &in, int64_t i) { return f(in(0, i)); }))
        .value(e.n)
        .with("BLOCK", e.block)
        .grid(e.programs())
        .warps(e.warps);
  };
  for (DType type : {DType::F16, DType::BF16, DType::F32})
    add("literals_beside_floats", type, DType::F32, reals(-8, 8),
        [](Number x) { return std::fmax(std::fmin(std::fmax(x, Number(-0.7f)), Number(5.3f)), Number(0.1f)); });
  for (DType type : {DType::I8, DType::U8, DType::I16})
    add("literals_beside_integers", type, DType::I32, whole(0, 100), [](Number x) { return 1200 - x; });
}

/// A device may compute the quotients of many numbers by one in another way, in the range where that is exact: numbers
/// around its ends, and blocks in which one number is outside.
void addQuotientsByOne(Cases &cases) {
  constexpr int64_t kBlock = 512, kPrograms = 12;
  Fill divisors = listed({3, 0x1.fffffep+0L, 1e-3L, 0x1p-60L, 0x1.8p-61L, 0x1.fffffep+27L, 0x1.8p+28L, 0, -7, 0x1p-140L,
                          std::numeric_limits<Number>::infinity(), std::numeric_limits<Number>::quiet_NaN()});
  // Normal numbers and zeros of both signs; beside them, in some blocks, a number below or above.
  auto numerators = [](Number outside) {
    return byIndex([outside](int64_t i) {
      Number fraction = 1 + static_cast<Number>((i * 2654435761 + 12345) % (1 << 23)) / (1 << 23);
      Number sign = i % 3 == 0 ? -1 : 1;
      if (i % 16 == 0)
        return sign * 0.0L;
      return i % 97 == 5 ? sign * outside : sign * std::ldexp(fraction, int(i * 7 % 156) - 96);
    });
  };
  const std::pair<const char *, Number> outsides[] = {
      {"inside", 1}, {"small", 0x1.8p-97L}, {"denormal", 0x1.8p-140L}, {"large", 0x1.8p+60L}, {"inf", INFINITY}};
  for (auto [name, outside] : outsides)
    for (DType type : {DType::F32, DType::F16})
      cases
          .add(kFamily, kFile, type == DType::F32 ? "quotients_by_one" : "narrowed_quotients_by_one",
               named(type) + "," + name)
          .in(DType::F32, kBlock * kPrograms, numerators(outside))
          .in(DType::F32, kPrograms, divisors)
          .out(type, kBlock * kPrograms, exact(), each([](const Inputs &in, int64_t i) -> std::optional<Number> {
                 return quotient(DType::F32, in(0, i), in(1, i / kBlock));
               }))
          .with("BLOCK", kBlock)
          .grid(kPrograms)
          .warps(2);
  // Targets may scale a divisor that is large or subnormal, whose reciprocal is no normal number.
  Fill ends = listed({3, 0x1p-149L, 0x1p-127L, 0x1.8p-126L, 0x1p126L, 0x1.8p126L, 0x1.fffffep127L, 0, -0.0L, -7,
                      std::numeric_limits<Number>::infinity(), std::numeric_limits<Number>::quiet_NaN()});
  for (auto [name, outside] : outsides)
    cases.add(kFamily, kFile, "relaxed_quotients_by_one", name)
        .in(DType::F32, kBlock * kPrograms, numerators(outside))
        .in(DType::F32, kPrograms, ends)
        .out(DType::F32, kBlock * kPrograms, ulps(2.5), each([](const Inputs &in, int64_t i) -> std::optional<Number> {
               return quotient(DType::F32, in(0, i), in(1, i / kBlock));
             }))
        .with("BLOCK", kBlock)
        .grid(kPrograms)
        .warps(2);
}

void addPromotion(Cases &cases) {
  cases.add(kFamily, kFile, "promotion", "f16,bf16,f32,i8")
      .in(DType::F16, 1, constant(0.5L))
      .in(DType::BF16, 1, constant(2))
      .in(DType::F32, 1, constant(0.25L))
      .in(DType::I8, 1, constant(-8))
      .out(DType::F32, 1, exact(), each([](const Inputs &, int64_t) { return 0.5L + 2 + 0.25L - 8; }))
      .warps(1);
}

/// A number of the program in 8 or 16 bits divided by numbers that were loaded.
void addQuotientsOfPrograms(Cases &cases) {
  for (DType type : {DType::I8, DType::U8, DType::I16, DType::U16})
    cases.add(kFamily, kFile, "quotients_of_programs", named(type))
        .in(type, 4, whole(0, 15))
        .out(type, 3 * 4, exact(), each([](const Inputs &in, int64_t i) {
               return Number(int64_t(200 + i / 4) % 101 / int64_t(in(0, i % 4) + 1));
             }))
        .with("N", 4)
        .grid(3)
        .warps(1);
}

} // namespace arithmetic_family

void addArithmetic(Cases &cases) {
  using namespace arithmetic_family;
  addRing(cases);
  addDivision(cases);
  addExtremes(cases);
  addProducts(cases);
  addScalars(cases);
  addUnsignedOfSigned(cases);
  addKnownZeros(cases);
  addMixed(cases);
  addLiterals(cases);
  addQuotientsByOne(cases);
  addQuotientsOfPrograms(cases);
  addPromotion(cases);
}

} // namespace tegula::conformance
