// ../coverage.txt maps every row of the language's specification to what proves it: kernels of the conformance suite,
// as `family/kernel`, and tests of this executable. Here each row of ../rows.txt must be mapped, and each kernel and
// test that the map names must exist. The pages docs/language/coverage*.md show the same rows.
#include "tests/conformance/Case.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

std::string trimmed(const std::string &text) {
  size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t\r");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

/// Lines that are neither empty nor comments.
std::vector<std::string> linesOf(const std::string &name) {
  std::ifstream file(std::string(TEGULA_SOURCE_DIR) + "/tests/language/" + name);
  EXPECT_TRUE(file) << name << " cannot be read";
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    if (line = trimmed(line); !line.empty() && line[0] != '#')
      lines.push_back(line);
  return lines;
}

/// `family/kernel` of each case, and the tests of this executable.
std::set<std::string> kernelsAndTests() {
  std::set<std::string> names;
  const tegula::conformance::Cases cases = tegula::conformance::allCases();
  for (const tegula::conformance::Case &made : cases.all())
    names.insert(made.family() + "/" + made.kernel);
  const auto &unit = *testing::UnitTest::GetInstance();
  for (int s = 0; s < unit.total_test_suite_count(); ++s)
    for (int t = 0; t < unit.GetTestSuite(s)->total_test_count(); ++t)
      names.insert(std::string(unit.GetTestSuite(s)->name()) + "." + unit.GetTestSuite(s)->GetTestInfo(t)->name());
  return names;
}

TEST(Coverage, every_row_names_kernels_and_tests_that_exist) {
  std::set<std::string> tests = kernelsAndTests();
  std::map<std::string, std::vector<std::string>> map;
  for (const std::string &line : linesOf("coverage.txt")) {
    // A row may hold '|' itself (`&`, `|`, `^`): the tests stand after the last one.
    size_t bar = line.rfind('|');
    ASSERT_NE(bar, std::string::npos) << "coverage.txt: no '|' in: " << line;
    std::string row = trimmed(line.substr(0, bar));
    EXPECT_FALSE(map.contains(row)) << "coverage.txt maps this row twice: " << row;
    std::istringstream names(line.substr(bar + 1));
    for (std::string test; names >> test;) {
      EXPECT_TRUE(tests.contains(test)) << "coverage.txt names a kernel or test that does not exist: " << test;
      map[row].push_back(test);
    }
    EXPECT_FALSE(map[row].empty()) << "coverage.txt maps this row to nothing: " << row;
  }
  std::vector<std::string> rows = linesOf("rows.txt");
  EXPECT_GT(rows.size(), 150u);
  for (const std::string &row : rows)
    EXPECT_TRUE(map.contains(row)) << "coverage.txt lacks the row: " << row;
  EXPECT_EQ(map.size(), std::set<std::string>(rows.begin(), rows.end()).size())
      << "coverage.txt has rows that rows.txt has not";
}

TEST(Coverage, the_manual_shows_the_map) {
  std::string manual;
  for (const char *page : {"coverage.md", "coverage-functions.md"}) {
    std::ifstream file(std::string(TEGULA_SOURCE_DIR) + "/docs/language/" + page);
    ASSERT_TRUE(file) << page << " cannot be read";
    std::stringstream text;
    text << file.rdbuf();
    manual += text.str();
  }
  for (const std::string &line : linesOf("coverage.txt")) {
    size_t bar = line.rfind('|');
    std::string row, tests;
    for (char c : trimmed(line.substr(0, bar)))
      row += c == '|' ? "\\|" : std::string(1, c);
    std::istringstream names(line.substr(bar + 1));
    for (std::string test; names >> test;)
      tests += (tests.empty() ? "`" : ", `") + test + "`";
    EXPECT_NE(manual.find("| " + row + " | " + tests + " |"), std::string::npos)
        << "docs/language/coverage*.md lack the row: " << row;
  }
}

} // namespace
