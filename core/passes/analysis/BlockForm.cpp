#include "core/passes/analysis/BlockForm.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tegula::tile {

bool renamesCoordinates(Operation *op) { return isa<ExpandDimsOp, BroadcastOp, TransOp, HintOp>(op); }

unsigned movedAxis(Operation *op, unsigned axis) {
  if (auto expand = dyn_cast<ExpandDimsOp>(op))
    return axis + (axis >= unsigned(expand.getAxis()));
  if (auto trans = dyn_cast<TransOp>(op))
    return llvm::find(trans.getOrder(), axis) - trans.getOrder().begin();
  return axis;
}

namespace {

BlockForm moved(Operation *op, const BlockForm &form) {
  BlockForm result{form.start, {}};
  result.steps.resize(shapeOf(op->getResult(0).getType()).size());
  ArrayRef<int64_t> from = shapeOf(op->getOperand(0).getType());
  for (unsigned axis = 0; axis < from.size(); ++axis)
    if (from[axis] != 1)
      result.steps[movedAxis(op, axis)] = form.steps[axis];
  return result;
}

bool isOneNumber(const BlockForm &form) {
  return llvm::all_of(form.steps, [](const Polynomial &step) { return step.isZero(); });
}

/// The axis along which neighbouring elements differ by 1, if the elements change along no other axis; else nothing.
std::optional<unsigned> countingAxis(const BlockForm &form) {
  std::optional<unsigned> found;
  for (auto [axis, step] : llvm::enumerate(form.steps)) {
    if (step.isZero())
      continue;
    if (found || !step.isOne())
      return std::nullopt;
    found = axis;
  }
  return found;
}

BlockForm sum(const BlockForm &a, const BlockForm &b, int64_t factor) {
  Polynomial times = Polynomial::constant(factor);
  BlockForm result{a.start + times * b.start, {}};
  for (auto [left, right] : llvm::zip_equal(a.steps, b.steps))
    result.steps.push_back(left + times * right);
  return result;
}

BlockForm scaled(const BlockForm &form, const Polynomial &factor) {
  BlockForm result{form.start * factor, {}};
  for (const Polynomial &step : form.steps)
    result.steps.push_back(step * factor);
  return result;
}

} // namespace

std::optional<BlockForm> BlockForms::ofArithmetic(Operation *op) {
  std::optional<BlockForm> left = of(op->getOperand(0)), right = of(op->getOperand(1));
  if (!left || !right)
    return std::nullopt;
  bool isWide = getElementTypeOrSelf(op->getResult(0).getType()).isInteger(64);
  isNarrow_ |= !isWide;
  wideReads_ += isWide;
  if (isa<arith::AddIOp, arith::SubIOp>(op))
    return sum(*left, *right, isa<arith::AddIOp>(op) ? 1 : -1);
  if (!isOneNumber(*right))
    std::swap(left, right);
  return isOneNumber(*right) ? std::optional(scaled(*left, right->start)) : std::nullopt;
}

std::optional<BlockForm> BlockForms::ofRemainder(Operation *op) {
  auto divisor = op->getOperand(1).getDefiningOp<SplatOp>();
  std::optional<BlockForm> form = of(op->getOperand(0));
  std::optional<unsigned> axis = form ? countingAxis(*form) : std::nullopt;
  if (!divisor || !axis || !divisor.getSrc().getType().isInteger(32))
    return std::nullopt;
  int64_t extent = shapeOf(op->getResult(0).getType())[*axis];
  form->start = Polynomial::atom(scalars_.remainder(form->start, divisor.getSrc(), extent));
  return form;
}

std::optional<BlockForm> BlockForms::of(Value integers) {
  Operation *op = integers.getDefiningOp();
  if (--left_ < 0 || !op || !isa<RankedTensorType>(integers.getType()))
    return std::nullopt;
  BlockForm form;
  form.steps.resize(shapeOf(integers.getType()).size());
  DenseElementsAttr constant;
  if (matchPattern(integers, m_Constant(&constant))) {
    if (!constant.isSplat())
      return std::nullopt;
    form.start = Polynomial::constant(constant.getSplatValue<APInt>().getSExtValue());
    return form;
  }
  if (auto splat = dyn_cast<SplatOp>(op)) {
    form.start = scalars_.of(splat.getSrc());
    return form;
  }
  if (auto range = dyn_cast<MakeRangeOp>(op)) {
    form.start = Polynomial::constant(range.getStart());
    form.steps[0] = Polynomial::constant(1);
    return form;
  }
  if (renamesCoordinates(op)) {
    std::optional<BlockForm> from = of(op->getOperand(0));
    return from ? std::optional(moved(op, *from)) : std::nullopt;
  }
  if (isa<arith::ExtSIOp>(op))
    return of(op->getOperand(0));
  if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return ofArithmetic(op);
  return isa<arith::RemSIOp>(op) ? ofRemainder(op) : std::nullopt;
}

