// Conversions of an inline assembly.
#include "frontend/language/assembly/AssemblyCode.h"

namespace tegula::lang {
namespace {

/// The 8-bit floats of pairs.
std::optional<ElementType> pairType(std::string_view suffix) {
  if (suffix == "e4m3x2")
    return ElementType(ScalarType::F8E4M3);
  if (suffix == "e5m2x2")
    return ElementType(ScalarType::F8E5M2);
  if (suffix == "f16x2")
    return ElementType(ScalarType::F16);
  if (suffix == "bf16x2")
    return ElementType(ScalarType::BF16);
  return std::nullopt;
}

} // namespace

bool AssemblyCode::convert(const AssemblyInstruction &i) {
  if (i.parts[0] != "cvt" || i.parts.size() < 3 || i.operands.size() < 2)
    return false;
  const std::string &toName = i.parts[i.parts.size() - 2], &fromName = i.parts.back();
  if (toName == "tf32") {
    write(i.operands[0], toTf32(i, read(i.operands[1], ScalarType::U32)));
    return true;
  }
  std::optional<ElementType> toPair = pairType(toName), fromPair = pairType(fromName);
  if (toPair && fromPair) { // a register of two numbers to one of two others
    unsigned width = fromPair->bits();
    Tensor word = read(i.operands[1], width == 8 ? ScalarType::U16 : ScalarType::U32);
    auto part = [&](unsigned k) {
      Tensor bits = asBits(binary(BinaryOp::Shr, word, constant(k * width, word.type)), width);
      return converted(i, e_.bitcast(loc_, bits, *fromPair), *toPair);
    };
    Tensor low = part(0);
    write(i.operands[0], joined(low, part(1)));
    return true;
  }
  std::optional<ElementType> to = typeNamed(toName), from = typeNamed(fromName);
  if (toPair && from && i.operands.size() == 3) { // the first operand becomes the upper half
    Tensor high = converted(i, read(i.operands[1], *from), *toPair),
           low = converted(i, read(i.operands[2], *from), *toPair);
    write(i.operands[0], joined(low, high));
    return true;
  }
  if (!to || !from || toPair || fromPair || i.operands.size() != 2)
    return false;
  Tensor x = read(i.operands[1], *from), result = converted(i, x, *to);
  // An integer that is narrower than its register is extended by its sign.
  if (to->isInteger() && !to->isUnsigned() && !to->isBool())
    if (auto width = widths_.find(i.operands[0].name); width != widths_.end() && width->second > to->bits())
      result = e_.cast(loc_, result,
                       width->second == 64   ? ScalarType::I64
                       : width->second == 32 ? ScalarType::I32
                                             : ScalarType::I16);
  write(i.operands[0], result);
  return true;
}

/// The upper 19 bits of an f32: to nearest with ties away from zero (rna) or to even (rn), or towards zero (rz).
Tensor AssemblyCode::toTf32(const AssemblyInstruction &i, const Tensor &bits) {
  if (i.has("relu") || i.has("satfinite"))
    fail("inline assembly '" + i.text + "': relu and satfinite of tf32 cannot be translated; use tl.where");
  auto with = [&](BinaryOp op, const Tensor &x, uint64_t y) { return binary(op, x, constant(y, bits.type)); };
  Tensor sum = bits;
  if (i.has("rn")) // half of the last place less one, and one more where the last bit that stays is odd
    sum =
        binary(BinaryOp::Add, with(BinaryOp::Add, bits, 0xfff), with(BinaryOp::And, with(BinaryOp::Shr, bits, 13), 1));
  else if (!i.has("rz"))
    sum = with(BinaryOp::Add, bits, 0x1000);
  Tensor magnitude = with(BinaryOp::And, bits, 0x7fffffff), infinity = constant(0x7f800000, bits.type);
  return e_.where(loc_, e_.compareTensors(loc_, CompareOp::Gt, magnitude, infinity), constant(0x7fffffff, bits.type),
                  with(BinaryOp::And, sum, 0xffffe000));
}

/// A whole number, by the rounding that an instruction names for it.
Tensor AssemblyCode::rounded(const AssemblyInstruction &i, const Tensor &x) {
  constexpr std::pair<std::string_view, std::string_view> kRoundings[] = {
      {"rni", "rint"}, {"rzi", "trunc"}, {"rmi", "floor"}, {"rpi", "ceil"}};
  for (auto [rounding, called] : kRoundings)
    if (i.has(rounding))
      return e_.cast(loc_, function(called, {e_.widenForMath(loc_, x)}), x.type);
  return x;
}

Tensor AssemblyCode::saturated(const Tensor &x, ElementType to) {
  double most = to.scalar == ScalarType::F16 ? 65504 : 0x1.fep127;
  auto limit = [&](double value) { return e_.fullTensor(loc_, shape_, e_.scalarConstant(loc_, Const(value), x.type)); };
  Tensor high = limit(most), low = limit(-most);
  Tensor below = e_.where(loc_, e_.compareTensors(loc_, CompareOp::Gt, x, high), high, x); // NaN stays
  return e_.where(loc_, e_.compareTensors(loc_, CompareOp::Lt, x, low), low, below);
}

Tensor AssemblyCode::converted(const AssemblyInstruction &i, Tensor x, ElementType to) {
  bool fromFloat = x.type.isFloat();
  if (fromFloat && !to.isFloat())
    return prelude("libdevice_limited", {e_.widenForMath(loc_, rounded(i, x)), Const(TypeValue{to})});
  if (!to.isFloat()) {
    if (i.has("sat")) { // within the range of the narrower type
      auto [low, high] = rangeOf(to);
      auto [least, most] = rangeOf(x.type);
      auto limit = [&](Int value) { return constant(uint64_t(value), x.type); };
      if (high < most)
        x = e_.minMax(loc_, false, x, limit(high), false);
      if (low > least)
        x = e_.minMax(loc_, true, x, limit(low), false);
    }
    return e_.cast(loc_, x, to);
  }
  if (fromFloat && x.type == to)
    x = rounded(i, x);
  if (fromFloat && i.has("relu"))
    x = e_.where(loc_, e_.compareTensors(loc_, CompareOp::Lt, x, constant(0, x.type)), constant(0, x.type), x);
  bool isFinite = i.has("satfinite");
  if (isFinite && (to.bits() > 16 || !fromFloat || x.type.bits() <= to.bits()))
    fail("inline assembly '" + i.text + "': satfinite of this type cannot be translated; use tl.minimum");
  if (isFinite && to.bits() == 16) // conversions to 8-bit floats saturate by themselves
    x = saturated(x, to);
  bool narrows = fromFloat && x.type.bits() > to.bits();
  if ((narrows && (i.has("rm") || i.has("rp"))) || (!fromFloat && (i.has("rz") || i.has("rm") || i.has("rp"))))
    fail("inline assembly '" + i.text + "': this rounding cannot be translated; use rn" + (fromFloat ? " or rz" : ""));
  Tensor result = e_.cast(loc_, x, to, narrows && i.has("rz"));
  return i.has("sat") ? e_.cast(loc_, prelude("libdevice_saturatef", {e_.widenForMath(loc_, result)}), to) : result;
}

} // namespace tegula::lang
