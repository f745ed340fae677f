// simt-expand-math (SimtPasses.td): expands functions of floats that the target lacks, or computes with too large
// errors.
//
// The algorithms are in core/math.
#include "core/ir/simt/Target.h"
#include "core/ir/tile/Tile.h"
#include "core/math/Functions.h"
#include "core/passes/Passes.h"
#include "core/passes/simt/ArithNumbers.h"

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;

namespace tegula::simt {

#define GEN_PASS_DEF_EXPANDMATH
#include "core/passes/SimtPasses.h.inc"

namespace {

/// The function's name as it appears in the target's `native_math`; empty for ops that this pass does not expand.
StringRef functionOf(Operation *op) {
  return TypeSwitch<Operation *, StringRef>(op)
      .Case<math::ExpOp, math::Exp2Op, math::ExpM1Op, math::LogOp, math::Log2Op, math::Log1pOp, math::SinOp,
            math::CosOp, math::TanhOp, math::ErfOp, math::RsqrtOp, math::FmaOp, math::TanOp, math::AsinOp, math::AcosOp,
            math::AtanOp, math::Atan2Op, math::SinhOp, math::CoshOp, math::PowFOp>(
          [](Operation *found) { return found->getName().stripDialect(); })
      .Case<arith::RemFOp>([](Operation *) { return "remf"; })
      .Case<tile::FunctionOp>([](tile::FunctionOp found) { return tile::stringifyFunctionKind(found.getKind()); })
      .Default([](Operation *) { return StringRef(); });
}

/// Emits the expansions of ops on floats of one width.
template <unsigned width> class Expansion {
public:
  using N = ArithNumbers<width>;

  Expansion(OpBuilder &builder, Location location, Type like, bool fuses) : numbers_(builder, location, like, fuses) {}

  Value expByExp2(Value x) { return elementary::expByExp2(elementary::Real<N>{&numbers_, x}).v; }

  Value expand(Operation *op, ArrayRef<Value> operands) {
    auto x = [&](unsigned i) { return elementary::Real<N>{&numbers_, operands[i]}; };
    return TypeSwitch<Operation *, Value>(op)
        .template Case<math::ExpOp>([&](auto) { return elementary::exp(x(0)).v; })
        .template Case<math::Exp2Op>([&](auto) { return elementary::exp2(x(0)).v; })
        .template Case<math::ExpM1Op>([&](auto) { return elementary::expm1(x(0)).v; })
        .template Case<math::LogOp>([&](auto) { return elementary::log(x(0)).v; })
        .template Case<math::Log2Op>([&](auto) { return elementary::log2(x(0)).v; })
        .template Case<math::Log1pOp>([&](auto) { return elementary::log1p(x(0)).v; })
        .template Case<math::SinOp>([&](auto) { return elementary::sin(x(0)).v; })
        .template Case<math::CosOp>([&](auto) { return elementary::cos(x(0)).v; })
        .template Case<math::TanhOp>([&](auto) { return elementary::tanh(x(0)).v; })
        .template Case<math::ErfOp>([&](auto) { return elementary::erf(x(0)).v; })
        .template Case<math::RsqrtOp>([&](auto) { return elementary::rsqrt(x(0)).v; })
        .template Case<math::FmaOp>([&](auto) { return elementary::fma(x(0), x(1), x(2)).v; })
        .template Case<math::TanOp>([&](auto) { return elementary::tan(x(0)).v; })
        .template Case<math::AsinOp>([&](auto) { return elementary::asin(x(0)).v; })
        .template Case<math::AcosOp>([&](auto) { return elementary::acos(x(0)).v; })
        .template Case<math::AtanOp>([&](auto) { return elementary::atan(x(0)).v; })
        .template Case<math::Atan2Op>([&](auto) { return elementary::atan2(x(0), x(1)).v; })
        .template Case<math::SinhOp>([&](auto) { return elementary::sinh(x(0)).v; })
        .template Case<math::CoshOp>([&](auto) { return elementary::cosh(x(0)).v; })
        .template Case<math::PowFOp>([&](auto) { return elementary::pow(x(0), x(1)).v; })
        .template Case<tile::FunctionOp>([&](auto function) { return expandFunction(function.getKind(), operands); })
        .template Case<arith::RemFOp>([&](auto) { return elementary::remainder(x(0), x(1)).v; })
        .Default([](Operation *) { return Value(); });
  }

private:
  Value expandFunction(tile::FunctionKind kind, ArrayRef<Value> operands) {
    using Kind = tile::FunctionKind;
    using elementary::Rounding;
    auto x = [&](unsigned i) { return elementary::Real<N>{&numbers_, operands[i]}; };
    switch (kind) {
    case Kind::Acosh: return elementary::acosh(x(0)).v;
    case Kind::Asinh: return elementary::asinh(x(0)).v;
    case Kind::Atanh: return elementary::atanh(x(0)).v;
    case Kind::Cbrt: return elementary::cbrt(x(0)).v;
    case Kind::Cospi: return elementary::cospi(x(0)).v;
    case Kind::Erfc: return elementary::erfc(x(0)).v;
    case Kind::Erfcinv: return elementary::erfcinv(x(0)).v;
    case Kind::Erfcx: return elementary::erfcx(x(0)).v;
    case Kind::Erfinv: return elementary::erfinv(x(0)).v;
    case Kind::Exp10: return elementary::exp10(x(0)).v;
    case Kind::Lgamma: return elementary::lgamma(x(0)).v;
    case Kind::Normcdf: return elementary::normcdf(x(0)).v;
    case Kind::Normcdfinv: return elementary::normcdfinv(x(0)).v;
    case Kind::Sinpi: return elementary::sinpi(x(0)).v;
    case Kind::Tgamma: return elementary::tgamma(x(0)).v;
    case Kind::Hypot: return elementary::hypot(x(0), x(1)).v;
    case Kind::FmaDown: return elementary::fma<N, Rounding::Down>(x(0), x(1), x(2)).v;
    case Kind::FmaUp: return elementary::fma<N, Rounding::Up>(x(0), x(1), x(2)).v;
    case Kind::FmaZero: return elementary::fma<N, Rounding::Zero>(x(0), x(1), x(2)).v;
    }
    llvm_unreachable("all functions are listed");
  }

  N numbers_;
};

bool has(Operation *op, arith::FastMathFlags flag) {
  auto fast = dyn_cast<arith::ArithFastMathInterface>(op);
  return fast && fast.getFastMathFlagsAttr() && arith::bitEnumContainsAll(fast.getFastMathFlagsAttr().getValue(), flag);
}

struct ExpandMathPass : impl::ExpandMathBase<ExpandMathPass> {
  void runOnOperation() override {
    native_.clear();
    for (const std::string &name : targetOf(getOperation()).features.nativeMath)
      native_.insert(name);
    SmallVector<Operation *> found;
    getOperation()->walk([&](Operation *op) {
      if (!functionOf(op).empty() || isa<arith::FPToSIOp, arith::FPToUIOp>(op))
        found.push_back(op);
    });
    for (Operation *op : found) {
      OpBuilder builder(op);
      Value result = functionOf(op).empty() ? convert(op, builder) : expand(op, builder);
      if (!result)
        continue;
      op->getResult(0).replaceAllUsesWith(result);
      op->erase();
    }
  }

private:
  bool isNative(StringRef function, StringRef width) const { return native_.contains((function + "." + width).str()); }

