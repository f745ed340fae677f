#include "backends/llvm/SmallFloats.h"
#include "core/support/FloatFormats.h"

#include <cmath>

using namespace mlir;

namespace tegula::llvmir {
namespace {

constexpr uint32_t kInfinity = 0x7f800000; // f32's infinity
constexpr unsigned kDigits = 23;           // stored significand bits of f32
constexpr int kBias = 127;                 // exponent bias of f32

const FloatFormat &formatOf(mlir::Type type) {
  if (isa<Float8E4M3FNType>(type))
    return floatFormat(ScalarType::F8E4M3);
  if (isa<Float8E5M2Type>(type))
    return floatFormat(ScalarType::F8E5M2);
  if (isa<Float8E4M3FNUZType>(type))
    return floatFormat(ScalarType::F8E4M3FNUZ);
  return floatFormat(ScalarType::F8E5M2FNUZ);
}

/// The bit patterns, without the sign bit, of an 8-bit format's largest number and of its NaN.
struct Codes {
  uint32_t largest, nan;
};

Codes codesOf(const FloatFormat &format) {
  uint32_t m = format.mantissaBits, top = ((1u << format.exponentBits) - 1) << m, last = top + (1u << m) - 1;
  if (format.specials == Specials::Ieee)
    return {top - 1, top + (1u << (m - 1))};
  if (format.specials == Specials::NanOnly)
    return {last - 1, last};
  return {last, last + 1}; // NaN has the bit pattern of -0
}

class Codec {
public:
  Codec(llvm::IRBuilder<> &builder, mlir::Type type) : b(builder), format_(formatOf(type)) {}

  /// Exact.
  llvm::Value *toF32(llvm::Value *code) {
    unsigned m = format_.mantissaBits, width = format_.exponentBits + m;
    llvm::Value *raw = b.CreateZExt(code, b.getInt32Ty()), *magnitude = b.CreateAnd(raw, (1u << width) - 1);
    llvm::Value *normal =
        b.CreateAdd(b.CreateShl(magnitude, kDigits - m), word(uint32_t(kBias - format_.bias) << kDigits));
    // A subnormal number has the value magnitude * unit, where `unit` is the smallest positive number of the format.
    llvm::Value *unit = llvm::ConstantFP::get(b.getFloatTy(), std::ldexp(1.0, 1 - format_.bias - int(m)));
    llvm::Value *tiny = b.CreateBitCast(b.CreateFMul(b.CreateUIToFP(magnitude, b.getFloatTy()), unit), b.getInt32Ty());
    llvm::Value *result = b.CreateSelect(b.CreateICmpULT(magnitude, word(1u << m)), tiny, normal);
    llvm::Value *nan = word(kInfinity | 1u << 22);
    Codes codes = codesOf(format_);
    if (format_.specials == Specials::Ieee) // infinity has a zero fraction, as in f32
      result = b.CreateSelect(b.CreateICmpUGT(magnitude, word(codes.largest)),
                              b.CreateOr(b.CreateShl(magnitude, kDigits - m), kInfinity), result);
    else
      result = b.CreateSelect(b.CreateICmpEQ(format_.specials == Specials::NanOnly ? magnitude : raw, word(codes.nan)),
                              nan, result);
    llvm::Value *sign = b.CreateShl(b.CreateLShr(raw, width), 31);
    return b.CreateBitCast(b.CreateOr(result, sign), b.getFloatTy());
  }

  /// Converts from f32, rounded once, to nearest even or towards zero; saturates (core/support/FloatFormats.h).
  llvm::Value *fromF32(llvm::Value *value, bool towardZero) {
    unsigned m = format_.mantissaBits, drop = kDigits - m, width = format_.exponentBits + m;
    Codes codes = codesOf(format_);
    llvm::Value *raw = b.CreateBitCast(value, b.getInt32Ty()), *magnitude = b.CreateAnd(raw, 0x7fffffff);
    // A normal result: the bits are rounded as an integer, exponent included. If the significand overflows, the carry
    // increments the exponent, which gives the next power of two, the correct result.
    llvm::Value *code = rounded(magnitude, word(drop), towardZero);
    code = b.CreateSub(code, word(uint32_t(kBias - format_.bias) << m));
    // For a subnormal result, the significand with its leading one is shifted, so that it counts multiples of the
    // smallest number. `digits` has 24 bits, so a shift by 25 already gives less than one half, which rounds to 0;
    // longer shifts are clamped to 25.
    llvm::Value *digits = b.CreateOr(b.CreateAnd(magnitude, (1u << kDigits) - 1), 1u << kDigits);
    llvm::Value *shift = b.CreateSub(word(drop + uint32_t(kBias + 1 - format_.bias)), b.CreateLShr(magnitude, kDigits));
    shift = b.CreateSelect(b.CreateICmpULT(shift, word(25)), shift, word(25));
    llvm::Value *isTiny = b.CreateICmpULT(magnitude, word(uint32_t(kBias + 1 - format_.bias) << kDigits));
    code = b.CreateSelect(isTiny, rounded(digits, shift, towardZero), code);
    // Saturates: numbers that are too large, and infinity, have here bit patterns above that of the largest number, so
    // the minimum of the patterns as integers replaces them by the largest number.
    code = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, code, word(codes.largest));
    code = b.CreateSelect(b.CreateICmpUGT(magnitude, word(kInfinity)), word(codes.nan), code);
    llvm::Value *sign = b.CreateShl(b.CreateLShr(raw, 31), width);
    if (format_.specials == Specials::UnsignedZero) // the format has no -0: its pattern, with the sign bit, is NaN
      sign = b.CreateSelect(b.CreateICmpEQ(code, word(0)), word(0), sign);
    return b.CreateTrunc(b.CreateOr(code, sign), b.getInt8Ty());
  }

private:
  llvm::Value *word(uint32_t value) { return b.getInt32(value); }