std::optional<BlockForms::Base> BlockForms::ofPointer(Value pointer) {
  if (auto add = pointer.getDefiningOp<AddPtrOp>(); add && --left_ > 0) {
    std::optional<Base> base = ofPointer(add.getPtr());
    if (!base)
      return std::nullopt;
    isNarrow_ |= add.getOffset().getType().isInteger(32);
    return Base{base->argument, base->offset + scalars_.of(add.getOffset())};
  }
  auto argument = dyn_cast<BlockArgument>(pointer);
  if (!argument)
    return std::nullopt;
  Operation *parent = argument.getOwner()->getParentOp();
  if (isa<func::FuncOp>(parent))
    return Base{argument, {}};
  auto loop = dyn_cast<scf::ForOp>(parent);
  std::optional<Base> init = loop ? ofPointer(loop.getTiedLoopInit(argument)->get()) : std::nullopt;
  if (!init)
    return std::nullopt;
  std::optional<Polynomial> offset =
      scalars_.ofCarried(argument, init->offset, [&](Value yielded) -> std::optional<Polynomial> {
        auto add = yielded.getDefiningOp<AddPtrOp>();
        if (!add || add.getPtr() != argument)
          return std::nullopt;
        return scalars_.of(add.getOffset());
      });
  return offset ? std::optional(Base{init->argument, *offset}) : std::nullopt;
}

std::optional<BlockForms::Pointers> BlockForms::ofPointers(Value pointers) {
  Operation *op = pointers.getDefiningOp();
  if (!op || --left_ < 0)
    return std::nullopt;
  if (auto splat = dyn_cast<SplatOp>(op)) {
    std::optional<Base> base = ofPointer(splat.getSrc());
    if (!base)
      return std::nullopt;
    Pointers result{base->argument, {base->offset, {}}};
    result.offsets.steps.resize(shapeOf(pointers.getType()).size());
    return result;
  }
  auto add = dyn_cast<AddPtrOp>(op);
  if (!add && !renamesCoordinates(op))
    return std::nullopt;
  std::optional<Pointers> result = ofPointers(op->getOperand(0));
  std::optional<BlockForm> offset = result && add ? of(add.getOffset()) : std::nullopt;
  if (!result || (add && !offset))
    return std::nullopt;
  result->offsets = add ? sum(result->offsets, *offset, 1) : moved(op, result->offsets);
  return result;
}

std::optional<SmallVector<BlockBound>> BlockForms::boundsOf(Value mask) {
  Operation *op = mask.getDefiningOp();
  if (matchPattern(mask, m_One()))
    return SmallVector<BlockBound>();
  if (!op || --left_ < 0)
    return std::nullopt;
  if (isa<arith::AndIOp>(op)) {
    std::optional<SmallVector<BlockBound>> left = boundsOf(op->getOperand(0)), right = boundsOf(op->getOperand(1));
    if (!left || !right)
      return std::nullopt;
    llvm::append_range(*left, *right);
    return left;
  }
  if (renamesCoordinates(op)) {
    std::optional<SmallVector<BlockBound>> bounds = boundsOf(op->getOperand(0));
    if (!bounds)
      return std::nullopt;
    for (BlockBound &bound : *bounds) {
      int64_t extent = shapeOf(op->getOperand(0).getType())[bound.axis];
      bound.axis = movedAxis(op, bound.axis);
      if (shapeOf(mask.getType())[bound.axis] != extent)
        return std::nullopt; // the broadcast operand has one element: its coordinate is 0
    }
    return bounds;
  }
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (!compare)
    return std::nullopt;
  bool wasNarrow = isNarrow_; // reading a bound must not change isNarrow(), which is about offsets
  std::optional<BlockForm> left = of(compare.getLhs()), right = of(compare.getRhs());
  isNarrow_ = wasNarrow;
  if (!left || !right)
    return std::nullopt;
  using enum arith::CmpIPredicate;
  arith::CmpIPredicate predicate = compare.getPredicate();
  if (predicate == sgt || predicate == sge)
    std::swap(left, right);
  else if (predicate != slt && predicate != sle)
    return std::nullopt;
  BlockForm difference = sum(*left, *right, -1); // the mask is: difference < 0, or difference <= 0
  std::optional<unsigned> axis = countingAxis(difference);
  if (!axis)
    return std::nullopt;
  Polynomial limit = Polynomial::constant(predicate == sle || predicate == sge ? 1 : 0) - difference.start;
  return SmallVector<BlockBound>{{*axis, limit}};
}

} // namespace tegula::tile
