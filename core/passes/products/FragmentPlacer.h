// Decides which values of a kernel are held in fragments of an opaque matrix instruction, and in which fragment layout,
// and changes their types.
#pragma once

#include "core/ir/simt/Target.h"
#include "core/passes/Budget.h"
#include "core/passes/layouts/LayoutGroups.h"
#include "core/passes/products/ProductChoice.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>

namespace tegula::tile {

/// The layout attribute of the value's tensor type.
inline mlir::Attribute encodingOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType()).getEncoding();
}

/// The kind of line that a broadcast repeats: a column (extent 1 along the last axis) or a row (extent 1 along the axis
/// before). Nothing if it repeats along both axes or along neither.
std::optional<layout_ir::FragmentsKind> repeatedLine(BroadcastOp broadcast);

/// Whether the value is a broadcast of a row or of a column.
bool isRowOrColumn(mlir::Value value);

/// Whether all elements have the same value.
bool isSplat(mlir::Value value);

/// Whether the op only renames or moves elements: it adds an axis, repeats a line, or converts a layout.
inline bool passesFragments(mlir::Operation *op) {
  return llvm::isa<ExpandDimsOp, BroadcastOp, simt::ConvertLayoutOp>(op);
}

/// Decides which values of one kernel are held in fragments. There are two modes:
///
/// - Accumulators only. The values on a path from a product's result to a product's accumulator are held in fragments,
///   such as a loop-carried sum. The warps share the rows and the columns of an accumulator among them (`divided` in
///   PlaceFragments.cpp).
/// - Rows (`holdsRows_`, the policy `rowsInFragments`). The values computed from a result, element by element or row by
///   row, up to the left operand of another product are also held in fragments. In an attention these are the scores,
///   their row maxima, their exponentials and the row sums. Warps divide rows only, so each warp has whole rows and
///   reduces them by itself.
class FragmentPlacer {
public:
  FragmentPlacer(mlir::func::FuncOp function, const simt::Target &target)
      : function_(function), policies_(target.policies), sharedBytes_(simt::Budget(target.features).shared()),
        warps_(simt::kernelWarps(function)), warpSize_(simt::kernelWarpSize(function)),
        holdsRows_(target.policies.rowsInFragments) {}

  void run();

private:
  using FragmentsAttr = layout_ir::FragmentsAttr;
  using FragmentsKind = layout_ir::FragmentsKind;
  using Values = llvm::SmallVector<mlir::Value, 4>;

  // --- PlaceFragments.cpp ---
  bool canHoldRows() const;
  bool leadsRowsOn() const;
  /// The values that `value` flows into: results of ops that use it (if isStep), loop arguments and results, branch
  /// results.
  Values next(mlir::Value value) const;
  /// The values that flow into `value` in the ways that next() follows; for the result of a product, its accumulator.
  Values previous(mlir::Value value) const;
  bool isStep(mlir::Operation *op) const;
  llvm::SetVector<mlir::Value> reach(llvm::ArrayRef<mlir::Value> from,
                                     Values (FragmentPlacer::*step)(mlir::Value) const) const;
  void choose();
  void prune();
  bool mayStay(mlir::Value value) const;
  bool staysInside(mlir::OpOperand &use) const;
  bool isAvailable(mlir::Value value, FragmentsKind kind) const;
  bool findAvailable(mlir::Value value, FragmentsKind kind) const;
  bool isComputable(mlir::Value value, FragmentsKind kind) const;
  bool findComputable(mlir::Value value, FragmentsKind kind) const;
  bool canBeUnrolled(DotOp dot) const;
  bool isHandedOn(DotOp dot) const;
  bool fitsWhole(DotOp dot) const;
  bool isHeld(DotOp dot) const;
  FragmentsAttr operandOf(DotOp dot) const;
  void spread();

  // --- RewriteFragments.cpp ---
  void rewrite();
  mlir::Attribute wanted(mlir::OpOperand &operand) const;
  mlir::Value in(mlir::Value value, mlir::Attribute encoding);
  mlir::Value rematerialize(mlir::Value value, FragmentsAttr layout);
  bool isPlaced(mlir::Value value) const { return placed_.contains(value); }

  mlir::func::FuncOp function_;
  const TargetPolicies &policies_;
  int64_t sharedBytes_; // the target's shared memory: the most that a product's right operand may take
  int64_t warps_, warpSize_;
  bool holdsRows_;
  llvm::SmallVector<DotOp> dots_;
  llvm::MapVector<mlir::Value, FragmentsAttr> placed_; // values in fragments; the layout is null until spread() sets it
  llvm::DenseMap<mlir::Value, mlir::Attribute> home_;  // distributed layouts of these values before this pass
  llvm::DenseMap<std::pair<mlir::Value, mlir::Attribute>, mlir::Value>
      made_; // converted values by source value and encoding, made by in()
  // answers of isAvailable and isComputable, by value and kind
  using Answers = std::map<std::pair<void *, FragmentsKind>, bool>;
  mutable Answers available_, computable_;
};

} // namespace tegula::tile
