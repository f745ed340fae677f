// What a simt kernel says to the host.
#pragma once

#include "core/ir/Simt.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tegula::simt {

/// The prints and assertions of a kernel, in the order in which their records number them: that of the text. Whoever
/// lists the kernel's messages (Artifact::messages) and simt-expand-effects agree on it.
llvm::SmallVector<mlir::Operation *> effectsOf(mlir::func::FuncOp kernel);

} // namespace tegula::simt
