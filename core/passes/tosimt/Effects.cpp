// Prints and assertions, which report to the host, and barriers.
#include "core/passes/tosimt/Lowering.h"

using namespace mlir;

namespace tegula::tosimt {
namespace {

bool isInLoop(Operation *op) { return op->getParentOfType<LoopLikeOpInterface>() != nullptr; }

/// Whether a program may execute more than one assertion.
bool hasSeveralAsserts(func::FuncOp function) {
  int64_t count = 0;
  function.walk([&](tile::AssertOp op) { count += isInLoop(op) ? 2 : 1; });
  return count > 1;
}

} // namespace

Lowering::Held Lowering::held(Value value) {
  if (!isTensor(value)) {
    Value isZero = arith::CmpIOp::create(b_, location_, arith::CmpIPredicate::eq, thread_, constant(0));
    return {tile::isPtrScalar(value.getType())
                ? Value(tile::PtrToIntOp::create(b_, location_, b_.getI64Type(), get(value)))
                : get(value),
            Value(), isZero};
  }
  Layout layout = layoutOf(value);
  ArrayRef<int64_t> shape = shapeOf(value);
  Value all = isPointers(value) ? addresses(value) : get(value), numbers = elementNumbers(layout, shape);
  // If several of a thread's registers hold copies of one element, only the first one is reported.
  int64_t copies = layout.getLayout(shape).freeVariables(layout::kRegister);
  SmallVector<int32_t> own;
  for (int32_t i = 0; i < countOf(all); ++i)
    if (!(i & copies))
      own.push_back(i);
  return {pick(all, own), pick(numbers, own), isFirstHolder(layout, shape)};
}

void Lowering::lowerPrint(tile::PrintOp op) {
  auto print = [&](Twine prefix, Held held, bool isSigned, Value planned) {
    auto line = simt::PrintOp::create(b_, location_, b_.getStringAttr(prefix), held.value, held.numbers, held.isFirst,
                                      DenseI64ArrayAttr(), UnitAttr(), UnitAttr(), UnitAttr());
    line.setHex(op.getHex());
    line.setIsSigned(isSigned);
    line.setIsAddress(planned && tile::isPtrScalar(getElementTypeOrSelf(planned.getType())));
    if (held.numbers)
      line.setShape(shapeOf(planned));
  };
  if (op.getValues().empty()) {
    Value isZero = arith::CmpIOp::create(b_, location_, arith::CmpIPredicate::eq, thread_, constant(0));
    print(op.getPrefix(), {Value(), Value(), isZero}, false, Value());
  }
  // All elements of one operand are printed before those of the next.
  for (auto [number, value] : llvm::enumerate(op.getValues()))
    print(op.getPrefix() + (op.getValues().size() > 1 ? "(operand " + Twine(number) + ") " : Twine()), held(value),
          op.getIsSigned()[number], value);
}

void Lowering::separateAsserts() {
  if (hasSeveralAsserts(planned_))
    simt::BarrierOp::create(b_, location_, IntegerAttr());
}

void Lowering::lowerAssert(tile::AssertOp op) {
  separateAsserts();
  Held checked = held(op.getCondition());
  auto check = simt::AssertOp::create(b_, location_, checked.value, checked.numbers, checked.isFirst,
                                      op.getMessageAttr(), DenseI64ArrayAttr());
  if (checked.numbers)
    check.setShape(shapeOf(op.getCondition()));
}

LogicalResult Lowering::lowerEffect(Operation *op) {
  if (isa<tile::BarrierOp>(op))
    simt::BarrierOp::create(b_, location_, IntegerAttr());
  else if (auto print = dyn_cast<tile::PrintOp>(op))
    lowerPrint(print);
  else if (auto check = dyn_cast<tile::AssertOp>(op))
    lowerAssert(check);
  else if (isa<tile::MayNotEndOp>(op))
    tile::MayNotEndOp::create(b_, location_);
  else if (!isa<tile::AssumeOp>(op)) // earlier passes have used the assumption's facts
    return op->emitOpError("has no lowering to threads yet");
  return success();
}

} // namespace tegula::tosimt
