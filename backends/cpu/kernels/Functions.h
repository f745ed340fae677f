// The functions of FunctionKind.
#pragma once

#include "backends/cpu/bytecode/Bytecode.h"
#include "backends/cpu/kernels/KernelTable.h"

namespace tegula::cpu {

/// Computes a row of f64 (`isWide`), in long double, by libm, or of f32: by the table's own kernel or else, in f64, by
/// libm. It shares no code with core/math, which GPUs use.
RowKernel functionKernel(const KernelTable &table, FunctionKind kind, bool isWide);

} // namespace tegula::cpu
