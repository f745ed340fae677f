// Attaches the kernel's source lines as LLVM debug information, from which code generators write line tables: the file,
// line and column of each instruction, including instructions of functions that the kernel calls, all of which are
// inlined. Variables and types are not described, and the generated code does not change.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/Module.h"

#include <map>

namespace tegula::llvmir {

class SourceLines {
public:
  using Kind = llvm::DICompileUnit::DebugEmissionKind;

  /// Describes `function`, which is printed from `kernel`. `kind`: the code generator writes sections (LineTablesOnly)
  /// or assembler directives (DebugDirectivesOnly).
  SourceLines(llvm::Function *function, mlir::func::FuncOp kernel, Kind kind);
  SourceLines(const SourceLines &) = delete;

  /// The debug location for the instructions of an op at `location`; null if the location has no file.
  llvm::DILocation *at(mlir::Location location);
  /// Completes the module's debug information. Must be called once, after the last instruction has its line.
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
