// The attribute `tile.conditions` of a kernel: the conditions that its launches must meet (LaunchConditions). It lists
// the expressions that must be at least 1 in every program, and may be empty. Each expression is an array with four
// numbers for each of its nodes: kind, value, left, right (ProgramExpression::Node). An example is `program * n`, where
// `program` is the position along grid axis 0, and n is argument 3:
//
//   [array<i64: 2, 0, 0, 0,  1, 3, 0, 0,  5, 0, 0, 1>]
#pragma once

#include "core/contracts/ProgramExpression.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tegula::tile {

inline constexpr llvm::StringLiteral kConditionsAttr = "tile.conditions";

/// The conditions in the attribute; nothing if it is null or does not have this form.
std::optional<LaunchConditions> launchConditions(mlir::Attribute attribute);

/// Makes the kernel conditional, if it is not conditional yet, and adds those expressions that it does not have.
void addConditions(mlir::func::FuncOp kernel, llvm::ArrayRef<ProgramExpression> positive);

/// The attribute `tile.apart` of a kernel: pairs of pointers or descriptors whose memory must not overlap
/// (LaunchConditions::apart), such as [array<i64: 0, 3>]. Code with this attribute alone may be given negative
/// integers.
inline constexpr llvm::StringLiteral kApartAttr = "tile.apart";

/// Two arguments by their numbers, the lower one first.
using ArgumentPair = std::pair<uint32_t, uint32_t>;

/// Whether the argument is a pointer or descriptor that the caller passes. False for workspaces and derived
/// descriptors, which the launch adds itself.
bool hasMemoryOfCaller(mlir::func::FuncOp kernel, uint32_t number);

/// The two values, if both are pointers or descriptors that one kernel is given, and not the same.
std::optional<ArgumentPair> argumentPair(mlir::Value one, mlir::Value other);

/// The pairs in the attribute, none if it is null; nothing if it does not have this form.
std::optional<llvm::SmallVector<ArgumentPair>> apartArguments(mlir::Attribute attribute);

/// What both attributes of the kernel say; nothing if it is not conditional.
std::optional<LaunchConditions> launchConditions(mlir::func::FuncOp kernel);

/// Adds to `tile.apart` of the kernel the pairs that it does not list yet.
void addApart(mlir::func::FuncOp kernel, llvm::ArrayRef<ArgumentPair> pairs);

} // namespace tegula::tile
