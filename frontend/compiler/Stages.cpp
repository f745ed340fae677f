#include "frontend/compiler/Stages.h"

#include "core/ir/Register.h"
#include "core/ir/Tile.h"
#include "core/passes/Passes.h"
#include "frontend/language/Parser.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Support/FileUtilities.h"

#include <algorithm>

namespace tegula {

using namespace mlir;

namespace {

DialectRegistry makeRegistry() {
  DialectRegistry registry;
  tile::registerTileDialects(registry);
  return registry;
}

/// The first error that MLIR reports while `body` runs, as ours; `body` says by false that it failed.
template <class Body> void withDiagnostics(MLIRContext &context, const std::string &path, const std::string &text, Body &&body) {
  std::optional<tegula::Diagnostic> first;
  ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) {
    if (d.getSeverity() != DiagnosticSeverity::Error || first)
      return success();
    first.emplace();
    first->message = d.str();
    first->location.file = path;
    if (auto place = dyn_cast<FileLineColLoc>(d.getLocation())) {
      first->location.line = place.getLine();
      first->location.column = place.getColumn();
      size_t begin = 0;
      for (unsigned line = 1; line < place.getLine() && begin != std::string::npos; ++line)
        begin = text.find('\n', begin) == std::string::npos ? std::string::npos : text.find('\n', begin) + 1;
      if (begin != std::string::npos)
        first->sourceLine = text.substr(begin, text.find('\n', begin) - begin);
    }
    return success();
  });
  if (!body())
    throw first ? Error(*first) : Error(path + ": not a valid module");
}

std::string textOf(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  stream << "\n";
  return text;
}

ArtifactParam artifactParam(BlockArgument argument, func::FuncOp function, const ParamType *declared) {
  ArtifactParam param;
  if (auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), tile::kNameAttr))
    param.name = name.str();
  auto scalar = [](mlir::Type type) {
    if (auto integer = dyn_cast<IntegerType>(type))
      switch (integer.getWidth()) {
      case 1: return ScalarType::I1;
      case 8: return ScalarType::I8;
      case 16: return ScalarType::I16;
      case 32: return ScalarType::I32;
      default: return ScalarType::I64;
      }
    if (type.isF16()) return ScalarType::F16;
    if (type.isBF16()) return ScalarType::BF16;
    if (type.isF64()) return ScalarType::F64;
    if (isa<Float8E4M3FNType>(type)) return ScalarType::F8E4M3;
    if (isa<Float8E5M2Type>(type)) return ScalarType::F8E5M2;
    if (isa<Float8E4M3FNUZType>(type)) return ScalarType::F8E4M3FNUZ;
    if (isa<Float8E5M2FNUZType>(type)) return ScalarType::F8E5M2FNUZ;
    return ScalarType::F32;
  };
  mlir::Type type = argument.getType();
  if (auto pointer = dyn_cast<tile::PtrType>(type)) {
    param.kind = ArtifactParam::Kind::Pointer;
    param.type = isa<tile::PtrType>(pointer.getPointee()) ? ScalarType::I64 : scalar(pointer.getPointee());
  } else if (auto descriptor = dyn_cast<tile::DescType>(type)) {
    param.kind = ArtifactParam::Kind::Descriptor;
    param.type = scalar(descriptor.getElementType());
    param.block.assign(descriptor.getShape().begin(), descriptor.getShape().end());
  } else {
    param.type = scalar(type);
  }
  if (declared && declared->kind != ParamType::Kind::PointerToPointers)
    param.type = declared->type; // the sign, which the IR has not
  return param;
}

} // namespace

Compilation::Compilation(const CompileRequest &request, const CodeGenerator &generator, CompileResult &result)
    : request_(request), generator_(generator), result_(result), context_(makeRegistry(), MLIRContext::Threading::DISABLED) {
  context_.loadAllAvailableDialects();
}

