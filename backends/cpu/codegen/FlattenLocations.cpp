// Converts MLIR locations to the bytecode's, and throws errors at them.
#include "backends/cpu/codegen/FlattenFunction.h"

#include "core/ir/Locations.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

using namespace mlir;

namespace tegula::cpu {

void fail(mlir::Location location, const std::string &message) {
  Diagnostic diagnostic;
  diagnostic.message = message;
  diagnostic.location = tile::locationOf(location);
  throw Error(std::move(diagnostic));
}

int32_t ModuleWriter::place(uint32_t line, uint32_t column, int32_t caller) {
  auto [found, isNew] = places_.try_emplace({line, column, caller}, int32_t(module.locations.size()));
  if (isNew)
    module.locations.push_back({line, column, caller});
  return found->second;
}

int32_t ModuleWriter::chain(mlir::Location location, int32_t caller) {
  if (auto file = dyn_cast<FileLineColLoc>(location))
    return place(file.getLine(), file.getColumn(), caller);
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return chain(call.getCallee(), chain(call.getCaller(), caller));
  if (auto name = dyn_cast<NameLoc>(location))
    return chain(name.getChildLoc(), caller);
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (mlir::Location part : fused.getLocations())
      if (int32_t known = chain(part, caller); known != caller)
        return known;
  return caller; // the location is unknown: use the call's location, if there is one
}

uint32_t ModuleWriter::location(mlir::Location location) {
  auto [found, isNew] = locations_.try_emplace(location, 0);
  if (!isNew)
    return found->second;
  int32_t index = chain(location, -1);
  return locations_[location] = index < 0 ? 0 : uint32_t(index);
}

int64_t ModuleWriter::string(StringRef text) {
  auto [found, isNew] = strings_.try_emplace(text, int64_t(module.strings.size()));
  if (isNew)
    module.strings.push_back(text.str());
  return found->second;
}

} // namespace tegula::cpu
