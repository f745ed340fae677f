// Registers of an inline assembly, and the order of its instructions.
#include "frontend/language/assembly/AssemblyCode.h"

#include <algorithm>

namespace tegula::lang {
namespace {

struct NamedType {
  std::string_view name;
  ScalarType type;
};
constexpr NamedType kTypes[] = {
    {"pred", ScalarType::I1}, {"b8", ScalarType::U8},     {"u8", ScalarType::U8},      {"s8", ScalarType::I8},
    {"b16", ScalarType::U16}, {"u16", ScalarType::U16},   {"s16", ScalarType::I16},    {"b32", ScalarType::U32},
    {"u32", ScalarType::U32}, {"s32", ScalarType::I32},   {"b64", ScalarType::U64},    {"u64", ScalarType::U64},
    {"s64", ScalarType::I64}, {"f16", ScalarType::F16},   {"bf16", ScalarType::BF16},  {"f32", ScalarType::F32},
    {"f64", ScalarType::F64}, {"f16x2", ScalarType::U32}, {"bf16x2", ScalarType::U32},
};

/// What may stand between an instruction's name and its last type. Of these, `ftz`, `approx` and `full` allow results
/// that are less exact than those of the operations here.
constexpr std::string_view kModifiers[] = {
    "rn",  "rz",   "rm",        "rp",      "rna",  "rni", "rzi",  "rmi",   "rpi",    "ftz",    "approx", "full",
    "sat", "relu", "satfinite", "NaN",     "lo",   "hi",  "l",    "r",     "wide",   "wrap",   "clamp",  "and",
    "or",  "xor",  "sync",      "aligned", "warp", "cta", "tf32", "f16x2", "bf16x2", "e4m3x2", "e5m2x2"};

ScalarType unsignedOf(unsigned bits) {
  return bits <= 8 ? ScalarType::U8 : bits == 16 ? ScalarType::U16 : bits == 32 ? ScalarType::U32 : ScalarType::U64;
}

} // namespace

void AssemblyCode::fail(const std::string &message) const { e_.fail(loc_, message); }

std::optional<ElementType> AssemblyCode::typeNamed(std::string_view suffix) {
  for (const NamedType &row : kTypes)
    if (row.name == suffix)
      return ElementType(row.type);
  return std::nullopt;
}

ElementType AssemblyCode::typeOf(const AssemblyInstruction &i) const {
  if (std::optional<ElementType> type = typeNamed(i.parts.back()))
    return *type;
  fail("inline assembly '" + i.text + "': the type '" + i.parts.back() + "' is not known");
}

void AssemblyCode::declare(const std::string &name, unsigned bits) { widths_[name] = bits; }
void AssemblyCode::set(const std::string &name, const Tensor &bits) {
  values_.insert_or_assign(name, asBits(bits, widths_[name]));
}

Tensor AssemblyCode::constant(uint64_t bits, ElementType type) {
  if (type.isBool())
    return e_.fullTensor(loc_, shape_, e_.scalarConstant(loc_, Const(bits != 0), type));
  Tensor word = e_.scalarConstant(loc_, Const(Int(bits)), ScalarType::U64);
  Tensor narrow = e_.cast(loc_, word, unsignedOf(type.bits()));
  return e_.fullTensor(loc_, shape_, e_.bitcast(loc_, narrow, type));
}

Tensor AssemblyCode::asBits(const Tensor &value, unsigned bits) {
  if (bits == 1)
    return value;
  ElementType word = unsignedOf(value.type.bits());
  Tensor same = value.type.isBool() ? e_.cast(loc_, value, word) : e_.bitcast(loc_, value, word);
  return e_.cast(loc_, same, unsignedOf(bits));
}

Tensor AssemblyCode::value(const std::string &name) {
  if (auto found = values_.find(name); found != values_.end())
    return found->second;
  fail("inline assembly reads '" + name + "', " +
       (widths_.contains(name) ? "to which nothing was written" : "which is no register that it declares"));
}

Tensor AssemblyCode::read(const AssemblyOperand &operand, ElementType type) {
  if (operand.real && !type.isFloat())
    fail("inline assembly has the float " + std::to_string(*operand.real) + " where an integer or bits should stand");
  if (operand.real)
    return e_.cast(loc_, e_.scalarConstant(loc_, Const(*operand.real), ScalarType::F64), type);
  if (operand.floatBits && operand.floatBits != type.bits())
    fail("inline assembly has a float of " + std::to_string(operand.floatBits) + " bits where " +
         std::to_string(type.bits()) + " should stand");
  if (operand.kind == AssemblyOperand::Kind::Number)
    return constant(operand.bits, type);
  if (operand.kind == AssemblyOperand::Kind::List) { // the lowest bits first
    unsigned part = type.bits() / unsigned(operand.list.size());
    Tensor word = constant(0, unsignedOf(type.bits()));
    for (size_t k = 0; k < operand.list.size(); ++k) {
      Tensor bits = asBits(asBits(read(operand.list[k], unsignedOf(part)), part), type.bits());
      word = binary(BinaryOp::Or, word, binary(BinaryOp::Shl, bits, constant(k * part, bits.type)));
    }
    return e_.bitcast(loc_, word, type);
  }
  Tensor bits = value(operand.name);
  if (bits.type.isBool())
    return bits;
  return e_.bitcast(loc_, asBits(bits, type.bits()), type);
}

Tensor AssemblyCode::readPredicate(const AssemblyOperand &operand) {
  Tensor bits = value(operand.name);
  if (!bits.type.isBool())
    fail("inline assembly uses '" + operand.name + "' as a predicate, which is declared as something else");
  return operand.isInverted ? e_.logicalNot(loc_, bits) : bits;
}

void AssemblyCode::write(const AssemblyOperand &operand, const Tensor &result) {
  if (operand.kind == AssemblyOperand::Kind::List) {
    unsigned part = result.type.bits() / unsigned(operand.list.size());
    Tensor word = asBits(result, result.type.bits());
    for (size_t k = 0; k < operand.list.size(); ++k)
      write(operand.list[k], asBits(binary(BinaryOp::Shr, word, constant(k * part, word.type)), part));
    return;
  }
  if (operand.name == "_")
    return;
  auto width = widths_.find(operand.name);
  if (width == widths_.end())
    fail("inline assembly writes '" + operand.name + "', which is no register that it declares");
  Tensor bits = asBits(result, width->second);
  if (predicate_ && values_.contains(operand.name))
    bits = e_.where(loc_, *predicate_, bits, values_.at(operand.name));
  values_.insert_or_assign(operand.name, bits);
}

std::pair<Tensor, Tensor> AssemblyCode::halves(const Tensor &word, ElementType type) {
  Tensor upper = binary(BinaryOp::Shr, word, constant(16, word.type));
  return {e_.bitcast(loc_, asBits(word, 16), type), e_.bitcast(loc_, asBits(upper, 16), type)};
}

Tensor AssemblyCode::joined(const Tensor &low, const Tensor &high) {
  unsigned bits = low.type.bits();
  Tensor upper = asBits(asBits(high, bits), 2 * bits);
  upper = binary(BinaryOp::Shl, upper, constant(bits, upper.type));
  return binary(BinaryOp::Or, asBits(asBits(low, bits), 2 * bits), upper);
}

void AssemblyCode::run(const AssemblyProgram &program) {
  for (const auto &[name, type] : program.registers) {
    std::optional<ElementType> known = typeNamed(type);
    if (!known)
      fail("inline assembly declares '" + name + "' with the type '" + type + "', which is not known");
    declare(name, known->bits());
  }
  for (const AssemblyInstruction &i : program.instructions)
    execute(i);
}

void AssemblyCode::checkModifiers(const AssemblyInstruction &i) const {
  for (size_t k = i.parts[0] == "setp" ? 2 : 1; k + 1 < i.parts.size(); ++k)
    if (!typeNamed(i.parts[k]) && std::ranges::find(kModifiers, i.parts[k]) == std::end(kModifiers))
      fail("inline assembly '" + i.text + "': the modifier '" + i.parts[k] +
           "' is not among those that can be translated; write it with tl functions");
}

void AssemblyCode::execute(const AssemblyInstruction &i) {
  checkModifiers(i);
  predicate_ = i.predicate ? std::optional<Tensor>(readPredicate(*i.predicate)) : std::nullopt;
  if (i.operands.empty() || !(bits(i) || convert(i) || arithmetic(i)))
    fail("inline assembly '" + i.text + "': the instruction '" + i.parts[0] +
         "' is not among those that can be translated (docs/language/functions.md lists them); write it with tl "
         "functions");
}

} // namespace tegula::lang
