// Golden texts: each tests/messages/syntax/*.py ends in `# expect: LINE:COL: error: text`, and one more `# expect:`
// line for each note. The text before these lines is parsed.
#include "Sketch.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

namespace tegula::lang {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> messageFiles() {
  std::vector<fs::path> files;
  for (const auto &entry : fs::directory_iterator(fs::path(TEGULA_SOURCE_DIR) / "tests/messages/syntax"))
    if (entry.path().extension() == ".py")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string read(const fs::path &path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string expectationIn(const std::string &text) {
  std::istringstream in(text);
  std::string expected;
  const std::string mark = "# expect: ";
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(mark))
      expected += (expected.empty() ? "" : "\n") + line.substr(mark.size());
  return expected;
}

class Messages : public testing::TestWithParam<fs::path> {};

TEST_P(Messages, AreAsExpected) {
  std::string text = read(GetParam());
  std::string expected = expectationIn(text);
  ASSERT_FALSE(expected.empty()) << GetParam() << " has no `# expect:` line";
  EXPECT_EQ(messageOf(text.substr(0, text.find("# expect: "))), expected) << GetParam();
}

INSTANTIATE_TEST_SUITE_P(Syntax, Messages, testing::ValuesIn(messageFiles()), [](const auto &info) {
  std::string name = info.param.stem().string();
  std::replace_if(name.begin(), name.end(), [](char c) { return !isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
});

TEST(MessageFiles, HoldManyDifferentMessages) {
  std::set<std::string> texts;
  for (const fs::path &path : messageFiles()) {
    std::string expected = expectationIn(read(path));
    texts.insert(expected.substr(std::min(expected.find("error:"), expected.size())));
  }
  EXPECT_GE(texts.size(), 60u);
}

TEST(Messages, ShowFileLineAndCaret) {
  try {
    parseModule("dir/k.py", "@jit\ndef k(a)\n    pass\n");
    FAIL() << "expected an error";
  } catch (const Error &error) {
    EXPECT_STREQ(error.what(),
                 "dir/k.py:2:9: error: expected \":\" after the parameters of \"k\", found the end of the line\n"
                 "    def k(a)\n"
                 "            ^\n");
  }
}

} // namespace
} // namespace tegula::lang
