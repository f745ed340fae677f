// The entry point of libtegula-cpu.
#include "backends/cpu/Driver.h"
#include "core/contracts/Compiler.h"

#include <cstring>

extern "C" __attribute__((visibility("default"))) tegula::DriverFactory *tegulaCpuDevices(const char *wanted) {
  return std::strcmp(wanted, tegula::buildId()) == 0 ? tegula::cpu::devices() : nullptr;
}
