// The copies of a scheduled loop that a producer starts: makes the producer, and lets the loop's warps wait for full
// stages and hand empty ones back (docs/matrix/producer.md). Private to tile-expand-schedules.
#pragma once

#include "core/passes/schedule/LoopSchedule.h"
#include "core/passes/schedule/ProducerPrograms.h"

#include <optional>

namespace tegula::tile {

/// Why a producer cannot start the copy, one outside of its loop; empty if it can.
std::string obstacleOutsideLoop(simt::CopyTileOp copy);

class ProducerLoop {
public:
  /// `loop`: the expander's; it is replaced by others while it is expanded.
  ProducerLoop(mlir::scf::ForOp &loop, LoopSchedule &schedule);

  /// The stage, in rings of so many stages, that the loop's first iteration reads.
  mlir::Value firstStage(mlir::OpBuilder &before, int64_t stages);
  /// Whether a producer starts the loop's copies. Otherwise nothing of the following may be called.
  bool isUsed() const { return !groups_.empty(); }
  /// Stages of each ring.
  int64_t stages() const { return stages_; }
  /// Makes the producer, a loop with the same iterations, and the barrier objects of empty stages. The loop is not yet
  /// expanded.
  void make();
  /// Initial values that the loop carries: the phase of the stage that it reads, and whose turn it is.
  llvm::SmallVector<mlir::Value> inits(mlir::OpBuilder &before);
  /// Takes the loop's arguments for these values, and the one with the stage that the iteration reads.
  void take(mlir::BlockArgument stage, mlir::ArrayRef<mlir::BlockArgument> carried);
  /// The next iteration's values.
  llvm::SmallVector<mlir::Value> next(mlir::OpBuilder &builder);
  /// Replaces the loop's waits for copies, and erases these.
  void replaceCopies();
  /// Emits what needs the expanded loop: waits for the stage before, the hand-over of stages, turns, and the code
  /// behind the loop.
  void finish();

private:
  /// Copies whose stages become full and empty together.
  struct Group {
    llvm::SmallVector<simt::CopyTileOp> copies;
    llvm::SmallVector<simt::SharedAllocOp> rings;
    mlir::Value full, empty; // one barrier object for each stage: copies arrive at `full`, the loop's warps at `empty`
    bool handsBackPrevious = false; // an iteration hands back the stage of the previous iteration
    bool waitsForPrevious = true;   // an iteration waits for the copies of the previous iteration, and only for these
  };
  /// A copy to the next stage behind the loop, its wait, and the loads from that stage.
  struct Part {
    simt::CopyTileOp copy;
    simt::WaitTilesOp wait;
    llvm::SmallVector<simt::SharedLoadOp> loads;
  };

  /// Makes barrier objects behind `alloc`, and starts them behind `start`.
  simt::StartBarriersOp startAfter(mlir::Operation *alloc, simt::StartBarriersOp start, int64_t objects, int64_t count);
  void moveBehindCaptures(simt::ProducerOp producer);
  void findParts();
  /// Makes the producer's loop, which begins at `place`. Returns the place behind it.
  RingPlace copyInLoop(mlir::OpBuilder &builder, RingPlace place);
  /// The producer's copies behind its loop. Returns the place behind them.
  RingPlace copyParts(mlir::OpBuilder &builder, RingPlace place);
  void copyBeforeLoop(mlir::OpBuilder &builder);
  void findPeer();
  void waitForPeer(mlir::OpBuilder &builder, RingPlace place);
  void clearBeforeFirst();
  void waitUntilEmpty(mlir::OpBuilder &builder, const Group &group, RingPlace place);
  void waitUntilFull(mlir::OpBuilder &builder, const Group &group, RingPlace place);
  /// The place of the previous iteration's stage.
  RingPlace placeBefore(mlir::OpBuilder &builder, RingPlace place);
  void handBack(const Group &group);
  void takeTurns();
  /// Behind the loop, at `place`, the threads' side of copyParts.
  RingPlace readParts(RingPlace place);
  void endBarriers();
  void moveBehindReaders(mlir::OpBuilder &after);
  /// Lets the loop's warps hand the stage back, in a cluster to both programs.
  simt::ArriveWarpsOp arrive(mlir::OpBuilder &builder, const Group &group, mlir::Value stage);
  /// Whether the op, a product or a load to registers, reads a ring of the group.
  bool reads(mlir::Operation *op, const Group &group);
  mlir::Value number(mlir::OpBuilder &builder, int64_t value);

  mlir::scf::ForOp &loop_;
  int64_t stages_ = 0;
  llvm::SmallVector<Group> groups_;
  llvm::SmallVector<Part> parts_;
  llvm::SmallVector<simt::CopyTileOp> once_; // copies before the loop, of blocks that are copied once
  std::optional<ProducerPrograms> programs_; // from make() on
  bool isShared_ = false;                    // programs of a cluster copy blocks to each other
  mlir::Operation *lastOfParts_ = nullptr;   // the last op that uses a part
  mlir::Value peerRank_;                     // in a cluster: the other program's, or its own if there is no other
  bool inTurns_ = false;
  mlir::Value ownGroup_, otherGroup_; // numbers of the thread's own group of warps and of the other one, for turns
  mlir::Value turns_;                 // barrier objects of turns, one for each group
  mlir::BlockArgument stage_, phase_, turn_;
};

} // namespace tegula::tile
