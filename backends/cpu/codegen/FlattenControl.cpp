// Flattens scf to jumps and moves.
#include "backends/cpu/codegen/FlattenFunction.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tegula::cpu {
namespace {

/// Makes registers for values that are assigned more than once: loop-carried values and results of branches.
SmallVector<Register> defineAll(FunctionWriter &writer, ValueRange values) {
  return llvm::map_to_vector(values, [&](Value value) { return writer.define(value); });
}

void aliasAll(FunctionWriter &writer, ValueRange values, ArrayRef<Register> registers) {
  for (auto [value, reg] : llvm::zip_equal(values, registers))
    writer.alias(value, reg);
}

// Flattens a loop that counts:
//
//     iv, carried... = Move start, inits...
// L1: ForTest iv, bound, step -> L2
//     body
//     carried... = Move yields...
//     iv = Add iv, min(bound - iv, step)
//     Jump L1
// L2:                                   the results are the carried registers
//
// min(bound - iv, step) replaces the step because `iv + step` could wrap to a number below the bound, and the loop
// would never end. Within the loop iv < bound, so `bound - iv` is exact as an unsigned number, and iv never exceeds the
// bound. A step of 1 needs no minimum: iv + 1 <= bound.
void flattenFor(FunctionWriter &writer, scf::ForOp loop) {
  mlir::Location location = loop.getLoc();
  Register iv = writer.define(loop.getInductionVar());
  Register bound = writer[loop.getUpperBound()], step = writer[loop.getStep()];
  SmallVector<Register> carried = defineAll(writer, loop.getRegionIterArgs());
  writer.emit(Opcode::Move, iv, writer[loop.getLowerBound()], {}, location);
  writer.moveAll(carried, writer.all(loop.getInitArgs()), location);
  constexpr int64_t kSigned = 0;
  size_t test = writer.emit(Opcode::ForTest, {}, {iv, bound, step}, {0, kSigned}, location);
  flattenBody(writer, *loop.getBody());
  Operation *yield = loop.getBody()->getTerminator();
  writer.moveAll(carried, writer.all(yield->getOperands()), yield->getLoc());
  if (getConstantIntValue(loop.getStep()) != 1) {
    mlir::Type type = loop.getInductionVar().getType();
    Register left = writer.fresh(type, location), limited = writer.fresh(type, location);
    writer.emit(Opcode::Sub, left, {bound, iv}, {}, location);
    writer.emit(Opcode::MinU, limited, {left, step}, {}, location);
    step = limited;
  }
  writer.emit(Opcode::Add, iv, {iv, step}, {}, location);
  writer.emit(Opcode::Jump, {}, {}, int64_t(test), location);
  writer.setTarget(test);
  aliasAll(writer, loop.getResults(), carried);
}

// Flattens a branch:
//
//     BranchIfFalse c -> L1
//     then; results... = Move yields...
//     Jump L2
// L1: else; results... = Move yields...
// L2:
void flattenIf(FunctionWriter &writer, scf::IfOp branch) {
  SmallVector<Register> results = defineAll(writer, branch.getResults());
  auto flattenSide = [&](Block &block) {
    flattenBody(writer, block);
    Operation *yield = block.getTerminator();
    writer.moveAll(results, writer.all(yield->getOperands()), yield->getLoc());
  };
  size_t test = writer.emit(Opcode::BranchIfFalse, {}, writer[branch.getCondition()], 0, branch.getLoc());
  flattenSide(*branch.thenBlock());
  if (!branch.elseBlock())
    return writer.setTarget(test);
  size_t skip = writer.emit(Opcode::Jump, {}, {}, 0, branch.getLoc());
  writer.setTarget(test);
  flattenSide(*branch.elseBlock());
  writer.setTarget(skip);
}

// Flattens a loop with a condition:
//
//     before... = Move inits...
// L1: before region
//     BranchIfFalse c -> L2
//     after region; before... = Move yields...
//     Jump L1
// L2:                                   results: the condition op's operands, which also are the after
//                                       region's arguments
void flattenWhile(FunctionWriter &writer, scf::WhileOp loop) {
  mlir::Location location = loop.getLoc();
  SmallVector<Register> before = defineAll(writer, loop.getBeforeArguments());
  writer.moveAll(before, writer.all(loop.getInits()), location);
  size_t head = writer.next();
  flattenBody(writer, *loop.getBeforeBody());
  scf::ConditionOp condition = loop.getConditionOp();
  SmallVector<Register> passed = writer.all(condition.getArgs());
  size_t test = writer.emit(Opcode::BranchIfFalse, {}, writer[condition.getCondition()], 0, condition.getLoc());
  aliasAll(writer, loop.getAfterArguments(), passed);
  flattenBody(writer, *loop.getAfterBody());
  Operation *yield = loop.getAfterBody()->getTerminator();
  writer.moveAll(before, writer.all(yield->getOperands()), yield->getLoc());
  writer.emit(Opcode::Jump, {}, {}, int64_t(head), location);
  writer.setTarget(test);
  aliasAll(writer, loop.getResults(), passed);
}

} // namespace

bool flattenControl(FunctionWriter &writer, Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](scf::ForOp op) { return flattenFor(writer, op), true; })
      .Case([&](scf::IfOp op) { return flattenIf(writer, op), true; })
      .Case([&](scf::WhileOp op) { return flattenWhile(writer, op), true; })
      .Default(false);
}

} // namespace tegula::cpu
