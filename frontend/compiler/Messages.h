// What a kernel may print or assert, as its artifact lists it.
#pragma once

#include "core/runtime/Artifact.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tegula {

/// Appends the places in the source that a location is made of: the innermost first, then the calls that led to it.
void addLocations(mlir::Location location, std::vector<SourceLocation> &to);

/// One for each print and assertion of a simt kernel, in the order that simt-expand-effects numbers them in.
std::vector<DeviceMessage> messagesOf(mlir::func::FuncOp kernel);

} // namespace tegula
