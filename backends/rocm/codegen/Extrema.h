// Combines maxima and minima of three operands.
#pragma once

namespace llvm {
class Module;
}

namespace tegula::rocm {

/// Rewrites trees of f32 maxima, or minima, to the form from which LLVM selects v_max3_f32 and v_min3_f32. A node with
/// four operands below it is rewritten as follows; the result takes two instructions, one for max(max(a, b), c) and one
/// for the maximum with d:
///
///     max(max(a, b), max(c, d))   becomes   max(max(max(a, b), c), d)
///
/// A tree of n operands then takes n / 2 instructions; as a binary tree it takes two thirds of n. The order of the
/// operands changes a result only in the choice between +0 and -0, which IEEE 754 leaves open for these operations.
void combineExtrema(llvm::Module &module);

} // namespace tegula::rocm
