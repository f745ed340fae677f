// simt-fold-scales (SimtPasses.td): scales the maxima of elements instead of the elements.
#include "core/ir/simt/Simt.h"
#include "core/passes/Passes.h"
#include "core/passes/simt/UniformNumber.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

#include <limits>

using namespace mlir;

namespace tegula::simt {

#define GEN_PASS_DEF_FOLDSCALES
#include "core/passes/SimtPasses.h.inc"

namespace {

bool isFused(Operation *op) {
  arith::FastMathFlagsAttr flags = cast<arith::ArithFastMathInterface>(op).getFastMathFlagsAttr();
  return flags && arith::bitEnumContainsAll(flags.getValue(), arith::FastMathFlags::contract);
}

bool isMinusInfinity(Value value) {
  SplatElementsAttr same;
  if (!matchPattern(value, m_Constant(&same)) || !isa<FloatType>(same.getElementType()))
    return false;
  APFloat number = same.getSplatValue<APFloat>();
  return number.isInfinity() && number.isNegative();
}

/// Elements times a scale, whose maxima are taken and from which other values are subtracted, as in an online softmax:
///
///     s = select(mask, x * scale, -inf);  m = max(..., maxima of s);  ... s - m ...
///
/// For a scale between 0 and infinity, the maximum of the products is the product of the maximum, since rounding is
/// monotonic. The products x * scale then remain in fused multiply-adds only.
class ScaledElements {
public:
  /// The scaled elements that this multiplication computes, if the scale can be folded; else nothing.
  static std::optional<ScaledElements> of(arith::MulFOp product) {
    ScaledElements found(product);
    return found.findScale() && found.findUses() ? std::optional(found) : std::nullopt;
  }

  Value scale() const { return scale_; }
  arith::MulFOp product() const { return product_; }

  /// Whether the product of the largest element is the largest product, whatever the elements are. True or false if the
  /// scale is a constant, else tested at run time (nothing).
  std::optional<bool> keepsOrder() const {
    if (!constant_)
      return std::nullopt;
    const APFloat &value = constant_.getValue();
    return value.isFiniteNonZero() && !value.isNegative();
  }

  /// Emits the test.
  static Value emitKeepsOrder(OpBuilder &builder, Location location, Value scale) {
    auto compare = [&](arith::CmpFPredicate predicate, double bound) -> Value {
      Value limit = arith::ConstantOp::create(builder, location, builder.getFloatAttr(scale.getType(), bound));
      return arith::CmpFOp::create(builder, location, predicate, scale, limit);
    };
    Value isPositive = compare(arith::CmpFPredicate::OGT, 0);
    Value isFinite = compare(arith::CmpFPredicate::OLT, std::numeric_limits<double>::infinity());
    return arith::AndIOp::create(builder, location, isPositive, isFinite);
  }

  /// Multiplies the maxima instead of the elements. Precondition: keepsOrder is known to be true.
  void fold() {
    OpBuilder builder(product_);
    if (!scale_)
      scale_ = arith::ConstantOp::create(builder, product_.getLoc(), constant_);
    builder.setInsertionPointAfter(scores_.getDefiningOp());
    replace(builder, foldedValues(builder));
  }

  /// Emits a branch: the maxima are multiplied in the one region, the elements in the other.
  void foldInBranch() {
    Location location = product_.getLoc();
    OpBuilder builder(product_);
    builder.setInsertionPointAfterValue(scale_);
    Value keepsOrder = emitKeepsOrder(builder, location, scale_);
    builder.setInsertionPointAfter(scores_.getDefiningOp());
    SmallVector<Type> types = {scores_.getType(), scale_.getType()};
    for (Value maximum : maxima_)
      types.push_back(maximum.getType());
    auto branch = scf::IfOp::create(builder, location, types, keepsOrder, /*withElseRegion=*/true);
    branch->setAttr(kUniformAttr, builder.getUnitAttr());
    OpBuilder folded = branch.getThenBodyBuilder(), scaled = branch.getElseBodyBuilder();
    scf::YieldOp::create(folded, location, foldedValues(folded));
    scf::YieldOp::create(scaled, location, scaledValues(scaled));
    replace(builder, llvm::to_vector_of<Value>(branch.getResults()));
  }

private:
  explicit ScaledElements(arith::MulFOp product) : product_(product) {}

