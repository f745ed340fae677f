// Planned and simt of conformance cases print, parse back, verify, and print the same again.
#include "tests/conformance/simt/CaseText.h"

#include "core/support/Diagnostic.h"
#include "tests/support/Turn.h"

#include <gtest/gtest.h>

#include <set>

namespace tegula::conformance {
namespace {

/// Every tenth case of the suite, one of each kernel at least.
std::vector<const Case *> oneOfEachKernel(const Cases &cases) {
  std::vector<const Case *> chosen;
  std::set<std::string> kernels;
  size_t next = 0;
  for (const Case &made : cases.all())
    if ((kernels.insert(made.file + "::" + made.kernel).second || next++ % 10 == 0) && isSelfContained(made))
      chosen.push_back(&made);
  return chosen;
}

/// For every `every`-th of them, from the one whose turn it is.
void expectSameAgain(const std::string &target, const std::string &level, size_t every) {
  Cases cases = allCases();
  std::vector<const Case *> chosen = oneOfEachKernel(cases);
  size_t done = 0;
  for (size_t i = turnOf(every); i < chosen.size(); i += every) {
    SCOPED_TRACE(chosen[i]->name + " for " + target + ", " + level);
    try {
      std::string text = textOfKernel(*chosen[i], {target, level});
      EXPECT_EQ(printedAgain(text, {target, level}), text);
      ++done;
    } catch (const Error &error) {
      ADD_FAILURE() << error.what();
    }
  }
  EXPECT_GE(done, 400 / every);
}

TEST(Levels, PlannedPrintsAsItWasRead) { expectSameAgain("spirv:sg8", "planned", 4); }
TEST(Levels, SimtPrintsAsItWasRead) { expectSameAgain("spirv:sg8", "simt", 4); }
TEST(Levels, PlannedWithoutSubgroups) { expectSameAgain("spirv:generic", "planned", 8); }
TEST(Levels, PlannedInFragments) { expectSameAgain("spirv:lavapipe-cm", "planned", 8); }
TEST(Levels, SimtInFragments) { expectSameAgain("spirv:lavapipe-cm", "simt", 8); }
TEST(Levels, PlannedOfThirtyTwoLanes) { expectSameAgain("sm_90a", "planned", 8); }
TEST(Levels, SimtOfThirtyTwoLanes) { expectSameAgain("sm_90a", "simt", 8); }

} // namespace
} // namespace tegula::conformance
