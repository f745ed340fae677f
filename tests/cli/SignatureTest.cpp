#include "core/runtime/text/Signature.h"
#include "core/support/Diagnostic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tegula::cli {
namespace {

using ::testing::HasSubstr;
using Kind = ParamType::Kind;

std::string signatureProblem(const std::string &text) {
  try {
    parseSignature(text);
  } catch (const Error &e) {
    return e.what();
  }
  return "(accepted)";
}

TEST(Signature, TheExampleOfTheManual) {
  std::vector<ParamType> types = parseSignature("*fp32:16, *fp32, i32:16, i32, 1");
  ASSERT_EQ(types.size(), 5u);
  EXPECT_EQ(types[0].kind, Kind::Pointer);
  EXPECT_EQ(types[0].type, ScalarType::F32);
  EXPECT_EQ(types[0].divisibility, 16u);
  EXPECT_EQ(types[1].divisibility, 1u);
  EXPECT_EQ(types[2].kind, Kind::Scalar);
  EXPECT_EQ(types[2].type, ScalarType::I32);
  EXPECT_EQ(types[2].divisibility, 16u);
  EXPECT_EQ(types[4].kind, Kind::Constant);
  EXPECT_EQ(types[4].value, ConstantValue(int64_t(1)));
}

TEST(Signature, AllForms) {
  std::vector<ParamType> types =
      parseSignature("**f16,desc<64x32xbf16>, tensordesc<fp16[128, 64]>,-2.5,None,True,u8,'text',*i1");
  ASSERT_EQ(types.size(), 9u);
  EXPECT_EQ(types[0].kind, Kind::PointerToPointers);
  EXPECT_EQ(types[1].kind, Kind::Descriptor);
  EXPECT_EQ(types[1].block, (std::vector<int64_t>{64, 32}));
  EXPECT_EQ(types[1].type, ScalarType::BF16);
  EXPECT_EQ(types[2].block, (std::vector<int64_t>{128, 64}));
  EXPECT_EQ(types[2].type, ScalarType::F16);
  EXPECT_EQ(types[3].value, ConstantValue(-2.5));
  EXPECT_EQ(types[4].value, ConstantValue(std::monostate()));
  EXPECT_EQ(types[5].value, ConstantValue(true));
  EXPECT_EQ(types[6].type, ScalarType::U8);
  EXPECT_EQ(types[7].value, ConstantValue(std::string("text")));
  EXPECT_EQ(types[8].type, ScalarType::I1);
  EXPECT_TRUE(parseSignature("").empty());
  EXPECT_TRUE(parseSignature("  ").empty());
}

TEST(Signature, MessagesPointAtTheItem) {
  EXPECT_THAT(signatureProblem("*fp32, i23"),
              HasSubstr("--signature:1:8: error: i23: unknown type 'i23'; did you mean 'i32'?"));
  EXPECT_THAT(signatureProblem("*fp32,, i32"), HasSubstr("--signature:1:7: error: a type or a literal is expected"));
  EXPECT_THAT(signatureProblem("i32:3"), HasSubstr("'3' after ':' is not a power of two"));
  EXPECT_THAT(signatureProblem("i32:"), HasSubstr("'' after ':' is not a power of two"));
  EXPECT_THAT(signatureProblem("f32:16"), HasSubstr("a float has no divisibility"));
  EXPECT_THAT(signatureProblem("***f32"), HasSubstr("at most two '*' are supported"));
  EXPECT_THAT(signatureProblem("*"), HasSubstr("unknown type ''"));
  EXPECT_THAT(signatureProblem("desc<64>"), HasSubstr("a descriptor is written desc<64x64xf16>"));
  EXPECT_THAT(signatureProblem("desc<64xx f16>"), HasSubstr("is not a shape"));
  EXPECT_THAT(signatureProblem("1 +"), HasSubstr("the expression ends where a value is expected"));
}

} // namespace
} // namespace tegula::cli
