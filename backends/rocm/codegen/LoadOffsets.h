// Offsets of loads through buffer resources, as one register and immediates.
#pragma once

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace tegula::rocm {

/// Loads through one resource whose offsets differ by constants of at most 12 bits get the smallest of these offsets,
/// as one register, and the differences as immediates:
///
///     buffer_load_b128 v[0:3], v8, s[0:3], 0 offen          buffer_load_b128 v[0:3], v8, s[0:3], 0 offen
///     buffer_load_b128 v[4:7], v9, s[0:3], 0 offen    ->    buffer_load_b128 v[4:7], v8, s[0:3], 0 offen offset:256
///
/// LLVM selects instructions block by block, and sees no sum in an offset that was computed before a loop.
void shareLoadOffsets(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace tegula::rocm
