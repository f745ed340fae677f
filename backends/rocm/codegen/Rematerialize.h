// Computes values that only some iterations of a loop need in the blocks that use them (rematerialization).
#pragma once

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace tegula::rocm {

/// A loop-invariant value takes a register in all iterations, even if only some of them use it, or only code after the
/// loop does. LLVM keeps such values, and hoists computations out of loops, which makes more of them:
///
///     %j3 = add i32 %lane, 3              ; before the loop
///     rare:  %inside = icmp slt i32 %j3, %end
///
/// If few integer instructions compute such a value from a single value that differs between lanes, it is computed
/// again in each block that uses it, from a copy that LLVM cannot see through and therefore does not hoist. Uniform
/// values are not changed: they take scalar registers, of which there are enough. Comparisons in the loop that only
/// such blocks use are repeated in these blocks, too.
void rematerialize(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace tegula::rocm
