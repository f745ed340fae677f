// Attention masks the scores of keys beyond the last key, which occur only in the last block of keys, and computes exp2
// of differences that are rarely below -126. Both cases are tested for each element, by several instructions:
//
//     %inside = arith.cmpi slt, %j, %end          // %j does not change in the loop; all elements of %end are equal
//     %kept = arith.select %inside, %score, %c
//
// becomes
//
//     %most = simt.reduce_registers maxsi %j      // before the loop
//     ...
//     %holds = arith.cmpi slt, %most, %end0       // %end0: an element of %end
//     %all = simt.vote all %holds
//     %kept = scf.if %all { yield %score } else { yield (as before) } {simt.uniform = 1}
#include "backends/rocm/codegen/UniformTests.h"

#include "backends/rocm/codegen/ShortLives.h"
#include "core/ir/simt/Simt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace tegula::rocm {
namespace {

constexpr int64_t kFewestElements = 8; // the test and the branch cost about six instructions

/// For how many of a vector's elements one branch decides how exp2 is computed. A branch costs two instructions.
int64_t mostTogether(int64_t elements) { return elements > 32 ? 8 : 16; }

/// The innermost loop around the op, if all lanes of a warp execute the op together; null otherwise.
scf::ForOp uniformLoop(Operation *op) {
  scf::ForOp innermost;
  for (Operation *parent = op->getParentOp(); !isa<func::FuncOp>(parent); parent = parent->getParentOp()) {
    if (!isa<scf::ForOp, scf::IfOp>(parent) || !parent->hasAttr(simt::kUniformAttr))
      return {};
    if (auto loop = dyn_cast<scf::ForOp>(parent); loop && !innermost)
      innermost = loop;
  }
  return innermost;
}

/// The value of which all elements of a vector are copies, as a scalar at the builder's insertion point; null if they
/// differ.
Value commonElement(OpBuilder &b, Value vector) {
  if (auto splat = vector.getDefiningOp<simt::SplatOp>())
    return splat.getSrc();
  DenseElementsAttr constant;
  if (matchPattern(vector, m_Constant(&constant)) && constant.isSplat())
    return arith::ConstantOp::create(b, vector.getLoc(), constant.getSplatValue<TypedAttr>());
  auto pick = vector.getDefiningOp<simt::PickOp>();
  if (!pick || !llvm::all_equal(pick.getRegisters()))
    return {};
  Type element = getElementTypeOrSelf(vector.getType());
  return simt::PickOp::create(b, vector.getLoc(), element, pick.getSrc(), pick.getRegisters().front());
}

/// Reduces a vector's elements to one by `kind`.
Value reduced(OpBuilder &b, simt::CombineKind kind, Value vector) {
  Type element = getElementTypeOrSelf(vector.getType());
  Value one = simt::ReduceRegistersOp::create(b, vector.getLoc(), VectorType::get({1}, element), kind, vector, 0);
  return simt::PickOp::create(b, vector.getLoc(), element, one, ArrayRef<int32_t>{0});
}

/// Emits one comparison of scalars that is true if `comparison` holds for all elements. Returns null if that is
/// impossible; it is possible for less and greater (not for equal), if the loop does not change one side and the
/// elements of the other side are equal.
Value holdsForAll(OpBuilder &b, arith::CmpIOp comparison, scf::ForOp loop) {
  using P = arith::CmpIPredicate;
  auto predicate = comparison.getPredicate();
  bool isSigned = llvm::is_contained({P::slt, P::sle, P::sgt, P::sge}, predicate);
  bool isLess = llvm::is_contained({P::slt, P::sle, P::ult, P::ule}, predicate);
  if (predicate == P::eq || predicate == P::ne)
    return {};
  for (bool swaps : {false, true}) {
    Value fixed = swaps ? comparison.getRhs() : comparison.getLhs();
    Value bound = swaps ? comparison.getLhs() : comparison.getRhs();
    if (!loop.isDefinedOutsideOfLoop(fixed))
      continue;
    Value one = commonElement(b, bound);
    if (!one)
      continue;
    bool wantsLargest = isLess != swaps;
    auto kind = isSigned ? (wantsLargest ? simt::CombineKind::MaxSI : simt::CombineKind::MinSI)
                         : (wantsLargest ? simt::CombineKind::MaxUI : simt::CombineKind::MinUI);
    OpBuilder before(loop);
    Value most = reduced(before, kind, fixed);
    return arith::CmpIOp::create(b, comparison.getLoc(), predicate, swaps ? one : most, swaps ? most : one);
  }
  return {};
}

/// Emits a scalar that is true if a condition holds for all elements: a comparison (by holdsForAll), copies of a
/// comparison's elements, or a conjunction of such conditions. Null for other conditions.
Value allHold(OpBuilder &b, Value condition, scf::ForOp loop) {
  if (auto pick = condition.getDefiningOp<simt::PickOp>())
    return allHold(b, pick.getSrc(), loop);
  if (auto comparison = condition.getDefiningOp<arith::CmpIOp>())
    return holdsForAll(b, comparison, loop);
  auto both = condition.getDefiningOp<arith::AndIOp>();
  if (!both)
    return {};
  Value left = allHold(b, both.getLhs(), loop);
  Value right = left ? allHold(b, both.getRhs(), loop) : Value();
  return right ? Value(arith::AndIOp::create(b, both.getLoc(), left, right)) : Value();
}

/// Replaces the op, which has one result, by an scf.if on the uniform condition `all`, and returns its result: `common`
/// if `all` is true, otherwise the result of the op, which moves into the else branch.
Value branchOn(Operation *op, Value all, Value common) {
  OpBuilder b(op);
  auto branch = scf::IfOp::create(
      b, op->getLoc(), all, [&](OpBuilder &b, Location at) { scf::YieldOp::create(b, at, common); },
      [&](OpBuilder &b, Location at) { scf::YieldOp::create(b, at, b.clone(*op)->getResults()); });
  branch->setAttr(simt::kUniformAttr, b.getI32IntegerAttr(1));
  op->replaceAllUsesWith(branch);
  op->erase();
  return branch.getResult(0);
}

void skipSelect(arith::SelectOp op) {
  scf::ForOp loop = uniformLoop(op);
  if (!loop || !isa<VectorType>(op.getCondition().getType()) || !loop.isDefinedOutsideOfLoop(op.getFalseValue()))
    return;
  OpBuilder b(op);
  if (Value holds = allHold(b, op.getCondition(), loop)) {
    Value all = simt::VoteOp::create(b, op->getLoc(), b.getI1Type(), simt::VoteKind::All, holds);
    branchOn(op, all, op.getTrueValue());
  }
}

/// Splits an exp2 into parts of few elements. Each part first computes the results without a branch, by the exp2 for
/// which no result may be subnormal. Only if some result may be subnormal, a branch computes them again by the general
/// exp2. (If each form stood in an arm of its own, LLVM would make two branches, one after the other.) A part's
/// operands stay in registers together with its results until its branch, so parts of few elements take few registers.
void splitExp2(math::Exp2Op op) {
  if (!uniformLoop(op) || !getElementTypeOrSelf(op.getType()).isF32())
    return;
  OpBuilder b(op);
  Location at = op.getLoc();
  Value operand = staysHere(b, op.getOperand()); // hides from LLVM whether it is uniform
  Value least = reduced(b, simt::CombineKind::MinNumF, operand);
  Value bound = arith::ConstantOp::create(b, at, b.getF32FloatAttr(-126));
  // MinNumF ignores NaN operands, so they do not affect the test; both forms of exp2 give the same result for NaN.
  Value isSmall = arith::CmpFOp::create(b, at, arith::CmpFPredicate::OLT, least, bound);
  Value truth = arith::ConstantOp::create(b, at, b.getBoolAttr(true));
  Value areNormal =
      simt::VoteOp::create(b, at, b.getI1Type(), simt::VoteKind::All, arith::XOrIOp::create(b, at, isSmall, truth));
  int64_t size = simt::elementsOf(operand.getType()), each = std::min(size, mostTogether(size));
  SmallVector<Value> results;
  for (int64_t first = 0; first < size; first += each) {
    auto type = VectorType::get({each}, b.getF32Type());
    Value part = each == size ? operand : simt::SliceOp::create(b, at, type, operand, int32_t(first));
    auto normal = math::Exp2Op::create(b, at, part, op.getFastmath());
    normal->setAttr(kNormalResults, b.getUnitAttr());
    Value kept = staysHere(b, normal); // otherwise LLVM would sink it into a branch of its own
    auto power = math::Exp2Op::create(b, at, part, op.getFastmath());
    results.push_back(branchOn(power, areNormal, kept));
  }
  Value all = results.size() == 1 ? results.front() : simt::ConcatOp::create(b, at, op.getType(), results);
  op.replaceAllUsesWith(all);
  op.erase();
}

class UniformTests : public PassWrapper<UniformTests, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(UniformTests)
  StringRef getArgument() const override { return "rocm-uniform-tests"; }
  StringRef getDescription() const override { return "skips work that one test for a warp shows to be unnecessary"; }

  void runOnOperation() override {
    SmallVector<Operation *> found;
    getOperation().walk([&](Operation *op) {
      if (isa<arith::SelectOp, math::Exp2Op>(op) && simt::elementsOf(op->getResult(0).getType()) >= kFewestElements)
        found.push_back(op);
    });
    for (Operation *op : found) {
      if (auto select = dyn_cast<arith::SelectOp>(op))
        skipSelect(select);
      else
        splitExp2(cast<math::Exp2Op>(op));
    }
  }
};

} // namespace

std::unique_ptr<Pass> createUniformTests() { return std::make_unique<UniformTests>(); }

} // namespace tegula::rocm
