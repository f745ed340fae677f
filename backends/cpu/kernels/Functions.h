// Row kernels for the functions of FunctionKind.
#pragma once

#include "backends/cpu/bytecode/Bytecode.h"
#include "backends/cpu/kernels/KernelTable.h"

namespace tegula::cpu {

/// Returns the kernel that computes a row of the function. `isWide`: a row of f64, computed by libm in long double;
/// otherwise a row of f32, computed by the kernel in `table.functions` if there is one, else by libm in f64. These
/// kernels share no code with core/math, which GPUs use.
RowKernel functionKernel(const KernelTable &table, FunctionKind kind, bool isWide);

} // namespace tegula::cpu
