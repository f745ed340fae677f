// Parses kernels from text, applies passes, and runs them in the simt executor.
#pragma once

#include "tests/simt/executor/SimtExecutor.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>
#include <vector>

namespace tegula::passes_test {

class Module {
public:
  /// Parses and verifies the text; throws Error with the diagnostics.
  explicit Module(const std::string &text);
  /// Runs passes in command-line form: "simt-insert-barriers,simt-check-barriers". Returns their diagnostics and notes,
  /// one a line; empty on success. The verifier runs after each pass.
  std::string run(const std::string &passes);
  mlir::func::FuncOp kernel();
  std::string text();
  /// All barriers of the kernel, in order of the text.
  std::vector<mlir::Operation *> barriers();

private:
  std::unique_ptr<mlir::MLIRContext> context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

struct Outcome {
  std::string reports; // the executor's reports; empty without any
  bool raced = false;
  std::vector<int32_t> out;
};

/// Runs a kernel with (i32 input array, i32 output array) on one workgroup.
Outcome execute(mlir::func::FuncOp kernel, const std::vector<int32_t> &in, size_t outs, uint64_t seed);

} // namespace tegula::passes_test
