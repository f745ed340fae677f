// Row kernels for the functions of FunctionKind.
#pragma once

#include "backends/cpu/bytecode/Bytecode.h"
#include "backends/cpu/kernels/KernelTable.h"

namespace tegula::cpu {

/// A kernel that computes a row of f64 (`isWide`) by libm in long double, or a row of f32 by the table's own kernel or
/// else by libm in f64. It shares no code with core/math, which GPUs use.
RowKernel functionKernel(const KernelTable &table, FunctionKind kind, bool isWide);

} // namespace tegula::cpu
