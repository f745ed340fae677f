// The decisions of tile-assign-layouts: which tensors share a layout, and which layout. Nothing is rewritten here.
//
// Tensors that elementwise ops, loops or branches tie together form a group, which gets one layout:
//   1. a group with a product gets the product's layout: that of its matrix instruction if the instruction's element
//      mapping is known, else one for multiply-adds (none for opaque fragments, which tile-place-fragments chooses);
//   2. a group with accesses gets the layout of its heaviest access (in bytes). If products read the group as an
//   operand
//      whose lines in memory lie across the depth, each thread also takes neighbours along the depth: it transposes
//      them in registers, stores them to shared memory along the depth, and fragments are loaded with wide accesses.
//      Targets that load matrices from shared memory do not need this;
//   3. a group with neither follows a neighbour across a change of shape: after `y = tile.trans x`, the layout of x
//      decides that of y. So does a group with accesses, if the neighbour is at least four times as large;
//   4. all others get a default, whose threads have neighbours along the fast axis of the first shared buffer that the
//   group is loaded from or stored to: an operand that is scaled on its way from a ring to a product's buffer.
// Values that are cheap to recompute (ranges, splats, integers and addresses computed from them, loads from shared
// memory) belong to no group: each op that uses one gets a copy in its own layout.
#pragma once

#include "core/ir/simt/Target.h"
#include "core/passes/analysis/AxisInfo.h"
#include "core/passes/layouts/ProductLayouts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace tegula::tile {

class LayoutGroups {
public:
  LayoutGroups(mlir::func::FuncOp function, const AxisAnalysis &axes, ThreadShape threads);

  /// Whether recomputing the value in another layout is cheaper than moving it between threads.
  bool isRematerialized(mlir::Value value) const { return rematerialized_.contains(value); }
  /// Whether the value is computed again where it is needed in this other layout: a few integers or pointers of a loop,
  /// whose operands come from before the loop, where they are converted, or are such values. So the loop exchanges
  /// nothing.
  bool isMadeAgain(mlir::Value value, layout_ir::DistributedAttr layout) const;
  /// Whether there are layouts for which isMadeAgain is true.
  bool mayBeMadeAgain(mlir::Value value) const { return madeAgain_.contains(value); }
  /// The layout of a tensor for which isRematerialized is false.
  layout_ir::DistributedAttr layoutOf(mlir::Value value) const;
  /// The layout in which a load, store, copy or atomic of a tensor is executed: its group's layout, or a layout of its
  /// own if the group's layout would waste bandwidth. Null for other ops.
  layout_ir::DistributedAttr accessLayoutOf(mlir::Operation *op) const { return accesses_.lookup(op); }
  /// Whether the value is the result of a load that is executed again in `layout`, in place of a conversion of its
  /// result. True if the load would not be wider in a layout of its own, and takes few accesses in `layout`.
  bool isLoadedAsWell(mlir::Value value, layout_ir::DistributedAttr layout) const;
  bool isNarrowLoad(mlir::Operation *op) const {
    return op->getNumResults() == 1 && narrowLoads_.contains(op->getResult(0));
  }
  /// The layout of a tensor of this type that no access and no product constrains. `fastAxis`: the axis along which
  /// threads have neighbours; by default the last one.
  layout_ir::DistributedAttr defaultLayout(mlir::Type type, std::optional<unsigned> fastAxis = {}) const;
  /// The layouts of a dot or product whose matrix instruction has a known element mapping; null for other dots and
  /// products.
  const ProductLayouts *layoutsOfProduct(mlir::Operation *product) const;
  /// The layout in which `tile.split` takes its operand: the operand's layout, if one register bit of it selects the
  /// half.
  layout_ir::DistributedAttr layoutForSplit(SplitOp split) const;

private:
  struct Group {
    mlir::Type like;    // the members' shape, with the widest element
    int64_t weight = 0; // bytes of the heaviest access; 0: the group has neither an access nor a product
    // the axes' order in the heaviest access, and the greatest width of the group's accesses with this order
    std::optional<AccessShape> access;
    std::optional<int64_t> edgeWidth;   // the smallest width among its edge accesses (EdgeAccess.h)
    layout_ir::DistributedAttr fixed;   // the layout that a product prescribes
    bool isFinal = false;               // no later product may change `fixed`
    unsigned runAxis = 0;               // for an operand of products: the axis of the depth
    int64_t run = 1;                    // and how many neighbours along it a thread holds of a fragment
    std::optional<unsigned> storedAxis; // the axis along which a shared buffer that it is stored to holds neighbours
    // the axis along which the first shared buffer that the group is loaded from or stored to holds neighbours
    std::optional<unsigned> bufferAxis;
    layout_ir::DistributedAttr layout; // the chosen layout
  };
  using Number = unsigned;

  static int64_t elementsOf(mlir::Type type);
  static int64_t bytesOf(mlir::Type type); // of one element

