// Structured control flow as jumps; loop-carried values and branch results are copied with their flight mark.
#include "Flatten.h"
#include "Machine.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cstring>

using namespace mlir;

namespace tegula::simt_test {
namespace {

/// results[i] = operands[i], all at once, because a loop may exchange its values.
Step copy(Workgroup &, Thread &thread, const Instruction &next) {
  static thread_local std::vector<uint64_t> values;
  values.clear();
  for (const Slot &from : next.operands)
    values.insert(values.end(), thread.at(from), thread.at(from) + from.lanes + 1);
  const uint64_t *value = values.data();
  for (const Slot &to : next.results) {
    std::memcpy(thread.at(to), value, sizeof(uint64_t) * (to.lanes + 1));
    value += to.lanes + 1;
  }
  return Step::Next;
}

Step copyAndJump(Workgroup &group, Thread &thread, const Instruction &next) {
  copy(group, thread, next);
  thread.counter = next.target;
  return Step::Jumped;
}

/// Continues if operands[0] is true, else jumps to the target.
Step branch(Workgroup &group, Thread &thread, const Instruction &next) {
  bool way = thread.scalar(next.operands[0]) != 0;
  group.checkUniform(thread, next, way);
  if (way)
    return Step::Next;
  thread.counter = next.target;
  return Step::Jumped;
}

/// operands: induction variable, upper bound. Continues while below it.
Step loopTest(Workgroup &group, Thread &thread, const Instruction &next) {
  const Slot &variable = next.operands[0];
  bool way =
      toSigned(variable.type, thread.scalar(variable)) < toSigned(variable.type, thread.scalar(next.operands[1]));
  group.checkUniform(thread, next, way);
  if (way)
    return Step::Next;
  thread.counter = next.target;
  return Step::Jumped;
}

/// operands: induction variable, step, upper bound. Adds the step and jumps to the test; a sum that the type cannot
/// hold ends the loop.
Step loopNext(Workgroup &, Thread &thread, const Instruction &next) {
  const Slot &variable = next.operands[0];
  int64_t value = toSigned(variable.type, thread.scalar(variable)), sum = 0;
  int64_t step = toSigned(variable.type, thread.scalar(next.operands[1]));
  bool overflows = __builtin_add_overflow(value, step, &sum) ||
                   toSigned(variable.type, truncated(variable.type, static_cast<uint64_t>(sum))) != sum;
  *thread.at(variable) =
      overflows ? thread.scalar(next.operands[2]) : truncated(variable.type, static_cast<uint64_t>(sum));
  thread.counter = next.target;
  return Step::Jumped;
}

Step end(Workgroup &, Thread &, const Instruction &) { return Step::Ended; }

Step endGroup(Workgroup &group, Thread &thread, const Instruction &next) { return group.endGroup(thread, next); }

/// data: for each group its first warp, its number of warps, its first instruction. Copies the captures to the
/// arguments of the thread's group; `results` lists the arguments group after group.
Step enterGroups(Workgroup &group, Thread &thread, const Instruction &next) {
  uint32_t warpSize = group.program().warpSize;
  for (size_t i = 0; 3 * i < next.data.size(); ++i) {
    uint32_t first = thread.regionFirst + static_cast<uint32_t>(next.data[3 * i]) * warpSize;
    uint32_t count = static_cast<uint32_t>(next.data[3 * i + 1]) * warpSize;
    if (thread.index < first || thread.index >= first + count)
      continue;
    thread.regionFirst = first;
    thread.regionThreads = count;
    for (size_t j = 0; j < next.operands.size(); ++j) {
      const Slot &from = next.operands[j], &to = next.results[i * next.operands.size() + j];
      std::memcpy(thread.at(to), thread.at(from), sizeof(uint64_t) * (to.lanes + 1));
    }
    thread.counter = static_cast<uint32_t>(next.data[3 * i + 2]);
    break;
  }
  return Step::Jumped;
}

Instruction &emitCopy(Flattener &flattener, Operation *op, ValueRange from, ValueRange to, Handler handler = copy) {
  Instruction &instruction = flattener.emit(op, handler);
  instruction.checksFlight = false;
  instruction.operands.clear();
  instruction.results.clear();
  for (Value value : from)
    instruction.operands.push_back(flattener.slot(value));
  for (Value value : to)
    instruction.results.push_back(flattener.slot(value));
  return instruction;
}

void flattenIf(Flattener &flattener, scf::IfOp op) {
  uint32_t test = flattener.emit(op, branch, {op.getCondition()}).number;
  flattener.markUniform(flattener.at(test), op);
  flattener.flattenBlock(*op.thenBlock());
  emitCopy(flattener, op.thenYield(), op.thenYield().getResults(), op.getResults());
  if (!op.elseBlock()) {
    flattener.at(test).target = flattener.here();
    return;
  }
  uint32_t jump = emitCopy(flattener, op, {}, {}, copyAndJump).number;
  flattener.at(test).target = flattener.here();
  flattener.flattenBlock(*op.elseBlock());
  emitCopy(flattener, op.elseYield(), op.elseYield().getResults(), op.getResults());
  flattener.at(jump).target = flattener.here();
}

void flattenFor(Flattener &flattener, scf::ForOp op) {
  SmallVector<Value> from{op.getLowerBound()}, to{op.getInductionVar()};
  llvm::append_range(from, op.getInitArgs());
  llvm::append_range(to, op.getRegionIterArgs());
  emitCopy(flattener, op, from, to);
  uint32_t test = flattener.emit(op, loopTest, {op.getInductionVar(), op.getUpperBound()}).number;
  flattener.at(test).checksFlight = false;
  flattener.markUniform(flattener.at(test), op);
  flattener.flattenBlock(*op.getBody());
  auto yield = cast<scf::YieldOp>(op.getBody()->getTerminator());
  emitCopy(flattener, yield, yield.getResults(), op.getRegionIterArgs());
  Instruction &next = flattener.emit(op, loopNext, {op.getInductionVar(), op.getStep(), op.getUpperBound()});
  next.checksFlight = false;
  next.target = test;
  flattener.at(test).target = flattener.here();
  emitCopy(flattener, op, op.getRegionIterArgs(), op.getResults());
}

void flattenWhile(Flattener &flattener, scf::WhileOp op) {
  emitCopy(flattener, op, op.getInits(), op.getBeforeArguments());
  uint32_t before = flattener.here();
  flattener.flattenBlock(*op.getBeforeBody());
  scf::ConditionOp condition = op.getConditionOp();
  uint32_t test = flattener.emit(condition, branch, {condition.getCondition()}).number;
  flattener.markUniform(flattener.at(test), op);
  emitCopy(flattener, condition, condition.getArgs(), op.getAfterArguments());
  flattener.flattenBlock(*op.getAfterBody());
  emitCopy(flattener, op.getYieldOp(), op.getYieldOp().getResults(), op.getBeforeArguments(), copyAndJump).target =
      before;
  flattener.at(test).target = flattener.here();
  emitCopy(flattener, condition, condition.getArgs(), op.getResults());
}

void flattenGroups(Flattener &flattener, simt::WarpGroupsOp op) {
  SmallVector<Value> arguments;
  for (Region &region : op.getGroups())
    llvm::append_range(arguments, region.getArguments());
  uint32_t entry = emitCopy(flattener, op, op.getCaptures(), arguments, enterGroups).number;
  SmallVector<uint32_t> ends;
  for (auto [i, region] : llvm::enumerate(op.getGroups())) {
    std::vector<uint64_t> &data = flattener.at(entry).data;
    data.push_back(static_cast<uint64_t>(op.getFirstWarp(static_cast<unsigned>(i))));
    data.push_back(static_cast<uint64_t>(op.getWarps()[i]));
    data.push_back(flattener.here());
    flattener.flattenBlock(region.front());
    ends.push_back(flattener.emit(region.front().getTerminator(), endGroup).number);
  }
  for (uint32_t number : ends)
    flattener.at(number).target = flattener.here();
}

} // namespace

bool flattenControl(Flattener &flattener, Operation *op) {
  if (auto branch = dyn_cast<scf::IfOp>(op))
    flattenIf(flattener, branch);
  else if (auto loop = dyn_cast<scf::ForOp>(op))
    flattenFor(flattener, loop);
  else if (auto loop = dyn_cast<scf::WhileOp>(op))
    flattenWhile(flattener, loop);
  else if (auto groups = dyn_cast<simt::WarpGroupsOp>(op))
    flattenGroups(flattener, groups);
  else if (isa<func::ReturnOp>(op))
    flattener.emit(op, end);
  else
    // A terminator belongs to its parent op.
    return isa<scf::YieldOp, scf::ConditionOp, simt::EndGroupOp>(op);
  return true;
}

} // namespace tegula::simt_test
