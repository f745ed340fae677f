// How tuning runs a candidate: on the stream and the arguments of the launch that asked for it.
#pragma once

#include "core/runtime/KernelImpl.h"

namespace tegula {

class Trial {
public:
  explicit Trial(const Stream &stream) : stream(stream) {}
  virtual ~Trial() = default;
  /// False if the grid is empty. Throws what a launch throws.
  virtual bool launch(const Configured &configured, const Variant &variant) = 0;

  const Stream &stream;
};

} // namespace tegula