  Value expand(Operation *op, OpBuilder &b) {
    StringRef function = functionOf(op);
    Type type = op->getResult(0).getType();
    auto element = cast<FloatType>(getElementTypeOrSelf(type));
    StringRef width = element.isF64() ? "f64" : element.isF32() ? "f32" : "narrow";
    auto fma = dyn_cast<math::FmaOp>(op);
    if (fma && tile::isFp8Scalar(element)) // no target has an fma of 8-bit floats
      return fuseNarrow<32>(fma, b);
    if (isNative(function, width) ||
        (has(op, arith::FastMathFlags::afn) && !element.isF64() && isNative(function, "fast")))
      return {};
    if (fma && has(op, arith::FastMathFlags::contract)) {
      arith::FastMathFlagsAttr flags = fma.getFastmathAttr();
      Value product = arith::MulFOp::create(b, op->getLoc(), fma.getA(), fma.getB(), flags);
      return arith::AddFOp::create(b, op->getLoc(), product, fma.getC(), flags);
    }
    if (element.isF64())
      return Expansion<64>(b, op->getLoc(), type, isNative("fma", "f64"))
          .expand(op, SmallVector<Value>(op->getOperands()));
    SmallVector<Value> operands(op->getOperands());
    bool isNarrow = !element.isF32();
    if (fma && element.isF16()) // f32 holds products of f16, and f64 those of bf16
      return fuseNarrow<32>(fma, b);
    if (fma && isNarrow && isNative("fma", "f64"))
      return fuseNarrow<64>(fma, b);
    Type single = tile::withElement(type, b.getF32Type());
    if (isNarrow)
      for (Value &operand : operands)
        operand = arith::ExtFOp::create(b, op->getLoc(), single, operand);
    bool fuses = isNative("fma", "f32");
    Expansion<32> expansion(b, op->getLoc(), single, fuses);
    Value result = isa<math::ExpOp>(op) && fuses && isNative("exp2", "f32") ? expansion.expByExp2(operands[0])
                                                                            : expansion.expand(op, operands);
    return isNarrow ? Value(arith::TruncFOp::create(b, op->getLoc(), type, result)) : result;
  }

