// Moves, shifts, fields and permutations of an inline assembly.
#include "frontend/language/assembly/AssemblyCode.h"

namespace tegula::lang {

bool AssemblyCode::bits(const AssemblyInstruction &i) {
  const std::string &name = i.parts[0];
  auto isCall = [&](std::string_view instruction, size_t operands) {
    return name == instruction && i.operands.size() == operands;
  };
  if (name == "bar" || name == "barrier") { // of the whole program
    needKernel(e_, loc_, "a barrier of inline assembly");
    return tile::BarrierOp::create(e_.builder, e_.at(loc_)), true;
  }
  if (isCall("mov", 2))
    return move(i), true;
  if (isCall("shl", 3) || isCall("shr", 3) || isCall("shf", 4))
    return shift(i), true;
  if ((isCall("mul", 3) || isCall("mad", 4)) && i.has("wide"))
    return wideProduct(i), true;
  if (isCall("bfe", 4) || isCall("bfi", 5))
    return field(i), true;
  if (isCall("lop3", 5))
    return logic(i), true;
  if (isCall("prmt", 4)) {
    ElementType word = typeOf(i);
    write(i.operands[0],
          prelude("assembly_prmt", {read(i.operands[1], word), read(i.operands[2], word), read(i.operands[3], word)}));
    return true;
  }
  if (isCall("selp", 4)) {
    ElementType type = typeOf(i);
    write(i.operands[0],
          e_.where(loc_, readPredicate(i.operands[3]), read(i.operands[1], type), read(i.operands[2], type)));
    return true;
  }
  if (name == "setp" && i.operands.size() >= 3)
    return compare(i), true;
  if (i.parts.back() == "pred" && i.operands.size() > 1 &&
      (name == "and" || name == "or" || name == "xor" || name == "not"))
    return combinePredicates(i), true;
  return false;
}

/// Also between a register and a list of parts.
void AssemblyCode::move(const AssemblyInstruction &i) {
  const AssemblyOperand &from = i.operands[1];
  if (from.kind == AssemblyOperand::Kind::Register && !widths_.contains(from.name) && from.name.starts_with("%"))
    fail("inline assembly '" + i.text + "': the special register '" + from.name +
         "' exists on one vendor's devices and cannot be translated");
  write(i.operands[0], read(from, typeOf(i)));
}

/// By an unsigned amount, also of another width than x. Amounts of the width and more, which the language leaves
/// undefined, give 0, or the sign.
Tensor AssemblyCode::shifted(BinaryOp op, const Tensor &x, const Tensor &amount) {
  Tensor most = constant(x.type.bits() - 1, amount.type);
  Tensor within = binary(op, x, e_.cast(loc_, e_.minMax(loc_, false, amount, most, false), x.type));
  if (op == BinaryOp::Shr && !x.type.isUnsigned())
    return within;
  return e_.where(loc_, e_.compareTensors(loc_, CompareOp::Gt, amount, most), constant(0, x.type), within);
}

void AssemblyCode::shift(const AssemblyInstruction &i) {
  ElementType type = typeOf(i);
  Tensor x = read(i.operands[1], type);
  if (i.parts[0] != "shf") {
    BinaryOp op = i.parts[0] == "shl" ? BinaryOp::Shl : BinaryOp::Shr;
    return write(i.operands[0], shifted(op, x, read(i.operands[2], ScalarType::U32)));
  }
  // The 64 bits of both, shifted; the amount modulo 32, or at most 32.
  Tensor both = joined(x, read(i.operands[2], type)), amount = read(i.operands[3], type);
  amount = i.has("wrap") ? binary(BinaryOp::And, amount, constant(31, type))
                         : e_.minMax(loc_, false, amount, constant(32, type), false);
  Tensor by = asBits(amount, 64);
  if (i.has("r"))
    return write(i.operands[0], asBits(binary(BinaryOp::Shr, both, by), 32));
  Tensor left = binary(BinaryOp::Shl, both, by);
  write(i.operands[0], asBits(binary(BinaryOp::Shr, left, constant(32, left.type)), 32));
}

void AssemblyCode::wideProduct(const AssemblyInstruction &i) {
  ElementType narrow = typeOf(i);
  bool isUnsigned = narrow.isUnsigned();
  ElementType wide = narrow.bits() == 16 ? (isUnsigned ? ScalarType::U32 : ScalarType::I32)
                                         : (isUnsigned ? ScalarType::U64 : ScalarType::I64);
  Tensor x = e_.cast(loc_, read(i.operands[1], narrow), wide), y = e_.cast(loc_, read(i.operands[2], narrow), wide);
  Tensor product = binary(BinaryOp::Mul, x, y);
  write(i.operands[0], i.operands.size() == 4 ? binary(BinaryOp::Add, product, read(i.operands[3], wide)) : product);
}

/// bfe d, a, position, length and bfi d, field, a, position, length; positions and lengths modulo 256, as they are
/// defined.
void AssemblyCode::field(const AssemblyInstruction &i) {
  bool inserts = i.parts[0] == "bfi";
  ElementType type = typeOf(i), word = type.bits() == 64 ? ScalarType::U64 : ScalarType::U32;
  auto small = [&](size_t k) {
    Tensor amount = read(i.operands[k], ScalarType::U32);
    return asBits(binary(BinaryOp::And, amount, constant(255, amount.type)), type.bits());
  };
  size_t at = inserts ? 3 : 2;
  Tensor position = small(at), length = small(at + 1), ones = constant(~uint64_t(0), word);
  // A length of the width and more gives a mask of ones.
  Tensor mask = *e_.unary(loc_, UnaryOp::Invert, shifted(BinaryOp::Shl, ones, length)).as<Tensor>();
  if (inserts) {
    Tensor part = shifted(BinaryOp::Shl, binary(BinaryOp::And, read(i.operands[1], word), mask), position);
    Tensor hole = *e_.unary(loc_, UnaryOp::Invert, shifted(BinaryOp::Shl, mask, position)).as<Tensor>();
    return write(i.operands[0], binary(BinaryOp::Or, part, binary(BinaryOp::And, read(i.operands[2], word), hole)));
  }
  Tensor moved = asBits(shifted(BinaryOp::Shr, read(i.operands[1], type), position), type.bits());
  Tensor result = binary(BinaryOp::And, moved, mask);
  if (!type.isUnsigned()) { // the field's upper bit is repeated
    Tensor sign = binary(BinaryOp::Sub, mask, binary(BinaryOp::Shr, mask, constant(1, word)));
    result = binary(BinaryOp::Sub, binary(BinaryOp::Xor, result, sign), sign);
  }
  write(i.operands[0], result);
}

/// lop3 d, a, b, c, table: bit (a, b, c) of the table, for each bit.
void AssemblyCode::logic(const AssemblyInstruction &i) {
  if (i.operands[4].kind != AssemblyOperand::Kind::Number)
    fail("inline assembly '" + i.text + "': the table of lop3 must be a number");
  ElementType word = ScalarType::U32;
  Tensor x[3] = {read(i.operands[1], word), read(i.operands[2], word), read(i.operands[3], word)};
  Tensor result = constant(0, word);
  for (unsigned row = 0; row < 8; ++row) {
    if (!(i.operands[4].bits >> row & 1))
      continue;
    Tensor term = constant(~uint64_t(0), word);
    for (unsigned k = 0; k < 3; ++k)
      term =
          binary(BinaryOp::And, term, row >> (2 - k) & 1 ? x[k] : *e_.unary(loc_, UnaryOp::Invert, x[k]).as<Tensor>());
    result = binary(BinaryOp::Or, result, term);
  }
  write(i.operands[0], result);
}

} // namespace tegula::lang
