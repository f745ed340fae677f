// tile-relax-narrowed; see Passes.td.
#include "core/ir/simt/Target.h"
#include "core/ir/tile/Tile.h"
#include "core/passes/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_RELAXNARROWED
#include "core/passes/Passes.h.inc"

namespace {

/// What an error of a value does on its way to the rounding that hides it.
enum class Error {
  Relative, ///< must stay as small beside the value that it is in: no differences
  Smaller   ///< the bound of the changed op's error is smaller than before: differences will do, too
};

/// Products and quotients on a way from an approximated value to its rounding. Each may double the relative error,
/// because both of its operands may depend on the value.
constexpr unsigned kMostFactors = 3;

bool isSingle(Value value) { return getElementTypeOrSelf(value.getType()).isF32(); }

bool roundsTo16Bits(Operation *op) {
  auto cast = dyn_cast<FpCastOp>(op);
  return (isa<arith::TruncFOp>(op) || (cast && cast.getRounding() == RoundingMode::NearestEven)) &&
         getElementTypeOrSelf(op->getResult(0).getType()).getIntOrFloatBitWidth() <= 16;
}

bool movesOnly(Operation *op) { return isa<SplatOp, ExpandDimsOp, BroadcastOp, ReshapeOp, TransOp>(op); }

/// The sum of a reduction of one tensor by additions alone, or null.
arith::AddFOp sumOf(ReduceOp reduce) {
  Block &body = reduce.getCombine().front();
  if (reduce->getNumOperands() != 1 || !llvm::hasNItems(body, 2))
    return nullptr;
  auto sum = dyn_cast<arith::AddFOp>(body.front());
  bool addsArguments = sum && llvm::all_of(sum->getOperands(), [&](Value value) {
                         return isa<BlockArgument>(value) && value.getParentBlock() == &body;
                       });
  return addsArguments && sum.getLhs() != sum.getRhs() ? sum : nullptr;
}

/// What is known of one function's values. Answers are kept: a value may be reached on many ways.
class Narrowed {
public:
  /// Whether each use of a value ends in rounding to at most 16 bits, on ways where the error stays small.
  bool shows(Value value, Error error, unsigned factors = kMostFactors) {
    auto [known, isNew] = shown_.try_emplace({value, unsigned(error) * (kMostFactors + 1) + factors}, false);
    if (!isNew)
      return known->second;
    bool result = !value.use_empty() &&
                  llvm::all_of(value.getUses(), [&](OpOperand &use) { return showsFrom(use, error, factors); });
    return shown_[{value, unsigned(error) * (kMostFactors + 1) + factors}] = result;
  }

private:
  bool showsFrom(OpOperand &use, Error error, unsigned factors) {
    Operation *op = use.getOwner();
    if (roundsTo16Bits(op))
      return true;
    auto reduce = dyn_cast<ReduceOp>(op);
    bool isFactor = isa<arith::MulFOp, arith::DivFOp>(op), isSum = isa<arith::AddFOp>(op) || (reduce && sumOf(reduce));
    bool isDifference = isa<arith::SubFOp>(op), isChosen = isa<arith::SelectOp>(op) && use.getOperandNumber() > 0;
    if (!isFactor && !isSum && !isDifference && !isChosen && !movesOnly(op) && !isa<arith::NegFOp>(op))
      return false;
    if (error == Error::Relative && (isDifference || (isSum && !areNotNegative(op->getOperands()))))
      return false;
    return (!isFactor || factors > 0) && shows(op->getResult(0), error, factors - isFactor);
  }

  bool areNotNegative(ValueRange values) {
    return llvm::all_of(values, [&](Value value) { return isNotNegative(value); });
  }

  /// Whether no element is below 0, by the ops that the value is computed with; NaN may be among them.
  bool isNotNegative(Value value) {
    auto [known, isNew] = notNegative_.try_emplace(value, false);
    return isNew ? notNegative_[value] = isComputedNotNegative(value) : known->second;
  }

  bool isComputedNotNegative(Value value) {
    FloatAttr number;
    if (matchPattern(value, m_Constant(&number)))
      return !number.getValue().isNegative();
    SplatElementsAttr same;
    if (matchPattern(value, m_Constant(&same)))
      return isa<FloatType>(same.getElementType()) && !same.getSplatValue<APFloat>().isNegative();
    Operation *op = value.getDefiningOp();
    if (!op)
      return false;
    if (auto square = dyn_cast<arith::MulFOp>(op); square && square.getLhs() == square.getRhs())
      return true;
    if (auto select = dyn_cast<arith::SelectOp>(op))
      return areNotNegative({select.getTrueValue(), select.getFalseValue()});
    auto reduce = dyn_cast<ReduceOp>(op);
    bool keepsSign = isa<arith::AddFOp, arith::MulFOp, arith::DivFOp>(op) || movesOnly(op) || (reduce && sumOf(reduce));
    return isa<math::ExpOp, math::Exp2Op, math::AbsFOp>(op) || (keepsSign && areNotNegative(op->getOperands()));
  }

  llvm::DenseMap<std::pair<Value, unsigned>, bool> shown_;
  llvm::DenseMap<Value, bool> notNegative_;
};

void allow(Operation *op, arith::FastMathFlags flag) {
  auto fast = cast<arith::ArithFastMathInterface>(op);
  arith::FastMathFlagsAttr given = fast.getFastMathFlagsAttr();
  arith::FastMathFlags flags = flag | (given ? given.getValue() : arith::FastMathFlags::none);
  op->setAttr(fast.getFastMathAttrName(), arith::FastMathFlagsAttr::get(op->getContext(), flags));
}

/// Lets `sum` add the product `value` before it is rounded, if nothing else uses the product.
void fuse(Operation *sum, Value value) {
  auto product = value.getDefiningOp<arith::MulFOp>();
  if (!product || !product->hasOneUse() || product->hasAttr(kRoundedAttr) || sum->hasAttr(kRoundedAttr))
    return;
  allow(product, arith::FastMathFlags::contract);
  allow(sum, arith::FastMathFlags::contract);
}

struct RelaxNarrowedPass : impl::RelaxNarrowedBase<RelaxNarrowedPass> {
  void runOnOperation() override {
    if (!simt::targetOf(getOperation()).policies.relaxesNarrowed)
      return;
    Narrowed narrowed;
    getOperation().walk([&](Operation *op) {
      if (op->getNumResults() != 1 || !isSingle(op->getResult(0)))
        return;
      if (isa<math::ExpOp>(op) && narrowed.shows(op->getResult(0), Error::Relative))
        allow(op, arith::FastMathFlags::afn);
      bool addsProducts = isa<arith::AddFOp, arith::SubFOp>(op) &&
                          llvm::all_of(op->getOperands(), [](Value v) { return v.getDefiningOp<arith::MulFOp>(); });
      // Of two equal products, the difference must stay 0: one would be rounded and the other not.
      if (isa<arith::AddFOp, arith::SubFOp>(op) && !addsProducts && narrowed.shows(op->getResult(0), Error::Smaller))
        for (Value operand : op->getOperands())
          fuse(op, operand);
      if (auto reduce = dyn_cast<ReduceOp>(op); reduce && sumOf(reduce))
        fuse(sumOf(reduce), reduce->getOperand(0));
    });
  }
};

} // namespace
} // namespace tegula::tile
