#include "backends/cpu/bytecode/TypeRules.h"
#include "backends/cpu/bytecode/Verify.h"

namespace tegula::cpu {

namespace {

/// True for opcodes that a region function may use. Its registers have scalar types, but hold whole tiles when the
/// executor runs it on slices; therefore only elementwise instructions are valid.
bool isAllowedInRegion(Opcode opcode) {
  switch (opcode) {
  case Opcode::ConstInt:
  case Opcode::ConstFloat:
  case Opcode::ConstDense:
  case Opcode::Move:
  case Opcode::ProgramId:
  case Opcode::NumPrograms:
  case Opcode::Jump:
  case Opcode::BranchIfFalse:
  case Opcode::ForTest:
  case Opcode::Return:
  case Opcode::Assert:
  case Opcode::Assume: return true;
  default: return (opcode >= Opcode::Add && opcode <= Opcode::Bitcast);
  }
}

} // namespace

void verifyTypes(const Module &module, const Function &function, bool isKernel, const Instruction &i) {
  const TypeRules rules(module, function, i);
  if (!isKernel) {
    TypeRules::require(isAllowedInRegion(i.opcode), "not possible in a region function");
    for (unsigned k = 0; k < i.resultCount; ++k)
      if (rules.hasOut(k))
        TypeRules::require(rules.out(k).shape.empty() && rules.out(k).element != ElementKind::Descriptor,
                           "a tile in a region function");
  } else if (i.opcode == Opcode::Return) {
    TypeRules::require(i.operandCount == 0, "the kernel returns nothing");
  }
  if (i.opcode <= Opcode::ConstDense || i.opcode == Opcode::MakeRange || i.opcode == Opcode::ProgramId ||
      i.opcode == Opcode::NumPrograms)
    return rules.constants();
  if (i.opcode <= Opcode::Concat)
    return rules.shapes();
  if (i.opcode <= Opcode::Select)
    return rules.elementwise();
  if (isCast(i.opcode))
    return rules.casts();
  if (i.opcode <= Opcode::Store)
    return rules.memory();
  if (i.opcode <= Opcode::AtomicCas)
    return rules.atomics();
  if (i.opcode <= Opcode::DescScatter)
    return rules.descriptors();
  if (i.opcode <= Opcode::MapElements)
    return rules.tiles();
  return rules.control();
}

void verifyRegion(const Module &module, const Function &caller, const Instruction &i) {
  const bool map = i.opcode == Opcode::MapElements;
  if (i.opcode != Opcode::Reduce && i.opcode != Opcode::Scan && !map)
    return;
  const TypeRules rules(module, caller, i);
  const auto index = static_cast<size_t>(rules.attribute(map ? 0 : 1));
  TypeRules::require(index != 0, "the kernel is not a region function");
  const Function &region = module.functions[index];
  const unsigned perTile = map ? 1 : 2;
  TypeRules::require(region.params.size() == size_t{perTile} * i.operandCount,
                     "region '" + region.name + "' takes " + std::to_string(region.params.size()) +
                         " elements, expected " + std::to_string(perTile * i.operandCount));
  for (unsigned k = 0; k < region.params.size(); ++k)
    TypeRules::require(region.type(region.params[k]).element == rules.in(k % i.operandCount).element,
                       "region '" + region.name + "' takes elements of other types");
  for (const Instruction &r : region.code) {
    if (r.opcode != Opcode::Return)
      continue;
    TypeRules::require(r.operandCount == i.resultCount,
                       "region '" + region.name + "' returns another number of elements");
    for (unsigned k = 0; k < r.operandCount; ++k)
      TypeRules::require(TypeRules(module, region, r).in(k).element == rules.out(k).element,
                         "region '" + region.name + "' returns elements of other types");
  }
}

} // namespace tegula::cpu
