// A part of simt-simplify-masks: masks of rows whose range `rotate-ranges` has rotated.
#pragma once

#include "mlir/IR/Operation.h"

namespace tegula::simt {

/// Shorter conditions for groups that are accessed whole or one by one, and constant distances between the accesses one
/// by one, in `root`; see SimtPasses.td.
void simplifyRotatedMasks(mlir::Operation *root);

} // namespace tegula::simt
