// The tile scheduler of persistent kernels: the order in which a launched program executes programs of the grid.
// Private to tile-persistent-loop.
#pragma once

#include "mlir/IR/Builders.h"

#include <array>

namespace tegula::tile {

/// The coordinates in the grid of the program with number `program`. Numbers run along axis 0 in groups of 16, then
/// along axis 1, so that the programs that run at a time read blocks of few rows and few columns. `plane`: the number
/// of programs along axes 0 and 1; `all`: in the whole grid. In a grid along axis 0 alone the coordinate is the number:
/// a branch skips the divisions, which take longer than a stage of the ring.
std::array<mlir::Value, 3> placeInGrid(mlir::OpBuilder &b, mlir::Location location, mlir::Value program,
                                       std::array<mlir::Value, 3> grid, mlir::Value plane, mlir::Value all);

/// The coordinates of a program if launched programs execute pairs. Numbers run along the axis `along`, line after
/// line, so that programs of few lines run at a time. The last 16 lines are traversed column by column, so that short
/// programs start last: programs at the beginning of a line have the most iterations.
std::array<mlir::Value, 3> placeInLines(mlir::OpBuilder &b, mlir::Location location, mlir::Value program,
                                        std::array<mlir::Value, 3> grid, unsigned along);

} // namespace tegula::tile
