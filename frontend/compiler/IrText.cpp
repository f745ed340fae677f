#include "frontend/compiler/IrText.h"

#include "core/ir/Numbers.h"
#include "core/ir/Register.h"
#include "core/ir/simt/Simt.h"
#include "core/support/Suggest.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/DebugStringHelper.h"

namespace tegula {

using namespace mlir;

DialectRegistry allDialects() {
  DialectRegistry registry;
  simt::registerSimtDialects(registry);
  return registry;
}

void withDiagnostics(MLIRContext &context, const std::string &path, const std::string &text,
                     const std::function<bool()> &body, std::vector<tegula::Diagnostic> *remarks) {
  std::optional<tegula::Diagnostic> first;
  auto translate = [&](mlir::Diagnostic &d) {
    tegula::Diagnostic diagnostic;
    diagnostic.message = d.str();
    diagnostic.location.file = path;
    if (auto place = d.getLocation()->findInstanceOf<FileLineColLoc>()) { // of a chain of calls, the innermost location
      diagnostic.location.line = place.getLine();
      diagnostic.location.column = place.getColumn();
      size_t begin = 0;
      for (unsigned line = 1; line < place.getLine() && begin != std::string::npos; ++line)
        begin = text.find('\n', begin) == std::string::npos ? std::string::npos : text.find('\n', begin) + 1;
      if (begin != std::string::npos)
        diagnostic.sourceLine = text.substr(begin, text.find('\n', begin) - begin);
    }
    return diagnostic;
  };
  auto withNotes = [&](mlir::Diagnostic &d) {
    tegula::Diagnostic diagnostic = translate(d);
    for (mlir::Diagnostic &note : d.getNotes()) {
      diagnostic.notes.push_back(translate(note));
      diagnostic.notes.back().severity = tegula::Diagnostic::Severity::Note;
    }
    return diagnostic;
  };
  ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) {
    if (d.getSeverity() == DiagnosticSeverity::Error && !first) {
      first = withNotes(d);
    } else if (d.getSeverity() == DiagnosticSeverity::Remark && remarks) {
      remarks->push_back(withNotes(d));
      remarks->back().severity = tegula::Diagnostic::Severity::Note;
    }
    return success();
  });
  if (!body())
    throw first ? Error(*first) : Error(path + ": not a valid module");
}

OwningOpRef<ModuleOp> parseIr(MLIRContext &context, const std::string &path, const std::string &text) {
  OwningOpRef<ModuleOp> module;
  withDiagnostics(context, path, text, [&] {
    module = parseSourceString<ModuleOp>(text, ParserConfig(&context), path);
    return static_cast<bool>(module);
  });
  return module;
}

namespace {

bool isKernel(func::FuncOp function) { return function->hasAttr(tile::kKernelAttr) || simt::isKernel(function); }

std::string nameOf(func::FuncOp kernel, unsigned argument) {
  if (auto name = kernel.getArgAttrOfType<StringAttr>(argument, tile::kNameAttr))
    return name.str();
  return "arg" + std::to_string(argument);
}

ScalarType scalarOf(mlir::Type type) {
  if (std::optional<ScalarType> scalar = tile::scalarType(type))
    return *scalar;
  throw Error("a kernel cannot have a parameter of type " + debugString(type) +
              "; expected numbers, pointers or descriptors");
}

std::string describeParam(ParamType::Kind kind, ScalarType type, const std::vector<int64_t> &block) {
  std::string text(name(type));
  if (kind == ParamType::Kind::Pointer)
    return "*" + text;
  if (kind == ParamType::Kind::PointerToPointers)
    return "**" + text;
  if (kind != ParamType::Kind::Descriptor)
    return text;
  std::string shape;
  for (int64_t extent : block)
    shape += std::to_string(extent) + "x";
  return "desc<" + shape + text + ">";
}

} // namespace

