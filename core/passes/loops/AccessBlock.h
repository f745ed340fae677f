// Loads and stores through plain pointers as accesses to a block of a tensor: which tensor, and where in it the block
// begins. Private to the passes of core/passes/loops.
#pragma once

#include "core/contracts/DerivedTensor.h"
#include "core/contracts/ProgramExpression.h"
#include "core/passes/analysis/BlockForm.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>

namespace tegula::tile {

struct AccessBlock {
  DerivedTensor tensor;                       // its last axis is the one along which elements lie side by side
  llvm::SmallVector<Polynomial, 3> positions; // of the block, one an axis of the tensor
  llvm::SmallVector<int64_t, 3> extents;      // of the block
  bool isTransposed = false;                  // the access' tensor has the tensor's last two axes in the other order
  std::vector<ProgramExpression> positive;    // LaunchConditions under which no position is negative
  std::vector<ProgramExpression> fitting;     // and under which positions fit 32 bits
};

/// Finds the block of a load of a matrix; none if there is no such tensor, and then `obstacle` says why. What it finds
/// is right if positions are not negative, the tensor's conditions hold, and, where a position is a remainder, its
/// start is a multiple of its extent, which is also the axis' `multiple`. More may be read than the load reads, but not
/// outside of the tensor's lines.
std::optional<AccessBlock> blockOf(LoadOp load, Polynomials &scalars, std::string &obstacle);

/// The same of a store: the block's elements inside of the tensor are those that it writes. No position is a remainder.
std::optional<AccessBlock> blockOf(StoreOp store, Polynomials &scalars, std::string &obstacle);

/// Emits the position of the block, i32 scalars, one an axis of its tensor, and sets the conditions (`positive`) under
/// which none is negative in any program of a launch. False if one may be negative nevertheless.
bool placeBlock(mlir::OpBuilder &builder, mlir::func::FuncOp function, mlir::Location location, AccessBlock &block,
                Polynomials &scalars, llvm::SmallVectorImpl<mlir::Value> &position);

/// Whether facts of the arguments tell that the launch can describe the block's tensor, as far as alignment goes.
/// Without, a launch that cannot would take code without any copies by hardware.
bool isKnownAligned(mlir::func::FuncOp function, const AccessBlock &block, mlir::Type element);

/// Adds a parameter for the descriptor of the block's tensor, named after its pointer; `deriveTensor` makes it one
/// that the launch derives, and the kernel's code conditional.
mlir::BlockArgument addDescriptor(mlir::func::FuncOp function, const AccessBlock &block, mlir::Type element,
                                  mlir::Location location);
void deriveTensor(mlir::func::FuncOp function, mlir::BlockArgument descriptor, const AccessBlock &block);

/// Emits a remark of the topic `copies` on the access at `location`: `by hardware` followed by `more`, or, if
/// `obstacle` is not empty, `not by hardware: ` followed by it.
void explainCopy(mlir::Location location, const std::string &obstacle,
                 llvm::StringRef more = ", of a tensor that the launch describes");

} // namespace tegula::tile
