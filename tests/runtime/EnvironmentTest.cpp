// The table of environment variables; no other code reads the environment.
#include "core/support/Environment.h"
#include "core/support/Files.h"
#include "tests/runtime/RuntimeFixture.h"

#include <gmock/gmock.h>

#include <set>

namespace tegula::test {
namespace {

using ::testing::HasSubstr;

TEST(Environment, TheTableIsSmallAndEachRowSaysWhatItMeans) {
  std::set<std::string> names;
  for (const EnvironmentVariable &row : environmentTable()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_TRUE(std::string(row.name).starts_with("TEGULA_") || std::string(row.name).starts_with("TRITON_"))
        << row.name;
    EXPECT_GT(std::string(row.meaning).size(), 10u) << row.name;
  }
  EXPECT_LE(names.size(), 20u);
}

TEST(Environment, FlagsAreOffWhereTheySaySo) {
  for (const char *value : {"0", "false", "False", "OFF", "no", ""}) {
    ScopedVariable variable("TRITON_INTERPRET", value);
    EXPECT_FALSE(environmentFlag(Variable::Interpret)) << value;
  }
  for (const char *value : {"1", "true", "yes", "2"}) {
    ScopedVariable variable("TRITON_INTERPRET", value);
    EXPECT_TRUE(environmentFlag(Variable::Interpret)) << value;
  }
  ScopedVariable unset("TRITON_INTERPRET", nullptr);
  EXPECT_FALSE(environmentFlag(Variable::Interpret));
  EXPECT_EQ(environmentValue(Variable::Interpret), nullptr);
}

TEST(Environment, AWatchSeesEachChange) {
  FlagWatch watch(Variable::Interpret);
  ScopedVariable unset("TRITON_INTERPRET", nullptr);
  EXPECT_FALSE(watch.isSet());
  for (int round = 0; round < 3; ++round) {
    ScopedVariable on("TRITON_INTERPRET", "1");
    EXPECT_TRUE(watch.isSet());
    EXPECT_TRUE(watch.isSet());
    setenv("TRITON_INTERPRET", "0", 1);
    EXPECT_FALSE(watch.isSet());
    unsetenv("TRITON_INTERPRET");
    EXPECT_FALSE(watch.isSet());
    // As many variables as before, another one.
    setenv("TEGULA_TEST_A", "1", 1);
    EXPECT_FALSE(watch.isSet());
    unsetenv("TEGULA_TEST_A");
    setenv("TRITON_INTERPRET", "on", 1);
    EXPECT_TRUE(watch.isSet());
  }
  EXPECT_FALSE(watch.isSet());
}

TEST(Environment, TheKeyHoldsWhatChangesKernelsAndNothingElse) {
  std::string before = environmentKey();
  ScopedVariable interpret("TRITON_INTERPRET", "1"), directory("TEGULA_CACHE_DIR", "/elsewhere");
  EXPECT_EQ(environmentKey(), before);
  ScopedVariable precision("TRITON_F32_DEFAULT", "tf32");
  EXPECT_THAT(environmentKey(), HasSubstr("TRITON_F32_DEFAULT=tf32\n"));
}

TEST(Environment, NothingElseReadsIt) {
  namespace fs = std::filesystem;
  size_t files = 0;
  for (const char *folder : {"core", "backends", "frontend"})
    for (auto &entry : fs::recursive_directory_iterator(fs::path(TEGULA_SOURCE_DIR) / folder)) {
      std::string extension = entry.path().extension();
      if ((extension != ".cpp" && extension != ".h" && extension != ".inc") ||
          entry.path().filename() == "Environment.cpp")
        continue;
      ++files;
      EXPECT_EQ(readTextFile(entry.path()).find("getenv("), std::string::npos) << entry.path();
    }
  EXPECT_GT(files, 50u);
}

} // namespace
} // namespace tegula::test
