#include "tests/conformance/simt/CaseText.h"
#include "tests/conformance/Host.h"
#include "tests/conformance/Runner.h"

#include "core/contracts/CodeGenerator.h"
#include "core/contracts/Compiler.h"
#include "core/ir/simt/Target.h"
#include "core/passes/Passes.h"
#include "core/runtime/text/Signature.h"
#include "core/support/Files.h"
#include "frontend/compiler/IrText.h"

#include "mlir/Pass/PassManager.h"

#include <bit>
#include <functional>

namespace tegula::conformance {
namespace {

Compiler &compiler() { return *tegulaCompiler(buildId()); }

ConstantValue converted(const Constant &constant) {
  return std::visit(
      [](const auto &value) -> ConstantValue {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, DType>)
          return parseSignature("*" + std::string(name(value))).at(0).type;
        else
          return value;
      },
      constant.value());
}

[[noreturn]] void fail(const CompileResult &result) {
  throw Error(result.error ? format(*result.error) : "internal error: " + result.internalError);
}

KernelInfo infoOf(const Case &made, const std::string &path, const std::string &source) {
  InspectResult inspected = compiler().inspect(path, source, {});
  for (const KernelInfo &kernel : inspected.kernels)
    if (kernel.name == made.kernel)
      return kernel;
  throw Error("no kernel '" + made.kernel + "' in " + path);
}

/// The facts that a launch finds, for buffers that begin at multiples of 16 bytes.
void addFacts(ParamType &type, const ArgumentSpec &argument) {
  uint64_t value = 0;
  if (auto *integer = std::get_if<int64_t>(&argument); integer && type.kind == ParamType::Kind::Scalar) {
    value = static_cast<uint64_t>(*integer);
    type.isOne = value == 1;
  } else if (auto *buffer = std::get_if<BufferSpec>(&argument)) {
    value = static_cast<uint64_t>(buffer->lead) * byteSize(buffer->type);
  } else {
    return;
  }
  type.divisibility = value == 0 ? 16 : std::min<uint32_t>(16, 1u << std::countr_zero(value));
}

std::string printed(const CompileResult &result) {
  if (result.error || !result.internalError.empty() || result.prints.size() != 1)
    fail(result);
  return result.prints[0];
}

} // namespace

bool isSelfContained(const Case &made) {
  if (made.numWarps == 0 || made.folder == Folder::Seeds)
    return false;
  std::string path = Folders::standard().path(made);
  for (const KernelInfo::Param &param : infoOf(made, path, readTextFile(path)).params)
    if (param.isConstexpr && !made.constants.contains(param.name) && !param.defaultValue)
      return false;
  return true;
}

std::string textOfKernel(const Case &made, const Configured &configured) {
  CompileRequest request;
  request.path = Folders::standard().path(made);
  request.source = readTextFile(request.path);
  request.kernel = made.kernel;
  request.target = configured.target;
  request.conditional = configured.forLaunch;
  request.signature = parseSignature(signatureOf(made));
  request.numWarps = made.numWarps;
  request.emit = {configured.level};
  request.emitOnly = true;
  size_t next = 0; // of the signature: an annotation says a scalar's type, as in a launch
  for (const KernelInfo::Param &param : infoOf(made, request.path, request.source).params)
    if (param.isConstexpr) {
      if (param.defaultValue)
        request.constants[param.name] = *param.defaultValue;
    } else if (ParamType &type = request.signature.at(next++);
               param.annotatedType && type.kind == ParamType::Kind::Scalar) {
      type.type = *param.annotatedType;
    }
  if (configured.forLaunch)
    for (size_t i = 0; i < made.arguments.size(); ++i)
      addFacts(request.signature.at(i), made.arguments[i]);
  for (const auto &[name, value] : made.constants)
    request.constants[name] = converted(value);
  return printed(compiler().compile(request));
}

