// 8-bit floats in integer arithmetic, for what a target has no instruction for. Results are rounded once, to nearest,
// ties to even, or towards zero; beyond the largest number is what the format has: infinity or NaN
// (core/support/FloatFormats.h).
#pragma once

#include "backends/llvm/Printer.h"

#include <optional>

namespace tegula::llvmir {

/// The result of a conversion from or to an 8-bit float; nothing where `op` is none.
std::optional<Values> smallFloats(Printer &p, mlir::Operation *op);
/// Whether a cast between floats is to round so; else to nearest.
bool roundsTowardZero(mlir::Operation *op);
/// A value's elements, of 8-bit floats as f32.
Values widened(Printer &p, mlir::Value value);

} // namespace tegula::llvmir
