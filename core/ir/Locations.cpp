#include "core/ir/Locations.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace tegula::tile {

FileLineColLoc innermostPlace(Location location) { return location->findInstanceOf<FileLineColLoc>(); }

SourceLocation locationOf(Location location) {
  FileLineColLoc place = innermostPlace(location);
  return place ? SourceLocation{place.getFilename().str(), place.getLine(), place.getColumn()} : SourceLocation();
}

static tegula::Diagnostic diagnosticAt(Operation *op, const llvm::Twine &message) {
  tegula::Diagnostic diagnostic;
  diagnostic.location = locationOf(op->getLoc());
  if (auto function = op->getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()))
    diagnostic.message = ("kernel '" + function.getValue() + "': " + message).str();
  else
    diagnostic.message = ("'" + op->getName().getStringRef() + "': " + message).str();
  return diagnostic;
}

void failAt(Operation *op, const llvm::Twine &message) { throw Error(diagnosticAt(op, message)); }

void failAt(Operation *op, const llvm::Twine &message, Shortage shortage) {
  tegula::Diagnostic diagnostic = diagnosticAt(op, message);
  diagnostic.shortage = std::move(shortage);
  throw Error(std::move(diagnostic));
}

constexpr llvm::StringLiteral kShortageAttr = "tile.shortage"; // [resource, required, limit]

void setShortage(Operation *kernel, const Shortage &shortage) {
  Builder builder(kernel->getContext());
  auto number = [&](uint64_t value) { return builder.getI64IntegerAttr(static_cast<int64_t>(value)); };
  kernel->setDiscardableAttr(kShortageAttr, builder.getArrayAttr({builder.getStringAttr(shortage.resource),
                                                                  number(shortage.required), number(shortage.limit)}));
}

std::optional<Shortage> findShortage(Operation *module) {
  std::optional<Shortage> found;
  module->walk([&](Operation *op) {
    auto members = dyn_cast_or_null<ArrayAttr>(op->getDiscardableAttr(kShortageAttr));
    if (!members)
      return WalkResult::advance();
    auto number = [&](unsigned i) { return static_cast<uint64_t>(cast<IntegerAttr>(members[i]).getInt()); };
    found = Shortage{cast<StringAttr>(members[0]).str(), number(1), number(2)};
    return WalkResult::interrupt();
  });
  return found;
}

} // namespace tegula::tile
