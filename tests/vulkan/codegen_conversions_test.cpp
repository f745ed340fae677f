// Conversions: all values of the narrow formats; of the wide ones, the values of a narrow format, the midpoints between
// them, and the neighbours of both. Compared with core/support/FloatFormats.h.
#include "tests/vulkan/ElementwiseTest.h"

#include <bit>

namespace tegula::vulkan::test {
namespace {

void fill(Bits &bits) { bits.resize((bits.size() + 511) / 512 * 512); }

/// All bit patterns of a narrow format; of a wide one the values and midpoints of `of`, and their neighbours.
Bits interesting(ScalarType type, ScalarType of) {
  Bits all;
  if (bitWidth(type) <= 16) {
    for (uint64_t bits = 0; bits < uint64_t(1) << bitWidth(type); ++bits)
      all.push_back(bits);
  } else {
    const FloatFormat &narrow = floatFormat(of), &wide = floatFormat(type);
    uint64_t codes = uint64_t(1) << std::min(16u, bitWidth(of)), step = bitWidth(of) > 8 ? 13 : 1;
    for (uint64_t code = 0; code + 1 < codes; code += step) {
      double low = decodeFloat(narrow, code), high = decodeFloat(narrow, code + 1);
      for (double value : {low, (low + high) / 2}) {
        uint64_t bits = encodeFloat(wide, value);
        for (uint64_t near : {bits - 1, bits, bits + 1})
          all.push_back(near & (type == ScalarType::F32 ? 0xffffffff : ~uint64_t(0)));
      }
    }
    Bits any = someFloats(type, 4096, 5);
    all.insert(all.end(), any.begin(), any.end());
  }
  fill(all);
  return all;
}

class VulkanConversions : public ElementwiseTest {
protected:
  void expectConverted(const Number &from, const Number &to, const Bits &x, const std::string &op, bool towardZero) {
    Bits found = evaluate(op, from, to, {x, {}, {}});
    size_t wrong = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      double value = decodeFloat(floatFormat(from.type), x[i]);
      uint64_t expected = encodeFloat(floatFormat(to.type), value, towardZero);
      if (!isSame(to.type, found[i], expected) && ++wrong <= 3)
        ADD_FAILURE() << from.mlir << " to " << to.mlir << (towardZero ? " toward zero" : "") << ": of " << hex(x[i])
                      << " = " << value << " found " << hex(found[i]) << ", expected " << hex(expected);
    }
    EXPECT_EQ(wrong, 0u) << from.mlir << " to " << to.mlir;
  }
};

TEST_P(VulkanConversions, BetweenFloats) {
  for (const Number &from : kFloats)
    for (const Number &to : kFloats) {
      if (from.type == to.type)
        continue;
      Bits x = interesting(from.type, to.type);
      expectConverted(from, to, x, "tile.fp_cast %x : IN -> OUT", false);
      if (bitWidth(from.type) > bitWidth(to.type))
        expectConverted(from, to, x, "tile.fp_cast %x rounding(rtz) : IN -> OUT", true);
    }
  Bits x = interesting(ScalarType::F32, ScalarType::BF16);
  expectConverted(kFloats[2], kFloats[1], x, "arith.truncf %x : IN to OUT", false);
  expectConverted(kFloats[4], kFloats[0], interesting(ScalarType::F8E4M3, ScalarType::F16), "arith.extf %x : IN to OUT",
                  false);
}

TEST_P(VulkanConversions, IntegersToFloats) {
  for (const Number &from : kIntegers)
    for (const Number &to : kComputed)
      for (bool isSigned : {true, false}) {
        unsigned width = bitWidth(from.type);
        Bits x = someIntegers(from.type, 4096, 7);
        for (size_t i = 0; i < 400; ++i) // between adjacent floats of the narrow formats
          x[i] = ((uint64_t(0x181 + i % 7) << (i % (width > 9 ? width - 9 : 1))) + i % 3 - 1) &
                 (width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1);
        Bits found =
            evaluate(isSigned ? "arith.sitofp %x : IN to OUT" : "arith.uitofp %x : IN to OUT", from, to, {x, {}, {}});
        size_t wrong = 0;
        for (size_t i = 0; i < x.size(); ++i) {
          int64_t asSigned = int64_t(x[i] << (64 - width)) >> (64 - width);
          // long double holds 64-bit integers; a sticky last bit makes the rounding through double correct.
          long double exact = isSigned ? static_cast<long double>(asSigned) : static_cast<long double>(x[i]);
          double value = static_cast<double>(exact);
          if (static_cast<long double>(value) != exact && to.type != ScalarType::F64) {
            uint64_t bits = std::bit_cast<uint64_t>(value);
            bool beyond = std::fabs(static_cast<long double>(value)) > std::fabs(exact);
            value = std::bit_cast<double>((beyond ? bits - 1 : bits) | 1);
          }
          uint64_t expected = encodeFloat(floatFormat(to.type), value);
          if (!isSame(to.type, found[i], expected) && ++wrong <= 3)
            ADD_FAILURE() << from.mlir << " to " << to.mlir << ": of " << hex(x[i]) << " found " << hex(found[i])
                          << ", expected " << hex(expected);
        }
        EXPECT_EQ(wrong, 0u) << from.mlir << " to " << to.mlir << isSigned;
      }
}

TEST_P(VulkanConversions, FloatsToIntegers) {
  for (const Number &from : kComputed)
    for (const Number &to : kIntegers)
      for (bool isSigned : {true, false}) {
        const FloatFormat &format = floatFormat(from.type);
        double least = isSigned ? -std::ldexp(1, int(bitWidth(to.type)) - 1) : 0;
        double most = std::ldexp(1, int(bitWidth(to.type)) - isSigned);
        Bits x = someFloats(from.type, 1024, 3);
        for (uint64_t &bits : x) { // values outside of the integer's range are undefined
          double value = std::trunc(decodeFloat(format, bits));
          if (!(value >= least && value < most))
            bits = 0;
        }
        expectAsExecuted(isSigned ? "arith.fptosi %x : IN to OUT" : "arith.fptoui %x : IN to OUT", from, to,
                         {x, {}, {}});
      }
}

TEST_P(VulkanConversions, Bitcasts) {
  const std::pair<Number, Number> pairs[] = {{kIntegers[0], kFloats[4]}, {kIntegers[1], kFloats[0]},
                                             {kIntegers[1], kFloats[1]}, {kIntegers[2], kFloats[2]},
                                             {kIntegers[3], kFloats[3]}, {kFloats[0], kFloats[1]}};
  for (auto &[from, to] : pairs) {
    Bits x(1024);
    for (size_t i = 0; i < x.size(); ++i) // numbers only, because NaNs may change in registers
      x[i] = encodeFloat(floatFormat(to.type), double(i) - 500);
    EXPECT_EQ(evaluate("arith.bitcast %x : IN to OUT", from, to, {x, {}, {}}), x) << from.mlir << to.mlir;
    EXPECT_EQ(evaluate("arith.bitcast %x : IN to OUT", to, from, {x, {}, {}}), x) << to.mlir << from.mlir;
  }
}

TEGULA_ON_EACH_DEVICE(VulkanConversions);

} // namespace
} // namespace tegula::vulkan::test
