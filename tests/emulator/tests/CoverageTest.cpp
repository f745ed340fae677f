#include "tests/emulator/tests/Machine.h"

#include <gtest/gtest.h>

#include <iostream>

namespace tegula::emulator::test {
namespace {

/// Behind all tests: every name with a handler was executed by one of them.
class Coverage final : public ::testing::Environment {
public:
  void TearDown() override {
    const ::testing::UnitTest &all = *::testing::UnitTest::GetInstance();
    if (all.test_to_run_count() != all.total_test_count())
      return; // a part of the tests
    std::map<std::string, unsigned> counts;
    std::string missing;
    for (const std::string &name : handlerNames()) {
      auto found = tested().find(name);
      if (found == tested().end()) {
        missing += " " + name;
        continue;
      }
      for (const std::string &target : found->second)
        ++counts[target];
    }
    EXPECT_EQ(missing, "") << "handlers without a test";
    for (const auto &[target, count] : counts)
      std::cout << target << ": " << count << " instructions tested\n";
  }
};

const ::testing::Environment *const kCoverage = ::testing::AddGlobalTestEnvironment(new Coverage);

} // namespace
} // namespace tegula::emulator::test
