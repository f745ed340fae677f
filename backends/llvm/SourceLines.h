// The kernel's source lines as LLVM's debug information, from which code generators write line tables: which file, line
// and column each instruction came from, also inside of functions that the kernel calls, which are all inlined.
// Variables and types are not described, and the code is the same as without.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/Module.h"

#include <map>

namespace tegula::llvmir {

class SourceLines {
public:
  using Kind = llvm::DICompileUnit::DebugEmissionKind;

  /// Describes `function`, which is printed from `kernel`. `kind`: whether the code generator writes sections
  /// (LineTablesOnly) or directives of an assembler (DebugDirectivesOnly).
  SourceLines(llvm::Function *function, mlir::func::FuncOp kernel, Kind kind);
  SourceLines(const SourceLines &) = delete;

  /// The debug location of the instructions that an op at `location` becomes; null where the location names no file.
  llvm::DILocation *at(mlir::Location location);
  /// Completes the module's debug information. Call it once, after the last instruction has its line.
  void finish() { builder_.finalize(); }

private:
  llvm::DILocation *resolve(mlir::Location location, llvm::DILocation *inlinedAt, llvm::StringRef function);
  llvm::DIFile *file(llvm::StringRef name);
  llvm::DISubprogram *describe(llvm::StringRef function, llvm::DIFile *file, unsigned line);
  llvm::DILocalScope *scopeOf(llvm::DIFile *file, llvm::DILocation *inlinedAt, llvm::StringRef function);

  llvm::DIBuilder builder_;
  llvm::DISubprogram *kernel_ = nullptr;
  llvm::DenseMap<mlir::Location, llvm::DILocation *> known_;
  std::map<std::pair<std::string, llvm::DIFile *>, llvm::DISubprogram *> callees_;
};

} // namespace tegula::llvmir
