// Layouts as grids: which thread's register, or which address, each element of the tensor has.
#pragma once

#include "frontend/cli/LayoutExpression.h"

namespace tegula::cli {

/// One holder of an element: a register of a thread, or an address in shared memory.
struct Holder {
  uint32_t block = 0, warp = 0, lane = 0, reg = 0;
  uint64_t address = 0; // in elements
};

/// Elements as rows and columns: dim0 and dim1; a single dimension is one row; further dimensions come in front, each
/// of their indices a grid of its own.
struct LayoutGrid {
  uint32_t grids = 1, rows = 1, columns = 1;
  bool shared = false, manyWarps = false, manyBlocks = false;
  std::vector<std::vector<Holder>> holders; // for each cell

  const std::vector<Holder> &at(uint32_t grid, uint32_t row, uint32_t column) const {
    return holders[(size_t(grid) * rows + row) * columns + column];
  }
};

/// Throws tegula::Error where there are more than 2^20 elements or holders.
LayoutGrid makeGrid(const LayoutValue &value);

/// `lane:register`, `warp/lane:register`, or the address; `+n` where n others hold a copy; at most 64 rows and columns.
std::string printGrid(const LayoutGrid &grid);

/// The same as a picture, coloured by warp, or by bank for shared memory. At most 2^16 elements.
std::string drawGrid(const LayoutGrid &grid, uint32_t elementBytes);

} // namespace tegula::cli
