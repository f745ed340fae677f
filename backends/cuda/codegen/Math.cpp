// Prints math functions and float conversions by hardware instructions.
#include "backends/cuda/codegen/NvptxPrinter.h"
#include "backends/llvm/SmallFloats.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace mlir;
namespace N = llvm::Intrinsic;

namespace tegula::cuda {

static constexpr double kLog2E = 1.4426950408889634;

/// exp of an f32, including subnormal results, as 2^n * 2^f. n is the whole part of x * log2(e), clamped to [-126,
/// 126]; f is the rest:
///
///   t = saturated(x * log2(e) / 252 + 1/2)
///   j = 1.5 * 2^23 + 1 + 252 t, rounded down    its lowest 9 bits are n + 127: shifted left by 23, the number 2^n
///   f = x * log2(e) - n                         -n is 1.5 * 2^23 + 127 - j; log2(e) in two parts
///
/// f is in [0, 1], up to the rounding of t, unless n was clamped; then 2^f, or 2^f * 2^n, overflows or underflows as
/// exp does.
llvm::Value *NvptxPrinter::expOf(llvm::Value *x) {
  InlinePtx ptx(b);
  std::string to = ptx.output(b.getFloatTy()), from = ptx.input(x);
  return ptx
      .emit("{ .reg .f32 j, minus, f, power; .reg .b32 bits; fma.rn.sat.f32 j, " + from +
                ", 0f3BBB989D, 0f3F000000; fma.rm.f32 j, j, 0f437C0000, 0f4B400001; sub.rn.f32 minus, 0f4B40007F, j; "
                "fma.rn.f32 f, " +
                from + ", 0f3FB8AA3B, minus; fma.rn.f32 f, " + from +
                ", 0f32A57060, f; ex2.approx.ftz.f32 f, f; mov.b32 bits, j; shl.b32 bits, bits, 23; "
                "mov.b32 power, bits; mul.rn.f32 " +
                to + ", f, power; }",
            InlinePtx::Pure)
      .front();
}

/// exp of an f32 in three instructions, as (2^(x * log2(e) / 2))^2. The square root of a subnormal result is a normal
/// number, so no result is flushed to 0. The exponent x * log2(e) / 2 is at most 76 in magnitude and has an error of
/// 2^-17.7; ex2.approx has an error of 2 ulp: together a relative error of 2^-17.
llvm::Value *NvptxPrinter::relaxedExpOf(llvm::Value *x) {
  llvm::Value *exponent = b.CreateFMul(x, llvm::ConstantFP::get(b.getFloatTy(), kLog2E / 2));
  llvm::Value *root = intrinsic(N::nvvm_ex2_approx_ftz, {exponent}, {b.getFloatTy()});
  return b.CreateFMul(root, root);
}

/// tanh of an f32: near zero x + x^3 p(x^2), elsewhere 1 - 2 / (e^(2 |x|) + 1) by two approximate instructions. What
/// their errors (2 ulp and 1 ulp) and that of the product are to the result is less, because the quotient is below
/// 0.45. Coefficients: tests/math/fit.py, `cuda_tanh32`.
llvm::Value *NvptxPrinter::tanhOf(llvm::Value *x) {
  constexpr double kNear = 0.625,
                   kTail[] = {-5.717049691e-03, 2.065059150e-02, -5.374349937e-02, 1.333149130e-01, -3.333328393e-01};
  auto number = [&](double value) { return llvm::ConstantFP::get(b.getFloatTy(), value); };
  auto fused = [&](llvm::Value *a, llvm::Value *by, llvm::Value *c) {
    return b.CreateIntrinsic(llvm::Intrinsic::fma, {b.getFloatTy()}, {a, by, c});
  };
  llvm::Value *size = b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x), *square = b.CreateFMul(x, x);
  llvm::Value *power = intrinsic(N::nvvm_ex2_approx_ftz, {b.CreateFMul(size, number(2 * kLog2E))}, {b.getFloatTy()});
  llvm::Value *quotient = intrinsic(N::nvvm_rcp_approx_ftz_f, {b.CreateFAdd(power, number(1))});
  llvm::Value *far = fused(quotient, number(-2), number(1));
  llvm::Value *tail = number(kTail[0]);
  for (double coefficient : llvm::ArrayRef(kTail).drop_front())
    tail = fused(tail, square, number(coefficient));
  llvm::Value *near = fused(b.CreateFMul(square, tail), size, size);
  llvm::Value *result = b.CreateSelect(b.CreateFCmpOLT(size, number(kNear)), near, far);
  return b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, result, x);
}

