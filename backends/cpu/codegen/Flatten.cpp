// Entry point of the flattening: finds the kernel, dispatches ops to the files of their families, and turns regions
// into functions.
#include "backends/cpu/codegen/Flatten.h"

#include "backends/cpu/codegen/FlattenFunction.h"
#include "core/ir/Locations.h"
#include "core/ir/tile/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace tegula::cpu {
namespace {

void flattenOp(FunctionWriter &writer, Operation *op) {
  bool done = flattenElementwise(writer, op) || flattenShape(writer, op) || flattenMemory(writer, op) ||
              flattenCompute(writer, op) || flattenControl(writer, op) || flattenEffects(writer, op);
  if (!done)
    fail(op->getLoc(),
         "the cpu backend cannot run '" + op->getName().getStringRef().str() + "'; compile for another target");
}

func::FuncOp findKernel(ModuleOp module, StringRef name) {
  auto function = module.lookupSymbol<func::FuncOp>(name);
  if (!function || function.isExternal())
    throw Error("expected a function '" + name.str() + "' in the module, found none; name one of its kernels");
  if (!function.getBody().hasOneBlock())
    fail(function.getLoc(), "expected structured control flow in '" + name.str() + "', found several blocks");
  return function;
}

std::string paramName(func::FuncOp function, unsigned index) {
  if (auto name = function.getArgAttrOfType<StringAttr>(index, tile::kNameAttr))
    return name.str();
  return "arg" + std::to_string(index);
}

} // namespace

void flattenBody(FunctionWriter &writer, Block &block) {
  for (Operation &op : block.without_terminator())
    flattenOp(writer, &op);
}

int64_t ModuleWriter::regionFunction(Region &region, const std::string &name) {
  // The number of functions so far is appended to the region function's name, which would otherwise not be unique: a
  // kernel may have several reductions on one line.
  FunctionWriter writer(*this, name + std::to_string(module.functions.size()));
  Block &block = region.front();
  for (Value argument : block.getArguments())
    writer.addParam(argument);
  flattenBody(writer, block);
  Operation *yield = block.getTerminator();
  writer.emit(Opcode::Return, {}, writer.all(yield->getOperands()), {}, yield->getLoc());
  module.functions.push_back(writer.finish());
  return int64_t(module.functions.size()) - 1;
}

Module flatten(ModuleOp moduleOp, StringRef kernel) {
  func::FuncOp function = findKernel(moduleOp, kernel);
  Module module;
  module.file = tile::locationOf(function.getLoc()).file;
  module.functions.emplace_back(); // function 0 is the kernel; the functions of its regions follow
  ModuleWriter moduleWriter(module);
  FunctionWriter writer(moduleWriter, kernel.str());
  for (BlockArgument argument : function.getArguments()) {
    writer.addParam(argument);
    module.paramNames.push_back(paramName(function, argument.getArgNumber()));
  }
  Block &body = function.getBody().front();
  flattenBody(writer, body);
  Operation *end = body.getTerminator();
  writer.emit(Opcode::Return, {}, writer.all(end->getOperands()), {}, end->getLoc());
  module.functions.front() = writer.finish();
  return module;
}

} // namespace tegula::cpu
