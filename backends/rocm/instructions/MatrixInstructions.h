// The matrix instructions of AMD GPUs as rows of data. Source: the CDNA 3, RDNA 3 and RDNA 4 instruction set manuals
// and the element mappings that AMD's matrix instruction calculator prints.
#pragma once

#include "core/target/MatrixInstruction.h"

namespace tegula::rocm {

/// The suffix of the names of instructions that are issued with exchanged operands.
inline constexpr std::string_view kTransposed = ".transposed";

/// MFMA of gfx90a and gfx942 (64 lanes), then WMMA of gfx11 and gfx12 (32 lanes), then all of them again with exchanged
/// operands. The layouts of the two WMMA families differ, so their names end in `.gfx11` and `.gfx12`.
std::span<const MatrixInstruction> matrixInstructions();

/// Names of some instructions, one of each kind, for messages.
std::vector<std::string> exampleInstructions();

} // namespace tegula::rocm
