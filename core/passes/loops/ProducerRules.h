// What a producer, a thread of further warps, can do of a kernel's code (docs/matrix/producer.md).
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <string>

namespace tegula::tile {

inline constexpr int32_t kProducerWarps = 4;      // hardware moves registers between groups of four warps
inline constexpr int32_t kProducerRegisters = 40; // of each of the producer's threads
/// The most warps of a kernel beside a producer. With 16, a thread would have only 104 registers; without a producer,
/// it has 128.
inline constexpr int64_t kMostConsumerWarps = 8;

/// The kernel's own warps, beside a producer.
int64_t consumerWarps(mlir::scf::ForOp loop);

/// The loop over programs of the grid in which `loop` stands; null if it stands in the kernel's body.
mlir::scf::ForOp programsAround(mlir::scf::ForOp loop);

/// Whether the loop has as many iterations in all programs: its bounds depend on the kernel's arguments and constants
/// only.
bool hasAlikeCounts(mlir::scf::ForOp loop);

/// Whether the op stands directly in a loop, other than the one over programs.
bool isInLoop(mlir::Operation *op);

/// Whether the value is an argument of the kernel, or the program's number in a loop over programs.
bool isOfKernel(mlir::Value value);

/// Whether the producer, too, can execute the op, one of the kernel's body: a pure op on scalars, or a branch of them.
bool canRepeatInProducer(mlir::Operation *op);

/// Returns an empty text if a producer can start the loop's copies, else the reason why it cannot. `operands`: the
/// copies' operands of integer type, such as the positions of blocks. A producer's copies begin with the kernel, so all
/// of this must hold:
/// - the loop stands in the kernel's body, or in its loop over programs, and nothing before it has to happen before the
///   copies, such as a store;
/// - the operands and the loop's bounds are computed from arguments, program ids and constants alone, possibly through
///   values that the loop carries;
/// - no other loop of the kernel has a producer, and the kernel does not print;
/// - the target's warps can move registers, and the kernel has 4 or 8 warps.
std::string obstacleToProducer(mlir::scf::ForOp loop, mlir::ArrayRef<mlir::Value> operands);

/// Why the loop's products cannot be issued in turns by two groups of warps; empty if they can. Each product must take
/// half of the kernel's warps. Between its first and its last product of an iteration a group must not wait for the
/// other group.
std::string obstacleToTurns(mlir::scf::ForOp loop);

} // namespace tegula::tile
