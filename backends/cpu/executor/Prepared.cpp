#include "backends/cpu/executor/Prepared.h"

#include <algorithm>

namespace tegula::cpu {

namespace {

bool isCombine(Opcode opcode) {
  switch (opcode) {
  case Opcode::Add:
  case Opcode::Mul:
  case Opcode::And:
  case Opcode::Or:
  case Opcode::Xor:
  case Opcode::MinS:
  case Opcode::MaxS:
  case Opcode::MinU:
  case Opcode::MaxU:
  case Opcode::AddF:
  case Opcode::MulF:
  case Opcode::MinNumF:
  case Opcode::MaxNumF:
  case Opcode::MinimumF:
  case Opcode::MaximumF: return true;
  default: return false;
  }
}

std::optional<Opcode> findSimpleCombine(const Function &f) {
  if (f.params.size() != 2 || f.code.size() != 2 || f.code[1].opcode != Opcode::Return || f.code[1].operandCount != 1)
    return std::nullopt;
  const Instruction &op = f.code[0];
  if (!isCombine(op.opcode))
    return std::nullopt;
  const Register result = f.registersUsed[op.results];
  const Register returned = f.registersUsed[f.code[1].operands] & ~kLastUse;
  const Register a = f.registersUsed[op.operands] & ~kLastUse;
  const Register b = f.registersUsed[op.operands + 1] & ~kLastUse;
  const bool ofBoth = (a == f.params[0] && b == f.params[1]) || (a == f.params[1] && b == f.params[0]);
  return result == returned && ofBoth && a != b ? std::optional(op.opcode) : std::nullopt;
}

} // namespace

PreparedFunction::PreparedFunction(const Function &source) : function(&source), operands(source.registersUsed) {
  straightLine = true;
  for (const Instruction &i : source.code) {
    straightLine &= i.opcode != Opcode::Jump && i.opcode != Opcode::BranchIfFalse && i.opcode != Opcode::ForTest;
    for (uint32_t k = 0; k < i.operandCount; ++k) {
      uint32_t &mark = operands[i.operands + k];
      for (uint32_t later = k + 1; later < i.operandCount && (mark & kLastUse); ++later)
        if (((operands[i.operands + later] ^ mark) & ~kLastUse) == 0) {
          operands[i.operands + later] |= kLastUse;
          mark &= ~kLastUse;
        }
    }
  }
  simpleCombine = findSimpleCombine(source);
}

} // namespace tegula::cpu
