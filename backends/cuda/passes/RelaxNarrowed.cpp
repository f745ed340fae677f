// tile-relax-narrowed (TilePasses.td): allows faster f32 arithmetic for results that are only used rounded to 16 bits
// or fewer.
#include "backends/cuda/passes/Passes.h"
#include "core/ir/tile/Tile.h"
#include "core/passes/analysis/NotNegative.h"
#include "core/passes/analysis/Uniform.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_RELAXNARROWED
#include "backends/cuda/passes/TilePasses.h.inc"

namespace {

/// The effect of a relaxed op on the error of its result. It determines the ops through which uses may be followed.
enum class Error {
  Relative, ///< larger than before, relative to the result: a difference could make the relative error large
  Smaller   ///< its bound is smaller than before: differences are followed, too
};

/// The most multiplications and divisions between a relaxed op and the rounding to 16 bits. Each may double the
/// relative error, because both of its operands may depend on the relaxed op.
constexpr unsigned kMostFactors = 3;

bool isSingle(Value value) { return getElementTypeOrSelf(value.getType()).isF32(); }

/// Finds values that have an effect only after rounding to 16 bits or fewer. Answers are cached, because chains of uses
/// join.
class Narrowed {
public:
  /// Whether every chain of uses of `value` reaches a rounding to 16 bits or fewer, through ops that keep its error
  /// small, and, for a relative error, at most `factors` multiplications and divisions.
  bool isOnlySeenRounded(Value value, Error error, unsigned factors = kMostFactors) {
    std::pair key(value, unsigned(error) * (kMostFactors + 1) + factors);
    if (auto known = seenRounded_.find(key); known != seenRounded_.end())
      return known->second;
    if (!followed_.insert(key).second) { // around a loop: true if all other uses lead to roundings
      isAssumed_ = true;
      return true;
    }
    bool result = !value.use_empty() &&
                  llvm::all_of(value.getUses(), [&](OpOperand &use) { return leadsToRounding(use, error, factors); });
    followed_.erase(key);
    if (!result && isAssumed_) // what was answered by true may have relied on this value
      for (auto answer = seenRounded_.begin(); answer != seenRounded_.end(); ++answer)
        if (answer->second)
          seenRounded_.erase(answer);
    isAssumed_ &= !followed_.empty();
    return seenRounded_[key] = result;
  }

private:
  bool leadsToRounding(OpOperand &use, Error error, unsigned factors) {
    Operation *op = use.getOwner();
    if (roundsTo16Bits(op))
      return true;
    if (isa<scf::YieldOp>(op))
      return error == Error::Smaller && leavesRounded(op->getParentOp(), use.getOperandNumber());
    auto reduce = dyn_cast<ReduceOp>(op);
    bool isFactor = isa<arith::MulFOp, arith::DivFOp>(op), isSum = isa<arith::AddFOp>(op) || (reduce && sumOf(reduce));
    bool isDifference = isa<arith::SubFOp>(op), isChosen = isa<arith::SelectOp>(op) && use.getOperandNumber() > 0;
    if (!isFactor && !isSum && !isDifference && !isChosen && !movesOnly(op) && !isa<arith::NegFOp>(op))
      return false;
    if (error == Error::Smaller)
      return isOnlySeenRounded(op->getResult(0), error);
    if (isDifference || (isSum && !notNegative_.holdsForAll(op->getOperands())))
      return false;
    return (!isFactor || factors > 0) && isOnlySeenRounded(op->getResult(0), error, factors - isFactor);
  }

  /// For a value that a branch or an iteration of a loop yields as its result `number`.
  bool leavesRounded(Operation *op, unsigned number) {
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop && !isa<scf::IfOp>(op))
      return false;
    return isOnlySeenRounded(op->getResult(number), Error::Smaller) &&
           (!loop || isOnlySeenRounded(loop.getRegionIterArg(number), Error::Smaller));
  }

