// From a printed module to the target's text: a short list of passes, then LLVM's code generator.
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>

namespace tegula::llvmir {

struct TargetDescription {
  std::string triple, processor, features; // as LLVM names them: "nvptx64-nvidia-cuda", "sm_90a", "+ptx84"
  std::string name;                        // for messages
};

/// The target must be initialised in LLVM. Throws InternalError where this LLVM lacks the target.
std::unique_ptr<llvm::TargetMachine> makeTargetMachine(const TargetDescription &description);

/// Collects LLVM's diagnostics on a context during its lifetime and keeps the first error. One scope at a time for a
/// context.
class DiagnosticScope {
public:
  explicit DiagnosticScope(llvm::LLVMContext &context);
  ~DiagnosticScope();
  /// Throws tegula::Error with the first error since the scope began, as "`during`: ...".
  void check(const std::string &during) const;

private:
  struct Handler;
  llvm::LLVMContext &context_;
  std::unique_ptr<llvm::DiagnosticHandler> before_;
  std::string *first_;
};

/// LLVM's analyses for a target. Each is made when a pass, or `functions.getResult<...>(function)`, first asks for it.
struct Analyses {
  explicit Analyses(llvm::TargetMachine &machine);
  // In this order: a manager refers to those before it.
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
};

/// Sets the module's data layout, verifies and simplifies it. Throws InternalError where the module is invalid.
void optimize(llvm::Module &module, llvm::TargetMachine &machine);

/// Whether LLVM's pass MachineSink runs. Some targets do without: LLVM 19's moves loads of shared memory behind their
/// barriers, and exchanges between lanes into branches that some of the lanes do not take (LLVM issue 181708).
enum class SinkCode { Yes, No };

/// Assembly text, or a relocatable object. The call consumes the module. Throws tegula::Error where LLVM cannot
/// generate code for kernel `name`.
std::string emitAssembly(llvm::Module &module, llvm::TargetMachine &machine, const std::string &name, SinkCode sinks);
std::string emitObject(llvm::Module &module, llvm::TargetMachine &machine, const std::string &name, SinkCode sinks);

/// The module as text.
std::string textOf(const llvm::Module &module);

} // namespace tegula::llvmir
