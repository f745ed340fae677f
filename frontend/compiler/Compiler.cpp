// libtegula-compiler: one file and one request in, an artifact out. The stages read top to bottom in
// `Compilation::run`.
#include "core/contracts/Compiler.h"

#include "core/contracts/BackendNames.h"
#include "core/contracts/CodeGenerator.h"
#include "core/ir/Register.h"
#include "core/passes/Passes.h"
#include "core/support/Hash.h"
#include "frontend/compiler/IrText.h"
#include "frontend/compiler/Stages.h"
#include "frontend/language/emit/Emitter.h"
#include "frontend/language/names/Inspect.h"
#include "frontend/language/names/Prune.h"
#include "frontend/language/syntax/Parser.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Config/llvm-config.h"

#include <algorithm>
#include <cstring>

namespace tegula {
namespace {

/// Turns an exception of a stage into the result, because exceptions must not cross the library's border.
template <class Result, class Body> Result guarded(Body &&body) {
  Result result;
  try {
    body(result);
  } catch (const Error &error) {
    result.error = error.diagnostic();
  } catch (const std::exception &error) {
    result.internalError = error.what();
  }
  return result;
}

const CodeGenerator *generatorFor(std::string_view target) {
  for (const CodeGenerator *generator : codeGenerators())
    if (generator->accepts(target))
      return generator;
  return nullptr;
}

std::vector<std::string> allTargets() {
  std::vector<std::string> all;
  for (const CodeGenerator *generator : codeGenerators())
    for (std::string &name : generator->targets())
      all.push_back(std::move(name));
  return all;
}

const CodeGenerator &requireGenerator(std::string_view target) {
  if (const CodeGenerator *generator = generatorFor(target))
    return *generator;
  std::string message = unknownTarget(target, allTargets());
  for (std::string_view backend : backendsWithoutCodeGenerator())
    message += "; its " + std::string(backend) + " backend has no code generator yet";
  throw Error(message);
}

class CompilerImpl final : public Compiler {
public:
  InspectResult inspect(const std::string &path, const std::string &source, const Surroundings &start) override {
    return guarded<InspectResult>([&](InspectResult &result) {
      if (isIrFile(path)) {
        result.kernels = inspectIr(path, source);
        for (KernelInfo &kernel : result.kernels)
          kernel.text = toHex(hash128(source));
        return;
      }
      result.surroundings.modulePath = start.modulePath;
      result.surroundings.given = start.given;
      result.surroundings.texts = start.texts;
      lang::Modules modules(result.surroundings, lang::Modules::kLooks);
      lang::ModuleScope scope(
          lang::parseModule(path, withGivenNames(source, path, true, start.given), lang::OnError::Keep), false,
          &modules);
      result.kernels = lang::inspect(scope.names);
      lang::readUsedModules(scope);
      std::string text = lang::textHash(path, source, result.surroundings);
      for (KernelInfo &kernel : result.kernels)
        kernel.text = text;
    });
  }

  PruneResult prune(const PruneRequest &request) override {
    return guarded<PruneResult>([&](PruneResult &result) {
      Surroundings surroundings = request.surroundings;
      lang::Modules modules(surroundings, lang::Modules::kRecorded);
      lang::ModuleScope scope(lang::parseModule(request.path,
                                                withGivenNames(request.source, request.path, true, surroundings.given),
                                                lang::OnError::Keep),
                              false, &modules);
      result.kept = lang::pruneConfigs(scope.names, request);
    });
  }

  CompileResult compile(const CompileRequest &request) override {
    auto result = guarded<CompileResult>(
        [&](CompileResult &made) { Compilation(request, requireGenerator(request.target), made).run(); });
    if (request.portable && result.error && result.error->location.file == portablePath(request.path, request.path))
      result.error->location.file = request.path; // whoever reads the message is on this machine
    return result;
  }

  std::vector<std::string> levels(const std::string &target) override {
    const CodeGenerator *generator = generatorFor(target);
    return generator ? levelsOf(*generator) : std::vector<std::string>();
  }

  std::vector<std::string> bundledWith(const std::string &target) override {
    const CodeGenerator *generator = generatorFor(target);
    return generator ? generator->bundledWith(target) : std::vector<std::string>();
  }

  std::vector<std::string> targets() override { return allTargets(); }

  std::vector<Finding> examine() override {
    std::vector<Finding> findings = {{"LLVM", Finding::State::Fine, LLVM_VERSION_STRING, {}}};
    for (const CodeGenerator *generator : codeGenerators())
      std::ranges::move(generator->tools(), std::back_inserter(findings));
    return findings;
  }
};

} // namespace

extern "C" __attribute__((visibility("default"))) Compiler *tegulaCompiler(const char *wanted) {
  static CompilerImpl compiler;
  return std::strcmp(wanted, buildId()) == 0 ? &compiler : nullptr;
}

} // namespace tegula
