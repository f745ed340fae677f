// Recognizes loads and stores through plain pointers that access a block of a tensor: finds the tensor and the position
// where the block begins. Private to the passes of core/passes/loops.
#pragma once

#include "core/contracts/DerivedTensor.h"
#include "core/contracts/ProgramExpression.h"
#include "core/passes/analysis/BlockForm.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>

namespace tegula::tile {

struct AccessBlock {
  DerivedTensor tensor;                       // elements along its last axis lie side by side in memory
  llvm::SmallVector<Polynomial, 3> positions; // where the block begins, along each axis of the tensor
  llvm::SmallVector<int64_t, 3> extents;      // the block's extents
  bool isTransposed = false; // the last two axes of the accessed tile are those of `tensor` in the other order
  std::vector<ProgramExpression> positive; // LaunchConditions under which no position is negative
  std::vector<ProgramExpression> fitting;  // LaunchConditions under which positions fit 32 bits
};

/// Finds the block of a load of a matrix. If there is none, `obstacle` says why. The result is valid if positions are
/// not negative, the tensor's conditions hold, and each position that is a remainder `start % n` has a start that is a
/// multiple of the block's extent (the axis' `multiple`). A copy of the block may read elements that the load does not
/// read, but only within the tensor's lines.
std::optional<AccessBlock> blockOf(LoadOp load, Polynomials &scalars, std::string &obstacle);

/// Finds the block of a store: the elements of the block inside the tensor are exactly the elements that the store
/// writes. No position is a remainder.
std::optional<AccessBlock> blockOf(StoreOp store, Polynomials &scalars, std::string &obstacle);

/// Emits the position of the block, one i32 scalar for each axis of its tensor, and sets `block.positive`: the
/// conditions under which no position is negative in any program of a launch. False if a position may be negative
/// whatever a launch checks.
bool placeBlock(mlir::OpBuilder &builder, mlir::func::FuncOp function, mlir::Location location, AccessBlock &block,
                Polynomials &scalars, llvm::SmallVectorImpl<mlir::Value> &position);

/// Whether declared facts of the arguments prove that the tensor is aligned well enough for a descriptor. Without this
/// proof, launches with unaligned tensors would have to take code without any copies by hardware.
bool isKnownAligned(mlir::func::FuncOp function, const AccessBlock &block, mlir::Type element);

/// addDescriptor appends a parameter for the descriptor of the block's tensor, named after its pointer. deriveTensor
/// makes it a parameter that the launch derives, and makes the kernel's code conditional on `block`'s conditions.
mlir::BlockArgument addDescriptor(mlir::func::FuncOp function, const AccessBlock &block, mlir::Type element,
                                  mlir::Location location);
void deriveTensor(mlir::func::FuncOp function, mlir::BlockArgument descriptor, const AccessBlock &block);

/// Emits a remark of the topic `copies` at `location`: `by hardware` followed by `more`; or, if `obstacle` is not
/// empty, `not by hardware: ` followed by `obstacle`.
void explainCopy(mlir::Location location, const std::string &obstacle,
                 llvm::StringRef more = ", of a tensor that the launch describes");

} // namespace tegula::tile
