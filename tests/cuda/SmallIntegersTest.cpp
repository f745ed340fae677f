// Conversions of integers to floats: those known to have few bits are converted by logical operations, others by
// conversion instructions. Negations before minimums and maximums.
#include "tests/cuda/SimtCompiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tegula::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// PTX that loads eight integers, %v, computes %x of them by `ops`, and stores %x, or %v without ops, as floats.
std::string converted(const std::string &integer, const std::string &real, const std::string &ops,
                      const std::string &op, const std::string &target) {
  std::string load = "%q = tile.ptr_cast %p : !tile.ptr<" + real + "> -> !tile.ptr<" + integer + ">\n" +
                     "%v = simt.load %q[%n] : !tile.ptr<" + integer + ">, i32 -> vector<8x" + integer + ">\n";
  std::string rest = "%f = arith." + op + (ops.empty() ? " %v" : " %x") + " : vector<8x" + integer + "> to vector<8x" +
                     real + ">\n" + "simt.store %p[%n], %f : !tile.ptr<" + real + ">, i32, vector<8x" + real + ">";
  return ptxOf(kernelText(load + ops + rest, 16, real), target);
}

std::string constant(int value, const std::string &integer) {
  return "%c = arith.constant dense<" + std::to_string(value) + "> : vector<8x" + integer + ">\n";
}

TEST(SmallIntegers, BytesBecomeHalvesInPairs) {
  std::string ptx = converted("i8", "f16", "", "sitofp", "sm_80");
  EXPECT_EQ(countOf(ptx, "prmt.b32"), 4u) << ptx;
  EXPECT_EQ(countOf(ptx, "fma.rn.f16x2"), 4u) << ptx;
  EXPECT_THAT(ptx, Not(HasSubstr("cvt.rn.f16.s")));
}

TEST(SmallIntegers, BytesHaveMoreBitsThanBf16) {
  std::string ptx = converted("i8", "bf16", "", "uitofp", "sm_80");
  EXPECT_EQ(countOf(ptx, "cvt.rn.bf16x2.f32"), 4u) << ptx;
  EXPECT_THAT(ptx, AllOf(Not(HasSubstr("fma.rn.bf16x2")), Not(HasSubstr("cvt.rn.f32.u"))));
}

TEST(SmallIntegers, FieldsOfFourBits) {
  std::string high = constant(4, "i8") + "%x = arith.shrsi %v, %c : vector<8xi8>\n";
  std::string ptx = converted("i8", "bf16", high, "sitofp", "sm_80");
  EXPECT_EQ(countOf(ptx, "fma.rn.bf16x2"), 4u) << ptx;
  EXPECT_EQ(countOf(ptx, "prmt.b32"), 4u) << ptx;
  EXPECT_THAT(converted("i8", "bf16", high, "sitofp", "sm_75"), Not(HasSubstr("bf16x2"))) << "sm_75 has no bf16";
  std::string low =
      constant(4, "i8") + "%l = arith.shli %v, %c : vector<8xi8>\n%x = arith.shrsi %l, %c : vector<8xi8>\n";
  EXPECT_EQ(countOf(converted("i8", "f16", low, "sitofp", "sm_80"), "fma.rn.f16x2"), 4u);
}

TEST(SmallIntegers, DifferencesOfFields) {
  std::string fields = constant(15, "i32") + "%a = arith.andi %v, %c : vector<8xi32>\n" +
                       "%d = arith.constant dense<4> : vector<8xi32>\n%s = arith.shrui %v, %d : vector<8xi32>\n" +
                       "%b = arith.andi %s, %c : vector<8xi32>\n%x = arith.subi %a, %b : vector<8xi32>\n";
  std::string ptx = converted("i32", "f16", fields, "sitofp", "sm_80");
  EXPECT_EQ(countOf(ptx, "fma.rn.f16x2"), 4u) << ptx;
  EXPECT_THAT(ptx, AllOf(Not(HasSubstr("cvt.rn.f16.s")), Not(HasSubstr("sub.s32"))));
  EXPECT_EQ(countOf(converted("i32", "f32", fields, "sitofp", "sm_80"), "sub.rn.f32"), 8u);
  EXPECT_EQ(countOf(converted("i32", "f16", fields, "uitofp", "sm_80"), "fma.rn.f16x2"), 0u) << "negative ones wrap";
}

TEST(SmallIntegers, WordsOnlyIfTheirBitsAreKnownToBeFew) {
  EXPECT_EQ(countOf(converted("i32", "f32", "", "sitofp", "sm_80"), "cvt.rn.f32.s32"), 8u);
  std::string few = constant(0xffff, "i32") + "%x = arith.andi %v, %c : vector<8xi32>\n";
  EXPECT_THAT(converted("i32", "f32", few, "sitofp", "sm_80"), Not(HasSubstr("cvt.rn.f32")));
}

// ptxas 13.0 loses the sign of a negation whose result a maximum of three takes (backends/cuda/codegen/Negations.h).
TEST(Negations, NegationsBeforeMaximumsAreSums) {
  std::string negated = R"(
    %c0 = arith.constant 0 : i32
    %x = simt.load %p[%n] : !tile.ptr<i32>, i32 -> i32
    %y = simt.load %p[%c0] : !tile.ptr<i32>, i32 -> i32
    %a = arith.subi %c0, %x : i32
    %b = arith.subi %c0, %y : i32
    )";
  auto ptxWith = [&](const char *combined) {
    return ptxOf(kernelText(negated + combined + "\n simt.store %p[%c0], %m : !tile.ptr<i32>, i32, i32", 1, "i32"),
                 "sm_90a");
  };
  std::string largest = ptxWith("%m = arith.maxsi %a, %b : i32");
  EXPECT_EQ(countOf(largest, "not.b32"), 2u) << largest;
  EXPECT_THAT(largest, Not(HasSubstr("neg.s32")));
  std::string product = ptxWith("%d = arith.divsi %a, %y : i32\n %m = arith.xori %d, %b : i32");
  EXPECT_THAT(product, AllOf(HasSubstr("neg.s32"), Not(HasSubstr("not.b32")))) << product;
}

} // namespace
} // namespace tegula::test
