// Runs a tuning candidate on the stream and the arguments of the launch that asked for the measurement.
#pragma once

#include "core/runtime/KernelImpl.h"

namespace tegula {

class Trial {
public:
  explicit Trial(const Stream &stream) : stream(stream) {}
  virtual ~Trial() = default;
  /// Launches a candidate. If its grid is empty, launches nothing and returns false. Throws the errors that
  /// Kernel::launch throws.
  virtual bool launch(const Configured &configured, const Variant &variant) = 0;

  const Stream &stream;
};

} // namespace tegula
