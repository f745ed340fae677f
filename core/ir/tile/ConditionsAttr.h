// The attribute `tile.conditions` of a kernel whose code is conditional (LaunchConditions): the expressions that are at
// least 1, a list that may be empty, of arrays of four numbers a node: kind, value, left, right. `program * n`, n being
// argument 3, in a grid of one axis:
//
//   [array<i64: 2, 0, 0, 0,  1, 3, 0, 0,  5, 0, 0, 1>]
#pragma once

#include "core/contracts/ProgramExpression.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tegula::tile {

inline constexpr llvm::StringLiteral kConditionsAttr = "tile.conditions";

/// None if the attribute does not have that form, or is null.
std::optional<LaunchConditions> launchConditions(mlir::Attribute attribute);

/// Makes the kernel conditional, if it is not so yet, and adds the expressions that it does not have.
void addConditions(mlir::func::FuncOp kernel, llvm::ArrayRef<ProgramExpression> positive);

} // namespace tegula::tile
