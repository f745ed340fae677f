// Pairs of programs of a persistent kernel that copy blocks to each other (docs/matrix/producer.md, "Clusters: two
// programs share their copies").
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tegula::simt {

inline constexpr int32_t kClusterPrograms = 2;

/// The other program of a cluster. `program`: its number in the grid, which differs from the program's own in the last
/// bit only (simt.cluster_rank). `exists`: whether the grid has a program with this number.
struct ClusterPeer {
  mlir::Value program, exists;
};

/// Emits the peer of the program whose iteration of the loop over programs this is.
inline ClusterPeer clusterPeer(mlir::OpBuilder &builder, mlir::scf::ForOp programs) {
  using namespace mlir;
  Location location = programs.getLoc();
  static_assert(kClusterPrograms == 2);
  Value one = arith::ConstantOp::create(builder, location, builder.getI32IntegerAttr(1));
  Value peer = arith::XOrIOp::create(builder, location, programs.getInductionVar(), one);
  return {peer, arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ult, peer, programs.getUpperBound())};
}

} // namespace tegula::simt
