#include "backends/cuda/codegen/Tiles.h"
#include "backends/llvm/Printer.h"
#include "core/ir/Locations.h"

#include "mlir/Support/DebugStringHelper.h"

using namespace mlir;

namespace tegula::cuda {

SharedTile sharedTile(simt::SharedType type) {
  layout_ir::SharedAttr layout = type.getTileLayout();
  SharedTile tile;
  llvm::ArrayRef<int64_t> extents = type.getTileShape(), bases = layout.getBases();
  tile.extents = {extents.data(), extents.size()};
  tile.bases = {bases.data(), bases.size()};
  tile.elementBytes = unsigned(simt::elementBytes(type.getElementType()));
  tile.padded = !layout.getPadding().empty();
  return tile;
}

namespace {

[[noreturn]] void failAt(Operation *op, const std::string &message, Operation *other = nullptr,
                         const std::string &note = "") {
  tegula::Diagnostic diagnostic;
  diagnostic.location = tile::locationOf(op->getLoc());
  diagnostic.message = "'" + op->getName().getStringRef().str() + "': " + message;
  if (other) {
    tegula::Diagnostic second;
    second.severity = tegula::Diagnostic::Severity::Note;
    second.location = tile::locationOf(other->getLoc());
    second.message = note;
    diagnostic.notes.push_back(second);
  }
  throw Error(diagnostic);
}

struct Use {
  DescriptorRecipe recipe;
  Operation *op = nullptr;
};

} // namespace

void addDescriptorRecipes(func::FuncOp kernel, Artifact &artifact) {
  std::vector<Use> uses(artifact.params.size());
  kernel.walk([&](Operation *op) {
    mlir::Value descriptor, shared;
    bool roundsToTf32 = false;
    if (auto load = dyn_cast<simt::LoadTileOp>(op)) {
      descriptor = load.getDescriptor();
      shared = load.getDst();
      roundsToTf32 = load.getTf32();
    } else if (auto store = dyn_cast<simt::StoreTileOp>(op)) {
      descriptor = store.getDescriptor();
      shared = store.getSrc();
    } else {
      return;
    }
    BlockArgument argument = llvmir::kernelArgument(descriptor);
    if (!argument)
      failAt(op, "expected a descriptor that is a parameter of the kernel");
    std::string problem;
    auto type = cast<simt::SharedType>(shared.getType());
    std::optional<CopyBoxes> boxes = copyBoxes(sharedTile(type), problem);
    if (!boxes)
      failAt(op, "expected a layout that a tensor copy makes, found " + mlir::debugString(type) + "; " + problem);
    unsigned number = argument.getArgNumber();
    DescriptorRecipe recipe;
    recipe.param = number;
    recipe.type = artifact.params[number].type;
    recipe.box.assign(artifact.params[number].block.size() - boxes->box.size(), 1); // axes that the tile does not have
    recipe.box.insert(recipe.box.end(), boxes->box.begin(), boxes->box.end());
    recipe.swizzleBytes = boxes->swizzleBytes;
    recipe.roundsToTf32 = roundsToTf32;
    Use &use = uses[number];
    if (use.op && !(use.recipe == recipe)) {
      auto text = [](const DescriptorRecipe &each) {
        return std::to_string(each.swizzleBytes) + " bytes of swizzle and rows of " + std::to_string(each.box.back()) +
               (each.roundsToTf32 ? ", rounded to tf32" : "");
      };
      failAt(op,
             "expected all copies of descriptor '" + artifact.params[number].name +
                 "' to use one box, swizzle and rounding, found " + text(recipe),
             use.op, "this one has " + text(use.recipe));
    }
    use = {recipe, op};
  });
  for (BlockArgument argument : kernel.getArguments()) {
    if (!isa<tile::DescType>(argument.getType()))
      continue;
    const Use &use = uses[argument.getArgNumber()];
    if (use.op) // a descriptor that no tensor copy uses is passed in parts
      artifact.descriptors.push_back(use.recipe);
  }
}

} // namespace tegula::cuda
