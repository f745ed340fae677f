// Flattens program ids, ranges and changes of shape.
#include "backends/cpu/codegen/FlattenFunction.h"

#include "core/ir/tile/Tile.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tegula::cpu {

bool flattenShape(FunctionWriter &writer, Operation *op) {
  auto emit = [&](Opcode opcode, ArrayRef<int64_t> attributes = {}) {
    writer.emit(opcode, op, attributes);
    return true;
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](tile::ProgramIdOp op) { return emit(Opcode::ProgramId, int64_t(op.getAxis())); })
      .Case([&](tile::NumProgramsOp op) { return emit(Opcode::NumPrograms, int64_t(op.getAxis())); })
      .Case([&](tile::MakeRangeOp op) { return emit(Opcode::MakeRange, int64_t(int32_t(op.getStart()))); })
      .Case([&](tile::SplatOp) { return emit(Opcode::Splat); })
      .Case([&](tile::ExpandDimsOp op) { return emit(Opcode::ExpandDims, int64_t(op.getAxis())); })
      .Case([&](tile::BroadcastOp) { return emit(Opcode::Broadcast); })
      .Case([&](tile::ReshapeOp) { return emit(Opcode::Reshape); })
      .Case([&](tile::TransOp op) {
        return emit(Opcode::Transpose, SmallVector<int64_t>(op.getOrder().begin(), op.getOrder().end()));
      })
      .Case([&](tile::JoinOp) { return emit(Opcode::Join); })
      .Case([&](tile::SplitOp) { return emit(Opcode::Split); })
      .Case([&](tile::CatOp) { return emit(Opcode::Concat); })
      .Default(false);
}

} // namespace tegula::cpu