  void findRematerialized(mlir::func::FuncOp function);
  void findMadeAgain(mlir::Operation *op);
  void findNarrowLoad(mlir::Operation *op);
  /// Whether an op directly in the body of `around`, if that is a loop, can have the value in another layout without an
  /// exchange in the loop.
  bool isCheapIn(mlir::Value value, mlir::Operation *around) const;
  Number find(Number number) const;
  Number numberOf(mlir::Value value);
  void tie(mlir::Value a, mlir::Value b);
  void tieAll(mlir::ValueRange values);
  void tieOp(mlir::Operation *op);
  AccessShape shapeOfAccess(mlir::Operation *op) const;
  /// The most bytes that one access of the op can move.
  int64_t mostBytesOf(mlir::Operation *op) const;
  /// Whether an atomic may be executed in its group's layout: it is about as wide there as in a layout of its own. How
  /// its lanes fill sectors is ignored, because better filling would not pay for an exchange.
  bool suitsAtomic(mlir::Operation *op, layout_ir::DistributedAttr layout, const AccessShape &access) const;
  /// The width of a load or store that may be narrow at edges (EdgeAccess.h); 1 for other accesses.
  int64_t edgeWidthOf(mlir::Operation *op) const;
  /// The heaviest access of the group; its `runAxis` and `run` are those of the group. A group that is loaded element
  /// by element and stored to shared memory has its run along the lines of the buffer, so that stores are wide.
  static AccessShape accessOf(const Group &group);
  /// Makes the depth the run axis (AccessShape::runAxis) of the group that contains a product's operand. A thread then
  /// takes as many neighbours along the depth as its registers hold in `fragments`, the operand's layout for the
  /// product, but at most 16 bytes.
  void takeRun(mlir::Value operand, unsigned depthAxis, layout_ir::DistributedAttr fragments);
  /// Makes the depth the run axis of the group that contains an operand, if the operand has elements of 8 bits; no
  /// change for other operands. For targets with an instruction that loads fragments from shared memory: it cannot
  /// transpose bytes, so threads transpose them in registers.
  void takeByteRun(mlir::Value operand, unsigned depthAxis);
  void takeRun(mlir::Value operand, unsigned depthAxis, int64_t run);
  /// Notes that the value's group is stored to this buffer of shared memory.
  void takeStoredAxis(mlir::Value value, simt::SharedType buffer);
  /// Notes that the value's group is loaded from this buffer of shared memory, or stored to it.
  void takeBuffer(mlir::Value value, simt::SharedType buffer);
  /// Notes that what is computed from the value element by element comes from this buffer. Values that are
  /// rematerialized, such as packed integers, belong to no group; those computed from them do.
  void takeBufferOfUsers(mlir::Value value, simt::SharedType buffer);
  /// The layout of an access that would be slow in its group's layout. A load in the group of a product's result gets
  /// the product's layout with bits of lanes and registers swapped (withRuns), if the load is then fast: shuffles
  /// convert the loaded tensor. All other accesses get accessLayout.
  layout_ir::DistributedAttr ownLayoutOf(mlir::Operation *op, layout_ir::DistributedAttr ofGroup,
                                         const AccessShape &access) const;
  void collect(mlir::Operation *op);
  void decide();
  void derive(Number from);
  /// A layout for the value's group that differs from `layout` only in the order of registers, if the group's accesses
  /// are about as fast in it as in layouts of their own; else null.
  layout_ir::DistributedAttr forAccesses(mlir::Value value, layout_ir::DistributedAttr layout);
  void settle(mlir::Value value, layout_ir::DistributedAttr layout);

  const AxisAnalysis &axes_;
  ThreadShape threads_;
  bool narrowsEdges_;
  TargetFeatures features_;
  int64_t swappedLaneBits_; // the target's limit on swaps (withRuns)
  mlir::MLIRContext *context_;
  llvm::DenseSet<mlir::Value> rematerialized_, madeAgain_;
  // results of loads that no layout would make wider than one element, or that have at most one element for each thread
  llvm::DenseMap<mlir::Value, AccessShape> narrowLoads_;
  llvm::MapVector<mlir::Value, Number> numbers_; // in source order, so that decisions are deterministic
  mutable llvm::SmallVector<Number> parents_;
  llvm::SmallVector<Group> groups_; // indexed by the group's root
  // the values of each group, indexed by the group's root; filled once all groups are formed
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> members_;
  llvm::SmallVector<mlir::Operation *> accessOps_;
  llvm::DenseMap<mlir::Operation *, layout_ir::DistributedAttr> accesses_;
  llvm::DenseMap<mlir::Operation *, ProductLayouts> products_;
};

/// The pointers and the mask of a load, store, copy or atomic; null for other ops.
mlir::Value accessedPointers(mlir::Operation *op);
mlir::Value accessMask(mlir::Operation *op);

} // namespace tegula::tile
