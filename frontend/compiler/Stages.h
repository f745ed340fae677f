// One compilation, stage by stage: parse, emit tile IR, run the pipeline, generate code; prints and timings on the way.
#pragma once

#include "core/contracts/CodeGenerator.h"
#include "core/contracts/Compiler.h"
#include "frontend/language/emit/Emitter.h"

#include <chrono>

namespace tegula {

/// The levels that can be printed for a target, in order: "ast", "tile", then the generator's own.
std::vector<std::string> levelsOf(const CodeGenerator &generator);

class Compilation {
public:
  Compilation(const CompileRequest &request, const CodeGenerator &generator, CompileResult &result);
  void run();

private:
  void parse();
  void emitTile();
  void readIr(); // where the request's source is IR
  void runPasses(const std::function<void(mlir::OpPassManager &)> &build);
  void generate();
  void checkLevels() const;
  /// Runs the passes of one step to the code of one thread, as a stage of this name.
  void lower(Lowering lowering, const TargetDescription &target, const char *name);
  /// Sets the option's cap of registers on the kernel, at the simt level.
  void capRegisters();
  /// Stores `text()` in the result if the request asks for `level`.
  void print(std::string_view level, const std::function<std::string()> &text);
  /// Tells the request's `onStep`.
  void enter(const std::string &step) const {
    if (request_.onStep)
      request_.onStep(step);
  }
  bool wantsMore() const; // false where only prints were requested and all of them are done

  template <class Body> void stage(const char *name, Body &&body) {
    enter(std::string("the stage ") + name);
    auto start = std::chrono::steady_clock::now();
    body();
    result_.passSeconds.emplace_back(name,
                                     std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }

  const CompileRequest &request_;
  const CodeGenerator &generator_;
  CompileResult &result_;
  size_t printed_ = 0;
  Surroundings surroundings_;
  std::string path_; // the name of the kernel's file in code, IR and messages of passes
  std::unique_ptr<lang::Modules> modules_;
  std::unique_ptr<lang::ModuleScope> scope_;
  mlir::MLIRContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  std::vector<DeviceMessage> messages_; // prints and assertions of the kernel
  ProductCount products_;
  KernelOptions options_;
  llvm::SmallVector<ArtifactParam::Access> access_; // of the kernel's arguments, before the passes of the tile level
};

} // namespace tegula