  /// value / 2^shift, rounded to nearest (ties to even) or towards zero; shift > 0.
  llvm::Value *rounded(llvm::Value *value, llvm::Value *shift, bool towardZero) {
    llvm::Value *quotient = b.CreateLShr(value, shift);
    if (towardZero)
      return quotient;
    llvm::Value *rest = b.CreateSub(value, b.CreateShl(quotient, shift));
    llvm::Value *half = b.CreateShl(word(1), b.CreateSub(shift, word(1)));
    llvm::Value *tie = b.CreateAnd(b.CreateICmpEQ(rest, half), b.CreateTrunc(quotient, b.getInt1Ty()));
    llvm::Value *up = b.CreateOr(b.CreateICmpUGT(rest, half), tie);
    return b.CreateAdd(quotient, b.CreateZExt(up, b.getInt32Ty()));
  }

  llvm::IRBuilder<> &b;
  const FloatFormat &format_;
};

/// Converts f64 to f32, rounded to odd: the last bit of an inexact result is set, so that a second rounding gives the
/// correctly rounded result. Source: Boldo and Melquiond, 'When double rounding is odd', 2005.
llvm::Value *roundToOdd(llvm::IRBuilder<> &b, llvm::Value *wide) {
  llvm::Value *narrow = b.CreateFPTrunc(wide, b.getFloatTy()), *back = b.CreateFPExt(narrow, wide->getType());
  llvm::Value *bits = b.CreateBitCast(narrow, b.getInt32Ty());
  auto size = [&](llvm::Value *value) { return b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value); };
  llvm::Value *isBeyond = b.CreateFCmpOGT(size(back), size(wide));
  llvm::Value *odd = b.CreateOr(b.CreateSub(bits, b.CreateZExt(isBeyond, b.getInt32Ty())), 1);
  return b.CreateBitCast(b.CreateSelect(b.CreateFCmpONE(back, wide), odd, bits), b.getFloatTy());
}

} // namespace

bool roundsTowardZero(Operation *op) {
  if (auto cast = dyn_cast<tile::FpCastOp>(op))
    return cast.getRounding() == tile::RoundingMode::TowardZero;
  auto cast = dyn_cast<arith::TruncFOp>(op);
  return cast && cast.getRoundingmode() == arith::RoundingMode::toward_zero;
}

namespace {

/// Turns `narrow`, which is `wide` rounded to nearest, into `wide` rounded towards zero: if the magnitude of `narrow`
/// is larger than that of `wide`, the result is the next number of smaller magnitude. If `wide` is finite and `narrow`
/// infinite, it is the largest finite number.
llvm::Value *backToZero(llvm::IRBuilder<> &b, llvm::Value *wide, llvm::Value *narrow) {
  auto size = [&](llvm::Value *value) { return b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value); };
  llvm::Value *isBeyond = b.CreateFCmpOGT(size(b.CreateFPExt(narrow, wide->getType())), size(wide));
  llvm::Type *bits = b.getIntNTy(narrow->getType()->getScalarSizeInBits());
  llvm::Value *back = b.CreateSub(b.CreateBitCast(narrow, bits), b.CreateZExt(isBeyond, bits));
  return b.CreateBitCast(back, narrow->getType());
}

} // namespace

Values castBetween(llvm::IRBuilder<> &b, llvm::ArrayRef<llvm::Value *> values, llvm::Type *to, bool towardZero) {
  Values results;
  for (llvm::Value *value : values) {
    if (value->getType() == to) {
      results.push_back(value);
      continue;
    }
    bool sameWidth = value->getType()->getScalarSizeInBits() == to->getScalarSizeInBits(); // f16 and bf16
    llvm::Value *wide = sameWidth ? b.CreateFPExt(value, b.getFloatTy()) : value;
    llvm::Value *cast = b.CreateFPCast(wide, to);
    if (towardZero && wide->getType()->getScalarSizeInBits() > to->getScalarSizeInBits())
      cast = backToZero(b, wide, cast);
    results.push_back(cast);
  }
  return results;
}

std::optional<Values> smallFloats(Printer &p, Operation *op) {
  if (!isa<arith::ExtFOp, tile::FpCastOp>(op))
    return std::nullopt;
  mlir::Type from = getElementTypeOrSelf(op->getOperand(0).getType());
  mlir::Type to = getElementTypeOrSelf(op->getResult(0).getType());
  bool fromSmall = tile::isFp8Scalar(from), toSmall = tile::isFp8Scalar(to);
  if (!fromSmall && !toSmall)
    return std::nullopt;
  bool towardZero = roundsTowardZero(op);
  llvm::IRBuilder<> &b = p.b;
  llvm::Type *single = b.getFloatTy(), *result = p.elementType(op->getResult(0).getType());
  Values results;
  for (llvm::Value *value : p.get(op->getOperand(0))) {
    if (fromSmall)
      value = Codec(b, from).toF32(value);
    if (!toSmall) {
      results.push_back(b.CreateFPCast(value, result));
      continue;
    }
    value = value->getType()->isDoubleTy() ? roundToOdd(b, value)
            : value->getType() == single   ? value
                                           : b.CreateFPExt(value, single);
    results.push_back(Codec(b, to).fromF32(value, towardZero));
  }
  return results;
}

} // namespace tegula::llvmir
