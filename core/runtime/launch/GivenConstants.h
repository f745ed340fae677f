// The constants that a call gives, by name in its options or by position among its arguments, kept so that a later
// launch is compared with them without allocating.
#pragma once

#include "core/runtime/Binding.h"

#include <vector>

namespace tegula {

class GivenConstants {
public:
  GivenConstants() = default;
  GivenConstants(const Prototype &prototype, const ApiConstants &merged);

  /// Whether a launch gives the same constants. False also for a launch that gives a constant twice.
  bool matches(const Binding &binding, const ApiConstants &named) const;

private:
  struct Item {
    std::string name;
    Constant value;
    uint32_t param; // index in KernelInfo::params; ~0: no parameter
  };
  std::vector<Item> items_; // by name, as in ApiConstants
};

} // namespace tegula
