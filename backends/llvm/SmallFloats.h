// Converts 8-bit floats by integer arithmetic, for targets without instructions for them. Results are rounded once, to
// nearest even or towards zero, and saturate (core/support/FloatFormats.h).
#pragma once

#include "backends/llvm/Printer.h"

#include <optional>

namespace tegula::llvmir {

/// Prints `op` and returns its results, if it converts from or to an 8-bit float; nothing for other ops.
std::optional<Values> smallFloats(Printer &p, mlir::Operation *op);
/// True if a cast between floats rounds towards zero; false: to nearest even.
bool roundsTowardZero(mlir::Operation *op);
/// Casts between f16, bf16, f32 and f64, rounded to nearest even or towards zero.
Values castBetween(llvm::IRBuilder<> &b, llvm::ArrayRef<llvm::Value *> values, llvm::Type *to, bool towardZero);

} // namespace tegula::llvmir
