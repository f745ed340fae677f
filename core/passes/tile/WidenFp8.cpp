// tile-widen-fp8 (TilePasses.td): computes 8-bit floats in f32 and rounds the results.
#include "core/ir/Numbers.h"
#include "core/passes/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_WIDENFP8
#include "core/passes/Passes.h.inc"

namespace {

bool isFp8(Type type) { return isFp8Scalar(getElementTypeOrSelf(type)); }
bool isRewritten(Operation *op) { return computesFp8(op) && !isa<math::FmaOp>(op); }

/// Rewrites one op for which isRewritten() is true.
class Widening {
public:
  explicit Widening(Operation *op) : b_(op), op_(op), location_(op->getLoc()) {}

  void run() {
    SmallVector<Value> results;
    if (isa<arith::NegFOp, math::AbsFOp>(op_))
      results = {changeSign(isa<arith::NegFOp>(op_))};
    else if (auto narrowing = dyn_cast<arith::TruncFOp>(op_))
      results = {cast(narrowing)};
    else
      results = compute();
    op_->replaceAllUsesWith(results);
    op_->erase();
  }

private:
  /// Clears or inverts the sign bit. Formats without -0 use its encoding for NaN, which must stay; their 0 negated is
  /// 0.
  Value changeSign(bool inverts) {
    Value x = op_->getOperand(0);
    Type element = getElementTypeOrSelf(x.getType()), bytes = withElement(x.getType(), b_.getI8Type());
    auto constant = [&](uint8_t value) -> Value {
      TypedAttr attribute = b_.getI8IntegerAttr(int8_t(value));
      if (auto shaped = dyn_cast<ShapedType>(bytes))
        attribute = DenseElementsAttr::get(shaped, Attribute(attribute));
      return arith::ConstantOp::create(b_, location_, attribute);
    };
    Value code = arith::BitcastOp::create(b_, location_, bytes, x);
    Value changed = inverts ? arith::XOrIOp::create(b_, location_, code, constant(0x80)).getResult()
                            : arith::AndIOp::create(b_, location_, code, constant(0x7f)).getResult();
    if (isa<Float8E4M3FNUZType, Float8E5M2FNUZType>(element)) {
      Value magnitude = arith::AndIOp::create(b_, location_, code, constant(0x7f));
      Value hasNoSign = arith::CmpIOp::create(b_, location_, arith::CmpIPredicate::eq, magnitude, constant(0));
      changed = arith::SelectOp::create(b_, location_, hasNoSign, code, changed);
    }
    return arith::BitcastOp::create(b_, location_, x.getType(), changed);
  }

  Value cast(arith::TruncFOp narrowing) {
    bool towardZero = narrowing.getRoundingmode() == arith::RoundingMode::toward_zero;
    return FpCastOp::create(b_, location_, narrowing.getType(), narrowing.getIn(),
                            towardZero ? RoundingMode::TowardZero : RoundingMode::NearestEven);
  }

  /// Clones the op with f32 in place of 8-bit floats, and returns the clone's results, converted back to the op's
  /// types. f32 represents exactly all integers that do not saturate, so conversions from integers are rounded once,
  /// too.
  SmallVector<Value> compute() {
    Operation *wide = b_.clone(*op_);
    for (OpOperand &operand : wide->getOpOperands())
      if (isFp8(operand.get().getType()))
        operand.set(converted(wide, operand.get()));
    SmallVector<Value> results;
    for (Value result : wide->getResults()) {
      Type type = result.getType();
      if (isFp8(type)) {
        result.setType(withElement(type, b_.getF32Type()));
        result = FpCastOp::create(b_, location_, type, result, RoundingMode::NearestEven);
      }
      results.push_back(result);
    }
    return results;
  }

  Value converted(Operation *user, Value x) {
    OpBuilder before(user);
    return FpCastOp::create(before, location_, withElement(x.getType(), b_.getF32Type()), x, RoundingMode::NearestEven);
  }

  OpBuilder b_;
  Operation *op_;
  Location location_;
};

/// Whether the op is a reduction or scan of 8-bit floats whose combining function is a single op that isRewritten().
bool combinesFp8(Operation *op) {
  if (!isa<ReduceOp, ScanOp>(op) || op->getNumOperands() != 1)
    return false;
  Block &body = op->getRegion(0).front();
  return body.getOperations().size() == 2 && isRewritten(&body.front()) && isFp8(body.front().getResult(0).getType());
}

/// Makes the reduction or scan combine in f32.
void combineInF32(Operation *op) {
  OpBuilder b(op);
  Type single = b.getF32Type();
  auto widen = [&](Value value) { value.setType(withElement(value.getType(), single)); };
  Value source = op->getOperand(0), result = op->getResult(0);
  Type type = result.getType();
  op->setOperand(
      0, FpCastOp::create(b, op->getLoc(), withElement(source.getType(), single), source, RoundingMode::NearestEven));
  Block &body = op->getRegion(0).front();
  for (Value argument : body.getArguments())
    widen(argument);
  widen(body.front().getResult(0));
  widen(result);
  b.setInsertionPointAfter(op);
  auto rounded = FpCastOp::create(b, op->getLoc(), type, result, RoundingMode::NearestEven);
  result.replaceAllUsesExcept(rounded, rounded);
}

struct WidenFp8Pass : impl::WidenFp8Base<WidenFp8Pass> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (combinesFp8(op))
        combineInF32(op);
    });
    SmallVector<Operation *> found;
    getOperation().walk([&](Operation *op) {
      if (isRewritten(op))
        found.push_back(op);
    });
    for (Operation *op : found)
      Widening(op).run();
  }
};

} // namespace
} // namespace tegula::tile
