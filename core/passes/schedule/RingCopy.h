// Copies that fill stages of rings.
#pragma once

#include "core/ir/simt/Simt.h"

#include <optional>

namespace tegula::tile {

/// An asynchronous copy by threads or by hardware that fills a stage of a ring.
struct RingCopy {
  mlir::Operation *op; // a simt.copy or simt.copy_tile
  /// The op as a copy; nothing if it is another op.
  static std::optional<RingCopy> of(mlir::Operation *op);

  simt::CopyTileOp byHardware() const { return llvm::dyn_cast<simt::CopyTileOp>(op); }
  bool isByProducer() const { return simt::issuerOf(op) == simt::Issuer::Producer; }
  mlir::TypedValue<simt::SharedType> filled() const;
  /// The ring: a buffer of stages, of which the unexpanded loop names stage 0 only. Null if the copy fills another
  /// buffer.
  simt::SharedAllocOp ring() const;
  int64_t stages() const { return ring().getType().getStages(); }
};

/// The start of the barrier objects; null if they do not start, or are no barrier objects.
simt::StartBarriersOp startOf(mlir::Value barriers);

/// The ring of which the value is a view of a stage, possibly transposed; null for others.
simt::SharedAllocOp ringOf(mlir::Value view);

/// The ops behind the wait for a copy of a part (a producer's copy to a ring's next stage, behind its loop), up to the
/// following copy, that load this stage.
llvm::SmallVector<simt::SharedLoadOp> loadsOfPart(simt::CopyTileOp copy);

} // namespace tegula::tile