namespace {

/// The maximum or minimum of two numbers, by comparisons: NaN if either is NaN; -0 is less than +0.
llvm::Value *extremum(llvm::IRBuilder<> &b, llvm::Value *x, llvm::Value *y, bool isMaximum) {
  llvm::Type *type = x->getType(), *bits = b.getIntNTy(type->getScalarSizeInBits());
  llvm::Value *xBits = b.CreateBitCast(x, bits), *yBits = b.CreateBitCast(y, bits);
  llvm::Value *isX = isMaximum ? b.CreateFCmpOGT(x, y) : b.CreateFCmpOLT(x, y);
  llvm::Value *either = isMaximum ? b.CreateAnd(xBits, yBits) : b.CreateOr(xBits, yBits); // if x == y
  llvm::Value *chosen = b.CreateSelect(b.CreateFCmpOEQ(x, y), either, b.CreateSelect(isX, xBits, yBits));
  return b.CreateSelect(b.CreateFCmpUNO(x, y), llvm::ConstantFP::getNaN(type), b.CreateBitCast(chosen, type));
}

} // namespace

/// Prints one element of an op by PTX instructions. Their errors by the PTX manual: ex2.approx 2 ulp (measured: 2.4 ulp
/// for subnormal results); lg2.approx 2^-22, absolute in (0.5, 2) and relative outside; rsqrt.approx 2^-22.4 relative;
/// tanh.approx 2^-11 relative. With the fast-math flag `afn`, logarithms and rsqrt replace subnormal numbers by 0
/// (.ftz), and divisions, tanh, sin and cos become approximate instructions, too. Returns null if the op is to be
/// printed by LLVM's lowering.
llvm::Value *NvptxPrinter::targetElement(Operation *op, llvm::ArrayRef<llvm::Value *> x) {
  bool fast = arith::bitEnumContainsAll(llvmir::fastMathOf(op), arith::FastMathFlags::afn);
  llvm::Type *type = x.front()->getType(), *single = b.getFloatTy();
  // Before sm_80, maxima and minima are printed as comparisons, because LLVM cannot lower them for bf16. f32 is
  // included: LLVM rewrites an f32 maximum whose operands are extended from bf16, and whose result is truncated to
  // bf16, to a maximum of bf16.
  if (isa<arith::MaximumFOp, arith::MinimumFOp>(op) && version_.number < 80)
    return extremum(b, x[0], x[1], isa<arith::MaximumFOp>(op));
  if (isa<arith::DivFOp>(op))
    return fast && type->isFloatTy() ? intrinsic(N::nvvm_div_approx_f, x) : nullptr;
  if (!isa<math::Exp2Op, math::ExpOp, math::Log2Op, math::LogOp, math::RsqrtOp, math::SinOp, math::CosOp, math::TanhOp>(
          op))
    return nullptr;
  if (type->isDoubleTy())
    return nullptr;
  // A function of a 16-bit float is computed in f32, and the result is rounded to 16 bits.
  llvm::Value *argument = type->isFloatTy() ? x.front() : b.CreateFPExt(x.front(), single);
  auto scaled = [&](double factor) { return b.CreateFMul(argument, llvm::ConstantFP::get(single, factor)); };
  // ex2.approx with .ftz: subnormal results become 0, which docs/math.md allows. Without .ftz, ptxas adds a comparison
  // and two multiplications; the result of the comparison occupies a predicate register until ex2 has finished.
  auto exp2 = [&](llvm::Value *of) { return intrinsic(N::nvvm_ex2_approx_ftz, {of}, {single}); };
  auto log2 = fast ? N::nvvm_lg2_approx_ftz_f : N::nvvm_lg2_approx_f;
  llvm::Value *result = nullptr;
  if (isa<math::Exp2Op>(op)) {
    result = exp2(argument);
  } else if (isa<math::ExpOp>(op)) {
    result = !type->isFloatTy() ? exp2(scaled(kLog2E)) : fast ? relaxedExpOf(argument) : expOf(argument);
  } else if (isa<math::Log2Op>(op)) {
    result = intrinsic(log2, {argument});
  } else if (isa<math::LogOp>(op)) {
    result = b.CreateFMul(intrinsic(log2, {argument}), llvm::ConstantFP::get(single, 0.6931471805599453));
  } else if (isa<math::RsqrtOp>(op)) {
    result = intrinsic(fast ? N::nvvm_rsqrt_approx_ftz_f : N::nvvm_rsqrt_approx_f, {argument});
  } else if (isa<math::TanhOp>(op) && fast) {
    InlinePtx ptx(b);
    std::string to = ptx.output(single), from = ptx.input(argument);
    result = ptx.emit("tanh.approx.f32 " + to + ", " + from + ";", InlinePtx::Pure).front();
  } else if (isa<math::TanhOp>(op)) {
    result = tanhOf(argument);
  } else if (isa<math::SinOp>(op) && fast) {
    result = intrinsic(N::nvvm_sin_approx_f, {argument});
  } else if (isa<math::CosOp>(op) && fast) {
    result = intrinsic(N::nvvm_cos_approx_f, {argument});
  } else {
    return nullptr; // passes have expanded this function, since no instruction is accurate enough
  }
  return type->isFloatTy() ? result : b.CreateFPTrunc(result, type);
}