  /// x * y + z of floats of 8 or 16 bits, rounded once. The product is exact in floats of `width` bits. The sum is
  /// rounded to odd (its last bit is set if bits were lost); rounding that to fewer bits gives the correctly rounded
  /// result.
  /// Algorithm: Boldo and Melquiond, "Emulation of FMA and correctly rounded sums", IEEE Transactions on Computers 57,
  /// 2008.
  template <unsigned width> Value fuseNarrow(math::FmaOp fma, OpBuilder &b) {
    Location location = fma.getLoc();
    Type type = fma.getType(), wide = tile::withElement(type, width == 32 ? b.getF32Type() : b.getF64Type());
    auto extended = [&](Value x) -> Value { return arith::ExtFOp::create(b, location, wide, x); };
    ArithNumbers<width> n(b, location, type, /*fuses=*/true);
    Value product = n.multiply(extended(fma.getA()), extended(fma.getB())), addend = extended(fma.getC());
    Value sum = n.add(product, addend);
    Value back = n.subtract(sum, product); // the error by Knuth's TwoSum
    Value error = n.add(n.subtract(product, n.subtract(sum, back)), n.subtract(addend, back));
    Value zero = n.real(0), one = n.whole(1), bits = n.bits(sum);
    // If the sum is infinite, the error is NaN and both comparisons are false.
    Value isInexact = n.orTruth(n.less(error, zero), n.less(zero, error));
    Value isLarger = n.lessSigned(n.differ(bits, n.bits(error)), n.whole(0)); // the magnitude was rounded up
    Value odd = n.either(n.select(isLarger, n.subtractWhole(bits, one), bits), one);
    Value isEven = n.equalWhole(n.both(bits, one), n.whole(0));
    Value rounded = n.select(n.andTruth(isInexact, isEven), odd, bits);
    if (tile::isFp8Scalar(getElementTypeOrSelf(type)))
      return tile::FpCastOp::create(b, location, type, n.fromBits(rounded), tile::RoundingMode::NearestEven);
    return arith::TruncFOp::create(b, location, type, n.fromBits(rounded));
  }

  /// Expands a saturating conversion from floats to integers: numbers beyond the integers' range become the nearest
  /// integer, NaN becomes 0. The limits of the range are powers of two, which floats represent exactly.
  Value convert(Operation *op, OpBuilder &b) {
    Location location = op->getLoc();
    Value x = op->getOperand(0);
    Type result = op->getResult(0).getType();
    bool isSigned = isa<arith::FPToSIOp>(op);
    unsigned asked = getElementTypeOrSelf(result).getIntOrFloatBitWidth(), bits = std::max(asked, 8u);
    Type whole = tile::withElement(result, b.getIntegerType(bits));
    if (getElementTypeOrSelf(x).getIntOrFloatBitWidth() < 32)
      x = arith::ExtFOp::create(b, location, tile::withElement(result, b.getF32Type()), x);
    auto constant = [&](Type type, TypedAttr value) -> Value {
      if (auto vector = dyn_cast<VectorType>(type))
        value = DenseElementsAttr::get(vector, Attribute(value));
      return arith::ConstantOp::create(b, location, value);
    };
    auto real = [&](double value) { return constant(x.getType(), b.getFloatAttr(getElementTypeOrSelf(x), value)); };
    auto integer = [&](APInt value) { return constant(whole, b.getIntegerAttr(getElementTypeOrSelf(whole), value)); };
    auto compare = [&](arith::CmpFPredicate predicate, Value y) -> Value {
      return arith::CmpFOp::create(b, location, predicate, x, y);
    };
    auto select = [&](Value condition, Value yes, Value no) -> Value {
      return arith::SelectOp::create(b, location, condition, yes, no);
    };
    double limit = std::ldexp(1.0, int(bits - isSigned));
    Value isBelow = compare(arith::CmpFPredicate::OLT, real(limit));
    Value isInside =
        arith::AndIOp::create(b, location, isBelow, compare(arith::CmpFPredicate::OGT, real(isSigned ? -limit : -1.0)));
    Value inside = select(isInside, x, real(0));
    inside = isSigned ? Value(arith::FPToSIOp::create(b, location, whole, inside))
                      : Value(arith::FPToUIOp::create(b, location, whole, inside));
    Value least = integer(isSigned ? APInt::getSignedMinValue(bits) : APInt::getZero(bits));
    Value most = integer(isSigned ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits));
    Value zero = integer(APInt::getZero(bits));
    Value outside =
        select(compare(arith::CmpFPredicate::OGE, real(limit)), most, isSigned ? select(isBelow, least, zero) : zero);
    Value saturated = select(isInside, inside, outside);
    if (asked == bits)
      return saturated;
    // An integer of one bit holds 0 and 1, or 0 and -1 if signed. Numbers beyond this range saturate to the nearer of
    // the two: the bit is set if the saturated integer is not 0 (signed: if it is negative).
    auto predicate = isSigned ? arith::CmpIPredicate::slt : arith::CmpIPredicate::ne;
    return arith::CmpIOp::create(b, location, predicate, saturated, zero);
  }

  llvm::StringSet<> native_;
};

} // namespace
} // namespace tegula::simt
