#include "backends/cpu/bytecode/OpcodeInfo.h"

namespace tegula::cpu {

bool isIntBinary(Opcode opcode) { return opcode >= Opcode::Add && opcode <= Opcode::MulHiU; }
bool isFloatBinary(Opcode opcode) {
  return (opcode >= Opcode::AddF && opcode <= Opcode::MaximumF) || opcode == Opcode::Atan2 || opcode == Opcode::Pow;
}
bool isFloatUnary(Opcode opcode) {
  return opcode == Opcode::NegF || opcode == Opcode::AbsF ||
         (opcode >= Opcode::Exp && opcode <= Opcode::Log1p && opcode != Opcode::Atan2 && opcode != Opcode::Pow);
}
bool isCast(Opcode opcode) { return opcode >= Opcode::ExtS && opcode <= Opcode::PtrCast; }

namespace {

constexpr unsigned kMany = 255;

OpcodeInfo lookUp(Opcode opcode) {
  if (isIntBinary(opcode) || isFloatBinary(opcode))
    return {1, 2, 2, 0};
  if (isFloatUnary(opcode))
    return {1, 1, 1, 0};
  switch (opcode) {
  case Opcode::ConstInt:
  case Opcode::ConstFloat:
  case Opcode::MakeRange:
  case Opcode::ProgramId:
  case Opcode::NumPrograms: return {1, 0, 0, 1};
  case Opcode::ConstDense: return {1, 0, 0, 2};
  case Opcode::ExpandDims:
  case Opcode::ConvertF: return {1, 1, 1, 1};
  case Opcode::Transpose: return {1, 1, 1, -1};
  case Opcode::Join:
  case Opcode::Concat:
  case Opcode::AddPtr: return {1, 2, 2, 0};
  case Opcode::Split: return {2, 1, 1, 0};
  case Opcode::CmpI:
  case Opcode::CmpF:
  case Opcode::Gather: return {1, 2, 2, 1};
  case Opcode::Fma:
  case Opcode::Select: return {1, 3, 3, 0};
  case Opcode::Function: return {1, 1, 3, 1};
  case Opcode::Load: return {1, 1, 3, 0};
  case Opcode::Store: return {0, 2, 3, 0};
  case Opcode::AtomicRmw: return {1, 2, 3, 3};
  case Opcode::AtomicCas: return {1, 3, 3, 2};
  case Opcode::MakeDescriptor: return {1, 3, 1 + 2 * kMaxRank, 1};
  case Opcode::DescPart: return {1, 1, 1, 2};
  case Opcode::DescLoad: return {1, 2, 1 + kMaxRank, 0};
  case Opcode::DescStore: return {0, 3, 2 + kMaxRank, 0};
  case Opcode::DescAtomic: return {0, 3, 2 + kMaxRank, 1};
  case Opcode::DescGather: return {1, 3, 3, 0};
  case Opcode::DescScatter: return {0, 4, 4, 0};
  case Opcode::Dot: return {1, 3, 3, 1};
  case Opcode::Reduce: return {-1, 1, kMany, 2};
  case Opcode::Scan: return {-1, 1, kMany, 3};
  case Opcode::MapElements: return {-1, 1, kMany, 1};
  case Opcode::Histogram: return {1, 1, 2, 0};
  case Opcode::Sort: return {1, 1, 1, 2};
  case Opcode::Print: return {0, 0, kMany, -1};
  case Opcode::Assert: return {0, 1, 1, 1};
  case Opcode::Assume: return {0, 1, 1, 0};
  case Opcode::Barrier: return {0, 0, 0, 0};
  case Opcode::Jump: return {0, 0, 0, 1};
  case Opcode::BranchIfFalse: return {0, 1, 1, 1};
  case Opcode::ForTest: return {0, 3, 3, 2};
  case Opcode::Return: return {0, 0, kMany, 0};
  default: // Move, Splat, Broadcast, Reshape, AbsI and the casts
    return {1, 1, 1, 0};
  }
}

struct Table {
  OpcodeInfo rows[static_cast<size_t>(Opcode::Return) + 1];
  Table() {
    for (size_t i = 0; i <= static_cast<size_t>(Opcode::Return); ++i)
      rows[i] = lookUp(static_cast<Opcode>(i));
  }
};

} // namespace

const OpcodeInfo &info(Opcode opcode) {
  static const Table table;
  return table.rows[static_cast<size_t>(opcode)];
}

size_t attributeCount(const Function &f, const Instruction &i) {
  if (i.opcode == Opcode::Transpose)
    return f.type(f.registersUsed[i.results]).shape.size();
  if (i.opcode == Opcode::Print)
    return size_t{2} + i.operandCount;
  return static_cast<size_t>(info(i.opcode).attributes);
}

} // namespace tegula::cpu
