// The simt level of the IR: types, attributes and ops of the dialect `simt`, and of `layout`, whose attributes say
// where elements are. This is the one header to include; the .td files beside it define each op, and docs/simt.md
// teaches the level. What may enter this room: operations that threads, warps and asynchronous units of any GPU have.
// Vendors' instructions are table rows that ops name by a string, or ops of the backend's own dialect.
#pragma once

#include "core/ir/tile/Tile.h"
#include "core/layout/LinearLayout.h"
#include "core/layout/SharedLayout.h"
#include "core/target/MatrixInstruction.h"

#include "mlir/IR/Dialect.h"

#include "core/ir/layout/LayoutDialect.h.inc"

namespace tegula::layout_ir {

/// The role of a tensor in fragments: a whole matrix, a left operand, one column, or one row; see LayoutDialect.td.
enum class FragmentsKind : uint8_t { Matrix, Operand, Column, Row };

/// Whether fragments of this kind hold one line of a matrix that is repeated along `axis`.
inline bool isRepeated(FragmentsKind kind, size_t axis) {
  return (kind == FragmentsKind::Column && axis == 1) || (kind == FragmentsKind::Row && axis == 0);
}

} // namespace tegula::layout_ir

#include "core/ir/simt/SimtDialect.h.inc"

#include "core/ir/simt/SimtEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "core/ir/layout/LayoutAttributes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "core/ir/simt/SimtInstruction.h.inc"

#define GET_TYPEDEF_CLASSES
#include "core/ir/simt/SimtTypes.h.inc"

#include "core/ir/simt/SimtInterfaces.h.inc"

namespace mlir {
namespace func {
class FuncOp;
}
} // namespace mlir

namespace tegula::simt {

// --- names of the attributes that the dialect gives a meaning to; see SimtDialect.td ---
inline constexpr llvm::StringLiteral kWarpsAttr = "simt.warps";
inline constexpr llvm::StringLiteral kWarpSizeAttr = "simt.warp_size";
inline constexpr llvm::StringLiteral kClusterAttr = "simt.cluster";
inline constexpr llvm::StringLiteral kMaxRegistersAttr = "simt.max_registers";
inline constexpr llvm::StringLiteral kResidentAttr = "simt.resident";
inline constexpr llvm::StringLiteral kPairsAttr = "simt.pairs";
inline constexpr llvm::StringLiteral kUniformAttr = "simt.uniform";
inline constexpr llvm::StringLiteral kDivergentAttr = "simt.divergent";
inline constexpr llvm::StringLiteral kReleasesAttr = "simt.releases";
inline constexpr llvm::StringLiteral kSoleAttr = "simt.sole";
inline constexpr llvm::StringLiteral kMaskedDeadAttr = "simt.masked_dead";
inline constexpr llvm::StringLiteral kPartAttr = "simt.part";
inline constexpr llvm::StringLiteral kInstructionAttr = "simt.instruction";

/// A vector of one dimension of numbers, or a tensor with a #layout.distributed encoding.
bool isRegisterTile(mlir::Type type);
/// A tensor with a layout: a #layout.distributed, or a #layout.fragments.
bool isPlannedTile(mlir::Type type);
/// A tensor of numbers that tile-assign-layouts has not yet given a layout.
bool isTileWithoutLayout(mlir::Type type);
bool isRegisterTileOf(mlir::Type type, bool (*isElement)(mlir::Type));
/// i32 or i64, or a vector of them; at the planned level a tensor of them.
bool isIndexValue(mlir::Type type);
/// i32 or a vector of i32.
bool isSharedOffset(mlir::Type type);
/// Elements that a thread holds: 1 for a scalar. Not for tensors.
int64_t elementsOf(mlir::Type type);
/// Warps that issue an asynchronous product together. Accesses to shared memory may be ordered within such a set.
inline constexpr int64_t kSetWarps = 4;

/// Bytes of an element of a buffer; 1 for i1.
int64_t elementBytes(mlir::Type type);

/// The matrix instruction that computes a tile.dot; null if none does.
InstructionAttr instructionOf(mlir::Operation *dot);

/// Whether the function is a simt kernel: it has `simt.warps`.
bool isKernel(mlir::func::FuncOp function);
int64_t kernelWarps(mlir::func::FuncOp function);
int64_t kernelWarpSize(mlir::func::FuncOp function);
/// The number of warps that execute the region around `op`: of its warp group, else of the kernel.
int64_t regionWarps(mlir::Operation *op);
/// Bytes of shared memory that a kernel uses: the highest end of a buffer or barrier object with a place.
int64_t sharedBytes(mlir::func::FuncOp function);

/// The rules that concern more than one op: branches and loops are marked; collectives stand only where enough warps
/// take one way; the warps of groups add up to the kernel's; accumulators in flight are not used. The dialect calls
/// this for each function with `simt.warps`.
mlir::LogicalResult verifyKernel(mlir::func::FuncOp function);

} // namespace tegula::simt

#define GET_OP_CLASSES
#include "core/ir/simt/SimtOps.h.inc"
