// Kernels from texts of simt modules, with the matrix instructions of all backends.
#pragma once

#include "tests/simt/executor/SimtExecutor.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>
#include <utility>
#include <vector>

namespace tegula::simt_test {

using Replacements = std::vector<std::pair<std::string, std::string>>;

class Kernel {
public:
  /// Parses and verifies the text; throws Error with the diagnostics.
  explicit Kernel(const std::string &text, const std::string &file = "kernel.mlir");
  /// A module of tests/simt with parts of its text replaced; throws Error where the text lacks a part.
  static Kernel file(const std::string &name, const Replacements &replacements = {});
  mlir::func::FuncOp function();
  SimtExecutor executor() { return SimtExecutor(function(), rows()); }
  static MatrixRows rows();

private:
  std::unique_ptr<mlir::MLIRContext> context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

} // namespace tegula::simt_test
