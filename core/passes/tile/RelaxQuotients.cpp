// tile-relax-quotients (TilePasses.td): allows f32 quotients an error of 2 ulp.
#include "core/ir/simt/Target.h"
#include "core/ir/tile/Tile.h"
#include "core/passes/Passes.h"
#include "core/passes/analysis/NotNegative.h"
#include "core/passes/analysis/Uniform.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_RELAXQUOTIENTS
#include "core/passes/Passes.h.inc"

namespace {

/// The type of at most 16 bits from which the elements were widened to f32; null if there is none.
Type widenedFrom(Value value) {
  Operation *op = value.getDefiningOp();
  while (op && movesOnly(op))
    op = op->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<arith::ExtFOp, FpCastOp>(op))
    return {};
  Type type = getElementTypeOrSelf(op->getOperand(0).getType());
  return type.getIntOrFloatBitWidth() <= 16 ? type : Type();
}

/// Whether all elements are one constant that the type can represent.
bool isConstantOf(Value value, Type type) {
  SplatElementsAttr same;
  FloatAttr number;
  if (matchPattern(value, m_Constant(&same)))
    number = same.getSplatValue<FloatAttr>();
  else if (!matchPattern(value, m_Constant(&number)))
    return false;
  APFloat converted = number.getValue();
  bool isChanged = false;
  converted.convert(cast<FloatType>(type).getFloatSemantics(), APFloat::rmNearestTiesToEven, &isChanged);
  return !isChanged;
}

/// Whether both operands are numbers of at most 16 bits that were widened to f32. If the kernel rounds the f32 quotient
/// to their type, the result is the quotient of that type, which the language requires to be correctly rounded. Such a
/// quotient must not be relaxed.
bool dividesNarrowNumbers(arith::DivFOp quotient) {
  Type left = widenedFrom(quotient.getLhs()), right = widenedFrom(quotient.getRhs());
  return (left && right) || (left && isConstantOf(quotient.getRhs(), left)) ||
         (right && isConstantOf(quotient.getLhs(), right));
}

struct RelaxQuotientsPass : impl::RelaxQuotientsBase<RelaxQuotientsPass> {
  void runOnOperation() override {
    if (!simt::targetOf(getOperation()).policies.relaxesQuotients)
      return;
    getOperation().walk([&](arith::DivFOp quotient) {
      if (getElementTypeOrSelf(quotient.getType()).isF32() && !quotient->hasAttr(kRoundedAttr) &&
          !dividesNarrowNumbers(quotient))
        quotient.setFastmath(quotient.getFastmath() | arith::FastMathFlags::arcp);
    });
  }
};

} // namespace
} // namespace tegula::tile
