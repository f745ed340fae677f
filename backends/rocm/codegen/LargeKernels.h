// Kernels of thousands of values a thread, which LLVM's optimising code generator takes minutes for.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace llvm {
class Module;
} // namespace llvm

namespace tegula::rocm {

/// Whether the kernel has so many values a thread that nearly all of them are in private memory, whatever a code
/// generator does, and that LLVM's optimising one takes minutes: a branch around each masked access would make
/// thousands of blocks, each with thousands of live values. For such kernels
///
/// - masked accesses have no branch: lanes whose mask is false access 16 bytes of private memory that nothing else uses
///   (AmdgcnPrinter::placeOf);
/// - LLVM generates code without optimisation, by its fast register allocator.
bool isLarge(mlir::func::FuncOp kernel);

/// Divides long blocks, for passes of LLVM whose time grows with the square of a block's length, and computes addresses
/// and masks again in each block that uses them, so that they are not kept in registers throughout.
void shortenBlocks(llvm::Module &module);

} // namespace tegula::rocm
