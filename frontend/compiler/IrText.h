// IR as text: reading a module, and what its kernels look like from outside, so that a file of IR can be compiled and
// launched as a file of source can.
#pragma once

#include "core/runtime/Compiler.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>
#include <string>
#include <vector>

namespace tegula {

/// A context with the dialects of all levels. One thread at a time.
mlir::DialectRegistry allDialects();

/// Runs `body`, which says by false that it failed, and throws the first error that MLIR reported meanwhile, located in
/// `text`. Remarks go to `remarks` where it is given.
void withDiagnostics(mlir::MLIRContext &context, const std::string &path, const std::string &text,
                     const std::function<bool()> &body, std::vector<tegula::Diagnostic> *remarks = nullptr);

/// Throws tegula::Error, located.
mlir::OwningOpRef<mlir::ModuleOp> parseIr(mlir::MLIRContext &context, const std::string &path, const std::string &text);

/// "simt" where a kernel has `simt.warps`, else "tile".
std::string levelOf(mlir::ModuleOp module);

/// The kernels of a module of IR: parameters from the function's arguments and their `tile.name`.
std::vector<KernelInfo> inspectIr(const std::string &path, const std::string &text);

/// The kernel of that name; where it is empty, the module's only one. Throws tegula::Error.
mlir::func::FuncOp findKernel(mlir::ModuleOp module, const std::string &name, const std::string &path);

/// How a launch passes an argument of a kernel. The IR has no signs: integers are signed.
ArtifactParam artifactParam(mlir::func::FuncOp kernel, unsigned argument);

/// Whether arguments of these types may be passed to the kernel. Throws tegula::Error that names the parameter.
void checkSignature(mlir::func::FuncOp kernel, const std::vector<ParamType> &signature);

} // namespace tegula
