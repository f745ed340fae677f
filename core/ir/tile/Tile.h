// The tile level of the IR: types, attributes and ops of the dialect `tile`. This is the only header to include; the
// .td files beside it define each op. Only ops that every target can execute may enter this room: no layouts, no
// vendor's instructions, no syntax of the source language.
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "core/ir/tile/TileDialect.h.inc"

#include "core/ir/tile/TileEnums.h.inc"

#define GET_TYPEDEF_CLASSES
#include "core/ir/tile/TileTypes.h.inc"

namespace tegula::tile {

/// The most elements that a tensor may have, as in Triton.
inline constexpr int64_t kMaxTensorElements = 1048576;

// --- scalars: the element types that tensors and registers may have ---
bool isBoolScalar(mlir::Type type);  // i1
bool isIntScalar(mlir::Type type);   // i1, i8, i16, i32, i64
bool isFloatScalar(mlir::Type type); // f16, bf16, f32, f64, four 8-bit floats
bool isFp8Scalar(mlir::Type type);
bool isNumberScalar(mlir::Type type); // integer or float
bool isPtrScalar(mlir::Type type);    // !tile.ptr
bool isScalar(mlir::Type type);       // a number or a pointer
inline bool isTensor(mlir::Value value) { return mlir::isa<mlir::RankedTensorType>(value.getType()); }
/// True for a ranked tensor with power-of-two extents, at most kMaxTensorElements elements, a rank of at least 1, and
/// elements for which `isElement` is true. At the planned level its encoding is a #layout.distributed that covers it.
bool isTensorOf(mlir::Type type, bool (*isElement)(mlir::Type));

// --- types of the same shape with other elements ---
/// The extents of a tensor; empty for a scalar.
llvm::ArrayRef<int64_t> shapeOf(mlir::Type type);
/// The type of the same shape and layout with another element type: `tensor<64xf32>, i1` -> `tensor<64xi1>`; `f32, i1`
/// -> `i1`.
mlir::Type withElement(mlir::Type like, mlir::Type element);
/// A tensor of this shape and layout; the element type itself if the shape is empty.
mlir::Type tensorOrScalar(llvm::ArrayRef<int64_t> shape, mlir::Type element, mlir::Attribute layout = {});
/// The type that a load through a pointer, or through a tensor of pointers, returns: `tensor<64x!tile.ptr<f32>>` ->
/// `tensor<64xf32>`.
mlir::Type pointeeLike(mlir::Type pointers);

/// Fills the region of a reduce or scan. It gets the accumulators and the elements, all of them scalars, and returns
/// the combined values, which the region yields. The region is isolated: the body must not use values from outside, not
/// even constants.
using CombineBody = llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::OpBuilder &, mlir::ValueRange accumulators,
                                                                      mlir::ValueRange elements)>;

/// True if the op neither reads nor writes memory, although it may have other effects: an assumption, or the mark of a
/// loop that may not end.
bool accessesNoMemory(mlir::Operation *op);

// --- names of the attributes that the dialect defines; see TileDialect.td ---
inline constexpr llvm::StringLiteral kKernelAttr = "tile.kernel";
inline constexpr llvm::StringLiteral kNameAttr = "tile.name";
inline constexpr llvm::StringLiteral kDivisibilityAttr = "tile.divisibility";
inline constexpr llvm::StringLiteral kEqualsAttr = "tile.equals";
inline constexpr llvm::StringLiteral kWorkspaceAttr = "tile.workspace";
inline constexpr llvm::StringLiteral kZeroedAttr = "tile.zeroed";
inline constexpr llvm::StringLiteral kGridFactorAttr = "tile.grid_factor";
inline constexpr llvm::StringLiteral kDepthSplitsAttr = "tile.depth_splits";
inline constexpr llvm::StringLiteral kNonNegativeAttr = "tile.nonnegative";
inline constexpr llvm::StringLiteral kNumWarpsAttr = "tile.num_warps";
inline constexpr llvm::StringLiteral kNumStagesAttr = "tile.num_stages";
/// On a DescLoadOp: the load becomes a copy by hardware (tile-mark-tile-copies).
inline constexpr llvm::StringLiteral kCopiedAttr = "tile.copied";
inline constexpr llvm::StringLiteral kLongestFirstAttr = "tile.longest_first";
/// On a DescLoadOp: an eviction hint, by which caches evict the lines that it reads before others. tile-describe-loads
/// sets it for a LoadOp with EvictionPolicy::EvictFirst.
inline constexpr llvm::StringLiteral kEvictFirstAttr = "tile.evict_first";
/// On `arith.divf`, `mulf`, `addf` and `subf`: the result must be correctly rounded, even if it is only used rounded to
/// fewer bits, or added to another number.
inline constexpr llvm::StringLiteral kRoundedAttr = "tile.rounded";
inline constexpr llvm::StringLiteral kUnrollAttr = "tile.loop_unroll_factor";
inline constexpr llvm::StringLiteral kFlattenAttr = "tile.flatten";
inline constexpr llvm::StringLiteral kWarpSpecializeAttr = "tile.warp_specialize";
inline constexpr llvm::StringLiteral kDisallowMultiBufferAttr = "tile.disallow_acc_multi_buffer";
inline constexpr llvm::StringLiteral kDisableLicmAttr = "tile.disable_licm";

/// True if the op converts floats to a type of at most 16 bits, rounding to nearest.
bool roundsTo16Bits(mlir::Operation *op);

} // namespace tegula::tile

#define GET_OP_CLASSES
#include "core/ir/tile/TileOps.h.inc"
