// Finds last uses by backward liveness analysis over the finished code: Aho, Lam, Sethi, Ullman, 'Compilers', 9.2.5.
#include "backends/cpu/codegen/FlattenFunction.h"

#include "llvm/ADT/BitVector.h"

using namespace mlir;

namespace tegula::cpu {
namespace {

/// A maximal range of instructions in which jumps lead only to the first one, and only the last one jumps.
struct BasicBlock {
  size_t begin, end;
  llvm::SmallVector<size_t, 2> successors; // blocks
  llvm::BitVector liveIn;
};

bool isJump(Opcode opcode) {
  return opcode == Opcode::Jump || opcode == Opcode::BranchIfFalse || opcode == Opcode::ForTest ||
         opcode == Opcode::Return;
}

size_t target(const Function &function, const Instruction &jump) { return size_t(function.integers[jump.attributes]); }

std::vector<BasicBlock> splitIntoBlocks(const Function &function) {
  llvm::BitVector starts(function.code.size() + 1);
  starts.set(0);
  for (size_t i = 0; i < function.code.size(); ++i) {
    if (!isJump(function.code[i].opcode))
      continue;
    starts.set(i + 1);
    if (function.code[i].opcode != Opcode::Return)
      starts.set(target(function, function.code[i]));
  }
  starts.reset(function.code.size());
  std::vector<size_t> blockAt(function.code.size());
  std::vector<BasicBlock> blocks;
  for (unsigned begin : starts.set_bits()) {
    int end = starts.find_next(begin);
    blockAt[begin] = blocks.size();
    blocks.push_back(
        {begin, end < 0 ? function.code.size() : size_t(end), {}, llvm::BitVector(function.registers.size())});
  }
  for (BasicBlock &block : blocks) {
    const Instruction &last = function.code[block.end - 1];
    if (last.opcode != Opcode::Jump && last.opcode != Opcode::Return && block.end < function.code.size())
      block.successors.push_back(blockAt[block.end]);
    if (isJump(last.opcode) && last.opcode != Opcode::Return)
      block.successors.push_back(blockAt[target(function, last)]);
  }
  return blocks;
}

/// Walks backwards over a block. `live` is the set of live registers at the block's end, and becomes the set at its
/// beginning. Calls atOperands(operands) for each instruction, while `live` holds the registers that are live after the
/// instruction, without its results.
template <typename AtOperands>
void stepBackwards(Function &function, const BasicBlock &block, llvm::BitVector &live, AtOperands atOperands) {
  for (size_t i = block.end; i-- > block.begin;) {
    const Instruction &instruction = function.code[i];
    llvm::MutableArrayRef<uint32_t> pool(function.registersUsed);
    for (Register result : pool.slice(instruction.results, instruction.resultCount))
      if (result != kNoRegister)
        live.reset(result);
    llvm::MutableArrayRef<uint32_t> operands = pool.slice(instruction.operands, instruction.operandCount);
    atOperands(operands);
    for (uint32_t operand : operands)
      live.set(operand & ~kLastUse);
  }
}

llvm::BitVector liveAfter(const std::vector<BasicBlock> &blocks, const BasicBlock &block, size_t registers) {
  llvm::BitVector live(registers);
  for (size_t successor : block.successors)
    live |= blocks[successor].liveIn;
  return live;
}

} // namespace

void markLastUses(Function &function) {
  std::vector<BasicBlock> blocks = splitIntoBlocks(function);
  for (bool changed = true; changed;) {
    changed = false;
    for (BasicBlock &block : llvm::reverse(blocks)) {
      llvm::BitVector live = liveAfter(blocks, block, function.registers.size());
      stepBackwards(function, block, live, [](auto) {});
      if (live != block.liveIn) {
        block.liveIn = std::move(live);
        changed = true;
      }
    }
  }
  for (const BasicBlock &block : blocks) {
    llvm::BitVector live = liveAfter(blocks, block, function.registers.size());
    stepBackwards(function, block, live, [&](llvm::MutableArrayRef<uint32_t> operands) {
      // An operand is not marked as last use if the instruction reads its register twice: the register's storage must
      // not be reused for the result while the other operand is still read.
      for (uint32_t &operand : operands)
        if (!live.test(operand) && llvm::count(operands, operand) == 1)
          operand |= kLastUse;
    });
  }
}

} // namespace tegula::cpu
