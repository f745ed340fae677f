// 8-bit floats in the printer: conversions in integer arithmetic, and arithmetic, which is refused.
#include "core/support/FloatFormats.h"
#include "tests/cuda/SimtCompiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <regex>

namespace tegula::test {
namespace {

/// The 32-bit constants that a kernel stores after LLVM's constant folding, in order.
std::vector<uint32_t> storedOf(const std::string &body) {
  CompileResult result = compileSimt(kernelText(body, 1, "i32"), "sm_80", "llvm");
  if (result.error || result.prints.empty()) {
    ADD_FAILURE() << (result.error ? format(*result.error) : result.internalError);
    return {};
  }
  std::vector<uint32_t> found;
  std::regex store("store (?:<[0-9]+ x i32> <([^>]*)>|i32 (-?[0-9]+)), ptr");
  for (std::sregex_iterator one(result.prints[0].begin(), result.prints[0].end(), store), end; one != end; ++one) {
    std::string text = (*one)[1].matched ? (*one)[1].str() : (*one)[2].str();
    std::regex number("(?:i32 )?(-?[0-9]+)(?:,|$)");
    for (std::sregex_iterator it(text.begin(), text.end(), number); it != end; ++it)
      found.push_back(uint32_t(std::stoll((*it)[1])));
  }
  return found;
}

TEST(Printer, SmallFloatsInIntegers) {
  const std::pair<const char *, ScalarType> formats[] = {{"f8E4M3FN", ScalarType::F8E4M3},
                                                         {"f8E5M2", ScalarType::F8E5M2},
                                                         {"f8E4M3FNUZ", ScalarType::F8E4M3FNUZ},
                                                         {"f8E5M2FNUZ", ScalarType::F8E5M2FNUZ}};
  for (auto [name, type] : formats) {
    const FloatFormat &format = floatFormat(type);
    std::string n = name, codes, values;
    std::vector<double> inputs;
    char text[32];
    for (int code = 0; code < 256; ++code) {
      codes += (code ? "," : "") + std::to_string(code > 127 ? code - 256 : code);
      double low = decodeFloat(format, uint64_t(code)), high = decodeFloat(format, uint64_t(code ^ 1));
      inputs.push_back(code % 2 ? (low + high) / 2 : low * 1.03); // ties, and values near a number of the format
    }
    const double infinity = std::numeric_limits<double>::infinity();
    const double largest = decodeFloat(format, encodeFloat(format, infinity));
    const double beyond[] = {1.03 * largest, 1.25 * largest, 1e30, infinity}; // in place of some small numbers
    for (size_t i = 0; i < std::size(beyond); ++i)
      inputs[2 * i + 2] = beyond[i], inputs[2 * i + 130] = -beyond[i];
    for (double &input : inputs) {
      input = float(input);
      std::snprintf(text, sizeof text, "0x%08X", std::bit_cast<uint32_t>(float(input)));
      values += (values.empty() ? "" : ",") + std::string(text);
    }
    std::string at = "%at = arith.constant 0 : i32\n";
    std::vector<uint32_t> wide =
        storedOf(at + "%c = arith.constant dense<[" + codes +
                 "]> : vector<256xi8>\n%s = arith.bitcast %c : vector<256xi8> to vector<256x" + n +
                 ">\n%f = arith.extf %s : vector<256x" + n +
                 "> to vector<256xf32>\n%i = arith.bitcast %f : vector<256xf32> to vector<256xi32>\nsimt.store "
                 "%p[%at], %i : !tile.ptr<i32>, i32, vector<256xi32>");
    std::vector<uint32_t> narrow =
        storedOf(at + "%c = arith.constant dense<[" + values +
                 "]> : vector<256xf32>\n%s = tile.fp_cast %c : vector<256xf32> -> vector<256x" + n +
                 ">\n%b = arith.bitcast %s : vector<256x" + n +
                 "> to vector<256xi8>\n%i = arith.extui %b : vector<256xi8> to vector<256xi32>\nsimt.store %p[%at], %i "
                 ": !tile.ptr<i32>, i32, vector<256xi32>");
    ASSERT_EQ(wide.size(), 256u) << n;
    ASSERT_EQ(narrow.size(), 256u) << n;
    for (size_t i = 0; i < 256; ++i) {
      float given = std::bit_cast<float>(wide[i]), right = float(decodeFloat(format, i));
      EXPECT_TRUE(std::bit_cast<uint32_t>(right) == wide[i] || (std::isnan(given) && std::isnan(right)))
          << n << " " << i;
      double back = decodeFloat(format, narrow[i]), expected = decodeFloat(format, encodeFloat(format, inputs[i]));
      EXPECT_TRUE((back == expected && std::signbit(back) == std::signbit(expected)) ||
                  (std::isnan(back) && std::isnan(expected)))
          << n << " " << inputs[i] << ": " << back << ", expected " << expected;
    }
  }
}

/// The ops that tile-widen-fp8 rewrites have no code here.
TEST(Printer, RefusesArithmeticOfSmallFloats) {
  for (const char *op : {"arith.addf", "arith.maxnumf", "arith.maximumf"}) {
    std::string text = kernelText(
        "%v = simt.load %p[%n] : !tile.ptr<f8E5M2>, i32 -> vector<4xf8E5M2>\n%w = " + std::string(op) +
            " %v, %v : vector<4xf8E5M2>\n" + "simt.store %p[%n], %w : !tile.ptr<f8E5M2>, i32, vector<4xf8E5M2>",
        4, "f8E5M2");
    EXPECT_THAT(errorOf(text, "sm_90"), ::testing::HasSubstr("target sm_90 has no code for this op")) << op;
  }
}

} // namespace
} // namespace tegula::test
