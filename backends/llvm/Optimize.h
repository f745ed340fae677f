// Generates the target's text or object from a printed module: a short list of passes, then LLVM's code generator.
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>

namespace tegula::llvmir {

struct TargetDescription {
  std::string triple, processor, features; // LLVM's names: "nvptx64-nvidia-cuda", "sm_90a", "+ptx84"
  std::string name;                        // for messages
};

/// The target must have been initialised in LLVM. Throws InternalError if this LLVM was built without the target.
std::unique_ptr<llvm::TargetMachine> makeTargetMachine(const TargetDescription &description);

/// During its lifetime, collects LLVM's diagnostics on a context and keeps the first error. A context can have only one
/// scope at a time.
class DiagnosticScope {
public:
  explicit DiagnosticScope(llvm::LLVMContext &context);
  ~DiagnosticScope();
  /// If there was an error since the scope began, throws tegula::Error with the first one, as "`during`: ...".
  void check(const std::string &during) const;

private:
  struct Handler;
  llvm::LLVMContext &context_;
  std::unique_ptr<llvm::DiagnosticHandler> before_;
  std::string *first_;
};

/// LLVM's analyses for a target. Each one is created when a pass, or `functions.getResult<...>(function)`, first
/// requests it.
struct Analyses {
  explicit Analyses(llvm::TargetMachine &machine);
  // The order of declaration matters: each manager refers to those before it.
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
};

/// Sets the module's data layout, verifies the module and simplifies it. Throws InternalError if the module is invalid.
void optimize(llvm::Module &module, llvm::TargetMachine &machine);

/// Selects whether LLVM's pass MachineSink runs. Some targets disable it: in LLVM 19 it moved loads of shared memory
/// past barriers, and lane exchanges into branches that some lanes do not take (LLVM issue 181708). LLVM 22's did
/// neither in the tests, but it makes operands of matrix instructions live longer, until they are spilled (LLVM issue
/// 216220).
enum class SinkCode { Yes, No };

/// Generates assembly text or a relocatable object, and consumes the module. Throws tegula::Error if LLVM cannot
/// generate code for kernel `name`.
std::string emitAssembly(llvm::Module &module, llvm::TargetMachine &machine, const std::string &name, SinkCode sinks);
std::string emitObject(llvm::Module &module, llvm::TargetMachine &machine, const std::string &name, SinkCode sinks);

/// The module as text.
std::string textOf(const llvm::Module &module);

} // namespace tegula::llvmir
