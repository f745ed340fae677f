#include "tests/simt/Kernel.h"

#include "core/contracts/MatrixInstructions.h"
#include "core/ir/Register.h"
#include "core/support/Diagnostic.h"
#include "core/support/Files.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/SourceMgr.h"

namespace tegula::simt_test {

Kernel::Kernel(const std::string &text, const std::string &file) {
  mlir::DialectRegistry registry;
  simt::registerSimtDialects(registry);
  context_ = std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  std::string messages;
  mlir::ScopedDiagnosticHandler handler(context_.get(), [&](mlir::Diagnostic &diagnostic) {
    messages += locationText(diagnostic.getLocation()) + ": " + diagnostic.str() + '\n';
    return mlir::success();
  });
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, file), {});
  module_ = mlir::parseSourceFile<mlir::ModuleOp>(sources, context_.get());
  if (!module_)
    throw Error("expected a module that parses, found:\n" + messages);
}

Kernel Kernel::file(const std::string &name, const Replacements &replacements) {
  std::string path = std::string(TEGULA_SOURCE_DIR) + "/tests/simt/" + name;
  std::string text = readTextFile(path);
  for (const auto &[from, to] : replacements) {
    size_t at = text.find(from);
    if (at == std::string::npos)
      throw Error("expected '" + from + "' in " + name + ", which does not have it");
    for (; at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  }
  return Kernel(text, name);
}

mlir::func::FuncOp Kernel::function() {
  mlir::func::FuncOp found;
  module_->walk([&](mlir::func::FuncOp function) {
    if (!found && simt::isKernel(function))
      found = function;
  });
  if (!found)
    throw Error("expected a simt kernel in the module, found none");
  return found;
}

MatrixRows Kernel::rows() {
  return [](std::string_view name) { return findInstruction(name); };
}

} // namespace tegula::simt_test
