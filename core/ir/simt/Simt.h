// The simt level of the IR: types, attributes and ops of the dialect `simt`, and of `layout`, whose attributes describe
// where elements are. This is the only header to include; the .td files beside it define each op, and docs/simt.md
// teaches the level. Only operations that threads, warps and asynchronous units of all GPUs have may enter this room. A
// vendor's instructions are table rows, which ops name by a string, or ops of the backend's own dialect.
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

/// True if fragments of this kind hold one line of a matrix, repeated along `axis`.
inline bool isRepeated(FragmentsKind kind, size_t axis) {
  return (kind == FragmentsKind::Column && axis == 1) || (kind == FragmentsKind::Row && axis == 0);
}

} // namespace tegula::layout_ir

#include "core/ir/simt/SimtDialect.h.inc"

#include "core/ir/simt/SimtEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "core/ir/layout/LayoutAttributes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "core/ir/simt/SimtAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "core/ir/simt/SimtTypes.h.inc"

#include "core/ir/simt/SimtInterfaces.h.inc"

namespace mlir {
namespace func {
class FuncOp;
}
} // namespace mlir

namespace tegula::simt {

// --- names of the attributes that the dialect defines; see SimtDialect.td ---
inline constexpr llvm::StringLiteral kWarpsAttr = "simt.warps";
inline constexpr llvm::StringLiteral kWarpSizeAttr = "simt.warp_size";
inline constexpr llvm::StringLiteral kClusterAttr = "simt.cluster";
inline constexpr llvm::StringLiteral kMaxRegistersAttr = "simt.max_registers";
inline constexpr llvm::StringLiteral kResidentAttr = "simt.resident";
inline constexpr llvm::StringLiteral kPairsAttr = "simt.pairs";
inline constexpr llvm::StringLiteral kProgramsAttr = "simt.programs";
inline constexpr llvm::StringLiteral kUniformAttr = "simt.uniform";
inline constexpr llvm::StringLiteral kDivergentAttr = "simt.divergent";
inline constexpr llvm::StringLiteral kReleasesAttr = "simt.releases";
inline constexpr llvm::StringLiteral kSoleAttr = "simt.sole";
inline constexpr llvm::StringLiteral kMaskedDeadAttr = "simt.masked_dead";
inline constexpr llvm::StringLiteral kPartAttr = "simt.part";
inline constexpr llvm::StringLiteral kInstructionAttr = "simt.instruction";
inline constexpr llvm::StringLiteral kScheduleAttr = "simt.schedule";

/// True for a vector of rank 1 of numbers, and for a tensor with a #layout.distributed encoding.
bool isRegisterTile(mlir::Type type);
/// True for a tensor with a layout: #layout.distributed or #layout.fragments.
bool isPlannedTile(mlir::Type type);
/// True for a tensor of numbers to which tile-assign-layouts has not yet given a layout.
bool isTileWithoutLayout(mlir::Type type);
bool isRegisterTileOf(mlir::Type type, bool (*isElement)(mlir::Type));
/// True for i32, i64, a vector of them, and at the planned level a tensor of them.
bool isIndexValue(mlir::Type type);
/// True for i32 and a vector of i32.
bool isSharedOffset(mlir::Type type);
/// The number of elements that a thread holds; 1 for a scalar. Not for tensors.
int64_t elementsOf(mlir::Type type);
/// The warps that issue an asynchronous product together. Accesses to shared memory may be ordered within such a set.
inline constexpr int64_t kSetWarps = 4;

/// The bytes of a shared buffer's element; 1 for i1.
int64_t elementBytes(mlir::Type type);

/// The matrix instruction that computes a tile.dot; null if none does.
InstructionAttr instructionOf(mlir::Operation *dot);

/// When an op of a loop runs; null if it runs in its own iteration, in source order.
ScheduleAttr scheduleOf(mlir::Operation *op);
void setSchedule(mlir::Operation *op, int64_t ahead, int64_t place, Issuer issuer = Issuer::Own);
/// Who executes the op; the kernel's own warps if it has no schedule.
Issuer issuerOf(mlir::Operation *op);
/// True if the value is the result of an op that runs in an earlier iteration, so that the loop carries the value.
bool isMadeAhead(mlir::Value value);

/// True if the function is a simt kernel: it has the attribute `simt.warps`.
bool isKernel(mlir::func::FuncOp function);
int64_t kernelWarps(mlir::func::FuncOp function);
int64_t kernelWarpSize(mlir::func::FuncOp function);
/// The number of warps that execute the region of `op`: those of its warp group, or else of the kernel.
int64_t regionWarps(mlir::Operation *op);
/// The bytes of shared memory that a kernel uses: the largest end offset of a buffer or barrier object that has a
/// place.
int64_t sharedBytes(mlir::func::FuncOp function);

/// Verifies the rules that concern more than one op: branches and loops are marked; collectives stand only where enough
/// warps take the same way; the warps of groups add up to the kernel's; accumulators in flight are not used. The
/// dialect calls this for each function with `simt.warps`.
mlir::LogicalResult verifyKernel(mlir::func::FuncOp function);

} // namespace tegula::simt

#define GET_OP_CLASSES
#include "core/ir/simt/SimtOps.h.inc"
