// A compiled kernel with its buffers and expected results, as a file: written where the compiler is, run where a device
// is without a compiler (the root folder of the newer lavapipe).
#pragma once

#include "core/contracts/Artifact.h"

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace tegula::vulkan::test {

struct CodegenCase {
  std::string name;
  Artifact artifact;
  std::vector<std::vector<std::byte>> buffers; // one for each pointer parameter, in order
  std::vector<uint64_t> scalars;
  std::array<uint32_t, 3> grid = {1, 1, 1};
  uint32_t result = 0;          // index of the buffer that is compared
  std::vector<double> expected; // its elements, of the parameter's type
  double tolerance = 0;         // relative to the larger of 1 and the expected value
};

void writeCases(const std::string &path, const std::vector<CodegenCase> &cases);
/// Throws Error where the file is missing or damaged.
std::vector<CodegenCase> readCases(const std::string &path);

} // namespace tegula::vulkan::test
