#include "tests/conformance/Fills.h"

#include <numeric>

namespace tegula::conformance {

namespace {

/// [0, 1), the same on every platform, which the distributions of the standard library are not.
Number unit(Random &random) { return static_cast<Number>(random() >> 11) / 0x1p53L; }

std::vector<Number> makeSpecials(DType type) {
  if (type == DType::I1)
    return {0, 1};
  if (!isFloat(type)) {
    std::vector<Number> values = {0, 1, highest(type), lowest(type), 2, 3, highest(type) - 1, lowest(type) + 1, 7, 100};
    if (isSigned(type))
      values.insert(values.end(), {-1, -2, -100});
    return values;
  }
  // From the bits, because each format spends its codes in its own way.
  unsigned bits = bitsOf(type), mantissa = static_cast<unsigned>(precisionOf(type)) - 1;
  uint64_t sign = uint64_t(1) << (bits - 1), exponents = (sign >> mantissa) - 1;
  std::vector<Number> values;
  for (uint64_t code : {uint64_t(0), sign, uint64_t(1), sign | 1,               // zeros, the smallest denormals
                        (uint64_t(1) << mantissa) - 1, uint64_t(1) << mantissa, // the largest denormal, smallest normal
                        exponents << mantissa, sign | exponents << mantissa,    // infinities where the format has them
                        sign - 1, (exponents << mantissa) - 1,                  // NaN or the largest
                        sign | ((exponents << mantissa) - 1)})
    values.push_back(decode(type, code));
  for (Number value : {1.0L, -1.0L, 0.5L, 1.5L, -2.5L, 3.0L, 100.0L})
    values.push_back(value);
  return values;
}

const std::vector<Number> &specials(DType type) {
  static const std::vector<std::vector<Number>> tables = [] {
    std::vector<std::vector<Number>> made;
    for (DType each = DType::I1; each <= DType::F8E5M2FNUZ; each = static_cast<DType>(static_cast<int>(each) + 1))
      made.push_back(makeSpecials(each));
    return made;
  }();
  return tables[static_cast<size_t>(type)];
}

Fill specialWhere(int64_t stride, bool nans) {
  return [stride, nans](DType type, int64_t i, Random &random) -> Number {
    const std::vector<Number> &values = specials(type);
    int64_t count = static_cast<int64_t>(values.size());
    Number value = i < count * count ? values[static_cast<size_t>(i / stride % count)] : decode(type, random());
    return std::isnan(value) && !nans ? 2 : value;
  };
}

} // namespace

unsigned bitsOf(DType type) { return type == DType::I1 ? 1 : static_cast<unsigned>(byteSize(type) * 8); }

int precisionOf(DType type) {
  switch (type) {
  case DType::F16: return 11;
  case DType::BF16: return 8;
  case DType::F32: return 24;
  case DType::F64: return 53;
  case DType::F8E4M3:
  case DType::F8E4M3FNUZ: return 4;
  default: return 3;
  }
}

Number lowest(DType type) { return isSigned(type) ? -std::ldexp(Number(1), static_cast<int>(bitsOf(type)) - 1) : 0; }
Number highest(DType type) { return std::ldexp(Number(1), static_cast<int>(bitsOf(type)) - isSigned(type)) - 1; }

Fill blank() { return constant(77); }
Fill constant(Number value) {
  return [value](DType, int64_t, Random &) { return value; };
}
Fill iota(Number first, Number step) {
  return [first, step](DType, int64_t i, Random &) { return first + step * static_cast<Number>(i); };
}
Fill whole(Number low, Number high) {
  return [low, high](DType, int64_t, Random &random) { return low + std::floor(unit(random) * (high - low + 1)); };
}
Fill reals(Number low, Number high) {
  return [low, high](DType, int64_t, Random &random) { return low + unit(random) * (high - low); };
}
Fill powers(Number low, Number high, bool negative) {
  return [low, high, negative](DType, int64_t, Random &random) {
    Number value = std::exp2(low + unit(random) * (high - low));
    return negative && (random() & 1) ? -value : value;
  };
}
Fill special(int64_t stride) { return specialWhere(stride, true); }
Fill orderedSpecial(int64_t stride) { return specialWhere(stride, false); }
int64_t specialCount(DType type) { return static_cast<int64_t>(specials(type).size()); }
Fill anyBits() {
  return [](DType type, int64_t, Random &random) { return decode(type, type == DType::I1 ? random() & 1 : random()); };
}
Fill booleans() {
  return [](DType, int64_t, Random &random) { return Number(random() >> 17 & 1); };
}
Fill listed(std::vector<Number> values) {
  return [values = std::move(values)](DType, int64_t i, Random &) {
    return values[static_cast<size_t>(i) % values.size()];
  };
}
Fill shuffled(int64_t count, Number first, Number scale) {
  int64_t step = count * 5 / 8 + 1;
  while (std::gcd(step, count) != 1)
    ++step;
  return [count, first, scale, step](DType, int64_t i, Random &) {
    return first + scale * static_cast<Number>((i * step + count / 3) % count);
  };
}
Fill byIndex(std::function<Number(int64_t)> value) {
  return [value = std::move(value)](DType, int64_t i, Random &) { return value(i); };
}
Fill only(Fill fill, std::function<bool(Number)> wanted, Number instead) {
  return [fill = std::move(fill), wanted = std::move(wanted), instead](DType type, int64_t i, Random &random) {
    Number value = rounded(type, fill(type, i, random));
    return wanted(value) ? value : instead;
  };
}

} // namespace tegula::conformance
