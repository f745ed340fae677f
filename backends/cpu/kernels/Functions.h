// Functions of floats without a vectorised kernel.
#pragma once

#include "backends/cpu/bytecode/Bytecode.h"
#include "backends/cpu/kernels/KernelTable.h"

namespace tegula::cpu {

/// Computes a row of f32, in f64, or of f64, in long double, by libm. It shares no code with core/math, which GPUs use.
RowKernel functionKernel(FunctionKind kind, bool isWide);

} // namespace tegula::cpu
