// Converts integers of few bits to floats by logical operations and a subtraction, which take less time than conversion
// instructions (docs/lab/2026-12-01-butterflies.md).
#include "backends/cuda/codegen/InlinePtx.h"
#include "backends/cuda/codegen/NvptxPrinter.h"
#include "backends/llvm/SmallFloats.h"

#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"

using namespace mlir;

namespace tegula::cuda {
namespace {

/// What is known of an integer: it is in [0, 2^bits), or in [-2^(bits-1), 2^(bits-1)) if it is signed.
struct KnownRange {
  unsigned bits;
  bool isSigned;
};

/// The range of what the op that makes the integer can return, for any operands. (LLVM's ValueTracking would look at
/// the values of loops, of which the last ones are not printed yet.)
KnownRange rangeOf(llvm::Value *integer, bool isSigned) {
  using namespace llvm::PatternMatch;
  unsigned width = integer->getType()->getIntegerBitWidth();
  llvm::Value *from = nullptr;
  uint64_t amount = 0;
  if (match(integer, m_ConstantInt(amount)) && !(amount >> (width - 1)))
    return {unsigned(llvm::bit_width(amount)), false};
  if (match(integer, m_And(m_Value(), m_ConstantInt(amount))) && llvm::isMask_64(amount) && !(amount >> (width - 1)))
    return {unsigned(llvm::countr_one(amount)), false};
  if (match(integer, m_LShr(m_Value(), m_ConstantInt(amount))) && amount > 0 && amount < width)
    return {width - unsigned(amount), false};
  if (isSigned && match(integer, m_AShr(m_Value(), m_ConstantInt(amount))) && amount < width)
    return {width - unsigned(amount), true};
  if (match(integer, m_ZExt(m_Value(from))))
    return rangeOf(from, /*isSigned=*/false);
  if (isSigned && match(integer, m_SExt(m_Value(from))))
    return rangeOf(from, /*isSigned=*/true);
  return {width, isSigned};
}

/// A range that holds all the integers.
KnownRange rangeOfAll(llvm::ArrayRef<llvm::Value *> integers, bool isSigned) {
  KnownRange all = {0, false};
  for (llvm::Value *each : integers) {
    KnownRange one = rangeOf(each, isSigned);
    if (one.isSigned != all.isSigned && all.bits > 0) // the unsigned one of the two needs a bit for the sign
      all = {std::max(all.bits + !all.isSigned, one.bits + !one.isSigned), true};
    else
      all = {std::max(all.bits, one.bits), one.isSigned};
  }
  return all;
}

/// Integers n, or differences n - s of such integers.
struct Converted {
  Values integers, subtrahends; // no subtrahends: the integers themselves
  KnownRange range;             // of all of them
};

/// The operands of the subtractions that make the integers, if each is made by one and the difference cannot wrap; else
/// the integers.
Converted convertedFrom(const Values &integers, bool isSigned) {
  using namespace llvm::PatternMatch;
  Converted differences, plain = {integers, {}, rangeOfAll(integers, isSigned)};
  for (llvm::Value *each : integers) {
    llvm::Value *from = nullptr, *minus = nullptr;
    if (!isSigned || !match(each, m_Sub(m_Value(from), m_Value(minus))))
      return plain;
    differences.integers.push_back(from);
    differences.subtrahends.push_back(minus);
  }
  Values all = differences.integers;
  llvm::append_range(all, differences.subtrahends);
  differences.range = rangeOfAll(all, isSigned);
  bool mayWrap = differences.range.bits + 1 > integers.front()->getType()->getIntegerBitWidth();
  return mayWrap ? plain : differences;
}

/// How many bits of its mantissa a float type stores: all but the leading 1.
unsigned mantissaBits(llvm::Type *type) {
  return unsigned(llvm::APFloat::semanticsPrecision(type->getFltSemantics())) - 1;
}

/// The bits of the float 2^m, where m is mantissaBits of the type. From there to 2^(m+1) the floats are consecutive
/// integers: the bits of 2^m + n are those of 2^m, or'ed with n, for 0 <= n < 2^m.
uint32_t bitsOfBase(llvm::Type *type) {
  llvm::APFloat base(std::ldexp(1.0, int(mantissaBits(type))));
  bool losesInfo = false;
  base.convert(type->getFltSemantics(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return uint32_t(base.bitcastToAPInt().getZExtValue());
}

/// The bits [first, first + bits) of a 32-bit word.
struct Field {
  llvm::Value *word = nullptr;
  unsigned first = 0, bits = 0;
};

/// The field that an integer, signed or not, was unpacked from; an integer of 32 bits is a field of itself. A null word
/// if there is none.
Field fieldOf(llvm::Value *integer) {
  using namespace llvm::PatternMatch;
  unsigned width = integer->getType()->getIntegerBitWidth();
  llvm::Value *from = nullptr, *inner = nullptr;
  uint64_t amount = 0;
  if (match(integer, m_Shr(m_Value(from), m_ConstantInt(amount))) && amount < width) {
    if (match(from, m_Shl(m_Value(inner), m_SpecificInt(amount)))) {
      Field field = fieldOf(inner);
      field.bits = std::min(field.bits, width - unsigned(amount));
      return field;
    }
    Field field = fieldOf(from);
    return field.bits > amount ? Field{field.word, field.first + unsigned(amount), field.bits - unsigned(amount)}
                               : Field();
  }
  if (match(integer, m_And(m_Value(from), m_ConstantInt(amount))) && llvm::isMask_64(amount)) {
    Field field = fieldOf(from);
    field.bits = std::min(field.bits, unsigned(llvm::countr_one(amount)));
    return field;
  }
  if (match(integer, m_Trunc(m_Value(from))) && from->getType()->isIntegerTy(32)) {
    Field field = fieldOf(from);
    field.bits = std::min(field.bits, width);
    return field;
  }
  return width == 32 ? Field{integer, 0, 32} : Field();
}

/// The bits of integers of a range as bits of floats: for integers n of b bits and a float type with m >= b bits of
/// mantissa, with c = 2^(b-1) for signed integers, else 0,
///
///   bits of (2^m + c + n) = bits of 2^m, xor c, xor the lowest b bits of n;   n = (2^m + c + n) - (2^m + c), exactly
///
/// (as in H. S. Warren, "Hacker's Delight", for 2^52). Likewise n - s = (2^m + c + n) - (2^m + c + s), exactly.
class SmallIntegers {
public:
  SmallIntegers(llvm::IRBuilder<> &builder, KnownRange range, llvm::Type *type)
      : b(builder), type_(type), bits_(range.bits), half_(range.isSigned ? uint32_t(1) << (range.bits - 1) : 0) {}

  /// The bits of 2^m + c in each float of a word.
  uint32_t base() const { return inAll(bitsOfBase(type_) ^ half_); }

  /// A word with the bits of 2^m + c + n for each of the integers: one for a float of 32 bits, two for 16 bits.
  llvm::Value *word(llvm::ArrayRef<llvm::Value *> integers) const {
    if (llvm::Value *word = byPermutation(integers))
      return word;
    llvm::Value *low = lowBits(integers.front());
    return b.CreateXor(integers.size() == 1 ? low : b.CreateOr(low, b.CreateShl(lowBits(integers.back()), 16)), base());
  }

private:
  bool isPair() const { return type_->getScalarSizeInBits() == 16; }
  uint32_t mask() const { return ~uint32_t(0) >> (32 - bits_); }
  uint32_t inAll(uint32_t pattern) const { return isPair() ? pattern << 16 | pattern : pattern; }

  llvm::Value *lowBits(llvm::Value *integer) const {
    return b.CreateAnd(b.CreateZExtOrTrunc(integer, b.getInt32Ty()), mask());
  }

  /// Moves fields of one word to their places by one prmt; null if the integers are no such fields. The bytes above
  /// fields of 8 bits come from a constant; narrower fields are masked.
  llvm::Value *byPermutation(llvm::ArrayRef<llvm::Value *> integers) const {
    Field low = fieldOf(integers.front()), high = fieldOf(integers.back());
    if (!low.word || low.word != high.word || (low.first - high.first) % 8 != 0 || bits_ > 8 ||
        std::min(low.bits, high.bits) < bits_)
      return nullptr;
    bool isByte = bits_ == 8;
    llvm::Value *word = b.CreateXor(b.CreateLShr(low.word, low.first % 8), isByte ? half_ * 0x01010101U : 0);
    uint32_t first = low.first / 8, second = high.first / 8, top = bitsOfBase(type_) >> (isPair() ? 8 : 24);
    uint32_t selector = isPair() ? 0x4040U | first | second << 8 : 0x4550U | first;
    llvm::Value *moved =
        b.CreateIntrinsic(llvm::Intrinsic::nvvm_prmt, {word, b.getInt32(isByte ? top : 0), b.getInt32(selector)});
    return isByte ? moved : b.CreateXor(b.CreateAnd(moved, inAll(mask())), base());
  }

  llvm::IRBuilder<> &b;
  llvm::Type *type_;
  unsigned bits_;
  uint32_t half_; // c
};

} // namespace

Values NvptxPrinter::floatsOfSmallIntegers(Operation *op) {
  const Values integers = get(op->getOperand(0));
  llvm::Type *type = elementType(op->getResult(0).getType());
  unsigned width = integers.front()->getType()->getIntegerBitWidth();
  if (type->isDoubleTy() || integers.size() % 2 != 0 || width == 1 || width > 32 ||
      llvm::all_of(integers, llvm::IsaPred<llvm::ConstantInt>))
    return {};
  Converted converted = convertedFrom(integers, isa<arith::SIToFPOp>(op));
  KnownRange range = converted.range;
  // Integers with more bits than the mantissa of a 16-bit type become f32 first, which is exact, and are rounded then.
  bool hasPairs = type->isHalfTy() || (type->isBFloatTy() && version_.number >= 80);
  bool inPairs = hasPairs && range.bits <= mantissaBits(type);
  llvm::Type *computed = inPairs ? type : b.getFloatTy();
  if (range.bits == 0 || range.bits > mantissaBits(computed))
    return {};
  SmallIntegers small(b, range, computed);
  Values result;
  if (!inPairs) {
    for (auto [i, integer] : llvm::enumerate(converted.integers)) {
      llvm::Value *minus =
          converted.subtrahends.empty() ? b.getInt32(small.base()) : small.word(converted.subtrahends[i]);
      result.push_back(b.CreateFSub(b.CreateBitCast(small.word(integer), computed), b.CreateBitCast(minus, computed)));
    }
    if (type->isFloatTy())
      return result;
    return version_.number >= 80 ? narrowPairs(result, type, /*towardZero=*/false)
                                 : llvmir::castBetween(b, result, type, /*towardZero=*/false);
  }
  // fma, because targets before sm_90 have no subtraction of bf16; as text, because LLVM would make a subtraction of it
  std::string kind = type->isHalfTy() ? "f16x2" : "bf16x2";
  uint32_t one = type->isHalfTy() ? 0x3C003C00U : 0x3F803F80U, sign = 0x80008000U;
  for (size_t at = 0; at < integers.size(); at += 2) {
    llvm::Value *word = small.word(llvm::ArrayRef(converted.integers).slice(at, 2));
    // word - base as word * 1 + -base; word - minus as minus * -1 + word
    llvm::Value *operands[3] = {word, b.getInt32(one), b.getInt32(small.base() | sign)};
    if (!converted.subtrahends.empty()) {
      operands[0] = small.word(llvm::ArrayRef(converted.subtrahends).slice(at, 2));
      operands[1] = b.getInt32(one | sign);
      operands[2] = word;
    }
    InlinePtx ptx(b);
    std::string text = "fma.rn." + kind + " " + ptx.output(b.getInt32Ty());
    for (llvm::Value *operand : operands)
      text += ", " + ptx.input(operand);
    Values pair = ptx.emit(text + ";", InlinePtx::Pure);
    llvm::append_range(result, unpack(pair, type));
  }
  return result;
}

} // namespace tegula::cuda
