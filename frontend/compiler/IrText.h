// IR as text: parses a module and inspects its kernels' parameters, so that a file of IR can be compiled and launched
// like a file of source.
#pragma once

#include "core/contracts/Compiler.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>
#include <string>
#include <vector>

namespace tegula {

/// A context with the dialects of all levels. One thread at a time.
mlir::DialectRegistry allDialects();

/// Runs `body`, which returns false on failure, and then throws the first error that MLIR reported, located in `text`.
/// Remarks are appended to `remarks` if it is given.
void withDiagnostics(mlir::MLIRContext &context, const std::string &path, const std::string &text,
                     const std::function<bool()> &body, std::vector<tegula::Diagnostic> *remarks = nullptr);

/// Throws tegula::Error, located.
mlir::OwningOpRef<mlir::ModuleOp> parseIr(mlir::MLIRContext &context, const std::string &path, const std::string &text);

/// "simt" where a kernel has `simt.warps`, else "tile".
std::string levelOf(mlir::ModuleOp module);

/// The kernels of an IR module: their parameters are the functions' arguments, named by `tile.name`.
std::vector<KernelInfo> inspectIr(const std::string &path, const std::string &text);

/// The kernel called `name`; with an empty name, the module's only kernel. Throws tegula::Error.
mlir::func::FuncOp findKernel(mlir::ModuleOp module, const std::string &name, const std::string &path);

/// The form in which a launch passes an argument of a kernel. The IR has no signedness: integers are signed.
ArtifactParam artifactParam(mlir::func::FuncOp kernel, unsigned argument);

/// Throws tegula::Error that names the parameter where an argument of the signature's type cannot be passed.
void checkSignature(mlir::func::FuncOp kernel, const std::vector<ParamType> &signature);

} // namespace tegula
