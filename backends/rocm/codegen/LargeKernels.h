// Handles kernels with thousands of values in each thread, for which LLVM's optimising code generator takes minutes.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace llvm {
class Module;
} // namespace llvm

namespace tegula::rocm {

/// True if a thread has so many values that nearly all of them lie in private memory with any code generator, and that
/// LLVM's optimising one takes minutes: a branch around each masked access would make thousands of blocks, each with
/// thousands of live values. For such kernels
///
/// - masked accesses have no branch: lanes whose mask is false access 16 bytes of private memory that nothing else uses
///   (AmdgcnPrinter::placeOf);
/// - LLVM generates code without optimisation, by its fast register allocator.
bool isLarge(mlir::func::FuncOp kernel);

/// Divides long blocks, because some LLVM passes take time that grows with the square of a block's length. Computes
/// addresses and masks again in each block that uses them, so that they do not occupy registers in all blocks.
void shortenBlocks(llvm::Module &module);

} // namespace tegula::rocm