void Compilation::run() {
  checkLevels();
  if (request_.startFrom == "tile") {
    stage("read tile", [&] { parseTile(); });
  } else if (request_.startFrom.empty()) {
    stage("parse", [&] { parse(); });
    if (!wantsMore())
      return;
    stage("emit tile", [&] { emitTile(); });
  } else {
    throw Error("cannot start from the level '" + request_.startFrom + "'; expected tile");
  }
  stage("tile pipeline", [&] { runPasses(); });
  print("tile", [&] { return textOf(*module_); });
  if (!wantsMore())
    return;
  stage("generate code", [&] { generate(); });
}

std::vector<std::string> levelsOf(const CodeGenerator &generator) {
  std::vector<std::string> levels = {"ast", "tile"};
  for (std::string &level : generator.emits())
    levels.push_back(std::move(level));
  return levels;
}

void Compilation::checkLevels() const {
  std::vector<std::string> known = levelsOf(generator_);
  for (const std::string &level : request_.emit)
    if (std::find(known.begin(), known.end(), level) == known.end()) {
      std::string list;
      for (const std::string &name : known)
        list += (list.empty() ? "" : ", ") + name;
      throw Error("target " + request_.target + " has no level '" + level + "' to emit; it has: " + list);
    }
}

void Compilation::print(std::string_view level, const std::function<std::string()> &text) {
  result_.prints.resize(request_.emit.size());
  for (size_t i = 0; i < request_.emit.size(); ++i)
    if (request_.emit[i] == level) {
      result_.prints[i] = text();
      ++printed_;
    }
}

bool Compilation::wantsMore() const { return !request_.emitOnly || printed_ < request_.emit.size(); }

void Compilation::parse() {
  scope_ = std::make_unique<lang::ModuleScope>(lang::parseModule(request_.path, request_.source));
  print("ast", [&] { return lang::dump(*scope_->module, request_.kernel); });
}

void Compilation::emitTile() {
  lang::Emitter emitter(context_, *scope_, request_);
  module_ = emitter.emit();
  result_.staticOutput = emitter.staticOutput;
  result_.warnings = emitter.warnings;
}

void Compilation::parseTile() {
  withDiagnostics(context_, request_.path, request_.source, [&] {
    module_ = parseSourceString<ModuleOp>(request_.source, ParserConfig(&context_), request_.path);
    return static_cast<bool>(module_);
  });
  auto function = module_->lookupSymbol<func::FuncOp>(request_.kernel);
  if (!function && request_.kernel.empty())
    for (auto candidate : module_->getOps<func::FuncOp>())
      if (candidate->hasAttr(tile::kKernelAttr))
        function = candidate;
  if (!function)
    throw Error(request_.path + ": there is no function '" + request_.kernel + "' with the attribute tile.kernel");
}

void Compilation::runPasses() {
  PassManager pipeline(&context_);
#ifdef NDEBUG
  pipeline.enableVerifier(false);
#endif
  tile::buildTilePipeline(pipeline);
  generator_.addPasses(pipeline, request_.target);
  withDiagnostics(context_, request_.path, request_.source, [&] { return succeeded(pipeline.run(*module_)); });
}

void Compilation::generate() {
  Artifact artifact;
  artifact.target = request_.target;
  func::FuncOp kernel;
  for (auto function : module_->getOps<func::FuncOp>())
    if (function->hasAttr(tile::kKernelAttr) && (request_.kernel.empty() || function.getName() == request_.kernel))
      kernel = function;
  artifact.entry = kernel.getName().str();
  artifact.sourcePath = request_.path;
  std::vector<const ParamType *> declared;
  for (const ParamType &type : request_.signature)
    if (type.kind != ParamType::Kind::Constant)
      declared.push_back(&type);
  for (BlockArgument argument : kernel.getArguments()) {
    size_t i = argument.getArgNumber();
    artifact.params.push_back(artifactParam(argument, kernel, i < declared.size() ? declared[i] : nullptr));
  }
  generator_.generate(*module_, artifact);
  for (std::string &level : generator_.emits())
    print(level, [&] { return generator_.print(artifact, level); });
  result_.artifact = std::move(artifact);
}

} // namespace tegula
