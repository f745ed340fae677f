#include "backends/llvm/Optimize.h"
#include "backends/llvm/KeepPlaces.h"
#include "backends/llvm/UseOrder.h"
#include "core/support/Diagnostic.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/CodeGen/CodeGenTargetMachineImpl.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/DCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

namespace tegula::llvmir {

std::unique_ptr<llvm::TargetMachine> makeTargetMachine(const TargetDescription &description) {
  llvm::Triple triple(description.triple);
  std::string problem;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, problem);
  if (!target)
    throw InternalError("this LLVM does not know " + description.triple + ": " + problem);
  llvm::TargetOptions options; // default: products and sums are fused only if an op's flags allow it
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, description.processor, description.features, options, llvm::Reloc::PIC_,
                                  std::nullopt, llvm::CodeGenOptLevel::Aggressive));
  if (!machine)
    throw InternalError("this LLVM has no code generator for " + description.name);
  return machine;
}

struct DiagnosticScope::Handler final : llvm::DiagnosticHandler {
  std::string first;
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() == llvm::DS_Error && first.empty()) {
      llvm::raw_string_ostream stream(first);
      llvm::DiagnosticPrinterRawOStream printer(stream);
      info.print(printer);
    }
    return true; // handled: otherwise LLVM would print the message and exit
  }
};

DiagnosticScope::DiagnosticScope(llvm::LLVMContext &context)
    : context_(context), before_(context.getDiagnosticHandler()) {
  auto handler = std::make_unique<Handler>();
  first_ = &handler->first;
  context.setDiagnosticHandler(std::move(handler));
}

DiagnosticScope::~DiagnosticScope() { context_.setDiagnosticHandler(std::move(before_)); }

void DiagnosticScope::check(const std::string &during) const {
  if (!first_->empty())
    throw Error("LLVM failed to " + during + ": " + *first_);
}

Analyses::Analyses(llvm::TargetMachine &machine) {
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
}

namespace {

/// LICM for innermost loops only. An invariant of an outer loop, such as the part of an address that all tiles of a
/// persistent kernel share, is computed again in each iteration: hoisted, it would occupy a register in the inner
/// loops, too.
struct InnermostLicm : llvm::PassInfoMixin<InnermostLicm> {
  llvm::PreservedAnalyses run(llvm::Loop &loop, llvm::LoopAnalysisManager &analyses,
                              llvm::LoopStandardAnalysisResults &results, llvm::LPMUpdater &updater) {
    if (!loop.isInnermost())
      return llvm::PreservedAnalyses::all();
    return llvm::LICMPass(llvm::LICMOptions()).run(loop, analyses, results, updater);
  }
};

} // namespace

void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(module, &stream))
    throw InternalError("the printer made an invalid LLVM module: " + stream.str());

  // The passes remove repeated address computations and comparisons, words that are packed and at once unpacked, and
  // loop-invariant code. Passes that build SSA form or restructure loops are not needed: the printer emits SSA values,
  // and loops in their final shape.
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/false));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(InnermostLicm(), /*UseMemorySSA=*/true));
  passes.addPass(llvm::GVNPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::DCEPass());
  passes.addPass(UseOrderPass()); // last, because it decides by the number of live registers
  llvm::ModulePassManager pipeline;
  pipeline.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(passes)));
  Analyses analyses(machine);
  pipeline.run(module, analyses.modules);
}

namespace {

/// Adds the passes of TargetMachine::addPassesToEmitFile, with or without MachineSink.
void addPasses(llvm::legacy::PassManager &passes, llvm::CodeGenTargetMachineImpl &machine,
               llvm::raw_pwrite_stream &stream, llvm::CodeGenFileType type, const std::string &name, SinkCode sinks) {
  auto *modules = new llvm::MachineModuleInfoWrapperPass(&machine); // the pass manager owns both
  llvm::TargetPassConfig *config = machine.createPassConfig(passes);
  if (sinks == SinkCode::No)
    config->disablePass(&llvm::MachineSinkingLegacyID);
  keepPlaces(*config);
  passes.add(config);
  passes.add(modules);
  if (config->addISelPasses())
    throw InternalError("LLVM selects no instructions for " + name);
  config->addMachinePasses();
  config->setInitialized();
  if (machine.addAsmPrinter(passes, stream, nullptr, type, modules->getMMI().getContext()))
    throw InternalError("LLVM emits no code for " + name);
  passes.add(llvm::createFreeMachineFunctionPass());
}

/// Leaves out LLVM's straight-line strength reduction. LLVM 22's version takes 1.7 s for a function of 3,000
/// instructions (tests/conformance/kernels/rows.py, `weighted`). Measured on eight public kernels for sm_90a, it saved
/// at most 16 of 1,728 instructions, and registers in none.
struct WithoutStrengthReduction final : llvm::OptPassGate {
  bool shouldRunPass(llvm::StringRef pass, llvm::StringRef) const override { return pass != "slsr"; }
  bool isEnabled() const override { return true; }
};

std::string emit(llvm::Module &module, llvm::TargetMachine &machine, const std::string &name,
                 llvm::CodeGenFileType type, SinkCode sinks) {
  static WithoutStrengthReduction gate;
  module.getContext().setOptPassGate(gate);
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager passes;
  DiagnosticScope diagnostics(module.getContext());
  addPasses(passes, static_cast<llvm::CodeGenTargetMachineImpl &>(machine), stream, type, name, sinks);
  passes.run(module);
  diagnostics.check("generate code for " + name);
  return std::string(text.str());
}

} // namespace

std::string emitAssembly(llvm::Module &module, llvm::TargetMachine &machine, const std::string &name, SinkCode sinks) {
  return emit(module, machine, name, llvm::CodeGenFileType::AssemblyFile, sinks);
}

std::string emitObject(llvm::Module &module, llvm::TargetMachine &machine, const std::string &name, SinkCode sinks) {
  return emit(module, machine, name, llvm::CodeGenFileType::ObjectFile, sinks);
}

std::string textOf(const llvm::Module &module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

} // namespace tegula::llvmir
