// Between the IR's shared types and the hardware's view of them; descriptor recipes of a kernel.
#pragma once

#include "backends/cuda/codegen/SharedLayout.h"
#include "core/ir/Simt.h"
#include "core/runtime/Artifact.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tegula::cuda {

/// The layout of one stage. It refers to storage of the type's context.
SharedTile sharedTile(simt::SharedType type);

/// How the launch encodes each descriptor parameter that the kernel copies boxes with, from the layouts that it copies
/// to and from. Throws tegula::Error, located, where two uses of one parameter want different encodings.
void addDescriptorRecipes(mlir::func::FuncOp kernel, Artifact &artifact);

} // namespace tegula::cuda
