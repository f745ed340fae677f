// inline_asm_elementwise: operands as registers, as Triton packs them. Elements narrower than 32 bits share a register,
// `pack` of them at most, the first one in the lowest bits.
#include "frontend/language/assembly/AssemblyCode.h"
#include "frontend/language/builtins/Builtins.h"

namespace tegula::lang {
namespace {

using Args = Builtin::Args;

/// The entries of "=r,=r,r,l" without blanks; entries that begin with ~ only name what is overwritten.
std::vector<std::string> constraintsOf(const std::string &text) {
  std::vector<std::string> entries(1);
  for (char c : text)
    if (c == ',')
      entries.emplace_back();
    else if (!std::isspace(static_cast<unsigned char>(c)))
      entries.back() += c;
  std::erase_if(entries, [](const std::string &entry) { return entry.empty() || entry[0] == '~'; });
  return entries;
}

unsigned widthOf(Emitter &e, Loc loc, const std::string &constraint) {
  switch (constraint.back()) {
  case 'c':
  case 'h': return 16;
  case 'r':
  case 'f': return 32;
  case 'l':
  case 'd': return 64;
  default:
    e.fail(loc, "the constraint '" + constraint + "' is not known; expected r, l, h, f or d, with = for results");
  }
}

/// How many elements of a type share a register, and how many registers `pack` elements take.
struct Packing {
  unsigned elements, registers;
};
Packing packingOf(ElementType type, unsigned pack) {
  unsigned elements = std::min(pack, type.bits() < 32 ? 32 / std::max(type.bits(), 8u) : 1u);
  return {elements, pack / elements};
}

Tensor widened(Emitter &e, Loc loc, const Tensor &t, unsigned bits) {
  constexpr ScalarType kWords[] = {ScalarType::U8, ScalarType::U16, ScalarType::U32, ScalarType::U64};
  unsigned own = std::max(t.type.bits(), 8u);
  auto word = [&](unsigned width) {
    return ElementType(kWords[width == 8 ? 0 : width == 16 ? 1 : width == 32 ? 2 : 3]);
  };
  Tensor same = t.type.isBool() ? e.cast(loc, t, word(8)) : e.bitcast(loc, t, word(own));
  return e.cast(loc, same, word(bits));
}

/// Elements of one tensor, as the registers of the assembly hold them.
std::vector<Tensor> registersOf(Emitter &e, Loc loc, const std::vector<Tensor> &parts, Packing packing) {
  std::vector<Tensor> registers;
  unsigned bits = std::max(parts[0].type.bits(), 8u), width = bits * packing.elements;
  for (unsigned r = 0; r < packing.registers; ++r) {
    Tensor word = widened(e, loc, parts[r * packing.elements], width);
    for (unsigned k = 1; k < packing.elements; ++k) {
      Tensor more = widened(e, loc, parts[r * packing.elements + k], width);
      more = *e.binary(loc, BinaryOp::Shl, more, Const(Int(k * bits))).as<Tensor>();
      word = *e.binary(loc, BinaryOp::Or, word, more).as<Tensor>();
    }
    registers.push_back(word);
  }
  return registers;
}

/// The elements that a register holds.
std::vector<Tensor> elementsOf(Emitter &e, Loc loc, const Tensor &word, ElementType type, unsigned count) {
  std::vector<Tensor> parts;
  unsigned bits = std::max(type.bits(), 8u);
  for (unsigned k = 0; k < count; ++k) {
    Tensor part = k ? *e.binary(loc, BinaryOp::Shr, word, Const(Int(k * bits))).as<Tensor>() : word;
    part = widened(e, loc, part, bits);
    parts.push_back(type.isBool() ? e.toBool(loc, part) : e.bitcast(loc, part, type));
  }
  return parts;
}

std::vector<ElementType> resultTypes(Emitter &e, const Args &args, bool &isTuple) {
  isTuple = args[3].as<Tuple>() != nullptr;
  std::vector<ElementType> types;
  for (const Value &value : e.elements(args[3]))
    types.push_back(e.constantType(args.locs[3], value, "inline_asm_elementwise's dtype"));
  return types;
}

/// The program, located at the text.
AssemblyProgram programOf(Emitter &e, const Args &args) {
  try {
    return parseAssembly(e.constantString(args.locs[0], args[0], "inline_asm_elementwise's asm"));
  } catch (const Error &error) {
    e.fail(args.locs[0], error.diagnostic().message);
  }
}

// inline_asm_elementwise(asm, constraints, args, dtype, is_pure, pack)
Value inlineAssembly(Emitter &e, const Args &args) {
  Loc loc = args.loc;
  AssemblyProgram program = programOf(e, args);
  std::vector<std::string> constraints =
      constraintsOf(e.constantString(args.locs[1], args[1], "inline_asm_elementwise's constraints"));
  Int packing = e.constantInt(args.locs[5], args[5], "inline_asm_elementwise's pack");
  if (packing != 1 && packing != 2 && packing != 4 && packing != 8)
    e.fail(args.locs[5], "inline_asm_elementwise's pack must be 1, 2, 4 or 8, found " + toString(packing));
  auto pack = static_cast<unsigned>(packing);
  bool isTuple = false;
  std::vector<ElementType> types = resultTypes(e, args, isTuple);
  std::vector<Tensor> inputs;
  for (const Value &value : e.elements(args[2]))
    inputs.push_back(e.tensor(args.locs[2], value, "inline_asm_elementwise's argument"));
  if (inputs.empty())
    inputs.push_back(e.scalarConstant(loc, Const(Int(0)), ScalarType::I32)); // a shape for the results
  bool hasInputs = !e.elements(args[2]).empty();
  broadcastAll(e, loc, inputs);
  Shape shape = inputs[0].shape;
  // Fewer elements than a pack: each is in all places of its own.
  bool repeats = elementCount(shape) < static_cast<int64_t>(pack);
  Shape lane = repeats || pack == 1 ? shape : Shape{elementCount(shape) / static_cast<int64_t>(pack)};

  AssemblyCode code(e, loc, lane);
  unsigned next = 0;
  auto declared = [&] {
    if (next >= constraints.size())
      e.fail(args.locs[1], "the constraints name " + std::to_string(constraints.size()) +
                               " registers, fewer than the results and arguments take with this pack");
    std::string name = "$" + std::to_string(next);
    code.declare(name, widthOf(e, args.locs[1], constraints[next++]));
    return name;
  };
  std::vector<std::vector<std::string>> outputs;
  for (ElementType type : types) {
    outputs.emplace_back();
    for (unsigned r = 0; r < packingOf(type, pack).registers; ++r)
      outputs.back().push_back(declared());
  }
  for (const Tensor &input : hasInputs ? inputs : std::vector<Tensor>()) {
    std::vector<Tensor> parts(pack, input);
    if (pack > 1 && !repeats)
      parts = unpacked(e, loc, input, static_cast<int64_t>(pack));
    for (const Tensor &word : registersOf(e, loc, parts, packingOf(input.type, pack)))
      code.set(declared(), word);
  }
  code.run(program);
  std::vector<Tensor> results;
  for (size_t k = 0; k < types.size(); ++k) {
    std::vector<Tensor> parts;
    for (const std::string &name : outputs[k])
      for (Tensor &part : elementsOf(e, loc, code.result(name), types[k], packingOf(types[k], pack).elements))
        parts.push_back(part);
    results.push_back(pack == 1 || repeats ? parts[0] : packed(e, loc, parts, shape));
  }
  return isTuple ? tupleOf(results) : Value(results.at(0));
}

} // namespace

std::span<const Builtin> assemblyBuiltins() {
  static constexpr Builtin table[] = {
      {"inline_asm_elementwise", "asm, constraints, args, dtype, is_pure, pack", inlineAssembly},
  };
  return table;
}

} // namespace tegula::lang
