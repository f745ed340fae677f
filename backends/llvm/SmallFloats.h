// 8-bit floats in integer arithmetic, for targets without instructions. Results are rounded once, to nearest even or
// towards zero, and saturate (core/support/FloatFormats.h).
#pragma once

#include "backends/llvm/Printer.h"

#include <optional>

namespace tegula::llvmir {

/// The results of a conversion between floats, one of them an 8-bit float; nothing where `op` is none.
std::optional<Values> smallFloats(Printer &p, mlir::Operation *op);
/// Whether a cast between floats rounds towards zero; else it rounds to nearest even.
bool roundsTowardZero(mlir::Operation *op);
/// Casts between f16, bf16, f32 and f64, rounded to nearest even or towards zero.
Values castBetween(llvm::IRBuilder<> &b, llvm::ArrayRef<llvm::Value *> values, llvm::Type *to, bool towardZero);

} // namespace tegula::llvmir
