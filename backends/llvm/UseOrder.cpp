#include "backends/llvm/UseOrder.h"

#include "core/schedule/UseOrder.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace tegula::llvmir {
namespace {

/// The number of 32-bit registers that a value takes. Booleans take none, because they are in separate registers.
uint32_t registersOf(llvm::Type *type, const llvm::DataLayout &layout) {
  if (!type->isSized() || type->isIntegerTy(1))
    return 0;
  return uint32_t((layout.getTypeSizeInBits(type).getFixedValue() + 31) / 32);
}

/// True if the instruction extracts a part that is a register, or several, of the whole value: the extraction then
/// costs no machine instruction, and the part occupies the same registers as the whole.
bool isPart(const llvm::Instruction &instruction, const llvm::DataLayout &layout) {
  if (llvm::isa<llvm::ExtractValueInst>(instruction))
    return true;
  const auto *element = llvm::dyn_cast<llvm::ExtractElementInst>(&instruction);
  return element && llvm::isa<llvm::Constant>(element->getIndexOperand()) &&
         layout.getTypeSizeInBits(instruction.getType()) >= 32;
}

bool keepsPlace(const llvm::Instruction &instruction) {
  const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return instruction.mayHaveSideEffects() || instruction.mayReadFromMemory() || instruction.isTerminator() ||
         llvm::isa<llvm::AllocaInst>(instruction) || (call && call->isConvergent());
}

void orderBlock(llvm::BasicBlock &block, const llvm::DataLayout &layout) {
  llvm::SmallVector<llvm::Instruction *> instructions; // null for each value from outside of the block
  std::vector<schedule::Instruction> code;
  llvm::DenseMap<const llvm::Value *, uint32_t> numbers;
  auto add = [&](llvm::Value *value, llvm::Instruction *instruction) {
    numbers[value] = uint32_t(code.size());
    instructions.push_back(instruction);
    code.push_back({{}, registersOf(value->getType(), layout), /*isFixed=*/true, /*isUsedAfter=*/false});
  };
  for (llvm::PHINode &phi : block.phis())
    add(&phi, nullptr);
  for (llvm::Instruction &instruction : block)
    if (!llvm::isa<llvm::PHINode>(instruction))
      for (llvm::Value *operand : instruction.operands()) {
        auto *made = llvm::dyn_cast<llvm::Instruction>(operand);
        if (made && made->getParent() != &block && !numbers.contains(made))
          add(made, nullptr);
      }
  for (llvm::Instruction &instruction : block) {
    if (llvm::isa<llvm::PHINode>(instruction))
      continue;
    add(&instruction, &instruction);
    schedule::Instruction &step = code.back();
    step.isFixed = keepsPlace(instruction) || isPart(instruction, layout);
    for (llvm::Value *operand : instruction.operands())
      if (auto found = numbers.find(operand); found != numbers.end())
        step.operands.push_back(found->second);
    if (llvm::any_of(instruction.users(),
                     [&](const llvm::User *user) { return isPart(*llvm::cast<llvm::Instruction>(user), layout); }))
      step.registers = 0;
  }
  for (auto [value, number] : numbers)
    code[number].isUsedAfter = llvm::any_of(value->users(), [&](const llvm::User *user) {
      const auto *instruction = llvm::cast<llvm::Instruction>(user);
      return instruction->getParent() != &block || llvm::isa<llvm::PHINode>(instruction);
    });
  std::optional<std::vector<uint32_t>> order = schedule::orderForPressure(code);
  if (!order)
    return;
  for (uint32_t number : *order)
    if (llvm::Instruction *instruction = instructions[number])
      instruction->moveBefore(block, block.end());
}

} // namespace

llvm::PreservedAnalyses UseOrderPass::run(llvm::Function &function, llvm::FunctionAnalysisManager &) {
  for (llvm::BasicBlock &block : function)
    orderBlock(block, function.getParent()->getDataLayout());
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

} // namespace tegula::llvmir