/// Converts the elements `from`, 8-bit floats of the format `type`, to f16, two by one instruction. The conversion is
/// exact. It needs sm_89.
Values NvptxPrinter::smallFloatsToHalf(Operation *op, llvm::ArrayRef<llvm::Value *> from, mlir::Type type) {
  need(op, 89, "conversions of 8-bit floats");
  std::string kind = isa<Float8E4M3FNType>(type) ? "e4m3x2" : "e5m2x2";
  Values halves;
  for (size_t at = 0; at < from.size(); at += 2) {
    // A pair is passed in 32 bits: LLVM would take the upper half of a word by `mov.b32 {_, pair}`, and where such a
    // word is a constant, as the first value of a loop may be, ptxas 13.0 converts another one in its place.
    llvm::Value *low = b.CreateZExt(from[at], b.getInt32Ty());
    llvm::Value *high = at + 1 < from.size() ? b.CreateZExt(from[at + 1], b.getInt32Ty()) : b.getInt32(0);
    InlinePtx ptx(b);
    std::string to = ptx.output(b.getInt32Ty()), pair = ptx.input(b.CreateOr(low, b.CreateShl(high, 8)));
    Values word =
        ptx.emit("{ .reg .b16 pair; cvt.u16.u32 pair, " + pair + "; cvt.rn.f16x2." + kind + " " + to + ", pair; }",
                 InlinePtx::Pure);
    Values both = unpack(word, b.getHalfTy());
    both.truncate(std::min<size_t>(2, from.size() - at));
    llvm::append_range(halves, both);
  }
  return halves;
}

/// Converts the elements `from`, f16 or f32, to 8-bit floats of the format `type`, two by one instruction. The
/// instruction saturates, as the language requires.
Values NvptxPrinter::floatsToSmall(Operation *op, llvm::ArrayRef<llvm::Value *> from, mlir::Type type) {
  need(op, 89, "conversions of 8-bit floats");
  std::string kind = isa<Float8E4M3FNType>(type) ? "e4m3x2" : "e5m2x2";
  llvm::Type *source = from.front()->getType();
  Values bytes;
  for (size_t at = 0; at < from.size(); at += 2) {
    llvm::Value *low = from[at];
    llvm::Value *high = at + 1 < from.size() ? from[at + 1] : llvm::ConstantFP::get(source, 0.0);
    InlinePtx ptx(b);
    std::string to = ptx.output(b.getInt16Ty()), operands;
    if (source->isHalfTy())
      operands = ".f16x2 " + to + ", " + ptx.input(pack({low, high}).front());
    else // the first source becomes the upper half
      operands = ".f32 " + to + ", " + ptx.input(high) + ", " + ptx.input(low);
    llvm::Value *pair = ptx.emit("cvt.rn.satfinite." + kind + operands + ";", InlinePtx::Pure).front();
    bytes.push_back(b.CreateTrunc(pair, b.getInt8Ty()));
    if (at + 1 < from.size())
      bytes.push_back(b.CreateTrunc(b.CreateLShr(pair, 8), b.getInt8Ty()));
  }
  return bytes;
}

