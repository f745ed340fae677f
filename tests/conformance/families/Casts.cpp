// Conversions between all pairs of element types.
#include "tests/conformance/families/Families.h"

#include <array>

namespace tegula::conformance {

namespace casts_family {

const std::string kFamily = "casts", kFile = "casts.py";
constexpr DType kAll[] = {DType::I1,  DType::I8,     DType::I16,    DType::I32,        DType::I64,       DType::U8,
                          DType::U16, DType::U32,    DType::U64,    DType::F16,        DType::BF16,      DType::F32,
                          DType::F64, DType::F8E4M3, DType::F8E5M2, DType::F8E4M3FNUZ, DType::F8E5M2FNUZ};

/// Between integers, numbers wrap; to integers, floats are cut off and held within the range, NaN becomes 0; to floats,
/// numbers round once to nearest even, and saturate in 8 bits; anything but zero is true.
Number converted(DType from, DType to, Number value) {
  if (to == DType::I1)
    return value != 0;
  if (isFp8(to) && from != to)
    return rounded(to, value);
  if (!isFloat(from) || isFloat(to))
    return value; // rounded when it is stored
  if (std::isnan(value))
    return 0;
  return std::min(std::max(std::trunc(value), lowest(to)), highest(to));
}

/// Inputs hold NaN, which no integer holds.
void faultWhereUndefined(Case &made, DType from, DType to) {
  if (isFloat(from) && !isFloat(to) && to != DType::I1)
    made.checkedFault = "conversion of a number that the integer type cannot hold";
}

Case &cast(Cases &cases, const std::string &kernel, DType from, DType to, Extent e, Fill x, Policy policy,
           Reference expected, const std::string &tag = "") {
  return cases.add(kFamily, kFile, kernel, named(from) + "->" + named(to) + tag + "," + e.text())
      .in(from, e.n, std::move(x))
      .out(to, e.n, policy, std::move(expected))
      .value(e.n)
      .with("BLOCK", e.block)
      .grid(e.programs())
      .warps(e.warps);
}

Reference conversion(DType from, DType to) {
  return each([from, to](const Inputs &in, int64_t i) { return converted(from, to, in(0, i)); });
}

/// Whole numbers that are nearly halfway between two of bf16, so that rounding to another format first shows.
Fill nearlyHalfway() {
  return [](DType type, int64_t i, Random &) {
    int bits = static_cast<int>(bitsOf(type)) - (isUnsigned(type) ? 0 : 1),
        exponent = 9 + static_cast<int>(i) % (bits - 9);
    Number value = std::ldexp(Number(1), exponent) + std::ldexp(Number(1), exponent - 8) * (i / 64 % 2 ? 1 : 3) +
                   Number(i / 128 % 3) - 1;
    return i / 384 % 2 && !isUnsigned(type) ? -value : value;
  };
}

/// Special values, then any: of floats towards integers, numbers about the integers' range too.
Fill sources(DType from, DType to) {
  if (!isFloat(from) || isFloat(to))
    return [](DType type, int64_t i, Random &random) {
      return i < specialCount(type) ? special()(type, i, random) : anyBits()(type, i, random);
    };
  return [from, to](DType type, int64_t i, Random &random) {
    if (i < specialCount(type))
      return special()(type, i, random);
    Number range = std::ldexp(Number(1), static_cast<int>(bitsOf(to)));
    Number value = rounded(from, reals(i % 2 ? -100 : -range, i % 2 ? 100 : range)(type, i, random));
    return std::isnan(value) ? Number(1) : value;
  };
}

void addPairs(Cases &cases) {
  size_t turn = 0;
  for (DType from : kAll)
    for (DType to : kAll) {
      Extent e = extent(turn++);
      if (e.n < 100)
        e = {64, 64, 1};
      faultWhereUndefined(
          cast(cases, "convert", from, to, e, sources(from, to), exact(), conversion(from, to)).with("TYPE", to), from,
          to);
    }
  for (DType from : {DType::I8, DType::I16, DType::I32, DType::U8, DType::U16, DType::U32})
    for (DType to : {DType::F16, DType::BF16, DType::F32})
      cast(cases, "convert_widened", from, to, extent(turn++), sources(from, to), exact(), conversion(from, to))
          .with("TYPE", to);
  for (DType type : {DType::F16, DType::F32})
    cast(cases, "times_converted_constant", type, type, extent(turn++), special(), exact(),
         each([](const Inputs &in, int64_t i) { return in(0, i) * 0; }));
  // Stores convert too; the kernels of §1 rely on these.
  for (auto [from, to] : {std::pair{DType::F32, DType::F16},
                          {DType::F32, DType::BF16},
                          {DType::F16, DType::F32},
                          {DType::I32, DType::F32},
                          {DType::I64, DType::I32},
                          {DType::F32, DType::F8E4M3},
                          {DType::I1, DType::I32},
                          {DType::F64, DType::F32}})
    cast(cases, "store_converts", from, to, extent(turn++), sources(from, to), exact(), conversion(from, to));
}

void addBitcasts(Cases &cases) {
  size_t turn = 0;
  for (DType from : kAll)
    for (DType to : kAll) {
      if (from == to || from == DType::I1 || to == DType::I1 || byteSize(from) != byteSize(to))
        continue;
      // A NaN's bits may change on its way, so there are none among the floats that become integers.
      Fill x = isFloat(from) ? only(anyBits(), [](Number v) { return !std::isnan(v); }, 1.5L) : anyBits();
      cast(cases, "bitcast", from, to, extent(turn++), x, exact(),
           each([from, to](const Inputs &in, int64_t i) { return decode(to, encode(from, in(0, i))); }))
          .with("TYPE", to);
    }
}

/// The number of `type` next to `value` on the side of zero; finite where `value` is.
Number towardZero(DType type, Number value) {
  Number size = std::abs(value), near = rounded(type, size);
  if (std::isfinite(size) && !(near <= size))
    near = decode(type, encode(type, near) - 1); // without sign, codes are in order of magnitude
  return std::copysign(near, value);
}

void addRoundings(Cases &cases) {
  size_t turn = 0;
  for (DType to : {DType::F16, DType::BF16, DType::F8E4M3, DType::F8E5M2, DType::F8E4M3FNUZ, DType::F8E5M2FNUZ})
    for (bool cut : {true, false}) // towards zero, or to the nearest as by default
      cast(cases, "downcast", DType::F32, to, extent(turn++), special(), exact(),
           each([to, cut](const Inputs &in, int64_t i) {
             return cut ? towardZero(to, in(0, i)) : converted(DType::F32, to, in(0, i));
           }),
           cut ? ",rtz" : ",rtne")
          .with("TYPE", to)
          .with("ROUNDING", cut ? "rtz" : "rtne");
  // Numbers around the largest one, and beyond it.
  for (DType from : {DType::F32, DType::F16, DType::BF16, DType::F64, DType::I32})
    for (DType to : kFp8) {
      Number most = rounded(to, kInf);
      Fill x = listed({most, -most, most * 15 / 14, most * 17 / 16, -most * 17 / 16, most * 1.25L, most * 2, -most * 9,
                       isFloat(from) ? kInf : 1e9L, isFloat(from) ? -kInf : -1e9L, isFloat(from) ? kNan : 0});
      cast(cases, "convert", from, to, {44, 64, 1}, x, exact(), conversion(from, to), ",large").with("TYPE", to);
      if (isFloat(from))
        cast(cases, "downcast", from, to, {44, 64, 1}, x, exact(),
             each([to](const Inputs &in, int64_t i) { return towardZero(to, in(0, i)); }), ",large,rtz")
            .with("TYPE", to)
            .with("ROUNDING", "rtz");
    }
  for (DType from : {DType::I32, DType::U32, DType::I64, DType::U64})
    cast(cases, "convert", from, DType::BF16, {900, 256, 4}, nearlyHalfway(), exact(), conversion(from, DType::BF16),
         ",nearly halfway")
        .with("TYPE", DType::BF16);
  for (auto [from, through] : {std::pair{DType::F32, DType::F16},
                               {DType::F32, DType::BF16},
                               {DType::F32, DType::F8E4M3},
                               {DType::F32, DType::F8E5M2},
                               {DType::F16, DType::BF16},
                               {DType::I32, DType::I8},
                               {DType::I32, DType::U16},
                               {DType::I64, DType::I32},
                               {DType::F64, DType::F32},
                               {DType::F16, DType::F8E5M2}})
    cast(cases, "there_and_back", from, from, extent(turn++), special(), exactThrough(through),
         each([from, through](const Inputs &in, int64_t i) {
           return converted(through, from, rounded(through, converted(from, through, in(0, i))));
         }))
        .with("TYPE", through);
}

void addOthers(Cases &cases) {
  for (size_t shape = 0; shape < 3; ++shape) {
    Extent e = extent(shape);
    cast(cases, "reinterpret_pointer", DType::F32, DType::I32, e,
         only(
             anyBits(), [](Number v) { return !std::isnan(v); }, 1),
         exact(), each([](const Inputs &in, int64_t i) { return decode(DType::I32, encode(DType::F32, in(0, i))); }));
    cases.add(kFamily, kFile, "by_name", e.text())
        .in(DType::F32, e.n, reals(-1000, 1000))
        .out(DType::I32, e.n, exact(), each([](const Inputs &in, int64_t i) { return std::trunc(in(0, i)); }))
        .out(DType::F32, e.n, exact(), each([](const Inputs &, int64_t i) { return Number(i) / 4; }))
        .value(e.n)
        .with("BLOCK", e.block)
        .grid(e.programs())
        .warps(e.warps);
    cases.add(kFamily, kFile, "split_bytes", e.text())
        .in(DType::U32, e.n, anyBits())
        .out(DType::U8, 4 * e.n, exact(), each([](const Inputs &in, int64_t i) {
               return Number(encode(DType::U32, in(0, i / 4)) >> (8 * (i % 4)) & 255);
             }))
        .value(e.n)
        .with("BLOCK", e.block)
        .grid(e.programs())
        .warps(e.warps);
  }
  for (DType to : kFp8)
    cases.add(kFamily, kFile, "constants", named(to))
        .out(to, 8 * 32, exact(), each([to](const Inputs &, int64_t i) {
               const Number values[] = {kInf, -kInf, kNan, 1e6L, -1e30L, 0.7L, 1e6L, 2 * rounded(to, 200)};
               return rounded(to, values[i / 32]);
             }))
        .with("TYPE", to)
        .with("N", 32)
        .warps(1);
  for (DType to : kFp8)
    cases.add(kFamily, kFile, "bits_of_constants", named(to))
        .out(to, 256, exact(), each([to](const Inputs &, int64_t i) { return decode(to, 120 + i / 32); }))
        .with("TYPE", to)
        .with("N", 32)
        .warps(1);
  for (auto [from, to] : {std::pair{DType::I8, DType::I64},
                          {DType::U8, DType::I32},
                          {DType::F16, DType::F64},
                          {DType::F32, DType::I32},
                          {DType::I1, DType::I32},
                          {DType::F8E4M3, DType::F32}})
    faultWhereUndefined(cases.add(kFamily, kFile, "widen_scalar", named(from) + "->" + named(to))
                            .in(from, 20, special())
                            .out(to, 20, exact(), conversion(from, to))
                            .with("TYPE", to)
                            .grid(20)
                            .warps(1),
                        from, to);
}

} // namespace casts_family

void addCasts(Cases &cases) {
  using namespace casts_family;
  addPairs(cases);
  addBitcasts(cases);
  addRoundings(cases);
  addOthers(cases);
}

} // namespace tegula::conformance
