// NVIDIA's matrix instructions as rows of data. Source: PTX ISA, "Matrix Fragments for mma.m16n8k..." and "Register
// Fragments and Shared Memory Matrix Layouts" of wgmma.
#pragma once

#include "core/target/MatrixInstruction.h"

namespace tegula::cuda {

/// mma.sync of sm_75 and later, then wgmma of sm_90a for n = 8, 16, ... 256. A name consists of the PTX instruction,
/// its shape, the type of C and D, and the type of A and B: `mma.m16n8k16.f32.f16`.
std::span<const MatrixInstruction> matrixInstructions();

/// The first architecture version that has an instruction of the table: 75, 80, or 90 (sm_90a only).
unsigned leastVersion(const MatrixInstruction &row);

/// Names of some instructions, one of each kind, for messages.
std::vector<std::string> exampleInstructions();

} // namespace tegula::cuda
