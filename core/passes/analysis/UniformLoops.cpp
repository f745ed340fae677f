// carryScalars: a loop that adds a uniform amount to a tensor in each iteration carries a scalar in place of the
// tensor.
#include "core/passes/analysis/Uniform.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tegula::tile {
namespace {

/// One update of a carried tensor: `op` is the addptr, addi or subi of the tensor `from` and the uniform `step`.
/// moveOf(value, start) returns the update that defines `value`. If one of its operands is the tensor `start`, that
/// operand is `from`, never `step`, even if it is a splat.
struct Move {
  Operation *op = nullptr;
  Value from, step;
};

Move moveOf(Value value, Value start) {
  Operation *op = value.getDefiningOp();
  if (!op || !isa<AddPtrOp, arith::AddIOp, arith::SubIOp>(op))
    return {};
  if (op->getOperand(1) != start && isUniform(op->getOperand(1)))
    return {op, op->getOperand(0), op->getOperand(1)};
  if (isa<arith::AddIOp>(op) && op->getOperand(0) != start && isUniform(op->getOperand(0)))
    return {op, op->getOperand(1), op->getOperand(0)};
  return {};
}

/// The loop that defines `value`, and the index of this result.
std::pair<scf::ForOp, unsigned> loopOf(Value value) {
  auto loop = value.getDefiningOp<scf::ForOp>();
  return {loop, loop ? cast<OpResult>(value).getResultNumber() : 0};
}

/// Whether `value` is `start` plus uniform amounts, possibly through inner loops. Counts the additions in `moves`.
bool movesFrom(Value value, Value start, unsigned &moves) {
  while (value != start) {
    if (Move move = moveOf(value, start); move.op) {
      ++moves;
      value = move.from;
    } else if (auto [loop, index] = loopOf(value); loop) {
      if (!movesFrom(loop.getYieldedValues()[index], loop.getRegionIterArg(index), moves))
        return false;
      value = loop.getInitArgs()[index];
    } else {
      return false;
    }
  }
  return true;
}

class Carrier {
public:
  /// `type`: the type of the carried tensors. `offsets`: added to a tensor's scalar when the tensor is recomputed from
  /// it; null: the tensor is a splat of its scalar.
  Carrier(Type type, Value offsets) : type_(type), offsets_(offsets) {}

  /// Rebuilds the loop with a scalar in place of carried tensor number `index`; returns the loop's scalar result.
  Value convert(scf::ForOp loop, unsigned index, Value start);

private:
  Value tensorOf(OpBuilder &builder, Location location, Value scalar) {
    if (isPtrScalar(scalar.getType()))
      return putTogether(builder, location, {scalar, offsets_}, type_);
    Value splat = SplatOp::create(builder, location, type_, scalar);
    return offsets_ ? arith::AddIOp::create(builder, location, offsets_, splat).getResult() : splat;
  }

  /// The scalar for `value`, which is `start` plus uniform amounts. `scalar`: the scalar for `start`.
  Value scalarOf(Value value, Value start, Value scalar);

  Type type_;
  Value offsets_;
};

Value Carrier::scalarOf(Value value, Value start, Value scalar) {
  if (value == start)
    return scalar;
  if (Move move = moveOf(value, start); move.op) {
    Value from = scalarOf(move.from, start, scalar);
    OpBuilder builder(move.op);
    Value step = uniformScalar(builder, move.step);
    return cloneWith(builder, move.op, {from, step}, from.getType());
  }
  auto [loop, index] = loopOf(value);
  return convert(loop, index, scalarOf(loop.getInitArgs()[index], start, scalar));
}

Value Carrier::convert(scf::ForOp loop, unsigned index, Value start) {
  OpBuilder builder(loop);
  Location location = loop.getLoc();
  SmallVector<Value> inits(loop.getInitArgs());
  inits[index] = start;
  auto made = scf::ForOp::create(builder, location, loop.getLowerBound(), loop.getUpperBound(), loop.getStep(), inits);
  made->setAttrs(loop->getAttrs());
  made.getRegion().takeBody(loop.getRegion());

  Block &body = *made.getBody();
  BlockArgument old = made.getRegionIterArg(index);
  BlockArgument scalar = body.insertArgument(old.getArgNumber(), start.getType(), old.getLoc());
  builder.setInsertionPointToStart(&body);
  Value tensor = tensorOf(builder, location, scalar);
  old.replaceAllUsesWith(tensor);
  body.eraseArgument(old.getArgNumber());
  Operation *yield = body.getTerminator();
  Value next = scalarOf(yield->getOperand(index), tensor, scalar);
  yield->setOperand(index, next);

  builder.setInsertionPointAfter(made);
  for (unsigned i = 0; i < loop.getNumResults(); ++i) {
    if (i == index && loop.getResult(i).use_empty())
      continue;
    loop.getResult(i).replaceAllUsesWith(i == index ? tensorOf(builder, location, made.getResult(i))
                                                    : made.getResult(i));
  }
  loop.erase();
  return made.getResult(index);
}

/// Replaces one carried tensor of the loop by a scalar; false if the loop adds uniform amounts to none.
bool carryOne(scf::ForOp loop, const AxisView &view) {
  for (unsigned index = 0; index < loop.getNumResults(); ++index) {
    BlockArgument carried = loop.getRegionIterArg(index);
    Type type = carried.getType(), element = getElementTypeOrSelf(type);
    if (!isa<RankedTensorType>(type) || element.isInteger(1) || (!isIntScalar(element) && !isPtrScalar(element)))
      continue;
    unsigned moves = 0;
    if (!movesFrom(loop.getYieldedValues()[index], carried, moves) || moves == 0)
      continue;
    Value init = loop.getInitArgs()[index];
    OpBuilder builder(loop);
    if (isPtrScalar(element)) {
      if (!hasUniformBase(init))
        continue;
      BaseAndOffsets parts = takeApart(init, view);
      Carrier(type, parts.offsets).convert(loop, index, parts.base);
    } else if (Value scalar = uniformScalar(builder, init)) {
      Carrier(type, {}).convert(loop, index, scalar);
    } else {
      Value zero = arith::ConstantOp::create(builder, loop.getLoc(), builder.getIntegerAttr(element, 0));
      Carrier(type, init).convert(loop, index, zero);
    }
    return true;
  }
  return false;
}

} // namespace

bool carryScalars(Operation *function) {
  bool changed = false;
  // Outer loops first: an inner loop that carries a tensor of an outer loop is converted together with it.
  for (bool again = true; again; changed |= again) {
    again = false;
    // A new analysis for each rewritten loop: it caches facts by the address of a value, and a new value can have the
    // address of an erased one.
    AxisAnalysis analysis(function, AxisAnalysis::Facts::Ignored);
    function->walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
      again = carryOne(loop, analysis);
      return again ? WalkResult::interrupt() : WalkResult::advance();
    });
  }
  return changed;
}

} // namespace tegula::tile
