// Values that only some iterations of a loop need, computed where they are needed.
#pragma once

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace tegula::rocm {

/// A value that a loop does not change takes a register in all iterations, even where only some of them use it, or none
/// does: only code behind the loop. LLVM keeps such values, and moves computations out of loops to make more of them:
///
///     %j3 = add i32 %lane, 3              ; before the loop
///     rare:  %inside = icmp slt i32 %j3, %end
///
/// Where such a value is computed by few integer instructions from one that differs between lanes, this computes it
/// again in the block of its use, from a copy that LLVM cannot see through, so that it stays there. Values that are
/// equal in all lanes stay where they are: they take scalar registers, of which there are enough. Comparisons in the
/// loop that only such blocks use are repeated there, too.
void rematerialize(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace tegula::rocm
