#include "tests/bench/gpu/Bench.h"

#include <charconv>

namespace gpubench {
namespace {

/// 90 of "sm_90a"; 0 for other kinds of targets.
int capabilityOf(const tegula::Device::Info &device) {
  const std::string &target = device.target;
  int value = 0;
  if (target.starts_with("sm_"))
    std::from_chars(target.data() + 3, target.data() + target.size(), value);
  return value;
}

} // namespace

const std::vector<Case> &allCases() {
  static const std::vector<Case> cases = [] {
    std::vector<Case> made;
    addMemoryCases(made);
    addMatmulCases(made);
    addAttentionCases(made);
    addSourceCases(made);
    return made;
  }();
  return cases;
}

std::string anyDevice(const tegula::Device::Info &) { return {}; }

std::string needsSimt(const tegula::Device::Info &device) {
  return device.target == "cpu" ? "the simt level is not compiled for target cpu" : "";
}

std::string needsHopper(const tegula::Device::Info &device) {
  return device.target == "sm_90a" ? "" : "its instructions need target sm_90a, the device's is " + device.target;
}

std::string needsAmpere(const tegula::Device::Info &device) {
  return capabilityOf(device) >= 80 ? ""
                                    : "its instructions need target sm_80 or later, the device's is " + device.target;
}

int64_t numberOf(const tegula::Device::Info &device, const std::string &property) {
  for (const auto &[name, text] : device.properties) {
    int64_t value = 0;
    if (name == property && std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc())
      return value;
  }
  throw tegula::ApiError(tegula::ApiError::Kind::Device,
                         "device " + device.name + " does not say its number of " + property);
}

} // namespace gpubench
