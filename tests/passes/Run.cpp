#include "tests/passes/Run.h"

#include "core/ir/Register.h"
#include "core/passes/Passes.h"
#include "core/support/Diagnostic.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

namespace tegula::passes_test {
namespace {

void collect(mlir::Diagnostic &diagnostic, std::string &messages) {
  if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Remark) // of --explain
    return;
  messages += simt_test::locationText(diagnostic.getLocation()) + ": " + diagnostic.str() + '\n';
  for (mlir::Diagnostic &note : diagnostic.getNotes())
    collect(note, messages);
}

} // namespace

Module::Module(const std::string &text) {
  mlir::DialectRegistry registry;
  simt::registerSimtDialects(registry);
  context_ = std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  std::string messages;
  mlir::ScopedDiagnosticHandler handler(context_.get(),
                                        [&](mlir::Diagnostic &diagnostic) { collect(diagnostic, messages); });
  module_ = mlir::parseSourceString<mlir::ModuleOp>(text, context_.get(), "kernel.mlir");
  if (!module_)
    throw Error("expected a module that parses, found:\n" + messages + text);
}

std::string Module::run(const std::string &passes) {
  static const bool registered = (tile::registerTilePasses(), true);
  (void)registered;
  std::string messages;
  mlir::ScopedDiagnosticHandler handler(context_.get(),
                                        [&](mlir::Diagnostic &diagnostic) { collect(diagnostic, messages); });
  mlir::PassManager manager(context_.get(), mlir::ModuleOp::getOperationName(), mlir::PassManager::Nesting::Implicit);
  llvm::raw_string_ostream errors(messages);
  if (failed(mlir::parsePassPipeline(passes, manager, errors)))
    throw Error("expected passes that exist, found '" + passes + "': " + messages);
  if (failed(manager.run(*module_)) && messages.empty())
    messages = "failed without a message\n";
  return messages;
}

mlir::func::FuncOp Module::kernel() { return *module_->getOps<mlir::func::FuncOp>().begin(); }

std::string Module::text() {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module_->print(stream);
  return text;
}

std::vector<mlir::Operation *> Module::barriers() {
  std::vector<mlir::Operation *> found;
  kernel().walk([&](simt::BarrierOp barrier) { found.push_back(barrier); });
  return found;
}

Outcome execute(mlir::func::FuncOp kernel, const std::vector<int32_t> &in, size_t outs, uint64_t seed) {
  Outcome outcome;
  std::vector<int32_t> input = in;
  outcome.out.assign(outs, -1);
  simt_test::SimtExecutor executor(kernel);
  executor.pointer(input, "x").pointer(outcome.out, "o");
  simt_test::RunOptions options;
  options.seed = seed;
  options.lateLanding = seed % 2 == 0;
  simt_test::RunResult result = executor.run({1, 1, 1}, options);
  outcome.reports = result.text();
  outcome.raced = result.has(simt_test::ReportKind::Race) || result.has(simt_test::ReportKind::MissingWait);
  return outcome;
}

} // namespace tegula::passes_test
