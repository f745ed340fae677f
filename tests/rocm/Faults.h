// Changes of machine code that make it wrong: each is a mistake that a code generator could make.
#pragma once

#include "tests/rocm/MachineCode.h"

#include <functional>

namespace tegula::rocm::test {

/// Places are found by names and by what an instruction reads, writes or waits for, never by a number, so that they
/// are there whatever the compiler schedules.
inline constexpr const char *kWrongResult = "(another result, and no report)";

struct Fault {
  const char *name; // of the test
  Kernel kernel;
  std::function<bool(Code &)> plant; // false: the code has no place for it
  /// Parts of messages of which one must be reported. None: the execution ends with another result; kWrongResult among
  /// them: or it does so.
  std::vector<std::string> reports;
  std::vector<std::string> targets = {"gfx942", "gfx1100", "gfx1201"};
};

const std::vector<Fault> &allFaults();

} // namespace tegula::rocm::test
