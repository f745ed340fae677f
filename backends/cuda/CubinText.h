// Removes debugging data from a cubin. With line tables enabled, ptxas writes, besides the machine code and its table
// of source lines, two more sections: the PTX text, and a table from instructions to lines of the PTX text. These two
// are larger than the code, so bundles are stored without them.
#pragma once

#include <cstdint>
#include <vector>

namespace tegula::cuda {

/// Removes the contents of the two sections, and of the relocations of the second one. `cubin` is left unchanged if it
/// is no ELF file, or if its structure is not the expected one.
void removePtx(std::vector<uint8_t> &cubin);

} // namespace tegula::cuda
