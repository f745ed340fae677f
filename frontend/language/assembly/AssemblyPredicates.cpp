// Predicates of an inline assembly: comparisons, and what combines them.
#include "frontend/language/assembly/AssemblyCode.h"

namespace tegula::lang {

void AssemblyCode::combinePredicates(const AssemblyInstruction &i) {
  Tensor x = readPredicate(i.operands[1]);
  if (i.parts[0] == "not")
    return write(i.operands[0], e_.logicalNot(loc_, x));
  if (i.operands.size() != 3)
    fail("inline assembly '" + i.text + "': expected two predicates");
  BinaryOp op = i.parts[0] == "and" ? BinaryOp::And : i.parts[0] == "or" ? BinaryOp::Or : BinaryOp::Xor;
  write(i.operands[0], binary(op, x, readPredicate(i.operands[2])));
}

/// setp.lt.f32 p, a, b; setp.lt.and.s32 p, a, b, q. A comparison with NaN is false, but for `ne` and those that end in
/// u.
void AssemblyCode::compare(const AssemblyInstruction &i) {
  bool isCombined = i.has("and") || i.has("or") || i.has("xor");
  if (i.parts.size() < 3 || i.operands.size() != (isCombined ? 4 : 3))
    fail("inline assembly '" + i.text + "': expected setp.lt.f32 p, a, b, or setp.lt.and.f32 p, a, b, q");
  std::string name = i.parts[1];
  bool isUnordered = name.size() == 3 && name.back() == 'u';
  if (isUnordered)
    name.pop_back();
  constexpr std::pair<std::string_view, CompareOp> kComparisons[] = {
      {"eq", CompareOp::Eq}, {"ne", CompareOp::Ne}, {"lt", CompareOp::Lt},  {"le", CompareOp::Le},
      {"gt", CompareOp::Gt}, {"ge", CompareOp::Ge}, {"lo", CompareOp::Lt},  {"ls", CompareOp::Le},
      {"hi", CompareOp::Gt}, {"hs", CompareOp::Ge}, {"num", CompareOp::Eq}, {"nan", CompareOp::Ne}};
  ElementType type = typeOf(i);
  Tensor x = read(i.operands[1], type), y = read(i.operands[2], type);
  for (auto [instruction, op] : kComparisons) {
    if (name != instruction)
      continue;
    auto isNumber = [&](const Tensor &t) { return e_.compareTensors(loc_, CompareOp::Eq, t, t); };
    Tensor both = binary(BinaryOp::And, isNumber(x), isNumber(y));
    Tensor result = name == "num"   ? both
                    : name == "nan" ? e_.logicalNot(loc_, both)
                                    : e_.compareTensors(loc_, op, x, y);
    if (type.isFloat() && name == "ne" && !isUnordered)
      result = binary(BinaryOp::And, result, both);
    if (isUnordered)
      result = binary(BinaryOp::Or, result, e_.logicalNot(loc_, both));
    if (isCombined)
      result = binary(i.has("and")  ? BinaryOp::And
                      : i.has("or") ? BinaryOp::Or
                                    : BinaryOp::Xor,
                      result, readPredicate(i.operands[3]));
    return write(i.operands[0], result);
  }
  fail("inline assembly '" + i.text + "': the comparison '" + i.parts[1] + "' is not known");
}

} // namespace tegula::lang
