// NAME=VALUE texts, without a device.
#include "frontend/cli/Values.h"
#include "core/support/Diagnostic.h"
#include "core/support/FloatFormats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace tegula::cli {
namespace {

using ::testing::HasSubstr;

std::string valueProblem(const std::string &text) {
  try {
    parseValue("x", text, 0);
  } catch (const Error &e) {
    return e.what();
  }
  return "(accepted)";
}

std::string constantProblem(const std::string &text) {
  try {
    parseConstant("C", text);
  } catch (const Error &e) {
    return e.what();
  }
  return "(accepted)";
}

TEST(Values, Scalars) {
  EXPECT_EQ(parseValue("n", "12", 0).scalar, HostValue(int64_t(12)));
  EXPECT_EQ(parseValue("n", "-12", 0).scalar, HostValue(int64_t(-12)));
  EXPECT_EQ(parseValue("n", "4*1024", 0).scalar, HostValue(int64_t(4096)));
  EXPECT_EQ(parseValue("n", "1e-5", 0).scalar, HostValue(1e-5));
  EXPECT_EQ(parseValue("n", "True", 0).scalar, HostValue(true));
  EXPECT_EQ(parseValue("n", "None", 0).scalar, HostValue(std::monostate()));
  EXPECT_EQ(parseValue("n", "-inf", 0).scalar, HostValue(-std::numeric_limits<double>::infinity()));
  EXPECT_THAT(valueProblem("'text'"), HasSubstr("a number or an array is expected"));
  EXPECT_THAT(valueProblem("abc"), HasSubstr("x:1:1: error: unknown name 'abc'"));
  EXPECT_THAT(valueProblem(""), HasSubstr("nothing found"));
}

TEST(Values, Constants) {
  EXPECT_EQ(parseConstant("C", "64"), ConstantValue(int64_t(64)));
  EXPECT_EQ(parseConstant("C", "False"), ConstantValue(false));
  EXPECT_EQ(parseConstant("C", "None"), ConstantValue(std::monostate()));
  EXPECT_EQ(parseConstant("C", "0.5"), ConstantValue(0.5));
  EXPECT_EQ(parseConstant("C", "fp16"), ConstantValue(ScalarType::F16));
  EXPECT_EQ(parseConstant("C", "tl.bfloat16"), ConstantValue(ScalarType::BF16));
  EXPECT_EQ(parseConstant("C", "relu"), ConstantValue(std::string("relu")));
  EXPECT_EQ(parseConstant("C", "'fp16'"), ConstantValue(std::string("fp16")));
  EXPECT_EQ(parseConstant("C", "inf"), ConstantValue(std::numeric_limits<double>::infinity()));
  EXPECT_THAT(constantProblem("true"), HasSubstr("write True, or 'true' in quotes"));
  EXPECT_THAT(constantProblem("1 +"), HasSubstr("C:1:4: error:"));
}

TEST(Values, MadeArrays) {
  Value zeros = parseValue("x", "zeros:f16:3x4", 0);
  ASSERT_EQ(zeros.kind, Value::Kind::Array);
  EXPECT_EQ(zeros.arrays[0].type, ScalarType::F16);
  EXPECT_EQ(zeros.arrays[0].shape, (std::vector<int64_t>{3, 4}));
  EXPECT_EQ(zeros.arrays[0].data, std::vector<uint8_t>(24, 0));
  Value empty = parseValue("x", "empty:i64:0x5", 0);
  EXPECT_FALSE(empty.arrays[0].defined);
  EXPECT_TRUE(empty.arrays[0].data.empty());
  Value descriptor = parseValue("x", "desc:16x32:zeros:bf16:64x64", 0);
  EXPECT_EQ(descriptor.kind, Value::Kind::Descriptor);
  EXPECT_EQ(descriptor.block, (std::vector<int64_t>{16, 32}));
  Value pointers = parseValue("x", "ptrs:zeros:f32:4,rand:f32:8:1", 0);
  EXPECT_EQ(pointers.kind, Value::Kind::Pointers);
  ASSERT_EQ(pointers.arrays.size(), 2u);
  EXPECT_EQ(pointers.arrays[1].shape, (std::vector<int64_t>{8}));
}

TEST(Values, Messages) {
  EXPECT_THAT(valueProblem("zeros:f33:4"), HasSubstr("x=zeros:f33:4: unknown type 'f33'; did you mean 'f32'?"));
  EXPECT_THAT(valueProblem("zero:f32:4"), HasSubstr("unknown form 'zero:'; did you mean 'zeros'?"));
  EXPECT_THAT(valueProblem("file:a.npy"), HasSubstr("unknown form 'file:'; expected @FILE.npy"));
  EXPECT_THAT(valueProblem("zeros:f32"), HasSubstr("expected zeros:TYPE:SHAPE, e.g. zeros:f32:64x128"));
  for (const char *shape : {"", "x", "4x", "-4", "4*4", "4x4y", "99999999999999999999"})
    EXPECT_THAT(valueProblem(std::string("zeros:f32:") + shape),
                HasSubstr("is not a shape; expected natural numbers, e.g. 64x128"))
        << shape;
  EXPECT_THAT(valueProblem("zeros:f32:4:1"), HasSubstr("'1' after the shape"));
  EXPECT_THAT(valueProblem("rand:f32:4:x"), HasSubstr("'x' after the shape is not a seed"));
  EXPECT_THAT(valueProblem("zeros:f32:9000000000000000000"), HasSubstr("does not fit"));
  EXPECT_THAT(valueProblem("zeros:f32:4000000000x4000000000x4000000000"), HasSubstr("does not fit"));
  EXPECT_THAT(valueProblem("desc:4x4"), HasSubstr("expected desc:BLOCK:ARRAY"));
  EXPECT_THAT(valueProblem("desc:4x4:5"), HasSubstr("'5' is not an array"));
  EXPECT_THAT(valueProblem("ptrs:"), HasSubstr("'' is not an array"));
  EXPECT_THAT(valueProblem("@"), HasSubstr("a file name is expected after '@'"));
  EXPECT_THAT(valueProblem("@/nonexistent.npy"), HasSubstr("cannot read '/nonexistent.npy'"));
}

TEST(Values, LimitsAreKept) {
  EXPECT_NO_THROW(parseValue("x", "zeros:f32:25", 0, 100));
  EXPECT_THROW(parseValue("x", "zeros:f32:26", 0, 100), Error);
}

TEST(Values, RandomFloatsAreNormal) {
  for (ScalarType type : {ScalarType::F32, ScalarType::F64, ScalarType::F16, ScalarType::BF16}) {
    const uint64_t n = 100000;
    std::vector<uint8_t> bytes = randomBytes(type, n, 5);
    double sum = 0, squares = 0, beyond = 0;
    for (uint64_t i = 0; i < n; ++i) {
      uint64_t bits = 0;
      std::memcpy(&bits, bytes.data() + i * byteSize(type), byteSize(type));
      double v = decodeFloat(floatFormat(type), bits);
      sum += v;
      squares += v * v;
      beyond += std::fabs(v) > 1.96;
    }
    EXPECT_NEAR(sum / n, 0, 0.02);
    EXPECT_NEAR(squares / n, 1, 0.03);
    EXPECT_NEAR(beyond / n, 0.05, 0.005);
  }
}

TEST(Values, RandomIntegersAreSmallAndCoverTheirRange) {
  auto range = [](ScalarType type) {
    std::vector<uint8_t> bytes = randomBytes(type, 1000, 1);
    int low = 127, high = -128;
    for (uint8_t b : bytes) {
      int v = isUnsigned(type) ? b : static_cast<int8_t>(b);
      low = std::min(low, v);
      high = std::max(high, v);
    }
    return std::pair(low, high);
  };
  EXPECT_EQ(range(ScalarType::I8), std::pair(-8, 7));
  EXPECT_EQ(range(ScalarType::U8), std::pair(0, 15));
  EXPECT_EQ(range(ScalarType::I1), std::pair(0, 1));
}

TEST(Values, SeedsDecide) {
  EXPECT_EQ(randomBytes(ScalarType::F32, 10, 3), randomBytes(ScalarType::F32, 10, 3));
  EXPECT_NE(randomBytes(ScalarType::F32, 10, 3), randomBytes(ScalarType::F32, 10, 4));
  EXPECT_EQ(parseValue("x", "rand:f32:10", 4).arrays[0].data, parseValue("y", "rand:f32:10:4", 9).arrays[0].data);
}

} // namespace
} // namespace tegula::cli
