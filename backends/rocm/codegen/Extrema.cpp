#include "backends/rocm/codegen/Extrema.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

namespace tegula::rocm {
namespace {

constexpr size_t kFewestOperands = 4; // a tree of three operands has the form already

llvm::IntrinsicInst *extremum(llvm::Value *value) {
  auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(value);
  bool isOne = call && call->getType()->isFloatTy() &&
               (call->getIntrinsicID() == llvm::Intrinsic::maxnum || call->getIntrinsicID() == llvm::Intrinsic::minnum);
  return isOne ? call : nullptr;
}

/// True if the call is an inner node of a tree: its only user is a call of the same kind.
bool isInner(llvm::IntrinsicInst *call) {
  if (!call->hasOneUse())
    return false;
  llvm::IntrinsicInst *user = extremum(*call->user_begin());
  return user && user->getIntrinsicID() == call->getIntrinsicID() && user->getParent() == call->getParent();
}

void collect(llvm::IntrinsicInst *node, llvm::SmallVectorImpl<llvm::Value *> &leaves) {
  for (unsigned i : {0u, 1u}) {
    llvm::IntrinsicInst *operand = extremum(node->getArgOperand(i));
    if (operand && operand->getIntrinsicID() == node->getIntrinsicID() && isInner(operand))
      collect(operand, leaves);
    else
      leaves.push_back(node->getArgOperand(i));
  }
}

llvm::Value *combined(llvm::IntrinsicInst *root, llvm::SmallVector<llvm::Value *> values) {
  llvm::IRBuilder<> b(root);
  b.setFastMathFlags(root->getFastMathFlags());
  auto of = [&](llvm::Value *x, llvm::Value *y) { return b.CreateBinaryIntrinsic(root->getIntrinsicID(), x, y); };
  while (values.size() > 2) {
    llvm::SmallVector<llvm::Value *> next;
    size_t i = 0;
    for (; i + 3 <= values.size(); i += 3)
      next.push_back(of(of(values[i], values[i + 1]), values[i + 2]));
    next.append(values.begin() + i, values.end());
    values = std::move(next);
  }
  return values.size() == 1 ? values[0] : of(values[0], values[1]);
}

} // namespace

void combineExtrema(llvm::Module &module) {
  llvm::SmallVector<llvm::WeakTrackingVH> replaced;
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      llvm::IntrinsicInst *root = extremum(&instruction);
      if (!root || isInner(root))
        continue;
      llvm::SmallVector<llvm::Value *> leaves;
      collect(root, leaves);
      if (leaves.size() < kFewestOperands)
        continue;
      root->replaceAllUsesWith(combined(root, leaves));
      replaced.push_back(root);
    }
  llvm::RecursivelyDeleteTriviallyDeadInstructionsPermissive(replaced);
}

} // namespace tegula::rocm
