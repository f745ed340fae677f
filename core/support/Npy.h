// NumPy's .npy files, versions 1 to 3 (numpy.lib.format): arrays of little-endian booleans, integers and floats, and
// raw items of other widths whose meaning the reader names.
#pragma once

#include "core/support/ScalarType.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tegula {

struct NpyArray {
  /// 'b' boolean, 'i', 'u', 'f', or 'V' for items without a meaning of their own.
  char kind = 'f';
  unsigned itemSize = 4; // bytes
  bool fortranOrder = false;
  std::vector<int64_t> shape;
  std::vector<uint8_t> data; // as stored: first axis fastest where fortranOrder
};

/// Checks all sizes before it allocates. Throws tegula::Error that names `name`, the problem and its solution: not a
/// .npy file, an unknown version, a damaged header, big-endian or object items, too little or too much data.
NpyArray parseNpy(const std::string &name, std::span<const uint8_t> bytes);
NpyArray readNpy(const std::string &path);

/// Version 1 wherever the header fits.
std::vector<uint8_t> formatNpy(const NpyArray &array);
void writeNpy(const std::string &path, const NpyArray &array);

/// Our type for the array's items; nothing for 'V'.
std::optional<ScalarType> scalarType(const NpyArray &array);
/// How NumPy stores `type`: types that it lacks become unsigned integers of their width.
void setItemType(NpyArray &array, ScalarType type);

} // namespace tegula