  llvm::DenseMap<std::pair<Value, unsigned>, bool> seenRounded_;
  llvm::DenseSet<std::pair<Value, unsigned>> followed_; // values whose uses are being followed
  bool isAssumed_ = false;                              // an answer for one of these was assumed
  NotNegative notNegative_;
};

void allow(Operation *op, arith::FastMathFlags flag) {
  auto fast = cast<arith::ArithFastMathInterface>(op);
  arith::FastMathFlagsAttr given = fast.getFastMathFlagsAttr();
  arith::FastMathFlags flags = flag | (given ? given.getValue() : arith::FastMathFlags::none);
  op->setAttr(fast.getFastMathAttrName(), arith::FastMathFlagsAttr::get(op->getContext(), flags));
}

/// `a * a - b * b` must be 0 for equal a and b. If the subtraction were fused, only one of the two products would be
/// rounded.
bool addsTwoProducts(Operation *sum) {
  return llvm::all_of(sum->getOperands(), [](Value operand) { return operand.getDefiningOp<arith::MulFOp>(); });
}

/// Allows `sum` to add the product `value` without rounding it first, if the product has no other use.
void fuse(Operation *sum, Value value) {
  auto product = value.getDefiningOp<arith::MulFOp>();
  if (!product || !product->hasOneUse() || product->hasAttr(kRoundedAttr) || sum->hasAttr(kRoundedAttr))
    return;
  allow(product, arith::FastMathFlags::contract);
  allow(sum, arith::FastMathFlags::contract);
}

/// For the difference in `exp(x * scale - m)`, where the scale is one number: the product x * scale, also if a select
/// by a mask stands between the two. Null for other differences, and if an op that is no exponential uses the
/// difference.
arith::MulFOp scaledExponent(arith::SubFOp difference) {
  bool isExponent = !difference->use_empty() && llvm::all_of(difference->getUsers(), [](Operation *user) {
    return isa<math::ExpOp, math::Exp2Op>(user);
  });
  Operation *subtrahend = difference.getRhs().getDefiningOp();
  while (subtrahend && movesOnly(subtrahend))
    subtrahend = subtrahend->getOperand(0).getDefiningOp();
  // If the subtrahend is a product, too, it may be equal to the other product: their difference must then be 0, which
  // it would not be if only one of them were fused.
  if (!isExponent || difference->hasAttr(kRoundedAttr) || isa_and_nonnull<arith::MulFOp>(subtrahend))
    return {};
  Value scores = difference.getLhs();
  if (auto select = scores.getDefiningOp<arith::SelectOp>())
    scores = select.getTrueValue();
  auto product = scores.getDefiningOp<arith::MulFOp>();
  bool isScaled =
      product && !product->hasAttr(kRoundedAttr) && (isUniform(product.getLhs()) || isUniform(product.getRhs()));
  return isScaled ? product : arith::MulFOp();
}

struct RelaxNarrowedPass : impl::RelaxNarrowedBase<RelaxNarrowedPass> {
  void runOnOperation() override {
    Narrowed narrowed;
    getOperation().walk([&](Operation *op) {
      if (op->getNumResults() != 1 || !isSingle(op->getResult(0)))
        return;
      if (isa<math::ExpOp>(op) && narrowed.isOnlySeenRounded(op->getResult(0), Error::Relative))
        allow(op, arith::FastMathFlags::afn);
      if (isa<arith::AddFOp, arith::SubFOp>(op) && !addsTwoProducts(op) &&
          narrowed.isOnlySeenRounded(op->getResult(0), Error::Smaller))
        for (Value operand : op->getOperands())
          fuse(op, operand);
      if (auto difference = dyn_cast<arith::SubFOp>(op))
        if (arith::MulFOp product = scaledExponent(difference)) {
          allow(product, arith::FastMathFlags::contract);
          allow(difference, arith::FastMathFlags::contract);
        }
      if (auto reduce = dyn_cast<ReduceOp>(op); reduce && sumOf(reduce))
        fuse(sumOf(reduce), reduce->getOperand(0));
    });
  }
};

} // namespace
} // namespace tegula::tile
