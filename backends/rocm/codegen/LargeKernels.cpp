#include "backends/rocm/codegen/LargeKernels.h"

#include "core/ir/simt/Simt.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace mlir;

namespace tegula::rocm {
namespace {

/// The most masked accesses of a thread in a kernel that is not large. Each is a branch: for this many LLVM takes some
/// seconds, for four times as many minutes.
constexpr int64_t kMostBranches = 1024;
/// The most values of one vector in a thread in a kernel that is not large; a thread has at most 512 registers. For
/// 1,024 values LLVM takes 5 to 15 s, for four times as many minutes.
constexpr int64_t kMostValues = 768;
constexpr unsigned kBlockInstructions = 512;
/// The longest chain of dependent instructions that a block computes again.
constexpr unsigned kMostCopied = 8;

/// True if the value is computed by one integer instruction from one value, constants and arguments.
bool isCheap(const llvm::Instruction &instruction) {
  llvm::Type *type = instruction.getType();
  if (!type->isIntegerTy() && !type->isPointerTy())
    return false;
  switch (instruction.getOpcode()) {
  case llvm::Instruction::UDiv:
  case llvm::Instruction::SDiv:
  case llvm::Instruction::URem:
  case llvm::Instruction::SRem: return false;
  default: break;
  }
  if (!llvm::isa<llvm::BinaryOperator, llvm::ICmpInst, llvm::CastInst, llvm::GetElementPtrInst>(instruction))
    return false;
  return llvm::count_if(instruction.operands(), [](const llvm::Use &use) {
           return llvm::isa<llvm::Instruction>(use.get()) || use->getType()->isFPOrFPVectorTy();
         }) <= 1;
}

/// The instructions that one block computes again.
class Copies {
public:
  explicit Copies(llvm::BasicBlock &block) : block_(block) {}

  /// The value for use by the instruction `user` of the block. If another block computes the value by a cheap
  /// instruction, that instruction is copied before `user`, unless the block has a copy already; otherwise the value
  /// itself is returned. The operands are copied in the same way, in chains of at most `left` instructions.
  llvm::Value *copyOf(llvm::Value *value, llvm::Instruction *user, unsigned left = kMostCopied) {
    auto *made = llvm::dyn_cast<llvm::Instruction>(value);
    if (!made || made->getParent() == &block_ || left == 0 || !isCheap(*made))
      return value;
    if (llvm::Value *known = copies_.lookup(made))
      return known;
    llvm::Instruction *copy = made->clone();
    for (llvm::Use &operand : copy->operands())
      operand.set(copyOf(operand, user, left - 1));
    copy->insertBefore(user);
    return copies_[made] = copy;
  }

private:
  llvm::BasicBlock &block_;
  llvm::DenseMap<llvm::Instruction *, llvm::Value *> copies_;
};

} // namespace

bool isLarge(func::FuncOp kernel) {
  int64_t branches = 0, values = 0;
  kernel.walk([&](Operation *op) {
    Value mask;
    if (auto load = dyn_cast<simt::LoadOp>(op))
      mask = load.getMask();
    else if (auto store = dyn_cast<simt::StoreOp>(op))
      mask = store.getMask();
    for (Type type : op->getResultTypes())
      if (auto vector = dyn_cast<VectorType>(type))
        values = std::max(values, vector.getNumElements());
    if (mask)
      branches += simt::elementsOf(mask.getType());
  });
  return branches > kMostBranches || values > kMostValues;
}

void shortenBlocks(llvm::Module &module) {
  for (llvm::Function &function : module) {
    llvm::SmallVector<llvm::BasicBlock *> whole;
    for (llvm::BasicBlock &block : function)
      whole.push_back(&block);
    for (llvm::BasicBlock *block : whole)
      while (block->size() > 2 * kBlockInstructions) {
        auto at = std::next(block->begin(), kBlockInstructions);
        while (llvm::isa<llvm::PHINode>(*at))
          ++at;
        if (at->isTerminator())
          break;
        block = block->splitBasicBlock(at);
      }
    for (llvm::BasicBlock &block : function) {
      Copies copies(block);
      for (llvm::Instruction &instruction : block)
        if (!llvm::isa<llvm::PHINode>(instruction))
          for (llvm::Use &operand : instruction.operands())
            operand.set(copies.copyOf(operand, &instruction));
    }
  }
}

} // namespace tegula::rocm
