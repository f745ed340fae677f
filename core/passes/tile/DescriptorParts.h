// A descriptor as its parts: base, extents, strides, padding. Private to tile-lower-descriptors.
#pragma once

#include "core/ir/tile/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace tegula::tile {

struct DescriptorParts {
  mlir::Value base;                       // !tile.ptr
  llvm::SmallVector<mlir::Value> extents; // i64, not negative
  llvm::SmallVector<mlir::Value> strides; // i64, in elements; the last is 1
  mlir::Value padsNan;                    // i1

  /// All parts, in the order base, extents, strides, padding.
  llvm::SmallVector<mlir::Value> all() const;
  static DescriptorParts from(mlir::ValueRange all);
};

/// Finds the parts of each descriptor of a function, through selects, branches and loops.
class DescriptorSplitter {
public:
  /// Rebuilds the function's scf ops that carry descriptors, so that they carry the parts instead.
  explicit DescriptorSplitter(mlir::func::FuncOp function);
  /// The parts of a descriptor. If the descriptor is defined by an op without a rule, reports an error there and
  /// returns a null base.
  DescriptorParts of(mlir::Value descriptor);
  /// Erases ops that make or select descriptors and no longer have uses.
  void eraseDead();

private:
  mlir::func::FuncOp function_;
  llvm::DenseMap<mlir::Value, DescriptorParts> known_;
};

} // namespace tegula::tile
