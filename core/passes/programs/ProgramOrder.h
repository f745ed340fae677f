// How the programs of a grid are numbered where a launched program executes several. Private to tile-loop-programs.
#pragma once

#include "mlir/IR/Builders.h"

#include <array>

namespace tegula::tile {

/// Where the program with this number stands in the grid. Programs are numbered along axis 0 in groups of
/// 16, then along axis 1, so that those that run at a time read blocks of few rows and few columns. `plane`:
/// programs along axes 0 and 1; `all`: in the grid. In a grid along axis 0 alone the place is the number: a branch
/// marked by `mark` spares it the divisions, which take longer than a stage of the ring.
std::array<mlir::Value, 3> placeInGrid(mlir::OpBuilder &b, mlir::Location location, mlir::Value program,
                                       std::array<mlir::Value, 3> grid, mlir::Value plane, mlir::Value all,
                                       llvm::StringRef mark);

/// The same for programs in pairs: they are numbered along the axis `along`, line after line, so that few lines run
/// at a time. Of the last 16 lines, first all that are first on their line, then the second ones, and so
/// on: where the first have the most iterations, the last programs to start are short ones.
std::array<mlir::Value, 3> placeInLines(mlir::OpBuilder &b, mlir::Location location, mlir::Value program,
                                        std::array<mlir::Value, 3> grid, unsigned along);

} // namespace tegula::tile
