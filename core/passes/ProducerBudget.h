// How many registers a kernel's threads have beside a producer (docs/matrix.md, "A producer for copies by hardware").
// tile-pipeline-copies asks before it makes the producer, simt-split-producer divides them.
#pragma once

#include "core/ir/simt/Target.h"

#include <algorithm>

namespace tegula::simt {

/// Registers of a thread that a kernel needs beside the values of its loop: addresses, numbers of stages, masks.
inline constexpr int64_t kRegistersBesideLoop = 40;

/// Bytes of shared memory that the device keeps for each program.
inline constexpr int64_t kSharedOfProgram = 1 << 10;

/// How many programs with `bytes` of shared memory each fit the `sharedBytes` of a multiprocessor.
inline int64_t programsByShared(int64_t sharedBytes, int64_t bytes) { return sharedBytes / (bytes + kSharedOfProgram); }

/// Registers of 32 bits that a thread has.
struct ProducerBudget {
  int64_t atEntry; // every thread, as the kernel begins
  int64_t own;     // a thread of the kernel's own warps, after the producer's threads have given some of theirs to them
};

/// For a producer of `producerWarps` warps that keeps `producerRegisters` registers a thread. `programs`: how many of
/// the kernel are to run on a multiprocessor at a time.
inline ProducerBudget producerBudget(const TargetFeatures &features, int64_t ownWarps, int64_t producerWarps,
                                     int64_t producerRegisters, int64_t warpSize, int64_t programs) {
  constexpr int64_t kStep = 8; // hardware gives registers in multiples of it
  auto roundedDown = [](int64_t registers) { return registers / kStep * kStep; };
  int64_t warps = ownWarps + producerWarps, most = roundedDown(features.threadRegisterBytes / 4);
  int64_t each = std::min(most, roundedDown(features.registerBytes / 4 / programs / (warps * warpSize)));
  return {each, std::min(most, roundedDown((each * warps - producerRegisters * producerWarps) / ownWarps))};
}

/// How many programs may run on a multiprocessor at a time: a thread then needs registers for the values of its loops
/// and `beside` more, and at least `least`. Measured with attention of 64 queries by 64 keys, whose loop takes 86
/// registers: three programs are 1.15 times as fast as two (docs/lab/2026-11-28-attention-forward.md).
struct Sharing {
  int64_t programs, beside, least;
  /// Whether there are enough registers, `ofLoops` of which are for the values of loops.
  bool isEnough(const ProducerBudget &budget, int64_t ofLoops) const {
    return std::max(ofLoops + beside, least) <= budget.own;
  }
};
inline constexpr Sharing kSharings[] = {{3, 32, 112}, {2, kRegistersBesideLoop, 128}};

} // namespace tegula::simt
