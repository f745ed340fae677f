// Nesting and size: legal up to the stated bounds, a message past them, and never a crash.
#include "Sketch.h"

#include <gtest/gtest.h>

namespace tegula::lang {
namespace {

std::string repeated(const std::string &text, size_t times) {
  std::string out;
  while (times--)
    out += text;
  return out;
}

TEST(Limits, Brackets) {
  EXPECT_EQ(expressionMessageOf(repeated("(", 150) + "a" + repeated(")", 150)), "");
  EXPECT_EQ(expressionMessageOf(repeated("(", 250) + "a" + repeated(")", 250)),
            "1:201: error: brackets are nested deeper than 200 levels; split the expression");
  EXPECT_NE(messageOf("x = " + repeated("[", 100000)), "");
}

TEST(Limits, PrefixOperators) {
  std::string message = "error: the code is nested deeper than 200 levels here; split it into functions or statements";
  for (const char *op : {"-", "not ", "lambda: ", "a if b else ", "a ** "}) {
    EXPECT_EQ(expressionMessageOf(repeated(op, 150) + "a"), "") << op;
    std::string found = expressionMessageOf(repeated(op, 100000) + "a");
    EXPECT_NE(found.find(message), std::string::npos) << op << found;
  }
}

TEST(Limits, LongChainsAreTrees) {
  EXPECT_EQ(expressionMessageOf("a" + repeated(" + a", 900)), "");
  EXPECT_EQ(
      expressionMessageOf("a" + repeated(" + a", 1200)),
      "1:1: error: this expression has more than 1000 operations inside each other; split it over several statements");
  for (const char *link : {".a", "()", "[0]", " - a"})
    EXPECT_NE(expressionMessageOf("a" + repeated(link, 100000)), "") << link;
}

TEST(Limits, WideNodesHaveNoBound) {
  EXPECT_EQ(expressionMessageOf("[" + repeated("1, ", 100000) + "]"), "");
  EXPECT_EQ(expressionMessageOf("a" + repeated(" < a", 20000)), "");
  EXPECT_EQ(expressionMessageOf("a" + repeated(" and a", 20000)), "");
  EXPECT_EQ(expressionMessageOf(repeated("'a' ", 20000)), "");
}

TEST(Limits, Blocks) {
  auto nested = [](size_t levels) {
    std::string out = "@jit\ndef k():\n";
    for (size_t i = 1; i <= levels; ++i)
      out += std::string(i, ' ') + "if a:\n";
    return out + std::string(levels + 1, ' ') + "pass\n";
  };
  EXPECT_EQ(messageOf(nested(60)), "");
  EXPECT_NE(messageOf(nested(190)), "");
  EXPECT_EQ(messageOf(nested(300)).find("203:202: error: blocks are nested deeper than 200 levels"), 0u);
  std::string elifs = "if a: pass\n" + repeated("elif a: pass\n", 150);
  EXPECT_EQ(messageOf(kernelText(elifs)), "");
  EXPECT_NE(messageOf(kernelText("if a: pass\n" + repeated("elif a: pass\n", 5000))), "");
}

TEST(Limits, HostCodeIsBoundedByItsBracketsAndBlocksOnly) {
  EXPECT_EQ(messageOf("x = a" + repeated(" + a", 5000)), "");
  EXPECT_EQ(messageOf("x = " + repeated("-", 5000) + "1"), "");
  EXPECT_EQ(messageOf("if a: pass\n" + repeated("elif a: pass\n", 5000)), "");
}

TEST(Limits, FormatStrings) {
  auto nested = [](size_t levels) { return repeated("f'{", levels) + "a" + repeated("}'", levels); };
  EXPECT_EQ(expressionMessageOf(nested(40)), "");
  EXPECT_EQ(expressionMessageOf(nested(300)).find("1:603: error: format strings are nested deeper than 200 levels"),
            0u);
  EXPECT_EQ(messageOf("def host(): return " + nested(150)), "");
}

TEST(Limits, AnyBytesAreHandled) {
  for (int c = 1; c < 256; ++c) {
    std::string byte(1, static_cast<char>(c));
    EXPECT_NO_THROW(messageOf("x = 1 " + byte + " 2\n@jit\ndef k():\n  y = " + byte + "\n")) << c;
  }
  EXPECT_EQ(messageOf(std::string("a = 1\nb\0c", 9)),
            "2:2: error: the file holds a NUL byte here, so it is not Python source text");
}

} // namespace
} // namespace tegula::lang