/// Converts f32 to 16-bit floats, two at a time.
Values NvptxPrinter::narrowPairs(llvm::ArrayRef<llvm::Value *> from, llvm::Type *to, bool towardZero) {
  llvm::Intrinsic::ID id = to->isHalfTy() ? (towardZero ? N::nvvm_ff2f16x2_rz : N::nvvm_ff2f16x2_rn)
                                          : (towardZero ? N::nvvm_ff2bf16x2_rz : N::nvvm_ff2bf16x2_rn);
  Values narrow;
  for (size_t at = 0; at < from.size(); at += 2) {
    bool whole = at + 1 < from.size();
    llvm::Value *high = whole ? from[at + 1] : llvm::ConstantFP::get(b.getFloatTy(), 0.0);
    llvm::Value *pair = intrinsic(id, {high, from[at]}); // the intrinsic's first operand becomes the upper half
    narrow.push_back(b.CreateExtractElement(pair, uint64_t(0)));
    if (whole)
      narrow.push_back(b.CreateExtractElement(pair, 1));
  }
  return narrow;
}

namespace {

/// True if the target has an instruction for a conversion from `from` to `to` with this rounding, and one of the two is
/// an 8-bit float format.
bool hasSmallCasts(mlir::Type from, mlir::Type to, bool towardZero, const SmVersion &version) {
  bool oneZero = isa<Float8E4M3FNUZType, Float8E5M2FNUZType>(from) || isa<Float8E4M3FNUZType, Float8E5M2FNUZType>(to);
  bool roundsTwice = from.isF64();
  return version.number >= 89 && !oneZero && !roundsTwice && !(towardZero && tile::isFp8Scalar(to));
}

} // namespace

Values NvptxPrinter::chosenWords(arith::SelectOp op) {
  const Values condition = get(op.getCondition()), yes = get(op.getTrueValue()), no = get(op.getFalseValue());
  llvm::Type *type = elementType(op.getType());
  unsigned bits = type->getScalarSizeInBits();
  if (condition.size() != 1 || (bits != 8 && bits != 16) || yes.size() * bits % 32 != 0)
    return {};
  Values words;
  for (auto [left, right] : llvm::zip_equal(pack(yes), pack(no)))
    words.push_back(b.CreateSelect(condition.front(), left, right));
  return unpack(words, type);
}

Values NvptxPrinter::targetElements(Operation *op) {
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return chosenWords(select);
  return isa<arith::SIToFPOp, arith::UIToFPOp>(op) ? floatsOfSmallIntegers(op) : quotientsOf(op);
}

Values NvptxPrinter::castFloats(Operation *op, llvm::ArrayRef<llvm::Value *> from) {
  mlir::Type source = getElementTypeOrSelf(op->getOperand(0).getType());
  mlir::Type result = getElementTypeOrSelf(op->getResult(0).getType());
  bool towardZero = llvmir::roundsTowardZero(op), small = tile::isFp8Scalar(result);
  if ((tile::isFp8Scalar(source) || small) && !hasSmallCasts(source, result, towardZero, version_))
    return {};
  Values values(from);
  if (tile::isFp8Scalar(source))
    values = smallFloatsToHalf(op, values, source);
  if (source.isF32() && (result.isF16() || result.isBF16()) && version_.number >= 80)
    return narrowPairs(values, elementType(result), towardZero);
  if (!small)
    return llvmir::castBetween(b, values, elementType(result), towardZero);
  if (!values.front()->getType()->isHalfTy())
    values = llvmir::castBetween(b, values, b.getFloatTy(), towardZero);
  return floatsToSmall(op, values, result);
}

} // namespace tegula::cuda
