// The devices of the runtime's tests: the CPU, and the null device that records launches.
#include "backends/cpu/Driver.h"
#include "backends/null/Driver.h"

const std::vector<tegula::DriverFactory *> &tegula::driverFactories() {
  static const std::vector<DriverFactory *> factories = {cpu::devices(), nullDriverFactory()};
  return factories;
}
