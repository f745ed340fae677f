// Converts 8-bit floats by integer arithmetic, for targets without instructions for them. Results are rounded once, to
// nearest even or towards zero, and saturate (core/support/FloatFormats.h).
#pragma once

#include "backends/llvm/Printer.h"

#include <optional>

namespace tegula::llvmir {

/// The results of a conversion between floats of which one is an 8-bit float; nothing if `op` is no such conversion.
std::optional<Values> smallFloats(Printer &p, mlir::Operation *op);
/// True if a cast between floats rounds towards zero; false: to nearest even.
bool roundsTowardZero(mlir::Operation *op);
/// Casts between f16, bf16, f32 and f64, rounded to nearest even or towards zero.
Values castBetween(llvm::IRBuilder<> &b, llvm::ArrayRef<llvm::Value *> values, llvm::Type *to, bool towardZero);

} // namespace tegula::llvmir