  bool findScale() {
    if (!isa<VectorType>(product_.getType()) || !isFused(product_))
      return false;
    for (auto [x, other] : {std::pair(product_.getLhs(), product_.getRhs()), {product_.getRhs(), product_.getLhs()}}) {
      elements_ = x;
      SplatElementsAttr same;
      if (matchPattern(other, m_Constant(&same))) {
        constant_ = same.getSplatValue<FloatAttr>();
        return true;
      }
      if (auto splat = other.getDefiningOp<SplatOp>(); splat && isUniformNumber(splat.getOperand())) {
        scale_ = splat.getOperand();
        return true;
      }
    }
    return false;
  }

  /// Whether the op commutes with multiplication by an order-preserving scale, so that its result can be scaled instead
  /// of its operands.
  static bool commutesWithScale(Operation *op) { return isa<PickOp, ShuffleOp, arith::MaxNumFOp>(op); }

  bool findUses() {
    scores_ = product_.getResult();
    if (scores_.hasOneUse())
      if (auto select = dyn_cast<arith::SelectOp>(*scores_.user_begin());
          select && select.getTrueValue() == scores_ && isMinusInfinity(select.getFalseValue())) {
        mask_ = select;
        scores_ = select.getResult();
      }
    llvm::SetVector<Value> inTree;
    inTree.insert(scores_);
    Operation *start = scores_.getDefiningOp();
    auto isElement = [](Value value) { return isa<FloatType>(getElementTypeOrSelf(value.getType())); };
    // Ops of the tree of maxima are cloned before `start`, the op that computes the elements. So their other operands,
    // such as a lane's number, must be defined before `start`.
    auto isThere = [&](Value operand) {
      Operation *op = operand.getDefiningOp();
      return !op || op->getBlock() != start->getBlock() || op->isBeforeInBlock(start);
    };
    for (Operation *op = start->getNextNode(); op; op = op->getNextNode()) {
      bool isOfTree = commutesWithScale(op) && isElement(op->getResult(0)) &&
                      elementsOf(op->getResult(0).getType()) <= elementsOf(op->getOperand(0).getType()) &&
                      llvm::all_of(op->getOperands(), [&](Value operand) {
                        return isElement(operand) ? inTree.contains(operand) : isThere(operand);
                      });
      if (!isOfTree)
        continue;
      tree_.insert(op);
      inTree.insert(op->getResult(0));
    }
    for (Operation *user : scores_.getUsers()) {
      auto difference = dyn_cast<arith::SubFOp>(user);
      if (difference && difference.getLhs() == scores_ && difference.getRhs() != scores_ && isFused(difference))
        differences_.push_back(difference);
      else if (!tree_.contains(user))
        return false;
    }
    int64_t registers = 0;
    for (Operation *op : tree_)
      if (llvm::any_of(op->getUsers(), [&](Operation *user) { return !tree_.contains(user); })) {
        maxima_.push_back(op->getResult(0));
        registers += elementsOf(op->getResult(0).getType());
      }
    // the least number of elements for each maximum, so that folding saves products
    constexpr int64_t kLeastElements = 4;
    return !differences_.empty() && !maxima_.empty() && registers * kLeastElements <= elementsOf(scores_.getType());
  }

  /// Clones the tree of maxima with `scores` as its elements; returns the maxima.
  SmallVector<Value> maximaOf(OpBuilder &builder, Value scores) {
    IRMapping map;
    map.map(scores_, scores);
    for (Operation *op : tree_)
      builder.clone(*op, map);
    return llvm::map_to_vector(maxima_, [&](Value maximum) { return map.lookup(maximum); });
  }

  /// The values that replace the scaled elements if the scale is folded: the elements without the multiplication, the
  /// scale as their factor, and the scaled maxima.
  SmallVector<Value> foldedValues(OpBuilder &builder) {
    Location location = product_.getLoc();
    Value scores = elements_;
    if (mask_)
      scores = arith::SelectOp::create(builder, location, mask_.getCondition(), elements_, mask_.getFalseValue());
    SmallVector<Value> results = {scores, scale_};
    for (Value maximum : maximaOf(builder, scores)) {
      Value factor = isa<VectorType>(maximum.getType())
                         ? SplatOp::create(builder, location, maximum.getType(), scale_).getResult()
                         : scale_;
      results.push_back(arith::MulFOp::create(builder, location, maximum, factor));
    }
    return results;
  }

  /// The values that stand for the scaled elements if the scale is not folded: the multiplied elements, the factor 1,
  /// and the maxima of the multiplied elements.
  SmallVector<Value> scaledValues(OpBuilder &builder) {
    Location location = product_.getLoc();
    Operation *product = builder.clone(*product_);
    Value scores = product->getResult(0);
    if (mask_)
      scores = arith::SelectOp::create(builder, location, mask_.getCondition(), scores, mask_.getFalseValue());
    Value one = arith::ConstantOp::create(builder, location, builder.getFloatAttr(scale_.getType(), 1.0));
    SmallVector<Value> results = {scores, one};
    llvm::append_range(results, maximaOf(builder, scores));
    return results;
  }

