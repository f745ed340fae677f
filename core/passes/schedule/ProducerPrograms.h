// A producer in a persistent kernel: it executes a loop over programs of the grid, like the kernel's warps, and both
// loops carry the places of the rings from one program to the next. Private to tile-expand-schedules.
#pragma once

#include "core/ir/simt/Simt.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

namespace tegula::tile {

/// A place in a ring of buffers: the stage, and the phase of its barrier object (docs/simt.md, "Asynchronous
/// operations").
using RingPlace = std::pair<mlir::Value, mlir::Value>;

class ProducerPrograms {
public:
  /// `loop`: the one with the producer. `once`: the producer's copies before it, of blocks that are copied once.
  ProducerPrograms(mlir::scf::ForOp loop, mlir::ArrayRef<simt::CopyTileOp> once);

  /// Whether the kernel is persistent. Otherwise nothing else may be called.
  bool exist() const { return bool(own_); }
  mlir::scf::ForOp own() { return own_; }
  /// The place of the rings with which a program of the kernel's warps begins.
  RingPlace first() { return placeFrom(own_, 0); }
  /// Makes the producer's loop over programs, lets `builder` stand in it, and copies the blocks that are copied once.
  /// Returns the place of the rings with which a program begins.
  RingPlace beginCopying(mlir::OpBuilder &builder);
  /// Ends the producer's loop. `next`: the rings' place behind the program. `builder` then stands behind the loop.
  /// Returns the place behind all programs.
  RingPlace endCopying(mlir::OpBuilder &builder, RingPlace next);
  /// The same of the loop of the kernel's warps, which has been expanded.
  void endOwn(RingPlace next);

private:
  static RingPlace placeFrom(mlir::scf::ForOp programs, unsigned first) {
    return {programs.getRegionIterArg(first), programs.getRegionIterArg(first + 1)};
  }
  /// The place, in one of the two loops, of the blocks that are copied once. It follows the rings' place.
  static RingPlace placeOfOnce(mlir::scf::ForOp programs) { return placeFrom(programs, 2); }
  int64_t onceStages() { return onceFull_.getType().getCount(); }
  void copyOnce(mlir::OpBuilder &builder);
  void readOnce();
  void handBackOnce();
  void cloneInputs();
  /// The values that a program passes on to the next one.
  mlir::SmallVector<mlir::Value> passedOn(mlir::OpBuilder &builder, mlir::scf::ForOp programs, RingPlace next);

  mlir::scf::ForOp own_, copying_; // the loops of the kernel's warps and of the producer
  llvm::SmallVector<simt::CopyTileOp> once_;
  mlir::TypedValue<simt::BarriersType>
      onceFull_; // barrier objects, one for each stage; null if no block is copied once
  mlir::Value onceEmpty_;
  simt::BarrierWaitOp onceWait_;           // of the kernel's warps
  llvm::SetVector<mlir::Value> onceViews_; // of the copied blocks, in the code of the kernel's warps
};

} // namespace tegula::tile
