#include "core/runtime/HostExpression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace tegula {
namespace {

using ::testing::HasSubstr;

std::optional<HostValue> lookup(std::string_view name) {
  static const std::map<std::string, HostValue, std::less<>> values = {{"M", int64_t(1000)},
                                                                       {"N", int64_t(781)},
                                                                       {"BLOCK", int64_t(64)},
                                                                       {"eps", 1e-5},
                                                                       {"flag", true},
                                                                       {"x_ptr", OpaqueValue()},
                                                                       {"none", std::monostate()},
                                                                       {"mode", std::string("relu")},
                                                                       {"big", std::numeric_limits<int64_t>::max()}};
  auto found = values.find(name);
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

HostValue evaluate(const std::string &text) { return HostExpression::parse(text, "grid").evaluate(lookup); }

std::string messageOf(const std::string &text) {
  try {
    HostExpression::parse(text, "grid").evaluate(lookup, {"M", "N", "BLOCK"});
  } catch (const Error &e) {
    return e.what();
  }
  return "(no error)";
}

struct IntegerCase {
  const char *text;
  int64_t value;
};
class HostInteger : public ::testing::TestWithParam<IntegerCase> {};

TEST_P(HostInteger, HasPythonsValue) {
  HostValue value = evaluate(GetParam().text);
  ASSERT_TRUE(std::holds_alternative<int64_t>(value)) << GetParam().text;
  EXPECT_EQ(std::get<int64_t>(value), GetParam().value) << GetParam().text;
}

INSTANTIATE_TEST_SUITE_P(
    All, HostInteger,
    ::testing::Values(IntegerCase{"1 + 2 * 3", 7}, IntegerCase{"(1 + 2) * 3", 9}, IntegerCase{"7 // 2", 3},
                      IntegerCase{"-7 // 2", -4}, IntegerCase{"7 // -2", -4}, IntegerCase{"-7 % 3", 2},
                      IntegerCase{"7 % -3", -2}, IntegerCase{"2 ** 10", 1024}, IntegerCase{"-2 ** 2", -4},
                      IntegerCase{"2 ** 3 ** 2", 512}, IntegerCase{"cdiv(M, BLOCK)", 16},
                      IntegerCase{"triton.cdiv(N, 64)", 13}, IntegerCase{"tl.cdiv(64, 64)", 1},
                      IntegerCase{"triton.next_power_of_2(N)", 1024}, IntegerCase{"next_power_of_2(0)", 1},
                      IntegerCase{"min(M, N, 5)", 5}, IntegerCase{"max(M, N)", 1000}, IntegerCase{"abs(-4)", 4},
                      IntegerCase{"8 if M % 16 == 0 else 4", 4}, IntegerCase{"1 if flag else 2", 1},
                      IntegerCase{"0x10 + 1_000", 1016}, IntegerCase{"int(2.9)", 2}, IntegerCase{"- -3", 3},
                      IntegerCase{"5 - 3 - 1", 1}, IntegerCase{"M and N", 781}, IntegerCase{"0 or N", 781},
                      IntegerCase{"flag + 1", 2}, IntegerCase{"cdiv(-7, 2)", -3}));

class HostTruth : public ::testing::TestWithParam<std::pair<const char *, bool>> {};

TEST_P(HostTruth, HasPythonsValue) {
  EXPECT_EQ(evaluate(GetParam().first), HostValue(GetParam().second)) << GetParam().first;
}

INSTANTIATE_TEST_SUITE_P(All, HostTruth,
                         ::testing::Values(std::pair{"M % 8 == 0", true}, std::pair{"N % 8 == 0", false},
                                           std::pair{"0 < N < M", true}, std::pair{"0 < M < N", false},
                                           std::pair{"not flag", false}, std::pair{"x_ptr is not None", true},
                                           std::pair{"none is None", true}, std::pair{"x_ptr is None", false},
                                           std::pair{"mode == 'relu'", true}, std::pair{"mode != \"gelu\"", true},
                                           std::pair{"M >= 1e3", true}, std::pair{"1 == 1.0", true},
                                           std::pair{"not M == N", true}, std::pair{"tl.float16 == tl.float16", true},
                                           std::pair{"bool(0)", false}));

TEST(HostExpression, FloatsAreFloats) {
  EXPECT_EQ(evaluate("7 / 2"), HostValue(3.5));
  EXPECT_EQ(evaluate("2 ** -1"), HostValue(0.5));
  EXPECT_EQ(evaluate("-7.0 // 2"), HostValue(-4.0));
  EXPECT_EQ(evaluate("float('-inf')"), HostValue(-std::numeric_limits<double>::infinity()));
  EXPECT_TRUE(std::isnan(std::get<double>(evaluate("float('nan')"))));
  EXPECT_EQ(evaluate("tl.bfloat16"), HostValue(ScalarType::BF16));
}

TEST(HostExpression, OnlyTheTakenBranchIsEvaluated) {
  EXPECT_EQ(evaluate("1 if flag else 1 // 0"), HostValue(int64_t(1)));
  EXPECT_EQ(evaluate("flag or nosuch"), HostValue(true));
}

TEST(HostExpression, ListsWithAndWithoutParentheses) {
  for (const char *text :
       {"cdiv(M, BLOCK), N", "(cdiv(M, BLOCK), N)", "(cdiv(M, BLOCK), N,)", " ( cdiv(M,BLOCK) , N ) "}) {
    auto list = HostExpression::parseList(text, "grid");
    ASSERT_EQ(list.size(), 2u) << text;
    EXPECT_EQ(list[0].evaluateInteger(lookup), 16) << text;
    EXPECT_EQ(list[1].evaluateInteger(lookup), 781) << text;
  }
  auto product = HostExpression::parseList("(M + N) * 2, (3)", "grid");
  ASSERT_EQ(product.size(), 2u);
  EXPECT_EQ(product[0].evaluateInteger(lookup), 3562);
}

TEST(HostExpression, ErrorsPointAtTheirPlace) {
  EXPECT_THAT(messageOf("cdiv(MM, BLOCK)"), HasSubstr("grid:1:6: error: unknown name 'MM'; did you mean 'M'?"));
  EXPECT_THAT(messageOf("M // (N - 781)"), HasSubstr("grid:1:3: error: division by zero"));
  EXPECT_THAT(messageOf("big + 1"), HasSubstr("grid:1:5: error: the result does not fit in a 64-bit integer"));
  EXPECT_THAT(messageOf("(1 + 2"), HasSubstr("grid:1:7: error: ')' expected"));
  EXPECT_THAT(messageOf("1 +"), HasSubstr("the expression ends where a value is expected"));
  EXPECT_THAT(messageOf("1 2"), HasSubstr("grid:1:3: error: unexpected '2'"));
  EXPECT_THAT(messageOf(""), HasSubstr("a host expression expected, nothing found"));
  EXPECT_THAT(messageOf("x_ptr + 1"), HasSubstr("'+' takes numbers, found a tensor and an integer"));
  EXPECT_THAT(messageOf("cdvi(1, 2)"), HasSubstr("unknown function 'cdvi'; did you mean 'cdiv'?"));
  EXPECT_THAT(messageOf("cdiv(1)"), HasSubstr("cdiv takes 2 arguments, 1 given"));
  EXPECT_THAT(messageOf("99999999999999999999"), HasSubstr("does not fit in 64 bits"));
  EXPECT_THAT(messageOf("1.2.3"), HasSubstr("malformed number 1.2.3"));
  EXPECT_THAT(messageOf("12abc"), HasSubstr("malformed number 12abc"));
  EXPECT_THAT(messageOf("'abc"), HasSubstr("unterminated string"));
  EXPECT_THAT(messageOf("x.shape[0]"), HasSubstr("attributes are not part of host expressions"));
  EXPECT_THAT(messageOf("1 if M"), HasSubstr("'else' expected"));
  EXPECT_THAT(messageOf("mode < 1"), HasSubstr("'<' compares numbers, found a string and an integer"));
  EXPECT_THAT(messageOf("-(-big - 1)"), HasSubstr("does not fit"));
  EXPECT_THAT(messageOf("(-big - 1) // -1"), HasSubstr("does not fit"));
}

TEST(HostExpression, GridsMustBeIntegers) {
  auto expression = HostExpression::parse("M / BLOCK", "grid");
  try {
    expression.evaluateInteger(lookup);
    FAIL();
  } catch (const Error &e) {
    EXPECT_THAT(e.what(), HasSubstr("an integer expected, a float found; use // to divide integers"));
  }
}

TEST(HostExpression, DeepNestingIsAMessage) {
  std::string text(100000, '(');
  EXPECT_THAT(messageOf(text), HasSubstr("nested deeper than"));
  EXPECT_THAT(messageOf(std::string(100000, '-') + "1"), HasSubstr("nested deeper than"));
  std::string tower = "1";
  for (int i = 0; i < 10000; ++i)
    tower = "2**" + tower;
  EXPECT_THAT(messageOf(tower), HasSubstr("nested deeper than"));
}

TEST(HostExpression, NoByteSequenceDoesWorseThanAMessage) {
  // A deterministic fuzz test: pieces of the language in random order.
  const char *pieces[] = {"1",      "M",    "(", ")",   ",",       "+", "-",    "**", "//",  "%",    " if ",
                          " else ", "cdiv", "'", "tl.", "float16", ".", "not ", "<",  "is ", "\xff", "0x"};
  uint64_t state = 1;
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (int i = 0; i < 8; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      text += pieces[(state >> 33) % std::size(pieces)];
    }
    try {
      for (const HostExpression &e : HostExpression::parseList(text, "grid"))
        e.evaluate(lookup);
    } catch (const Error &e) {
      EXPECT_THAT(e.what(), HasSubstr("grid:1:"));
    }
  }
}

} // namespace
} // namespace tegula
