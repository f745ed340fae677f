// Register budgets: how many registers the threads of a kernel with a producer may use (docs/matrix/producer.md).
// tile-pipeline-copies checks the budget before it makes a producer; simt-specialize-warps assigns the registers.
#pragma once

#include "core/ir/simt/Target.h"

#include <algorithm>

namespace tegula::simt {

/// Registers that a thread needs in addition to the values of its loop: addresses, stage numbers, masks.
inline constexpr int64_t kRegistersBesideLoop = 40;

/// Bytes of shared memory that the device reserves for each program.
inline constexpr int64_t kSharedOfProgram = 1 << 10;

/// How many programs fit a multiprocessor's shared memory of `sharedBytes`, if each uses `bytes`.
inline int64_t programsByShared(int64_t sharedBytes, int64_t bytes) { return sharedBytes / (bytes + kSharedOfProgram); }

/// How many programs of `threads` threads fit a multiprocessor's registers, if each thread uses `registers` of 32 bits.
inline int64_t programsByRegisters(const TargetFeatures &features, int64_t threads, int64_t registers) {
  return features.registerBytes / 4 / (threads * registers);
}

/// How many 32-bit registers a thread of a kernel with a producer may use.
struct ProducerBudget {
  int64_t atEntry;  // of every thread when the kernel begins
  int64_t consumer; // of a consumer warp's thread, after the producer's threads have given up registers
};

/// The budget of a kernel with `consumerWarps` consumer warps and a producer of `producerWarps` warps that keeps
/// `producerRegisters` registers a thread. `programs`: how many programs are to run on a multiprocessor at a time (the
/// occupancy).
inline ProducerBudget producerBudget(const TargetFeatures &features, int64_t consumerWarps, int64_t producerWarps,
                                     int64_t producerRegisters, int64_t warpSize, int64_t programs) {
  constexpr int64_t kStep = 8; // hardware allocates registers in multiples of this
  auto roundedDown = [](int64_t registers) { return registers / kStep * kStep; };
  int64_t warps = consumerWarps + producerWarps, most = roundedDown(features.threadRegisterBytes / 4);
  int64_t each = std::min(most, roundedDown(features.registerBytes / 4 / programs / (warps * warpSize)));
  return {each, std::min(most, roundedDown((each * warps - producerRegisters * producerWarps) / consumerWarps))};
}

/// An occupancy that is tried: `programs` programs run on a multiprocessor at a time. A thread then needs registers for
/// the values of its loops and `beside` more, and at least `least`. Measured with attention of 64 queries by 64 keys,
/// whose loop takes 86 registers: three programs are 1.15 times as fast as two
/// (docs/lab/2026-11-28-attention-forward.md).
struct Occupancy {
  int64_t programs, beside, least;
  /// Whether a consumer warp's thread has enough registers in this budget, if the values of the kernel's loops take
  /// `ofLoops` registers: for these and `beside` more, and at least `least`.
  bool isEnough(const ProducerBudget &budget, int64_t ofLoops) const {
    return std::max(ofLoops + beside, least) <= budget.consumer;
  }
};
inline constexpr Occupancy kOccupancies[] = {{3, 32, 112}, {2, kRegistersBesideLoop, 128}};

} // namespace tegula::simt
