// Layouts as grids: for each element of the tensor the thread registers, or the address, that hold it.
#pragma once

#include "frontend/cli/layout/LayoutExpression.h"

namespace tegula::cli {

/// A place that holds an element: a register of a thread, or an address in shared memory.
struct Holder {
  uint32_t block = 0, warp = 0, lane = 0, reg = 0;
  uint64_t address = 0; // in elements
};

/// The tensor's last two dimensions as rows and columns; a one-dimensional tensor is one row. Each combination of
/// indices of the other dimensions gets a grid of its own.
struct LayoutGrid {
  uint32_t grids = 1, rows = 1, columns = 1;
  bool shared = false, manyWarps = false, manyBlocks = false;
  std::vector<std::vector<Holder>> holders; // for each cell, in order of grid, row, column

  const std::vector<Holder> &at(uint32_t grid, uint32_t row, uint32_t column) const {
    return holders[(size_t(grid) * rows + row) * columns + column];
  }
};

/// Throws tegula::Error where there are more than 2^20 elements or holders.
LayoutGrid makeGrid(const LayoutValue &value);

/// Cells are `lane:register`, `warp/lane:register`, or the address; `+n` marks n more holders. At most 64 rows and
/// columns are printed.
std::string printGrid(const LayoutGrid &grid);

/// The text of a cell of both forms.
std::string cellText(const std::vector<Holder> &holders, const LayoutGrid &grid);

/// The grid as an SVG picture: the hue tells the warp and the lightness the lane, or the hue tells the bank of shared
/// memory; with a legend, and one element explained in words. Throws tegula::Error for more than 2^16 elements.
std::string drawGrid(const LayoutGrid &grid, uint32_t elementBytes);

} // namespace tegula::cli
