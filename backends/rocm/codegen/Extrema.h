// Maxima and minima of three operands.
#pragma once

namespace llvm {
class Module;
}

namespace tegula::rocm {

/// Gives trees of maxima of f32, and of minima, the form that LLVM selects v_max3_f32 and v_min3_f32 from, at each
/// node:
///
///     max(max(a, b), max(c, d))   becomes   max(max(max(a, b), c), d): one instruction for the inner two, one more
///
/// A tree of n operands takes n / 2 instructions, as a binary tree it takes two thirds of n. The order of the operands
/// changes no result but which of +0 and -0 is the larger one, which IEEE 754 leaves open for these operations.
void combineExtrema(llvm::Module &module);

} // namespace tegula::rocm
