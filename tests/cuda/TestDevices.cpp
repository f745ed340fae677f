// The devices of these tests.
#include "backends/cuda/Driver.h"

const std::vector<tegula::DriverFactory *> &tegula::driverFactories() {
  static const std::vector<DriverFactory *> factories = {cudaDriverFactory()};
  return factories;
}
