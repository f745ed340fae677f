// The constants of a call, given by name in its options or by position among its arguments. They are stored so that
// comparing a later launch with them allocates nothing.
#pragma once

#include "core/runtime/Binding.h"

#include <vector>

namespace tegula {

class GivenConstants {
public:
  GivenConstants() = default;
  GivenConstants(const Prototype &prototype, const ApiConstants &merged);

  /// True if a launch gives the same constants; false if it gives a constant twice.
  bool matches(const Binding &binding, const ApiConstants &named) const;

private:
  struct Item {
    std::string name;
    Constant value;
    uint32_t param; // index in KernelInfo::params; ~0: names no parameter
  };
  std::vector<Item> items_; // sorted by name, as in ApiConstants
};

} // namespace tegula
