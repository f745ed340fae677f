#include "backends/cuda/codegen/Negations.h"

#include "backends/cuda/codegen/InlinePtx.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/PatternMatch.h"

namespace tegula::cuda {

/// Whether a minimum or maximum of integers takes the value, as it is or through conversions, choices and loops.
static bool reachesMinimum(llvm::Value *value) {
  llvm::SetVector<llvm::Value *> reached;
  reached.insert(value);
  for (size_t i = 0; i < reached.size(); ++i)
    for (llvm::User *user : reached[i]->users()) {
      if (llvm::isa<llvm::MinMaxIntrinsic>(user))
        return true;
      if (llvm::isa<llvm::CastInst, llvm::PHINode, llvm::SelectInst, llvm::FreezeInst>(user))
        reached.insert(user);
    }
  return false;
}

void keepNegations(llvm::Module &module) {
  using namespace llvm::PatternMatch;
  llvm::SmallVector<llvm::Instruction *> negations;
  for (llvm::Function &function : module)
    for (llvm::Instruction &each : llvm::instructions(function))
      if (each.getType()->isIntegerTy(32) && match(&each, m_Neg(m_Value())) && reachesMinimum(&each))
        negations.push_back(&each);
  for (llvm::Instruction *each : negations) {
    llvm::IRBuilder<> b(each);
    InlinePtx ptx(b);
    std::string result = ptx.output(b.getInt32Ty()), from = ptx.input(each->getOperand(1));
    std::string text = "{ .reg .b32 other; not.b32 other, " + from + "; add.s32 " + result + ", other, 1; }";
    each->replaceAllUsesWith(ptx.emit(text, InlinePtx::Pure).front());
    each->eraseFromParent();
  }
}

} // namespace tegula::cuda
