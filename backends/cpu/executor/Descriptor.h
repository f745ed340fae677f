// The contents of a register of kind Descriptor.
#pragma once

#include "backends/cpu/executor/Value.h"

namespace tegula::cpu {

struct DescriptorData {
  int64_t base = 0; // a pointer; tagged in checked mode
  unsigned rank = 0;
  Extents extent{}, stride{}; // elements
  bool paddingNaN = false;
};

Value descriptorValue(const TileType &type, const DescriptorData &data);
const DescriptorData &descriptorData(const Value &value);

} // namespace tegula::cpu
