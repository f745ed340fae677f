// Which loads through descriptors hardware can copy, and copies that are made once. Private to the passes of
// core/passes/loops.
#pragma once

#include "core/ir/simt/Simt.h"
#include "core/ir/tile/Tile.h"
#include "core/passes/analysis/AxisInfo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tegula::tile {

/// Hardware that copies blocks wants addresses, strides and positions along lines to be multiples of so many bytes
/// (core/contracts/Artifact.h, DescriptorRecipe).
inline constexpr int64_t kTileAlignment = 16;

/// Whether the load, of a body of the loop, can be a copy by hardware, apart from other uses of its descriptor. `axes`
/// uses no declared facts of arguments, so that the answer needs no guard.
bool canCopyTile(DescLoadOp load, mlir::scf::ForOp loop, const AxisAnalysis &axes);

/// The kernel's stores through descriptors, if hardware can make all of them, and threads write nothing to global
/// memory and read nothing from it behind the first: then nothing has to be ordered with the copies. None otherwise.
llvm::SmallVector<DescStoreOp> storesToCopy(mlir::func::FuncOp function, const AxisAnalysis &axes, int64_t sharedBytes);

/// Whether a copy by hardware may begin before the op. Such copies are not ordered with threads' accesses of global
/// memory: neither the op nor an op in its regions may write global memory, or wait for other threads.
bool mayBePassedByCopies(mlir::Operation *op);

/// Whether the scalar follows from arguments, program ids and constants alone: it can be computed at the kernel's
/// beginning, and by a producer.
bool followsFromKernel(mlir::Value scalar);

/// Whether the block of a load in the kernel's body can be copied once, from the kernel's beginning on: the first loop,
/// branch or product of the kernel reads it, nothing before that writes memory or waits, and its position follows from
/// arguments, program ids and constants. Apart from other uses of its descriptor.
bool canBeCopiedOnce(DescLoadOp load);

/// The same, and hardware can copy a block of this shape from this position to a buffer that products read.
bool canCopyTileOnce(DescLoadOp load, const AxisAnalysis &axes);

/// The kernel's marked loads (kCopiedAttr) that hardware can copy once: all loads of their descriptors stand in the
/// kernel's body, can begin with it, and are only stored to buffers of one layout.
llvm::SmallVector<DescLoadOp> loadsToCopyOnce(mlir::func::FuncOp kernel);

/// Lets hardware copy the blocks of these loads to the buffers that they are stored to. The copies start when the
/// kernel begins, as the first ones of its producer, or of a thread where it has none; threads wait for them before the
/// first loop, branch or product.
void copyOnce(mlir::func::FuncOp kernel, llvm::ArrayRef<DescLoadOp> loads);

/// Makes the values from outside that the producer's region uses its operands, or computes them in it.
void isolateProducer(simt::ProducerOp producer);

} // namespace tegula::tile
