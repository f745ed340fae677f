#include "core/passes/analysis/DeadElements.h"

#include "core/passes/analysis/BlockForm.h"
#include "core/passes/analysis/Uniform.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tegula::tile {
namespace {

/// Follows elements from each value to its uses, as long as an element keeps its coordinate along the axis.
class Follower {
public:
  explicit Follower(Polynomials &scalars) : scalars_(scalars) {}

  SmallVector<Polynomial> limits(Value tensor, unsigned axis) {
    reach(tensor, axis);
    while (!work_.empty()) {
      auto [value, along] = work_.pop_back_val();
      for (OpOperand &use : value.getUses())
        if (!follow(use, along))
          return {};
    }
    return limits_.value_or(SmallVector<Polynomial>());
  }

private:
  void reach(Value value, unsigned axis) {
    if (seen_.insert({value, axis}).second)
      work_.push_back({value, axis});
  }

  /// Follows elements from an operand to the results of the op that uses it. False if every element may have an effect
  /// through this use.
  bool follow(OpOperand &use, unsigned axis) {
    Operation *op = use.getOwner();
    unsigned number = use.getOperandNumber();
    if (auto dot = dyn_cast<DotOp>(op))
      return followDot(dot, use, axis);
    if (auto store = dyn_cast<StoreOp>(op))
      return &use == &store.getValueMutable() && isBounded(store.getMask(), axis);
    if (auto atomic = dyn_cast<AtomicRmwOp>(op))
      return &use == &atomic.getValueMutable() && atomic->use_empty() && isBounded(atomic.getMask(), axis);
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      reach(loop.getTiedLoopRegionIterArg(&use), axis);
      reach(loop.getTiedLoopResult(&use), axis);
      return true;
    }
    if (isa<scf::YieldOp>(op) && isa<scf::ForOp, scf::IfOp>(op->getParentOp())) {
      reach(op->getParentOp()->getResult(number), axis);
      if (auto loop = dyn_cast<scf::ForOp>(op->getParentOp()))
        reach(loop.getRegionIterArg(number), axis);
      return true;
    }
    if (isa<HintOp>(op)) // a hint may promise something about elements beyond a limit
      return false;
    if (renamesCoordinates(op)) {
      unsigned moved = movedAxis(op, axis);
      if (shapeOf(op->getResult(0).getType())[moved] != shapeOf(use.get().getType())[axis])
        return false; // a broadcast repeats one element, whose coordinate is 0
      reach(op->getResult(0), moved);
      return true;
    }
    if (!isElementwise(op) || op->getNumRegions() != 0 || !isMemoryEffectFree(op))
      return false;
    for (Value result : op->getResults())
      reach(result, axis);
    return true;
  }

  /// Follows rows of A, or columns of B, to rows or columns of a product's result. False for elements along the depth,
  /// which the product adds up.
  bool followDot(DotOp dot, OpOperand &use, unsigned axis) {
    unsigned rank = unsigned(shapeOf(dot.getType()).size());
    if ((&use == &dot.getAMutable() && axis == rank - 1) || (&use == &dot.getBMutable() && axis == rank - 2))
      return false;
    reach(dot.getResult(), axis);
    return true;
  }

  /// Whether the limit has one value in the whole kernel. If it changed in a loop, an element computed in one iteration
  /// could be used in another one, which has another limit.
  bool isOneNumber(const Polynomial &limit) const {
    return limit.isValid() && llvm::all_of(limit.terms(), [&](const Polynomial::Term &term) {
             return llvm::all_of(term.atoms, [&](unsigned number) {
               const Polynomials::Atom &atom = scalars_.atom(number);
               Value value = atom.value;
               return !atom.isRemainder() && isa<func::FuncOp>(value.getParentBlock()->getParentOp());
             });
           });
  }

  /// A limit is an index along `axis` from which on no mask seen so far is true. Removes from limits_ those from which
  /// on `mask` is not known to be false. Returns true if a limit is left.
  bool isBounded(Value mask, unsigned axis) {
    std::optional<SmallVector<BlockBound>> bounds;
    if (mask)
      bounds = BlockForms(scalars_).boundsOf(mask);
    SmallVector<Polynomial> kept;
    for (const BlockBound &bound : bounds.value_or(SmallVector<BlockBound>()))
      if (bound.axis == axis && isOneNumber(bound.limit) && (!limits_ || llvm::is_contained(*limits_, bound.limit)))
        kept.push_back(bound.limit);
    limits_ = std::move(kept);
    return !limits_->empty();
  }

  Polynomials &scalars_;
  std::optional<SmallVector<Polynomial>> limits_; // common limits of all masks so far
  SmallVector<std::pair<Value, unsigned>> work_;
  DenseSet<std::pair<Value, unsigned>> seen_;
};

} // namespace

SmallVector<Polynomial> deadFrom(Value tensor, unsigned axis, Polynomials &scalars) {
  return Follower(scalars).limits(tensor, axis);
}

} // namespace tegula::tile
