// Descriptors as the values they are made of. Private to tile-lower-descriptors.
#pragma once

#include "core/ir/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace tegula::tile {

struct DescriptorParts {
  mlir::Value base;                       // !tile.ptr
  llvm::SmallVector<mlir::Value> extents; // i64, not negative
  llvm::SmallVector<mlir::Value> strides; // i64, elements; the last is 1
  mlir::Value padsNan;                    // i1

  /// In the order base, extents, strides, padding.
  llvm::SmallVector<mlir::Value> all() const;
  static DescriptorParts from(mlir::ValueRange all);
};

/// Gives each descriptor of a function its parts, through selects, branches and loops.
class DescriptorSplitter {
public:
  /// Rebuilds scf ops that carry descriptors so that they carry parts.
  explicit DescriptorSplitter(mlir::func::FuncOp function);
  /// The parts of a descriptor; a null base, and an error reported at its op, where it comes from one that is not
  /// known.
  DescriptorParts of(mlir::Value descriptor);
  /// Erases what made and joined descriptors, once nothing uses it.
  void eraseDead();

private:
  mlir::func::FuncOp function_;
  llvm::DenseMap<mlir::Value, DescriptorParts> known_;
};

} // namespace tegula::tile
