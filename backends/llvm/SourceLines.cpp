#include "backends/llvm/SourceLines.h"
#include "core/ir/Locations.h"

using namespace mlir;

namespace tegula::llvmir {
namespace {

constexpr unsigned kDwarfVersion = 4; // for few lines its sections take fewer bytes than those of version 5

} // namespace

SourceLines::SourceLines(llvm::Function *function, func::FuncOp kernel, Kind kind) : builder_(*function->getParent()) {
  llvm::Module &module = *function->getParent();
  module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  module.addModuleFlag(llvm::Module::Warning, "Dwarf Version", kDwarfVersion);
  SourceLocation place = tile::locationOf(kernel.getLoc());
  llvm::DIFile *source = file(place.file);
  builder_.createCompileUnit(llvm::dwarf::DW_LANG_Python, source, "tegula", /*isOptimized=*/true, "", 0, "", kind);
  kernel_ = describe(kernel.getName(), source, place.line);
  function->setSubprogram(kernel_);
}

/// The file's name as the user gave it, without the compilation directory: code for other machines must not name a
/// folder of this one.
llvm::DIFile *SourceLines::file(llvm::StringRef name) { return builder_.createFile(name, ""); }

llvm::DISubprogram *SourceLines::describe(llvm::StringRef function, llvm::DIFile *file, unsigned line) {
  auto flags = llvm::DISubprogram::SPFlagDefinition | llvm::DISubprogram::SPFlagOptimized;
  auto *type = builder_.createSubroutineType(builder_.getOrCreateTypeArray({}));
  return builder_.createFunction(file, function, "", file, line, type, line, llvm::DINode::FlagZero, flags);
}

/// The scope of an instruction: the kernel itself if nothing is inlined, otherwise the inlined function.
llvm::DILocalScope *SourceLines::scopeOf(llvm::DIFile *file, llvm::DILocation *inlinedAt, llvm::StringRef function) {
  if (!inlinedAt) {
    if (file == kernel_->getFile())
      return kernel_;
    return builder_.createLexicalBlockFile(kernel_, file);
  }
  llvm::DISubprogram *&callee = callees_[{function.str(), file}];
  if (!callee)
    callee = describe(function, file, 0);
  return callee;
}

llvm::DILocation *SourceLines::resolve(Location location, llvm::DILocation *inlinedAt, llvm::StringRef function) {
  if (auto place = dyn_cast<FileLineColLoc>(location)) {
    llvm::DILocalScope *scope = scopeOf(file(place.getFilename()), inlinedAt, function);
    return llvm::DILocation::get(scope->getContext(), place.getLine(), place.getColumn(), scope, inlinedAt);
  }
  if (auto call = dyn_cast<CallSiteLoc>(location)) {
    llvm::DILocation *caller = resolve(call.getCaller(), inlinedAt, function);
    return resolve(call.getCallee(), caller ? caller : inlinedAt, function);
  }
  if (auto named = dyn_cast<NameLoc>(location))
    return resolve(named.getChildLoc(), inlinedAt, named.getName().strref());
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (llvm::DILocation *found = resolve(part, inlinedAt, function))
        return found;
  return nullptr;
}

llvm::DILocation *SourceLines::at(Location location) {
  auto [entry, isNew] = known_.try_emplace(location, nullptr);
  if (isNew)
    entry->second = resolve(location, nullptr, {});
  return entry->second;
}

} // namespace tegula::llvmir
