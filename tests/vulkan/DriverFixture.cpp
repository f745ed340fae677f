#include "tests/vulkan/DriverFixture.h"
#include "core/support/Diagnostic.h"

#include <random>

namespace tegula::vulkan::test {

const std::vector<FoundDevice> &foundDevices() {
  static const auto *devices = [] {
    auto *found = new std::vector<FoundDevice>;
    std::string whyNone;
    const char *variant = std::getenv("TEGULA_TEST_VARIANT");
    for (auto &[name, facts] : findDevices(whyNone, parseVariant(variant ? variant : "")))
      found->push_back({name, std::move(facts)});
    return found;
  }();
  return *devices;
}

std::string errorOf(const std::function<void()> &call) {
  try {
    call();
  } catch (const Error &error) {
    return error.what();
  }
  return "no error";
}

std::optional<Shortage> shortageOf(const std::function<void()> &call) {
  try {
    call();
  } catch (const Error &error) {
    return error.diagnostic().shortage;
  }
  return std::nullopt;
}

std::vector<float> randomFloats(size_t count, uint32_t seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> distribution(-1, 1);
  std::vector<float> values(count);
  for (float &value : values)
    value = distribution(generator);
  return values;
}

} // namespace tegula::vulkan::test
