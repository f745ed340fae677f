// Kernels from text, passed through passes and run in the simt executor.
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
  /// Parses and verifies; throws Error with the diagnostics otherwise.
  explicit Module(const std::string &text);
  /// Runs passes, given as on the command line: "simt-insert-barriers,simt-check-barriers". Returns what they report,
  /// one line a diagnostic or note; empty where they succeed. The verifier runs after each.
  std::string run(const std::string &passes);
  mlir::func::FuncOp kernel();
  std::string text();
  /// All barriers of the kernel, in the order of the text.
  std::vector<mlir::Operation *> barriers();

private:
  std::unique_ptr<mlir::MLIRContext> context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

struct Outcome {
  std::string reports; // of the executor; empty where it has none
  bool raced = false;
  std::vector<int32_t> out;
};

/// Runs a kernel of (i32 input array, i32 output array) on one workgroup.
Outcome execute(mlir::func::FuncOp kernel, const std::vector<int32_t> &in, size_t outs, uint64_t seed);

} // namespace tegula::passes_test
