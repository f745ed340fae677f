// Loops and branches. They keep their form and their marks. A tensor of pointers is carried as a base and offsets, a
// tensor in fragments as the list of its fragments.
#include "core/passes/tosimt/Lowering.h"

using namespace mlir;

namespace tegula::tosimt {

/// The simt values of `planned`, converted to the form of the values of `like`. The forms differ only for tensors of
/// pointers: the offsets of `like` may have 64 bits, or count bytes, where those of `planned` do not.
Values Lowering::asLike(Value planned, Value like) {
  Values values = values_.at(planned);
  if (isPointers(like) && forms_.isInBytes(like) && !forms_.isInBytes(planned))
    return absolutePointers(addresses(planned), getElementTypeOrSelf(like.getType()));
  if (isPointers(like))
    values.back() = toWidth(values.back(), forms_.isWide(like) ? 64 : 32);
  return values;
}

void Lowering::appendCarried(Value planned, SmallVectorImpl<Value> &to, Value like) {
  llvm::append_range(to, asLike(planned, like));
}

void Lowering::bindCarried(ValueRange planned, ValueRange lowered) {
  size_t at = 0;
  for (Value value : planned) {
    size_t count = typesOf(value).size();
    values_[value] = Values(lowered.slice(at, count));
    at += count;
  }
}

LogicalResult Lowering::lowerControl(Operation *op) {
  auto typesOfAll = [&](ValueRange planned) {
    SmallVector<Type> types;
    for (Value value : planned)
      llvm::append_range(types, typesOf(value));
    return types;
  };
  auto carried = [&](ValueRange planned, ValueRange like) {
    SmallVector<Value> values;
    for (auto [value, target] : llvm::zip_equal(planned, like))
      appendCarried(value, values, target);
    return values;
  };
  /// Lowers `block` into the block `to`. `lowered`: the simt values that represent the arguments `arguments` there.
  auto fill = [&](Block &block, ValueRange arguments, ValueRange lowered, Block &to) {
    OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToEnd(&to);
    bindCarried(arguments, lowered);
    return lowerBlock(block);
  };

  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    auto made = scf::ForOp::create(b_, location_, get(loop.getLowerBound()), get(loop.getUpperBound()),
                                   get(loop.getStep()), carried(loop.getInitArgs(), loop.getRegionIterArgs()));
    made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    if (!made.getBody()->empty())
      made.getBody()->back().erase();
    set(loop.getInductionVar(), made.getInductionVar());
    if (failed(fill(*loop.getBody(), loop.getRegionIterArgs(), made.getRegionIterArgs(), *made.getBody())))
      return failure();
    bindCarried(loop.getResults(), made.getResults());
    return success();
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    bool hasElse = !branch.getElseRegion().empty();
    auto made = scf::IfOp::create(b_, location_, typesOfAll(branch.getResults()), get(branch.getCondition()),
                                  /*addThenBlock=*/true, hasElse);
    made->setDiscardableAttrs(branch->getDiscardableAttrDictionary());
    if (failed(fill(*branch.thenBlock(), {}, {}, *made.thenBlock())) ||
        (hasElse && failed(fill(*branch.elseBlock(), {}, {}, *made.elseBlock()))))
      return failure();
    bindCarried(branch.getResults(), made.getResults());
    return success();
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    SmallVector<Type> before = typesOfAll(loop.getBeforeArguments()), after = typesOfAll(loop.getAfterArguments());
    auto made = scf::WhileOp::create(b_, location_, after, carried(loop.getInits(), loop.getBeforeArguments()));
    made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    Block *check = b_.createBlock(&made.getBefore(), {}, before, SmallVector<Location>(before.size(), location_));
    Block *body = b_.createBlock(&made.getAfter(), {}, after, SmallVector<Location>(after.size(), location_));
    b_.setInsertionPointAfter(made);
    if (failed(fill(*loop.getBeforeBody(), loop.getBeforeArguments(), check->getArguments(), *check)) ||
        failed(fill(*loop.getAfterBody(), loop.getAfterArguments(), body->getArguments(), *body)))
      return failure();
    bindCarried(loop.getResults(), made.getResults());
    return success();
  }
  if (auto condition = dyn_cast<scf::ConditionOp>(op)) {
    auto loop = cast<scf::WhileOp>(op->getParentOp());
    scf::ConditionOp::create(b_, location_, get(condition.getCondition()),
                             carried(condition.getArgs(), loop.getAfterArguments()));
    return success();
  }
  if (auto yield = dyn_cast<scf::YieldOp>(op)) {
    Operation *parent = op->getParentOp();
    SmallVector<Value> targets;
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      llvm::append_range(targets, loop.getRegionIterArgs());
    else if (auto loop = dyn_cast<scf::WhileOp>(parent))
      llvm::append_range(targets, loop.getBeforeArguments());
    else
      llvm::append_range(targets, parent->getResults());
    scf::YieldOp::create(b_, location_, carried(yield.getOperands(), targets));
    return success();
  }
  return op->emitOpError("has no lowering to threads");
}

} // namespace tegula::tosimt
