// The text of `--emit=bytecode`:
//
//   kernel add(r0: ptr<f32> x, r1: i32 n)
//      0  r2 = ProgramId 0                          ; i32, line 7
//      1  r3 = ...
#include "backends/cpu/Bytecode.h"

#include <set>
#include <sstream>

namespace tegula::cpu {

namespace {

std::string text(const TileType &type) {
  std::string element(name(type.element));
  if (type.element == ElementKind::Pointer || type.element == ElementKind::Descriptor)
    element += "<" + std::string(name(type.pointee)) + ">";
  if (type.shape.empty())
    return element;
  std::string shape;
  for (int64_t extent : type.shape)
    shape += std::to_string(extent) + "x";
  return "tile<" + shape + element + ">";
}

std::string text(Register r) { return r == kNoRegister ? "_" : "r" + std::to_string(r); }

size_t attributeCount(const Function &f, const Instruction &i) {
  // Attributes of neighbours may be shared, so their number comes from the opcode.
  switch (i.opcode) {
  case Opcode::ConstDense:
  case Opcode::Sort:
  case Opcode::Reduce:
  case Opcode::ForTest:
  case Opcode::AtomicCas:
    return i.opcode == Opcode::AtomicCas ? 3 - 1 : 2;
  case Opcode::AtomicRmw:
  case Opcode::Scan:
    return 3;
  case Opcode::Transpose:
    return f.type(f.registersUsed[i.results]).shape.size();
  case Opcode::Print:
    return 2 + i.operandCount;
  case Opcode::ConstInt:
  case Opcode::ConstFloat:
  case Opcode::MakeRange:
  case Opcode::ExpandDims:
  case Opcode::ProgramId:
  case Opcode::NumPrograms:
  case Opcode::CmpI:
  case Opcode::CmpF:
  case Opcode::ConvertF:
  case Opcode::MakeDescriptor:
  case Opcode::DescAtomic:
  case Opcode::Dot:
  case Opcode::Gather:
  case Opcode::MapElements:
  case Opcode::Assert:
  case Opcode::Jump:
  case Opcode::BranchIfFalse:
    return 1;
  default:
    return 0;
  }
}

constexpr const char *kIntPredicates[] = {"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"};
constexpr const char *kFloatPredicates[] = {"oeq", "one", "olt", "ole", "ogt", "oge", "ord", "ueq", "une", "ult", "ule", "ugt", "uge", "uno"};

} // namespace

} // namespace tegula::cpu
