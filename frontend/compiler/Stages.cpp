#include "frontend/compiler/Stages.h"

#include "core/contracts/KernelOptions.h"
#include "core/ir/Locations.h"
#include "core/ir/simt/Target.h"
#include "core/ir/tile/ConditionsAttr.h"
#include "core/ir/tile/DerivedTensorAttr.h"
#include "core/passes/Passes.h"
#include "core/passes/analysis/ArgumentAccess.h"
#include "frontend/compiler/IrText.h"
#include "frontend/compiler/Messages.h"
#include "frontend/language/syntax/Parser.h"

#include "mlir/Pass/PassInstrumentation.h"

#include <algorithm>

namespace tegula {

using namespace mlir;

namespace {

std::string textOf(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  stream << "\n";
  return text;
}

/// Tells which pass begins.
class PassSteps final : public PassInstrumentation {
public:
  explicit PassSteps(const std::function<void(const std::string &)> &onStep) : onStep_(onStep) {}
  void runBeforePass(Pass *pass, Operation *) override {
    if (!pass->getArgument().empty()) // else it runs a pipeline of passes that have names
      onStep_("the pass " + pass->getArgument().str());
  }

private:
  const std::function<void(const std::string &)> &onStep_;
};

/// A line of the request's source, for messages that have only a line number.
std::string sourceLine(const std::string &text, uint32_t number) {
  size_t begin = 0;
  for (uint32_t line = 1; line < number; ++line) {
    begin = text.find('\n', begin);
    if (begin == std::string::npos)
      return {};
    ++begin;
  }
  return text.substr(begin, text.find('\n', begin) - begin);
}

} // namespace

Compilation::Compilation(const CompileRequest &request, const CodeGenerator &generator, CompileResult &result)
    : request_(request), generator_(generator), result_(result), surroundings_(request.surroundings),
      path_(request.portable ? portablePath(request.path, request.path) : request.path),
      context_(allDialects(), MLIRContext::Threading::DISABLED) {
  context_.loadAllAvailableDialects();
}

void Compilation::run() {
  checkLevels();
  bool isSource = request_.startFrom.empty();
  if (isSource) {
    stage("parse", [&] { parse(); });
    if (!wantsMore())
      return;
    stage("emit tile", [&] { emitTile(); });
  } else {
    stage("read IR", [&] { readIr(); });
  }
  if (isSource || request_.startFrom == "tile")
    access_ = tile::argumentAccess(findKernel(*module_, request_.kernel, request_.path));
  const std::string &from = request_.startFrom;
  bool wantsThreads = generator_.consumes() == Level::Simt;
  if (!wantsThreads && (from == "planned" || from == "simt"))
    throw Error("target " + request_.target + " compiles from the tile level, it has no way to start from " + from);
  TargetDescription target = generator_.describe(request_.target);
  target.policies.conditional &= request_.conditional;
  target.features.movesRegisters &= !options_.maxRegisters; // warps that ask for more than the cap would wait for ever
  if (from != "planned" && from != "simt") {
    stage("tile pipeline", [&] { runPasses(tile::buildTilePipeline); });
    print("tile", [&] { return textOf(*module_); });
    if (!wantsMore())
      return;
  }
  if (wantsThreads)
    simt::setTarget(*module_, target);
  if (wantsThreads && from != "planned" && from != "simt")
    lower(Lowering::Plan, target, "assign layouts");
  if (wantsThreads && from != "simt") {
    products_ = generator_.countProducts(*module_);
    print("planned", [&] { return textOf(*module_); });
    if (!wantsMore())
      return;
    lower(Lowering::Expand, target, "expand schedules");
    print("expanded", [&] { return textOf(*module_); });
    if (!wantsMore())
      return;
    lower(Lowering::Threads, target, "tile to simt");
  }
  if (wantsThreads) {
    capRegisters();
    print("simt", [&] { return textOf(*module_); });
    if (!wantsMore())
      return;
  }
  runPasses([&](OpPassManager &pipeline) { generator_.addPasses(pipeline, request_.target); });
  if (wantsThreads) {
    messages_ = messagesOf(findKernel(*module_, request_.kernel, request_.path)); // before prints are expanded
    if (!messages_.empty())
      lower(Lowering::Effects, target, "expand effects");
  }
  stage("generate code", [&] { generate(); });
}

void Compilation::lower(Lowering lowering, const TargetDescription &target, const char *name) {
  stage(name, [&] {
    runPasses([&](OpPassManager &pipeline) { generator_.addLowering(lowering, request_.target, target, pipeline); });
  });
}

/// IR of the simt level may bring a cap of its own.
void Compilation::capRegisters() {
  func::FuncOp kernel = findKernel(*module_, request_.kernel, request_.path);
  auto own = kernel->getAttrOfType<IntegerAttr>(simt::kMaxRegistersAttr);
  if (options_.maxRegisters && (!own || own.getInt() > *options_.maxRegisters))
    kernel->setAttr(simt::kMaxRegistersAttr, Builder(&context_).getI32IntegerAttr(int32_t(*options_.maxRegisters)));
}

std::vector<std::string> levelsOf(const CodeGenerator &generator) {
  std::vector<std::string> levels = {"ast", "tile"};
  if (generator.consumes() == Level::Simt)
    levels.insert(levels.end(), {"planned", "expanded", "simt"});
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

bool Compilation::wantsMore() const {
  return !request_.emitOnly || printed_ < request_.emit.size() || request_.explain;
}

void Compilation::parse() {
  modules_ = std::make_unique<lang::Modules>(surroundings_, lang::Modules::kRecorded);
  scope_ = std::make_unique<lang::ModuleScope>(
      lang::parseModule(request_.path, withGivenNames(request_.source, request_.path, true, surroundings_.given),
                        lang::OnError::Keep),
      false, modules_.get());
  print("ast", [&] {
    const lang::FunctionStmt *kernel = scope_->names.function(request_.kernel);
    return kernel ? lang::dump(*kernel) : request_.kernel.empty() ? lang::dump(*scope_->module) : std::string();
  });
}

void Compilation::emitTile() {
  lang::Emitter emitter(context_, *scope_, request_);
  module_ = emitter.emit();
  result_.staticOutput = emitter.staticOutput;
  result_.warnings = emitter.warnings;
  options_ = emitter.options;
}

void Compilation::readIr() {
  if (request_.startFrom != "tile" && request_.startFrom != "planned" && request_.startFrom != "simt")
    throw Error("cannot start from the level '" + request_.startFrom + "'; expected tile, planned or simt");
  module_ = parseIr(context_, path_, request_.source);
  std::string level = levelOf(*module_);
  if (request_.startFrom != level)
    throw Error(request_.path + " is a module of the level " + level + ", found '" + request_.startFrom +
                "' as the level to start from");
  func::FuncOp kernel = findKernel(*module_, request_.kernel, request_.path);
  if (request_.hasSignature)
    checkSignature(kernel, request_.signature);
  options_ = optionsOf(request_.constants);
  if (options_.checksOverflow || options_.hasAssertions || !options_.dotPrecision.empty() || options_.impreciseSums)
    throw Error(std::string(options_.checksOverflow          ? kOverflowChecks
                            : options_.hasAssertions         ? kAssertions
                            : !options_.dotPrecision.empty() ? kDotPrecision
                                                             : kImpreciseSums) +
                " is for kernels in source; kernel '" + kernel.getName().str() + "' of " + request_.path +
                " is at the level " + level);
  int64_t splits = options_.depthSplits;
  auto factor = kernel->getAttrOfType<IntegerAttr>(tile::kGridFactorAttr); // of a kernel that is split already
  if (splits == 1)
    return;
  if (factor || request_.startFrom != "tile")
    throw Error("depth_splits is for kernels in source, or at the tile level and not split yet; kernel '" +
                kernel.getName().str() + "' of " + request_.path +
                (factor ? " has " + std::to_string(factor.getInt()) + " programs for each block"
                        : " is at the level " + level));
  kernel->setAttr(tile::kDepthSplitsAttr, Builder(&context_).getI32IntegerAttr(int32_t(splits)));
}

void Compilation::runPasses(const std::function<void(OpPassManager &)> &build) {
  PassManager pipeline(&context_);
  if (request_.onStep)
    pipeline.addInstrumentation(std::make_unique<PassSteps>(request_.onStep));
#ifdef NDEBUG
  pipeline.enableVerifier(false);
#endif
  build(pipeline);
  if (pipeline.empty())
    return;
  try {
    withDiagnostics(
        context_, path_, request_.source, [&] { return succeeded(pipeline.run(*module_)); },
        request_.explain ? &result_.remarks : nullptr);
  } catch (const Error &error) {
    tegula::Diagnostic diagnostic = error.diagnostic();
    diagnostic.shortage = tile::findShortage(*module_);
    throw Error(std::move(diagnostic));
  }
}

/// The error with the line of `source` that it is about, if it has none and is about a line of `path`.
static Error withSourceLine(const Error &error, const std::string &path, const std::string &source) {
  tegula::Diagnostic located = error.diagnostic();
  if (located.location.line && located.sourceLine.empty() && located.location.file == path)
    located.sourceLine = sourceLine(source, located.location.line);
  return Error(located);
}

void Compilation::generate() {
  Artifact artifact;
  artifact.target = request_.target;
  func::FuncOp kernel = findKernel(*module_, request_.kernel, request_.path);
  artifact.entry = kernel.getName().str();
  artifact.sourcePath = path_;
  artifact.messages = std::move(messages_);
  artifact.products = products_;
  artifact.ignoresFacts = generator_.consumes() != Level::Simt;
  std::vector<const ParamType *> declared;
  for (const ParamType &type : request_.signature)
    if (type.kind != ParamType::Kind::Constant)
      declared.push_back(&type);
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i) {
    ArtifactParam param = artifactParam(kernel, i);
    if (i < declared.size() && declared[i]->kind != ParamType::Kind::PointerToPointers)
      param.type = declared[i]->type; // the declared type has the signedness, which the IR lacks
    if (i < access_.size())
      param.access = access_[i];
    if (auto bytes = kernel.getArgAttrOfType<IntegerAttr>(i, tile::kWorkspaceAttr))
      param.workspace = {uint64_t(bytes.getInt()), bool(kernel.getArgAttr(i, tile::kZeroedAttr))};
    // Code below the tile level relies on the declared divisibility, so it becomes a guard.
    auto relied = kernel.getArgAttrOfType<IntegerAttr>(i, tile::kDivisibilityAttr);
    if (relied && !param.workspace && generator_.consumes() == Level::Simt) {
      bool isAddress = param.kind != ArtifactParam::Kind::Scalar;
      artifact.guards.push_back({isAddress ? Guard::Kind::AlignedTo : Guard::Kind::DivisibleBy, i, relied.getInt()});
    }
    auto known = kernel.getArgAttrOfType<IntegerAttr>(i, tile::kEqualsAttr);
    if (known && generator_.consumes() == Level::Simt)
      artifact.guards.push_back({Guard::Kind::Equals, i, known.getInt()});
    if (mlir::Attribute tensor = kernel.getArgAttr(i, tile::kTensorAttr))
      param.tensor = tile::derivedTensor(tensor);
    artifact.params.push_back(std::move(param));
  }
  if (auto factor = kernel->getAttrOfType<IntegerAttr>(tile::kGridFactorAttr))
    artifact.gridFactor = uint32_t(factor.getInt());
  artifact.conditions = tile::launchConditions(kernel);
  std::vector<std::string> levels = generator_.emits();
  auto enterLevel = [&](size_t i) {
    if (i < levels.size())
      enter("the generation of " + levels[i]);
  };
  enterLevel(0);
  auto onLevel = [&](std::string_view level, const std::function<std::string()> &text) {
    print(level, text);
    enterLevel(size_t(std::ranges::find(levels, level) - levels.begin()) + 1);
    return wantsMore();
  };
  try {
    if (generator_.generate(*module_, artifact, onLevel)) {
      if (request_.portable)
        generator_.trim(artifact);
      result_.artifact = std::move(artifact);
    }
  } catch (const Error &error) {
    throw withSourceLine(error, path_, request_.source);
  }
}

} // namespace tegula