namespace {

/// What a target's backend makes of a module.
using Build = std::function<void(mlir::OpPassManager &, const TargetDescription &)>;

/// The text of the module after these passes. `file`: what messages name.
std::string after(mlir::ModuleOp module, const std::string &file, const std::string &text, const Build &build) {
  simt::Target target = simt::targetOf(module);
  mlir::PassManager pipeline(module.getContext());
  build(pipeline, {target.features, target.policies, {}});
  withDiagnostics(*module.getContext(), file, text, [&] { return succeeded(pipeline.run(module)); });
  std::string after;
  llvm::raw_string_ostream(after) << module;
  return after;
}

const CodeGenerator &generatorFor(const std::string &name) {
  for (const CodeGenerator *generator : codeGenerators())
    if (generator->accepts(name))
      return *generator;
  throw Error("no backend has the target " + name);
}

/// The passes of a backend for these steps.
Build stepsOf(const std::string &name, std::vector<Lowering> steps) {
  return [name, steps](mlir::OpPassManager &pipeline, const TargetDescription &target) {
    for (Lowering step : steps)
      generatorFor(name).addLowering(step, name, target, pipeline);
  };
}

/// The lowering without a backend's own passes.
constexpr auto kNoExtensions = [](tile::ExtensionPoint) {};

/// `target`: null if the text describes it.
std::string simtFor(const TargetDescription *target, const std::string &planned, const Build &build) {
  mlir::MLIRContext context(allDialects(), mlir::MLIRContext::Threading::DISABLED);
  mlir::OwningOpRef<mlir::ModuleOp> module = parseIr(context, "planned.mlir", planned);
  if (target)
    simt::setTarget(*module, *target);
  after(*module, "planned.mlir", planned, build);
  (*module)->removeAttr(simt::kTargetAttr); // so that texts for two targets differ in code only
  std::string text;
  llvm::raw_string_ostream(text) << *module;
  return text;
}

} // namespace

std::string simtFor(const TargetDescription &target, const std::string &planned) {
  return simtFor(&target, planned, [](mlir::OpPassManager &pipeline, const TargetDescription &) {
    tile::buildExpandedPipeline(pipeline);
    tile::buildThreadPipeline(pipeline, kNoExtensions);
  });
}

std::string simtFor(const std::string &name, const std::string &planned) {
  return simtFor(nullptr, planned, stepsOf(name, {Lowering::Expand, Lowering::Threads}));
}

std::string withLastPasses(const std::string &name, const std::string &simt) {
  mlir::MLIRContext context(allDialects(), mlir::MLIRContext::Threading::DISABLED);
  mlir::OwningOpRef<mlir::ModuleOp> module = parseIr(context, "simt.mlir", simt);
  return after(*module, "simt.mlir", simt, [&](mlir::OpPassManager &pipeline, const TargetDescription &) {
    generatorFor(name).addPasses(pipeline, name);
  });
}

std::string plannedFor(const TargetDescription &target, const std::string &tile) {
  mlir::MLIRContext context(allDialects(), mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects(); // the target's layouts are of a dialect that the text may not name
  mlir::OwningOpRef<mlir::ModuleOp> module = parseIr(context, "tile.mlir", tile);
  simt::setTarget(*module, target);
  return after(*module, "tile.mlir", tile, [](mlir::OpPassManager &pipeline, const TargetDescription &described) {
    tile::buildPlannedPipeline(pipeline, described, kNoExtensions);
  });
}

std::string plannedWith(int64_t sharedBytes, const std::string &name, const std::string &tile,
                        const std::string &plannedBefore) {
  mlir::MLIRContext context(allDialects(), mlir::MLIRContext::Threading::DISABLED);
  mlir::OwningOpRef<mlir::ModuleOp> module = parseIr(context, "tile.mlir", tile),
                                    named = parseIr(context, "planned.mlir", plannedBefore);
  mlir::NamedAttrList target((*named)->getAttrOfType<mlir::DictionaryAttr>(simt::kTargetAttr));
  target.set("shared_bytes", mlir::Builder(&context).getI64IntegerAttr(sharedBytes));
  (*module)->setAttr(simt::kTargetAttr, target.getDictionary(&context));
  return after(*module, "tile.mlir", tile, stepsOf(name, {Lowering::Plan}));
}

std::string printedAgain(const std::string &text, const Configured &configured) {
  CompileRequest request;
  request.path = "again.mlir";
  request.source = text;
  request.target = configured.target;
  request.startFrom = configured.level;
  request.hasSignature = false;
  request.conditional = configured.forLaunch;
  request.emit = {configured.level};
  request.emitOnly = true;
  return printed(compiler().compile(request));
}

} // namespace tegula::conformance
