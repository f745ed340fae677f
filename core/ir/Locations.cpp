#include "core/ir/Locations.h"

#include "mlir/IR/Operation.h"

using namespace mlir;

namespace tegula::tile {

SourceLocation locationOf(Location location) {
  SourceLocation found;
  location->walk([&](Location part) {
    auto place = dyn_cast<FileLineColLoc>(part);
    if (!place)
      return WalkResult::advance();
    found = {place.getFilename().str(), place.getLine(), place.getColumn()};
    return WalkResult::interrupt();
  });
  return found;
}

void failAt(Operation *op, const llvm::Twine &message) {
  tegula::Diagnostic diagnostic;
  diagnostic.location = locationOf(op->getLoc());
  diagnostic.message = ("'" + op->getName().getStringRef() + "': " + message).str();
  throw Error(std::move(diagnostic));
}

} // namespace tegula::tile
