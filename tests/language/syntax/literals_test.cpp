// Numbers and strings: values, and invalid literals.
#include "Sketch.h"

#include <cmath>
#include <gtest/gtest.h>

namespace tegula::lang {
namespace {

template <class T> T valueOf(const std::string &text) {
  ExprPtr e = parseExpression("e", text);
  auto *constant = as<ConstantExpr>(e);
  const T *value = constant ? std::get_if<T>(&constant->value) : nullptr;
  if (!value)
    throw std::runtime_error(text + " has another kind");
  return *value;
}

std::string integer(const std::string &text) { return toString(valueOf<Int>(text)); }

TEST(Integers, OfEveryBase) {
  EXPECT_EQ(integer("0"), "0");
  EXPECT_EQ(integer("000"), "0");
  EXPECT_EQ(integer("1_000_000"), "1000000");
  EXPECT_EQ(integer("0xDeadBeef"), "3735928559");
  EXPECT_EQ(integer("0X_ff"), "255");
  EXPECT_EQ(integer("0o17"), "15");
  EXPECT_EQ(integer("0b1010_1010"), "170");
}

TEST(Integers, Reach127Bits) {
  EXPECT_EQ(integer("170141183460469231731687303715884105727"), "170141183460469231731687303715884105727");
  EXPECT_EQ(expressionMessageOf("170141183460469231731687303715884105728"),
            "1:1: error: the integer \"170141183460469231731687303715884105728\" needs more than the 127 bits that are "
            "available");
  EXPECT_EQ(integer("0x7fffffffffffffffffffffffffffffff"), "170141183460469231731687303715884105727");
  EXPECT_NE(expressionMessageOf("0x80000000000000000000000000000000"), "");
}

TEST(Integers, Malformed) {
  EXPECT_EQ(expressionMessageOf("1__0"),
            "1:1: error: \"1__0\" is not an integer of base 10; drop what does not belong to it");
  EXPECT_EQ(expressionMessageOf("0b12"),
            "1:1: error: \"0b12\" is not an integer of base 2; drop what does not belong to it");
  EXPECT_EQ(expressionMessageOf("0o8"),
            "1:1: error: \"0o8\" is not an integer of base 8; drop what does not belong to it");
  EXPECT_EQ(expressionMessageOf("0x"),
            "1:1: error: \"0x\" is not an integer of base 16; drop what does not belong to it");
  EXPECT_EQ(expressionMessageOf("12u"),
            "1:1: error: \"12u\" is not an integer of base 10; drop what does not belong to it");
  EXPECT_EQ(expressionMessageOf("0777"),
            "1:1: error: the number \"0777\" begins with 0; write 0o for an octal number, or drop the zeros");
}

TEST(Floats, OfEveryForm) {
  EXPECT_EQ(valueOf<double>("1.5"), 1.5);
  EXPECT_EQ(valueOf<double>("1."), 1.0);
  EXPECT_EQ(valueOf<double>(".25"), 0.25);
  EXPECT_EQ(valueOf<double>("1e3"), 1000.0);
  EXPECT_EQ(valueOf<double>("1_0.5E-0_1"), 1.05);
  EXPECT_EQ(valueOf<double>("00.5"), 0.5);
  EXPECT_EQ(valueOf<double>("0.1"), 0.1);
  EXPECT_EQ(valueOf<double>("5e-324"), 5e-324);
}

TEST(Floats, PastTheRangeOfDouble) {
  EXPECT_TRUE(std::isinf(valueOf<double>("1e309")));
  EXPECT_TRUE(std::isinf(valueOf<double>("0.0001e999999999999")));
  EXPECT_TRUE(std::isinf(valueOf<double>("1" + std::string(400, '0') + ".0")));
  EXPECT_EQ(valueOf<double>("1e-400"), 0.0);
  EXPECT_EQ(valueOf<double>("1000.0e-999999999999"), 0.0);
  EXPECT_EQ(valueOf<double>("0." + std::string(400, '0') + "1"), 0.0);
}

TEST(Floats, Malformed) {
  EXPECT_EQ(expressionMessageOf("1.5f"), "1:1: error: \"1.5f\" is not a number; drop what does not belong to it");
  EXPECT_EQ(expressionMessageOf("1_.5"), "1:1: error: \"1_.5\" is not a number; drop what does not belong to it");
  EXPECT_NE(expressionMessageOf("2j"), "");
}

TEST(Strings, EscapesAndPrefixes) {
  EXPECT_EQ(valueOf<std::string>(R"("a\tb\\\"\x41\101\u00e9\U0001F40D")"), "a\tb\\\"AA\xC3\xA9\xF0\x9F\x90\x8D");
  EXPECT_EQ(valueOf<std::string>(R"('\a\b\f\n\r\v\'')"), "\a\b\f\n\r\v'");
  EXPECT_EQ(valueOf<std::string>(R"(r"a\n\"")"), R"(a\n\")");
  EXPECT_EQ(valueOf<std::string>(R"("\d\.")"), R"(\d\.)");
  EXPECT_EQ(valueOf<std::string>(R"(b"\xff\u0041")"), "\xff\\u0041");
  EXPECT_EQ(valueOf<std::string>(R"(u'a' U"b")"), "ab");
  EXPECT_EQ(valueOf<std::string>("'\\0'"), std::string(1, '\0'));
  EXPECT_EQ(valueOf<std::string>(R"(Rb'\n' bR'\t')"), R"(\n\t)");
}

TEST(Strings, OverLines) {
  EXPECT_EQ(valueOf<std::string>("'''a\nb'''"), "a\nb");
  EXPECT_EQ(valueOf<std::string>("\"\"\"a\r\nb\rc\"\"\""), "a\nb\nc");
  EXPECT_EQ(valueOf<std::string>("'a\\\nb'"), "ab");
  EXPECT_EQ(valueOf<std::string>("\"\"\"a\"b\"\"c\\\"\"\"\""), "a\"b\"\"c\"");
}

TEST(Strings, AdjacentOnesAreJoined) {
  EXPECT_EQ(valueOf<std::string>("'a' \"b\" '''c'''"), "abc");
  EXPECT_EQ(sketchExpression("'a' f'{x}' 'b' 'c'"), "(f 'a' {x} 'bc')");
}

TEST(Strings, Malformed) {
  EXPECT_EQ(expressionMessageOf("'abc"),
            "1:1: error: this string never ends: expected a closing ' before the end of the line");
  EXPECT_EQ(expressionMessageOf("'''abc'"),
            "1:1: error: this string never ends: expected a closing ''' before the end of the file");
  EXPECT_EQ(expressionMessageOf(R"('\x4')"), "1:2: error: this escape needs 2 hexadecimal digits, found 1");
  EXPECT_EQ(expressionMessageOf(R"('ab\U00110000')"),
            "1:4: error: this escape is past the last Unicode character, U+10FFFF");
  EXPECT_NE(expressionMessageOf(R"('\ud800')"), "");
  EXPECT_NE(expressionMessageOf(R"('\N{DASH}')"), "");
  EXPECT_NE(expressionMessageOf("b'a' 'b'"), "");
}

TEST(FormatStrings, PiecesAndFields) {
  EXPECT_EQ(sketchExpression("f'a{b}c'"), "(f 'a' {b} 'c')");
  EXPECT_EQ(sketchExpression("f'{a}{b!r}{c:>8}{d!s:x}'"), "(f {a} {b!r} {c:>8} {d!s:x})");
  EXPECT_EQ(sketchExpression("f'{{}}{a}}}'"), "(f '{}' {a} '}')");
  EXPECT_EQ(sketchExpression("f'{a=}'"), "(f 'a=' {a!r})");
  EXPECT_EQ(sketchExpression("f'{a = :.3f}'"), "(f 'a = ' {a:.3f})");
  EXPECT_EQ(sketchExpression("f'{a == b}{a != b}'"), "(f {(cmp a == b)} {(cmp a != b)})");
  EXPECT_EQ(sketchExpression("f'{a:{w}.{p}}'"), "(f {a:{w}.{p}})");
  EXPECT_EQ(sketchExpression("f'{a, b}'"), "(f {(tuple a b)})");
  EXPECT_EQ(sketchExpression("f'plain'"), "'plain'");
}

TEST(FormatStrings, NestedExpressionsAndQuotes) {
  EXPECT_EQ(sketchExpression("f'{d['k']}'"), "(f {d['k']})");
  EXPECT_EQ(sketchExpression("f'{f\"{x}\"}'"), "(f {(f {x})})");
  EXPECT_EQ(sketchExpression("f'''{\n  a  # why\n  + b}'''"), "(f {(+ a b)})");
  EXPECT_EQ(sketchExpression("f'{ {1: 2}[1] }'"), "(f {(dict 1:2)[1]})");
  EXPECT_EQ(sketchExpression("f'{x[1:2]}'"), "(f {x[(slice 1 2 _)]})");
  EXPECT_EQ(sketchExpression("rf'\\d{x}'"), "(f '\\d' {x})");
}

TEST(FormatStrings, PlacesAreThoseOfTheFile) {
  ExprPtr e = parseExpression("e", "f'ab{cd}' f'''\n{ef}'''");
  auto *format = as<FormatStringExpr>(e);
  ASSERT_TRUE(format);
  ASSERT_EQ(format->pieces.size(), 4u);
  EXPECT_EQ(format->pieces[1].value->loc.column, 6u);
  EXPECT_EQ(format->pieces[3].value->loc.line, 2u);
  EXPECT_EQ(format->pieces[3].value->loc.column, 2u);
}

TEST(FormatStrings, Malformed) {
  EXPECT_EQ(
      expressionMessageOf("f'{}'"),
      "1:4: error: expected an expression between the braces of this format string; write \"{{}}\" for the characters");
  EXPECT_EQ(expressionMessageOf("f'a}'"),
            "1:4: error: a single \"}\" in a format string closes nothing; write \"}}\" for the character");
  EXPECT_EQ(expressionMessageOf("f'{a'"),
            "1:3: error: the \"{\" in this format string is never closed; add \"}\" before the closing quote");
  EXPECT_EQ(expressionMessageOf("f'''{a'''"),
            "1:7: error: this string never ends: expected a closing ''' before the end of the file");
  EXPECT_EQ(expressionMessageOf("f'{a"), "1:3: error: the \"{\" in this format string is never closed; add \"}\"");
  EXPECT_EQ(expressionMessageOf("f'{a!x}'"),
            "1:6: error: \"!x\" is no conversion of a format string; write !r, !s or !a");
  EXPECT_EQ(expressionMessageOf("f'{a b}'"),
            "1:6: error: expected an operator or the end of the expression, found \"b\"");
  EXPECT_EQ(expressionMessageOf("f'{a:'"),
            "1:6: error: expected \"}\" to end the field of this format string\n1:3: note: the field begins here");
}

TEST(Integers, PrintAllTheirDigits) {
  Int smallest = -valueOf<Int>("170141183460469231731687303715884105727") - 1;
  EXPECT_EQ(toString(smallest), "-170141183460469231731687303715884105728");
  EXPECT_EQ(toString(Int(-7)), "-7");
}

} // namespace
} // namespace tegula::lang
