// A run under the watch of tests/vulkan/watch: what the validation layer and spirv-val say, and at which case.
#pragma once

#include "tests/vulkan/watch/Watch.h"

namespace tegula::conformance {

class Watching {
public:
  /// Before any device is looked for.
  explicit Watching(const std::string &library);
  /// Counts what was found since the last call, and prints the first few: `where` is a case.
  void look(const std::string &where);
  /// Prints the counts; whether nothing was found.
  bool conclude() const;

private:
  void print(const std::string &where, const char *who, const std::vector<std::string> &texts);

  vulkan::test::Watch &watch_;
  size_t messages_ = 0, refusals_ = 0, modules_ = 0, tooNew_ = 0, printed_ = 0;
};

} // namespace tegula::conformance
