// Converts the IR's shared-memory types to SharedTile, and builds a kernel's descriptor recipes.
#pragma once

#include "backends/cuda/codegen/SharedLayout.h"
#include "core/contracts/Artifact.h"
#include "core/ir/simt/Simt.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tegula::cuda {

/// The layout of one stage of the buffer. The result refers to memory of the type's context.
SharedTile sharedTile(simt::SharedType type);

/// Adds a DescriptorRecipe for each descriptor parameter that tensor copies use. Box and swizzle follow from the
/// layouts of the copies' shared buffers. Throws tegula::Error, located, if two copies of one parameter need different
/// encodings.
void addDescriptorRecipes(mlir::func::FuncOp kernel, Artifact &artifact);

} // namespace tegula::cuda
