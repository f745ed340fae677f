// The prints and assertions of a kernel, as its artifact lists them.
#pragma once

#include "core/contracts/Artifact.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tegula {

/// One message for each print and assertion of a simt kernel, in the order in which simt-expand-effects numbers them.
std::vector<DeviceMessage> messagesOf(mlir::func::FuncOp kernel);

} // namespace tegula
