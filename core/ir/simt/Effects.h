// The prints and assertions of a simt kernel.
#pragma once

#include "core/ir/simt/Simt.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tegula::simt {

/// The prints and assertions of a kernel in source order. The index in this list is the number of the message:
/// simt-expand-effects writes it into records, and Artifact::messages is in the same order.
llvm::SmallVector<mlir::Operation *> effectsOf(mlir::func::FuncOp kernel);

} // namespace tegula::simt