  void replace(OpBuilder &builder, ArrayRef<Value> values) {
    Value factors = SplatOp::create(builder, product_.getLoc(), scores_.getType(), values[1]);
    for (arith::SubFOp difference : differences_) {
      OpBuilder at(difference);
      Value minus = arith::NegFOp::create(at, difference.getLoc(), difference.getRhs());
      Value fused = math::FmaOp::create(at, difference.getLoc(), values[0], factors, minus);
      difference.replaceAllUsesWith(fused);
      difference.erase();
    }
    for (auto [maximum, made] : llvm::zip_equal(maxima_, values.drop_front(2)))
      maximum.replaceUsesWithIf(made, [&](OpOperand &use) { return !tree_.contains(use.getOwner()); });
    for (Operation *op : llvm::reverse(tree_))
      op->erase();
    if (mask_)
      mask_.erase();
    product_.erase();
  }

  arith::MulFOp product_;
  Value elements_;
  Value scale_; // null before `fold` if the scale is `constant_`
  FloatAttr constant_;
  arith::SelectOp mask_;                   // null: all elements count
  Value scores_;                           // the products, or the select between products and minus infinity
  llvm::SetVector<Operation *> tree_;      // the ops that compute the maxima, in order
  SmallVector<Value> maxima_;              // the results of the tree that other ops use
  SmallVector<arith::SubFOp> differences_; // subtractions whose minuend is `scores_`
};

/// The loop around the product that may be duplicated for order-preserving scales: the scale is loop-invariant, and the
/// loop leaves no asynchronous product in flight.
scf::ForOp loopToCopy(const ScaledElements &found) {
  auto loop = dyn_cast<scf::ForOp>(found.product()->getParentOp());
  bool canCopy = loop && loop.isDefinedOutsideOfLoop(found.scale()) &&
                 llvm::none_of(loop->getUsers(), [](Operation *user) { return isa<MatmulWaitOp>(user); });
  return canCopy ? loop : scf::ForOp();
}

struct FoldScalesPass : impl::FoldScalesBase<FoldScalesPass> {
  void runOnOperation() override {
    SmallVector<arith::MulFOp> products;
    getOperation()->walk([&](arith::MulFOp op) { products.push_back(op); });
    while (!products.empty()) {
      std::optional<ScaledElements> found = ScaledElements::of(products.pop_back_val());
      if (!found || found->keepsOrder() == false)
        continue;
      if (found->keepsOrder())
        found->fold();
      else if (scf::ForOp loop = loopToCopy(*found))
        foldInCopy(loop, found->scale(), products);
      else
        found->foldInBranch();
    }
  }

  /// Emits a branch on whether the scale preserves order, with a copy of the loop in the one region and the loop itself
  /// in the other. In the copy, products with this scale are folded. Other products of the copy replace the loop's
  /// products in `products`; the loop itself is not changed.
  static void foldInCopy(scf::ForOp loop, Value scale, SmallVectorImpl<arith::MulFOp> &products) {
    OpBuilder builder(loop);
    Value keepsOrder = ScaledElements::emitKeepsOrder(builder, loop.getLoc(), scale);
    auto branch = scf::IfOp::create(builder, loop.getLoc(), loop.getResultTypes(), keepsOrder, /*withElseRegion=*/true);
    branch->setAttr(kUniformAttr, builder.getUnitAttr());
    loop.replaceAllUsesWith(branch.getResults());
    OpBuilder then = branch.getThenBodyBuilder(), otherwise = branch.getElseBodyBuilder();
    auto copy = cast<scf::ForOp>(then.clone(*loop));
    if (loop.getNumResults()) { // without results, the branch already has its yields
      scf::YieldOp::create(then, loop.getLoc(), copy.getResults());
      scf::YieldOp::create(otherwise, loop.getLoc(), loop.getResults());
    }
    loop->moveBefore(branch.elseYield());
    llvm::erase_if(products, [&](arith::MulFOp op) { return loop->isAncestor(op); });
    for (arith::MulFOp product : llvm::to_vector(copy.getOps<arith::MulFOp>()))
      if (std::optional<ScaledElements> found = ScaledElements::of(product); found && found->scale() == scale)
        found->fold();
    copy.walk([&](arith::MulFOp op) { products.push_back(op); });
  }
};

} // namespace
} // namespace tegula::simt
