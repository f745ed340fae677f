// The budget of a kernel: the shared memory and the registers that passes may plan with, and how many programs of the
// kernel then run on a multiprocessor at a time. Passes read these properties of the target here only, so that each
// share, and the reason for it, stands in one place. What is taken already is in the IR: simt.shared_alloc and
// simt.barrier_alloc. `--explain=budget` prints the account of a finished kernel.
#pragma once

#include "core/ir/simt/Target.h"

#include <algorithm>

namespace tegula::simt {

/// The topic of the account's remarks (Explain.h).
inline constexpr llvm::StringLiteral kBudgetTopic = "budget";

/// Registers that a thread needs in addition to the values of its loop: addresses, stage numbers, masks.
inline constexpr int64_t kRegistersBesideLoop = 40;

/// How many 32-bit registers a thread of a kernel with a producer may use.
struct ProducerBudget {
  int64_t atEntry;  // of every thread when the kernel begins
  int64_t consumer; // of a consumer warp's thread, after the producer's threads have given up registers
};

/// The least number of registers at entry beyond a product's result: with fewer, assemblers reject the product.
inline constexpr int64_t kRegistersBesideResult = 26;

/// An occupancy that is tried: `programs` programs run on a multiprocessor at a time. A thread then needs registers for
/// the values of its loops and `beside` more, and at least `least`. Measured with attention of 64 queries by 64 keys,
/// whose loop takes 86 registers: three programs are 1.15 times as fast as two
/// (docs/lab/2026-11-28-attention-forward.md).
struct Occupancy {
  int64_t programs, beside, least;
  /// Whether a consumer warp's thread has enough registers in this budget, if the values of the kernel's loops take
  /// `ofLoops` registers, and the largest result of a product takes `ofResult`.
  bool isEnough(const ProducerBudget &budget, int64_t ofLoops, int64_t ofResult) const {
    return std::max(ofLoops + beside, least) <= budget.consumer && ofResult + kRegistersBesideResult <= budget.atEntry;
  }
};
inline constexpr Occupancy kOccupancies[] = {{3, 32, 112}, {2, kRegistersBesideLoop, 128}};

class Budget {
public:
  explicit Budget(const TargetFeatures &features) : features_(features) {}
  /// The budget of kernels in the module that is or contains `op`.
  explicit Budget(mlir::Operation *op) : features_(targetOf(op).features) {}

  // --- shared memory, in bytes ---

  /// The most that a program may use; 0 if the target has no limit.
  int64_t shared() const { return features_.sharedBytes; }
  /// The most for buffers of products' operands: a quarter is reserved for exchanges between threads.
  int64_t sharedForOperands() const { return shared() / 4 * 3; }
  /// The most for a product's operands outside of loops, where two programs on a multiprocessor are worth more than a
  /// buffer: two more barriers cost less than a compute unit that is half idle.
  int64_t sharedForTwoPrograms() const { return shared() / 2; }
  /// The most for each of `count` blocks that hardware copies out, together with the buffers that are alive after the
  /// kernel's last product. A single block may be 128x256 elements of 32 bits where there are 227 KiB.
  int64_t sharedForResult(size_t count) const { return count == 1 ? shared() / 8 * 5 : shared() / 2; }

  // --- registers, in bytes of a thread ---

  /// The most of a thread, whatever the number of threads.
  int64_t mostRegisterBytes() const { return features_.threadRegisterBytes; }
  /// The most of each of a program's `threads` threads, if the program has a multiprocessor to itself.
  int64_t registerBytes(int64_t threads) const {
    return std::min(features_.threadRegisterBytes, features_.registerBytes / threads);
  }
  /// The most for values that a loop carries because it delays products: a quarter is reserved for everything else.
  int64_t registerBytesForDelayed(int64_t threads) const { return features_.registerBytes / threads / 4 * 3; }
  /// The most for a result and the blocks that are joined with it: a fifth is reserved for addresses, masks and the
  /// values of the loop.
  int64_t registerBytesForResult() const { return features_.threadRegisterBytes / 5 * 4; }

  // --- programs on a multiprocessor ---

  /// How many fit its shared memory, if each uses `bytes`.
  int64_t programsByShared(int64_t bytes) const { return shared() / (bytes + kSharedOfProgram); }
  /// The same, if each uses `bytes` and exchanges between threads, whose bytes are not known yet.
  int64_t programsBySharedAtMost(int64_t bytes) const {
    return (shared() + kSharedOfProgram) / (bytes + kSharedOfProgram);
  }
  /// How many programs of `threads` threads fit its registers, if each thread uses `registers` of 32 bits.
  int64_t programsByRegisters(int64_t threads, int64_t registers) const {
    return features_.registerBytes / 4 / (threads * registers);
  }
  /// The registers of a kernel with `consumerWarps` consumer warps and a producer of `producerWarps` warps that keeps
  /// `producerRegisters` registers a thread, if `programs` programs are to run there at a time (the occupancy).
  ProducerBudget ofProducer(int64_t consumerWarps, int64_t producerWarps, int64_t producerRegisters, int64_t warpSize,
                            int64_t programs) const {
    constexpr int64_t kStep = 8; // hardware allocates registers in multiples of this
    auto roundedDown = [](int64_t registers) { return registers / kStep * kStep; };
    int64_t warps = consumerWarps + producerWarps, most = roundedDown(features_.threadRegisterBytes / 4);
    int64_t each = std::min(most, roundedDown(features_.registerBytes / 4 / programs / (warps * warpSize)));
    return {each, std::min(most, roundedDown((each * warps - producerRegisters * producerWarps) / consumerWarps))};
  }

private:
  static constexpr int64_t kSharedOfProgram = 1 << 10; // bytes that the device reserves for each program

  TargetFeatures features_;
};

} // namespace tegula::simt
