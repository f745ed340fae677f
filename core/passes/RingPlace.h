// Emits arithmetic on places in a ring of buffers: the place of an iteration is the stage that it uses and the phase of
// this stage's barrier object (docs/simt.md, "Asynchronous operations").
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <utility>

namespace tegula::simt {

/// Emits the number of a stage or phase: a constant of type i32.
inline mlir::Value placeNumber(mlir::OpBuilder &builder, mlir::Location location, int64_t value) {
  return mlir::arith::ConstantOp::create(builder, location, builder.getI32IntegerAttr(int32_t(value)));
}

/// Emits `stage - 1` modulo `stages`.
inline mlir::Value stageBefore(mlir::OpBuilder &builder, mlir::Location location, mlir::Value stage, int64_t stages) {
  using namespace mlir;
  Value isFirst =
      arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq, stage, placeNumber(builder, location, 0));
  Value lower = arith::SubIOp::create(builder, location, stage, placeNumber(builder, location, 1));
  return arith::SelectOp::create(builder, location, isFirst, placeNumber(builder, location, stages - 1), lower);
}

/// Emits `stage + 1` modulo `stages`.
inline mlir::Value stageAfter(mlir::OpBuilder &builder, mlir::Location location, mlir::Value stage, int64_t stages) {
  using namespace mlir;
  Value isLast = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq, stage,
                                       placeNumber(builder, location, stages - 1));
  Value later = arith::AddIOp::create(builder, location, stage, placeNumber(builder, location, 1));
  return arith::SelectOp::create(builder, location, isLast, placeNumber(builder, location, 0), later);
}

/// Emits the phase behind `stage`: the other phase if this is the last stage.
inline mlir::Value phaseAfter(mlir::OpBuilder &builder, mlir::Location location, mlir::Value stage, mlir::Value phase,
                              int64_t stages) {
  using namespace mlir;
  Value isLast = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq, stage,
                                       placeNumber(builder, location, stages - 1));
  Value other = arith::XOrIOp::create(builder, location, phase, placeNumber(builder, location, 1));
  return arith::SelectOp::create(builder, location, isLast, other, phase);
}

/// Emits the place after (stage, phase): `stage + 1` in the same phase; after the last stage, stage 0 in the other
/// phase.
inline std::pair<mlir::Value, mlir::Value> placeAfter(mlir::OpBuilder &builder, mlir::Location location,
                                                      mlir::Value stage, mlir::Value phase, int64_t stages) {
  return {stageAfter(builder, location, stage, stages), phaseAfter(builder, location, stage, phase, stages)};
}

} // namespace tegula::simt
