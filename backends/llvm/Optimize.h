// From a printed module to the target's text: a short list of passes, then LLVM's code generator.
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>

namespace tegula::llvmir {

struct TargetDescription {
  std::string triple, processor, features; // as LLVM names them: "nvptx64-nvidia-cuda", "sm_90a", "+ptx84"
  std::string name;                        // for messages
};

/// The target must be initialised. Throws InternalError where this LLVM has it not.
std::unique_ptr<llvm::TargetMachine> makeTargetMachine(const TargetDescription &description);

/// What LLVM says about a module while this lives: its first error is kept. One at a time for a context.
class DiagnosticScope {
public:
  explicit DiagnosticScope(llvm::LLVMContext &context);
  ~DiagnosticScope();
  /// Throws tegula::Error with the first error since the scope began: "`while`: ...".
  void check(const std::string &during) const;

private:
  struct Handler;
  llvm::LLVMContext &context_;
  std::unique_ptr<llvm::DiagnosticHandler> before_;
  std::string *first_;
};

/// Sets the module's layout, verifies and simplifies it. Throws InternalError where a printer made an invalid module.
void optimize(llvm::Module &module, llvm::TargetMachine &machine);

/// Assembly text. The module is used up.
std::string emitAssembly(llvm::Module &module, llvm::TargetMachine &machine, const std::string &name);

/// The module as text.
std::string textOf(const llvm::Module &module);

} // namespace tegula::llvmir
