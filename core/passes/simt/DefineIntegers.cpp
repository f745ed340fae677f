// simt-define-integers (SimtPasses.td): gives divisions, shifts and loops a defined result where the ops of arith and
// scf have none.
#include "core/passes/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tegula::simt {

#define GEN_PASS_DEF_DEFINEINTEGERS
#include "core/passes/SimtPasses.h.inc"

namespace {

bool isDivision(Operation *op) { return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op); }

bool isShift(Operation *op) { return isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op); }

/// Rewrites one op on operands of one integer type, scalar or vector.
class Definition {
public:
  explicit Definition(Operation *op)
      : b_(op), op_(op), location_(op->getLoc()), type_(op->getResult(0).getType()),
        bits_(getElementTypeOrSelf(type_).getIntOrFloatBitWidth()) {}

  /// The division with a defined result; null if the op's constant operand shows that its result is defined.
  Value divide() {
    bool isSigned = isa<arith::DivSIOp, arith::RemSIOp>(op_), isQuotient = isa<arith::DivSIOp, arith::DivUIOp>(op_);
    Value x = op_->getOperand(0), y = op_->getOperand(1);
    APInt divisor;
    if (matchPattern(y, m_ConstantInt(&divisor)) && !divisor.isZero() && !(isSigned && divisor.isAllOnes()))
      return {};
    Value notY = make<arith::XOrIOp>(y, constant(APInt::getAllOnes(bits_)));
    if (bits_ == 1) // x / 1 = x and x / 0 = 0; x % 1 = 0 and x % 0 = x
      return isQuotient ? make<arith::AndIOp>(x, y) : make<arith::AndIOp>(x, notY);
    // Special divisors are y = 0 and, for signed numbers, y = -1, whose quotient overflows for the lowest number. For
    // both, x / y = x * y and x % y = x & ~y.
    Value isSpecial = isSigned ? compare(arith::CmpIPredicate::ule, make<arith::AddIOp>(y, constant(APInt(bits_, 1))),
                                         constant(APInt(bits_, 1)))
                               : compare(arith::CmpIPredicate::eq, y, constant(APInt::getZero(bits_)));
    Value special = isQuotient ? make<arith::MulIOp>(x, y) : make<arith::AndIOp>(x, notY);
    return select(isSpecial, special, again(x, select(isSpecial, constant(APInt(bits_, 1)), y)));
  }

  /// The shift with a defined result; null if the amount is a constant below the width.
  Value shift() {
    Value x = op_->getOperand(0), amount = op_->getOperand(1);
    APInt known;
    if (matchPattern(amount, m_ConstantInt(&known)) && known.ult(bits_))
      return {};
    bool keepsSign = isa<arith::ShRSIOp>(op_);
    if (bits_ == 1) // the amount is 0 or the width
      return keepsSign ? x : make<arith::AndIOp>(x, make<arith::XOrIOp>(amount, constant(APInt(1, 1))));
    Value isWithin = compare(arith::CmpIPredicate::ult, amount, constant(APInt(bits_, bits_)));
    if (keepsSign)
      return again(x, select(isWithin, amount, constant(APInt(bits_, bits_ - 1))));
    // Widths are powers of two, so the masked amount equals the amount whenever it is below the width.
    Value shifted = again(x, make<arith::AndIOp>(amount, constant(APInt(bits_, bits_ - 1))));
    return select(isWithin, shifted, constant(APInt::getZero(bits_)));
  }

private:
  template <class Op> Value make(Value x, Value y) { return Op::create(b_, location_, x, y); }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b_, location_, predicate, x, y);
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(b_, location_, condition, yes, no);
  }
  Value constant(const APInt &value) {
    TypedAttr attribute = b_.getIntegerAttr(getElementTypeOrSelf(type_), value);
    if (auto vector = dyn_cast<VectorType>(type_))
      attribute = DenseElementsAttr::get(vector, Attribute(attribute));
    return arith::ConstantOp::create(b_, location_, attribute);
  }
  Value again(Value x, Value y) {
    Operation *copy = b_.clone(*op_);
    copy->setOperands({x, y});
    return copy->getResult(0);
  }

  OpBuilder b_;
  Operation *op_;
  Location location_;
  Type type_;
  unsigned bits_;
};

/// Gives a loop whose step is not positive no iterations: its upper bound becomes its lower bound.
void boundLoop(scf::ForOp loop) {
  APInt step;
  if (matchPattern(loop.getStep(), m_ConstantInt(&step)) && step.isStrictlyPositive())
    return;
  OpBuilder b(loop);
  Location location = loop.getLoc();
  Value zero = arith::ConstantOp::create(b, location, b.getZeroAttr(loop.getStep().getType()));
  Value rises = arith::CmpIOp::create(b, location, arith::CmpIPredicate::sgt, loop.getStep(), zero);
  loop.setUpperBound(arith::SelectOp::create(b, location, rises, loop.getUpperBound(), loop.getLowerBound()));
}

struct DefineIntegersPass : impl::DefineIntegersBase<DefineIntegersPass> {
  void runOnOperation() override {
    SmallVector<Operation *> found;
    getOperation()->walk([&](Operation *op) {
      if (auto loop = dyn_cast<scf::ForOp>(op))
        boundLoop(loop);
      else if (isDivision(op) || isShift(op))
        found.push_back(op);
    });
    for (Operation *op : found) {
      Value defined = isDivision(op) ? Definition(op).divide() : Definition(op).shift();
      if (!defined)
        continue;
      op->getResult(0).replaceAllUsesWith(defined);
      op->erase();
    }
  }
};

} // namespace
} // namespace tegula::simt
