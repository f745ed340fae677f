// Kernels of thousands of values a thread, which LLVM's optimising code generator takes minutes for.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace llvm {
class Module;
} // namespace llvm

namespace tegula::rocm {

/// Whether the kernel has so many values a thread that nearly all of them are in private memory, whatever a code
/// generator does. A branch around each masked access would make thousands of blocks that thousands of values live
/// through. So such kernels
///
/// - have no branches around masked accesses: the other lanes access a spare place in their private memory
///   (AmdgcnPrinter::placeOf)
/// - are compiled by LLVM without optimisation, with its fast register allocator.
bool isLarge(mlir::func::FuncOp kernel);

/// Divides long blocks, for passes of LLVM whose time grows with the square of a block's length, and computes addresses
/// and masks again in each block that uses them, so that they are not kept in registers throughout.
void shortenBlocks(llvm::Module &module);

} // namespace tegula::rocm
