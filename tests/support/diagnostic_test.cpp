// Messages as text: the quoted line and its caret.
#include "core/support/Diagnostic.h"

#include <gtest/gtest.h>

namespace tegula {
namespace {

struct Shown {
  std::string line, caret;
};

/// The two lines below the message.
Shown shown(const std::string &line, uint32_t column) {
  Diagnostic diagnostic;
  diagnostic.location = {"k.py", 3, column};
  diagnostic.message = "wrong";
  diagnostic.sourceLine = line;
  std::string text = format(diagnostic);
  const std::string head = "k.py:3:" + std::to_string(column) + ": error: wrong\n";
  EXPECT_TRUE(text.starts_with(head)) << text.substr(0, 100);
  text = text.substr(head.size());
  size_t end = text.find('\n');
  EXPECT_TRUE(text.ends_with("^\n"));
  return {text.substr(0, end), text.substr(end + 1, text.size() - end - 2)};
}

TEST(Diagnostic, QuotesShortLinesWhole) {
  Shown plain = shown("    x = y", 9);
  EXPECT_EQ(plain.line, "        x = y");
  EXPECT_EQ(plain.caret, "            ^");
  EXPECT_EQ(shown("\tx = y", 6).caret, "    \t    ^");
  EXPECT_EQ(shown("x", 90).caret, "     ^"); // behind the line
  EXPECT_EQ(shown(std::string(160, 'a'), 1).line, "    " + std::string(160, 'a'));
}

// Whatever the line's length and the caret's place, few columns are shown, and the caret is below its character.
TEST(Diagnostic, CutsLongLinesAroundTheCaret) {
  for (size_t size : {161, 200, 1000, 2000000})
    for (size_t at :
         {size_t(0), size_t(1), size_t(79), size_t(80), size_t(81), size / 2, size - 100, size - 2, size - 1}) {
      std::string line(size, '.');
      line[at] = 'X';
      Shown cut = shown(line, uint32_t(at + 1));
      ASSERT_EQ(cut.line.size(), 4 + 160u) << size << " " << at;
      ASSERT_EQ(cut.line[cut.caret.size() - 1], 'X') << size << " " << at;
    }
  std::string numbered;
  for (int i = 0; i < 100; ++i)
    numbered += std::to_string(10000 + i);
  EXPECT_EQ(shown(numbered, 1).line.substr(0, 14), "    1000010001");
  EXPECT_TRUE(shown(numbered, 1).line.ends_with("..."));
  EXPECT_EQ(shown(numbered, 250).line.substr(0, 7), "    ...");
  EXPECT_TRUE(shown(numbered, 250).line.ends_with("..."));
  EXPECT_TRUE(shown(numbered, 500).line.ends_with("10099"));
}

TEST(Diagnostic, CutsBetweenCharacters) {
  std::string line;
  for (int i = 0; i < 500; ++i)
    line += "\xc3\xa4";
  for (uint32_t column = 1; column < 1000; column += 2) {
    std::string text = shown(line, column).line;
    size_t first = text.find('\xc3'), any = text.find('\xa4');
    EXPECT_LT(first, any) << column;
    EXPECT_EQ(std::count(text.begin(), text.end(), '\xc3'), std::count(text.begin(), text.end(), '\xa4')) << column;
  }
}

} // namespace
} // namespace tegula
