// Removes debugging data from a cubin. With line tables enabled, ptxas adds two sections to the code and its line
// table: the PTX text, and a table from instructions to lines of that text. They are larger than the code, so bundles
// are stored without them.
#pragma once

#include <cstdint>
#include <vector>

namespace tegula::cuda {

/// Removes the contents of the binary's PTX sections. A binary that is no cubin, or that has another structure than
/// expected, is left unchanged.
void removePtx(std::vector<uint8_t> &cubin);

} // namespace tegula::cuda