/// Whether a kernel with `simt.warps` is at the planned level: it still has tensors, or, if all values are scalars,
/// tile ops with memory effects, but for the mark of a loop that may not end, which stays to the last level.
static bool isPlanned(func::FuncOp function) {
  return function
      .walk([](Operation *op) {
        bool hasTensors = llvm::any_of(op->getResultTypes(), [](Type type) { return isa<RankedTensorType>(type); });
        bool isOfProgram = isa_and_nonnull<tile::TileDialect>(op->getDialect()) && !isMemoryEffectFree(op) &&
                           !isa<tile::MayNotEndOp>(op);
        return hasTensors || isOfProgram ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

std::string levelOf(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (simt::isKernel(function))
      return isPlanned(function) ? "planned" : "simt";
  return "tile";
}

std::vector<KernelInfo> inspectIr(const std::string &path, const std::string &text) {
  MLIRContext context(allDialects(), MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  OwningOpRef<ModuleOp> module = parseIr(context, path, text);
  std::vector<KernelInfo> kernels;
  for (auto function : module->getOps<func::FuncOp>()) {
    if (!isKernel(function))
      continue;
    KernelInfo kernel;
    kernel.name = function.getName().str();
    kernel.level = levelOf(*module);
    if (auto place = dyn_cast<FileLineColLoc>(function.getLoc()))
      kernel.line = place.getLine();
    for (BlockArgument argument : function.getArguments()) {
      if (function.getArgAttr(argument.getArgNumber(), tile::kWorkspaceAttr)) // the launch supplies it
        continue;
      KernelInfo::Param param;
      param.name = nameOf(function, argument.getArgNumber());
      if (!isa<tile::PtrType, tile::DescType>(argument.getType()))
        param.annotatedType = scalarOf(argument.getType());
      if (auto place = dyn_cast<FileLineColLoc>(argument.getLoc())) {
        param.line = place.getLine();
        param.column = place.getColumn();
      }
      kernel.params.push_back(std::move(param));
    }
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

func::FuncOp findKernel(ModuleOp module, const std::string &name, const std::string &path) {
  std::vector<std::string> names;
  func::FuncOp found;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!isKernel(function))
      continue;
    names.push_back(function.getName().str());
    if (name.empty() || function.getName() == name)
      found = function;
  }
  if (found && (!name.empty() || names.size() == 1))
    return found;
  if (names.empty())
    throw Error(path + ": there is no function with the attribute tile.kernel");
  if (name.empty())
    throw Error(path + " holds " + std::to_string(names.size()) + " kernels; name one of " + listed(names));
  throw Error(path + ": there is no function '" + name + "' with the attribute tile.kernel; it has " + listed(names) +
              suggestion(name, names));
}

ArtifactParam artifactParam(func::FuncOp kernel, unsigned argument) {
  ArtifactParam param;
  param.name = nameOf(kernel, argument);
  mlir::Type type = kernel.getArgument(argument).getType();
  if (auto pointer = dyn_cast<tile::PtrType>(type)) {
    param.kind = ArtifactParam::Kind::Pointer;
    param.type = isa<tile::PtrType>(pointer.getPointee()) ? ScalarType::I64 : scalarOf(pointer.getPointee());
  } else if (auto descriptor = dyn_cast<tile::DescType>(type)) {
    param.kind = ArtifactParam::Kind::Descriptor;
    param.type = scalarOf(descriptor.getElementType());
    param.block.assign(descriptor.getShape().begin(), descriptor.getShape().end());
  } else {
    param.type = scalarOf(type);
  }
  return param;
}

void checkSignature(func::FuncOp kernel, const std::vector<ParamType> &signature) {
  unsigned passed = 0;
  while (passed < kernel.getNumArguments() && !kernel.getArgAttr(passed, tile::kWorkspaceAttr))
    ++passed;
  if (signature.size() != passed)
    throw Error("kernel '" + kernel.getName().str() + "' has " + std::to_string(passed) + " parameters, " +
                std::to_string(signature.size()) + " types were given");
  for (unsigned i = 0; i < signature.size(); ++i) {
    const ParamType &given = signature[i];
    ArtifactParam param = artifactParam(kernel, i);
    auto pointer = dyn_cast<tile::PtrType>(kernel.getArgument(i).getType());
    ParamType::Kind kind = param.kind == ArtifactParam::Kind::Descriptor ? ParamType::Kind::Descriptor
                           : !pointer                                    ? ParamType::Kind::Scalar
                           : isa<tile::PtrType>(pointer.getPointee())    ? ParamType::Kind::PointerToPointers
                                                                         : ParamType::Kind::Pointer;
    // The IR has no signedness, and i1 is a byte in memory.
    bool sameType = kind == ParamType::Kind::PointerToPointers || given.type == param.type ||
                    (isInteger(given.type) && isInteger(param.type) && byteSize(given.type) == byteSize(param.type));
    if (given.kind == kind && sameType && given.block == param.block)
      continue;
    std::string found =
        given.kind == ParamType::Kind::Constant ? "a constant" : describeParam(given.kind, given.type, given.block);
    throw Error("parameter '" + param.name + "' of kernel '" + kernel.getName().str() + "' is " +
                describeParam(kind, param.type, param.block) + ", found " + found);
  }
}

} // namespace tegula
