// Shares the offsets of loads through buffer resources: one register and immediates.
#pragma once

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace tegula::rocm {

/// If the offsets of loads through one resource differ by constants of at most 12 bits, these loads use the smallest
/// offset as one register, and the differences as immediates:
///
///     buffer_load_b128 v[0:3], v8, s[0:3], 0 offen          buffer_load_b128 v[0:3], v8, s[0:3], 0 offen
///     buffer_load_b128 v[4:7], v9, s[0:3], 0 offen    ->    buffer_load_b128 v[4:7], v8, s[0:3], 0 offen offset:256
///
/// LLVM does not do that itself: it selects instructions block by block, so that an offset which was computed before a
/// loop is not seen as a sum.
void shareLoadOffsets(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace tegula::rocm
