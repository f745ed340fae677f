// The emulator tells wrong machine code from right: the compiler's code passes, and each fault that is planted in it is
// reported or changes the result.
#include "tests/rocm/Faults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace tegula::rocm::test {
namespace {

using ::testing::AnyOfArray;
using ::testing::HasSubstr;

const MachineCode &machineCode(Kernel kernel, const std::string &target) {
  static std::map<std::pair<Kernel, std::string>, MachineCode> all; // compiled once
  return all.try_emplace({kernel, target}, kernel, target).first->second;
}

struct Case {
  const Fault *fault;
  std::string target;
};

void PrintTo(const Case &tested, std::ostream *out) { *out << tested.fault->name << " on " << tested.target; }

std::vector<Case> allCases() {
  std::vector<Case> cases;
  for (const Fault &fault : allFaults())
    for (const std::string &target : fault.targets)
      cases.push_back({&fault, target});
  return cases;
}

class PlantedFault : public ::testing::TestWithParam<Case> {};

TEST_P(PlantedFault, IsNoticed) {
  auto [fault, target] = GetParam();
  const MachineCode &machine = machineCode(fault->kernel, target);
  Code code = machine.code();
  ASSERT_TRUE(fault->plant(code)) << "the compiler's code has no place for this fault";
  Outcome outcome = machine.run(code);
  bool mayBeSilent = fault->reports.empty() || std::ranges::find(fault->reports, kWrongResult) != fault->reports.end();
  if (mayBeSilent && (fault->reports.empty() || outcome.fault.empty())) {
    EXPECT_EQ(outcome.fault, "");
    EXPECT_NE(outcome.output, machine.expected()) << "the fault changes nothing";
    return;
  }
  std::vector<::testing::Matcher<std::string>> reports;
  for (const std::string &report : fault->reports)
    reports.push_back(HasSubstr(report));
  EXPECT_THAT(outcome.fault, AnyOfArray(reports));
}

INSTANTIATE_TEST_SUITE_P(All, PlantedFault, ::testing::ValuesIn(allCases()),
                         [](const auto &info) { return info.param.fault->name + ("_" + info.param.target); });

class CompiledCode : public ::testing::TestWithParam<std::string> {};

TEST_P(CompiledCode, Passes) {
  for (Kernel kernel : {Kernel::Matmul, Kernel::Total, Kernel::Transpose, Kernel::Count}) {
    const MachineCode &machine = machineCode(kernel, GetParam());
    EXPECT_EQ(machine.run(machine.code()), (Outcome{"", machine.expected()})) << "kernel " << int(kernel);
  }
}

INSTANTIATE_TEST_SUITE_P(All, CompiledCode, ::testing::Values("gfx942", "gfx1100", "gfx1201"));

} // namespace
} // namespace tegula::rocm::test
