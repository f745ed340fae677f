// Decides which loads through descriptors hardware can copy, and makes the copies that happen once in a kernel. Private
// to the passes of core/passes/loops.
#pragma once

#include "core/ir/simt/Simt.h"
#include "core/ir/tile/Tile.h"
#include "core/passes/analysis/AxisInfo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tegula::tile {

/// Hardware that copies blocks requires addresses, strides and positions along lines to be multiples of this many bytes
/// (core/contracts/Artifact.h, DescriptorRecipe).
inline constexpr int64_t kTileAlignment = 16;

/// Whether the load, an op of the loop's body, can be a copy by hardware. Other uses of its descriptor are not checked.
/// `axes` uses no declared facts of arguments, so that the answer needs no guard.
bool canCopyTile(DescLoadOp load, mlir::scf::ForOp loop, const AxisAnalysis &axes);

/// The kernel's stores through descriptors, if hardware can make all of them, and threads neither write global memory
/// nor read it after the first of these stores: the copies then need no ordering with other accesses. Empty otherwise.
llvm::SmallVector<DescStoreOp> storesToCopy(mlir::func::FuncOp function, const AxisAnalysis &axes);

/// Whether a copy by hardware may start before the op. Such copies are not ordered with threads' accesses of global
/// memory. So neither the op nor an op in its regions may write global memory or wait for other threads.
bool mayBePassedByCopies(mlir::Operation *op);

/// Whether the scalar depends on arguments, program ids and constants alone: it can then be computed at the kernel's
/// beginning, and by a producer.
bool followsFromKernel(mlir::Value scalar);

/// Whether the block of a load in the kernel's body can be copied once, at the kernel's beginning: the kernel's first
/// loop, branch or product reads it, no op before that writes memory or waits, and its position depends on arguments,
/// program ids and constants alone. Other uses of its descriptor are not checked.
bool canBeCopiedOnce(DescLoadOp load);

/// Whether canBeCopiedOnce holds and hardware can copy a block of this shape from this position to a buffer that
/// products read.
bool canCopyTileOnce(DescLoadOp load, const AxisAnalysis &axes);

/// The kernel's marked loads (kCopiedAttr) that hardware can copy once: all loads of their descriptors are in the
/// kernel's body, their copies can start with the kernel, and the blocks are only stored to buffers of one layout.
llvm::SmallVector<DescLoadOp> loadsToCopyOnce(mlir::func::FuncOp kernel);

/// Lets hardware copy the blocks of these loads to the buffers that they are stored to. The copies start when the
/// kernel begins: they are the first copies of the kernel's producer, or one thread starts them if there is no
/// producer. Threads wait for them before the first loop, branch or product.
void copyOnce(mlir::func::FuncOp kernel, llvm::ArrayRef<DescLoadOp> loads);

} // namespace tegula::tile
