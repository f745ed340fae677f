// Flattens prints, assertions, barriers and hints.
#include "backends/cpu/codegen/FlattenFunction.h"

#include "core/ir/tile/Tile.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tegula::cpu {
namespace {

bool print(FunctionWriter &writer, tile::PrintOp op) {
  SmallVector<int64_t> attributes = {writer.module.string(op.getPrefix()), op.getHex()};
  llvm::append_range(attributes, op.getIsSigned());
  writer.emit(Opcode::Print, op, attributes);
  return true;
}

} // namespace

bool flattenEffects(FunctionWriter &writer, Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](tile::PrintOp op) { return print(writer, op); })
      .Case([&](tile::AssertOp op) {
        return writer.emit(Opcode::Assert, op, writer.module.string(op.getMessage())), true;
      })
      .Case([&](tile::AssumeOp op) { return writer.emit(Opcode::Assume, op), true; })
      .Case([&](tile::BarrierOp op) { return writer.emit(Opcode::Barrier, op), true; })
      .Case([&](tile::MayNotEndOp) { return true; }) // no code
      .Case([&](tile::HintOp op) { return writer.alias(op.getResult(), writer[op.getSrc()]), true; })
      .Default(false);
}

} // namespace tegula::cpu
