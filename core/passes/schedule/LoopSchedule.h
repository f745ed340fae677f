// The schedule of a loop: its ops with `simt.schedule`, and the rules by which a schedule changes no result, which are
// those of docs/schedules.md. For the passes that decide, fit, check and expand schedules.
#pragma once

#include "core/passes/loops/LoopLoads.h"
#include "core/passes/schedule/RingCopy.h"

#include "llvm/ADT/SetVector.h"

#include <compare>

namespace tegula::tile {

/// When in a step an op runs: ops of lower places first, ops of one place in source order.
struct StepTime {
  int64_t place = 0;
  int64_t position = 0; // of the op in the body
  auto operator<=>(const StepTime &) const = default;
};

/// An op of the body that runs `ahead` iterations ahead, at `time` of a step.
struct ScheduledOp {
  mlir::Operation *op;
  int64_t ahead;
  StepTime time;
  /// Whether the expanded loop keeps the op as it is: it runs in its own iteration, in source order. A copy by hardware
  /// never is: it must name the stage, object and phase of its iteration.
  bool stays() const { return ahead == 0 && time.place == 0 && !mlir::isa<simt::CopyTileOp>(op); }
};

class LoopSchedule {
public:
  /// The schedule that attributes of the loop's ops say.
  explicit LoopSchedule(mlir::scf::ForOp loop);

  /// The scheduled ops, in the order in which a step executes them.
  mlir::ArrayRef<ScheduledOp> ops() const { return ops_; }
  /// Why the op, one of those that may have a schedule, directly in the body, must not run `ahead` iterations ahead at
  /// `place`, beside the scheduled ops; empty if it may. `assumed`: as for LoopWrites::obstacleOf.
  std::string obstacleTo(mlir::Operation *op, int64_t ahead, int64_t place,
                         llvm::SmallVectorImpl<ArgumentPair> *assumed = nullptr);
  /// The scheduled loads on whose results the addresses, masks or other operands of scheduled ops depend.
  llvm::SmallPtrSet<mlir::Operation *, 4> indices();
  /// Whether an op of the next iteration still reads what the copy has filled.
  bool isReadLater(RingCopy copy);
  /// The largest `ahead` of the copies that the kernel's own warps start, if the loop can carry the state of the
  /// iteration so far ahead instead of computing it anew in each step; `arguments` then gets the loop's arguments on
  /// which the copies' operands depend. 0 if the loop has no such copy that runs ahead, or cannot carry that state.
  int64_t carriedAhead(llvm::SetVector<mlir::BlockArgument> &arguments);

private:
  using Instance = std::pair<mlir::Value, int64_t>; // of a value: the one that it has so many iterations ahead

  StepTime timeAt(mlir::Operation *op, int64_t place);
  std::string obstacleToLoad(LoadOp load, int64_t ahead, StepTime time, llvm::SmallVectorImpl<ArgumentPair> *assumed);
  /// Why the op, a load or a conversion, lacks an operand at `time`, or is too late for a user; empty if neither.
  std::string obstacleToResult(mlir::Operation *op, int64_t ahead, StepTime time);
  std::string obstacleToStore(simt::SharedStoreOp store, StepTime time);
  std::string obstacleToCopy(RingCopy copy, int64_t ahead, StepTime time, llvm::SmallVectorImpl<ArgumentPair> *assumed);
  /// Why the copy, at that time, would not fill its ring rightly: a stage that is still read, a reader that does not
  /// wait, or a ring that something else uses. Empty if it would.
  std::string obstacleToFilling(RingCopy copy, int64_t ahead, StepTime time);
  std::string obstacleToWait(simt::WaitTilesOp wait, StepTime time);
  /// Why a producer cannot start the copy; empty if one can.
  std::string obstacleToProducersCopy(RingCopy copy, int64_t ahead);
  /// Why the loop's products cannot be issued in turns; empty if they can.
  std::string obstacleToTurn();
  std::string obstacleToProduct(simt::WaitProductsOp wait);
  std::string obstacleToFence(simt::FenceOp fence);
  /// Why the copy by hardware cannot be expanded: because of its operands, its barrier objects, or the other copies of
  /// its phase. Empty if it can.
  std::string obstacleToTile(simt::CopyTileOp copy, int64_t ahead);
  /// Whether a fence of asynchronous accesses runs between the two times of a step, and no op behind the first of them
  /// needs a barrier before it: the barrier between copies and product must follow the fence.
  bool hasFence(StepTime after, StepTime before);
  /// When an op of iteration i reads a stage: from `first` of step i to `last` of step i - `endsAhead`.
  struct Reading {
    StepTime first, last;
    int64_t endsAhead = 0;
  };
  /// Whether the op that reads a ring, and the wait until it has read, stand directly in the body.
  bool isInBody(mlir::Operation *reader);
  /// How the op, a user of a ring's view, reads it; nothing if it does something else.
  std::optional<Reading> readingOf(mlir::Operation *op);
  /// Why one of the op's operands, `ahead` iterations ahead, is not known at `time`; empty if all are.
  std::string obstacleToOperands(mlir::Operation *op, int64_t ahead, StepTime time);
  /// When in a step of its iteration the op, which may be nested in an op of the body, runs.
  StepTime timeOf(mlir::Operation *op);
  /// When the first wait for the copy ends, if one is in the loop.
  std::optional<StepTime> arrivalOf(RingCopy copy);
  const ScheduledOp *find(mlir::Operation *op) const;
  /// Why `value`, `ahead` iterations ahead, is not known at `time` of a step, and cannot be computed there by cheap
  /// pure ops; empty if it can. `seen` has the instances that need not be asked again; instances of scheduled loads on
  /// which the value depends are added to it, too.
  std::string obstacleTo(mlir::Value value, int64_t ahead, StepTime time, llvm::DenseSet<Instance> &seen);

  mlir::scf::ForOp loop_;
  LoopWrites writes_;
  llvm::SmallVector<ScheduledOp> ops_;
  llvm::DenseMap<mlir::Operation *, int64_t> positions_;
};

} // namespace tegula::tile
