// The watch of tests/vulkan/watch during a run: messages of the validation layer and refusals of spirv-val.
#pragma once

#include "tests/vulkan/watch/Watch.h"

namespace tegula::conformance {

class Watching {
public:
  /// Must be made before any device is looked for.
  explicit Watching(const std::string &library);
  /// The first findings since the last call, a line each, with their number; empty: none.
  std::string look();
  /// Checksum of the library, which contains spirv-val.
  const std::string &identity() const { return identity_; }
  /// Modules that spirv-val or, where they are too new for it, the validation layer alone has seen.
  size_t modules() const { return modules_; }

private:
  vulkan::test::Watch &watch_;
  std::string identity_;
  size_t modules_ = 0;
};

} // namespace tegula::conformance
