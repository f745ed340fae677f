// NumPy's .npy files, versions 1 to 3 (numpy.lib.format): arrays of little-endian booleans, integers and floats, and
// raw items of other widths, whose meaning the reader of the array knows.
#pragma once

#include "core/support/ScalarType.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tegula {

struct NpyArray {
  /// 'b' for boolean, 'i', 'u', 'f', or 'V' for items without a defined meaning.
  char kind = 'f';
  unsigned itemSize = 4; // bytes
  bool fortranOrder = false;
  std::vector<int64_t> shape;
  std::vector<uint8_t> data; // as in the file; if fortranOrder, the first axis varies fastest
};

/// Parses a file. All sizes are checked before memory is allocated. Throws tegula::Error with `name`, the problem and
/// its solution: no .npy file, an unknown version, a damaged header, big-endian or object items, too little or too much
/// data.
NpyArray parseNpy(const std::string &name, std::span<const uint8_t> bytes);
NpyArray readNpy(const std::string &path);

/// Writes a file; of version 1 if the header fits.
std::vector<uint8_t> formatNpy(const NpyArray &array);
void writeNpy(const std::string &path, const NpyArray &array);

/// The ScalarType of the array's items; nothing for 'V'.
std::optional<ScalarType> scalarType(const NpyArray &array);
/// Sets the item type by which NumPy stores `type`; types that NumPy does not have become unsigned integers of their
/// width.
void setItemType(NpyArray &array, ScalarType type);

} // namespace tegula
