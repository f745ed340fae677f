// The tensor that a load through plain pointers reads blocks of, and the position of its block. Private to
// tile-describe-loads.
#pragma once

#include "core/contracts/DerivedTensor.h"
#include "core/passes/analysis/BlockForm.h"

#include <string>

namespace tegula::tile {

struct LoadedBlock {
  DerivedTensor tensor;                       // its last axis is the one along which elements lie side by side
  llvm::SmallVector<Polynomial, 3> positions; // of the block, one an axis of the tensor
  llvm::SmallVector<int64_t, 3> extents;      // of the block
  bool isTransposed = false;                  // the load's tensor has the tensor's last two axes in the other order
};

/// Finds the block of a load of a matrix; none if there is no such tensor, and then `obstacle` says why. What it finds
/// is right if positions are not negative, the tensor's conditions hold, and, where a position is a remainder, its
/// start is a multiple of its extent, which is also the axis' `multiple`.
std::optional<LoadedBlock> loadedBlock(LoadOp load, Polynomials &scalars, std::string &obstacle);

} // namespace tegula::tile
