// ../exports.txt lists the names that Triton 3.6 exports to kernels. Each of them means something here, or stands in
// the manual's table of names that are missing, with the reason; and no name of that table exists here.
#include "frontend/language/builtins/Builtins.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace tegula::lang {
namespace {

/// `module name` of the rows of "Names that are missing" in docs/language.md: | module | `a`, `b` | why |
std::set<std::string> missingNames() {
  std::ifstream file(std::string(TEGULA_SOURCE_DIR) + "/docs/language.md");
  std::set<std::string> names;
  bool isTable = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#"))
      isTable = line == "## Names that are missing";
    if (!isTable || !line.starts_with("| "))
      continue;
    std::string module = line.substr(2, line.find(" |") - 2), rest = line.substr(line.find(" |") + 2);
    rest = rest.substr(0, rest.find(" | "));
    for (size_t open = rest.find('`'); open != std::string::npos; open = rest.find('`', open + 1)) {
      size_t close = rest.find('`', open + 1);
      names.insert(module + " " + rest.substr(open + 1, close - open - 1));
      open = close;
    }
  }
  return names;
}

bool exists(const std::string &module, const std::string &name) {
  const std::map<std::string, std::string> paths = {{"language", "triton.language"},
                                                    {"math", "triton.language.math"},
                                                    {"libdevice", "triton.language.libdevice"},
                                                    {"cuda", "triton.language.extra.cuda"},
                                                    {"hip", "triton.language.extra.hip"}};
  return memberOf(Namespace{paths.at(module)}, name).has_value();
}

TEST(Exports, are_here_or_in_the_manuals_table_of_missing_names) {
  std::ifstream file(std::string(TEGULA_SOURCE_DIR) + "/tests/language/exports.txt");
  std::set<std::string> missing = missingNames(), unused = missing;
  size_t count = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#')
      continue;
    std::istringstream words(line);
    std::string module, name;
    words >> module >> name;
    ++count;
    unused.erase(line);
    EXPECT_NE(exists(module, name), missing.contains(line))
        << line
        << (missing.contains(line) ? " exists and stands in the table of missing names"
                                   : " neither exists nor stands in docs/language.md, Names that are missing");
  }
  EXPECT_GT(count, 350u);
  for (const std::string &line : unused)
    ADD_FAILURE() << line << " stands in the table of missing names, but Triton does not export it";
}

} // namespace
} // namespace tegula::lang
