// Which tensors should have one layout, and which one: the decisions of AssignLayouts, before anything is rewritten.
//
// Values tied by elementwise work, by loops and by branches form a group. A group gets the layout of its most demanding
// access or product; one without either gets what its neighbours across changes of shape imply, the larger group first;
// the rest a default. Values that are cheap to compute anywhere (ranges, splats, and integers and addresses made of
// them) belong to no group: whoever needs one makes it in its own layout.
#pragma once

#include "core/passes/AxisInfo.h"
#include "core/passes/LayoutChoice.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace tegula::tile {

class LayoutGroups {
public:
  LayoutGroups(mlir::func::FuncOp function, const AxisAnalysis &axes, ThreadShape threads);

  /// Recomputing the value in another layout costs less than moving it between threads.
  bool isCheap(mlir::Value value) const { return cheap_.contains(value); }
  /// Of a tensor that is not cheap.
  layout_ir::DistributedAttr layoutOf(mlir::Value value) const;
  /// Of a load, store or atomic of a tensor: its group's layout, or its own where that would waste bandwidth.
  layout_ir::DistributedAttr accessLayoutOf(mlir::Operation *op) const { return accesses_.lookup(op); }
  /// For a tensor of this type that nothing says anything about.
  layout_ir::DistributedAttr defaultLayout(mlir::Type type) const;
  /// What `tile.split` takes, where its operand's own layout will not do.
  layout_ir::DistributedAttr layoutForSplit(mlir::Value src) const;

private:
  struct Group {
    mlir::Type like;                   // shape, and the widest element
    int64_t weight = 0;                // bytes accessed
    std::optional<AccessShape> access; // of the heaviest access, as wide as any in its order
    layout_ir::DistributedAttr fixed;  // by a product
    layout_ir::DistributedAttr layout; // the decision
  };
  using Number = unsigned;

  void findCheap(mlir::func::FuncOp function);
  Number find(Number number) const;
  Number numberOf(mlir::Value value);
  void tie(mlir::Value a, mlir::Value b);
  void tieAll(mlir::ValueRange values);
  void tieOp(mlir::Operation *op);
  AccessShape shapeOfAccess(mlir::Operation *op) const;
  void collect(mlir::Operation *op);
  void decide();
  void derive(Number from);
  void settle(mlir::Value value, layout_ir::DistributedAttr layout);

  const AxisAnalysis &axes_;
  ThreadShape threads_;
  mlir::MLIRContext *context_;
  llvm::DenseSet<mlir::Value> cheap_;
  llvm::MapVector<mlir::Value, Number> numbers_; // in the order of the text, so that decisions are the same each time
  mutable llvm::SmallVector<Number> parents_;
  llvm::SmallVector<Group> groups_;                           // by root
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> members_; // by root, once tied
  llvm::SmallVector<mlir::Operation *> accessOps_;
  llvm::DenseMap<mlir::Operation *, layout_ir::DistributedAttr> accesses_;
};

/// Pointers and mask of a load, store or atomic; null where `op` is none.
mlir::Value accessedPointers(mlir::Operation *op);
mlir::Value accessMask(mlir::Operation *op);

} // namespace tegula::tile
