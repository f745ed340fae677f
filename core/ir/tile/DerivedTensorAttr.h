// The attribute `tile.tensor` of a descriptor argument that the launch derives from the kernel's other arguments
// (core/contracts/DerivedTensor.h).
//
//   {pointer = 0 : i64, narrow, axes = [{extent = array<i64: 1, 3>, stride = array<i64: 1, 6>},
//                                       {extent = array<i64: 1, 5>, stride = array<i64: 1>, multiple = 64 : i64}]}
//
// A product of arguments is an array: the factor, then the arguments' numbers. `narrow`, `open` and `multiple` are
// optional.
#pragma once

#include "core/contracts/DerivedTensor.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace tegula::tile {

inline constexpr llvm::StringLiteral kTensorAttr = "tile.tensor";

mlir::DictionaryAttr toAttribute(mlir::MLIRContext *context, const DerivedTensor &tensor);
/// The tensor in the attribute; nothing if it does not have this form.
std::optional<DerivedTensor> derivedTensor(mlir::Attribute attribute);

} // namespace tegula::tile
