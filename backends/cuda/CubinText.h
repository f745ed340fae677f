// What ptxas adds to a binary with lines beside its code and its table of lines: the PTX text, and a table from
// instructions to the text's lines. They are larger than the code, so bundles go without.
#pragma once

#include <cstdint>
#include <vector>

namespace tegula::cuda {

/// Empties the binary's sections of PTX. What is no cubin, or none of the expected form, stays as it is.
void removePtx(std::vector<uint8_t> &cubin);

} // namespace tegula::cuda
