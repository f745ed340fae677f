#include "backends/rocm/codegen/Rematerialize.h"
#include "backends/llvm/Optimize.h"

#include "backends/rocm/codegen/AmdgcnPrinter.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Local.h"

namespace tegula::rocm {
namespace {

constexpr size_t kMostInstructions = 12; // the most instructions that are repeated for one value

bool isCheap(const llvm::Instruction &instruction) {
  if (!instruction.getType()->isIntegerTy())
    return false;
  if (llvm::isa<llvm::SExtInst, llvm::ZExtInst, llvm::TruncInst>(instruction))
    return true;
  switch (instruction.getOpcode()) {
  case llvm::Instruction::Add:
  case llvm::Instruction::Sub:
  case llvm::Instruction::Or:
  case llvm::Instruction::Xor:
  case llvm::Instruction::And:
  case llvm::Instruction::Shl:
  case llvm::Instruction::LShr: return true;
  case llvm::Instruction::Mul: return llvm::isa<llvm::Constant>(instruction.getOperand(1));
  default: return false;
  }
}

/// The computation of a value: cheap instructions, operands first, and `base`, the only one of their inputs that
/// differs between lanes.
struct Expression {
  llvm::SetVector<llvm::Instruction *> instructions;
  llvm::Value *base = nullptr;
};

/// For one outermost loop: makes the blocks that use a value from before the loop compute it again.
class Rematerializer {
public:
  Rematerializer(llvm::Loop &loop, llvm::DominatorTree &dominators, llvm::LoopInfo &loops,
                 llvm::UniformityInfo &uniformity)
      : loop_(loop), dominators_(dominators), loops_(loops), uniformity_(uniformity) {
    llvm::SmallVector<llvm::BasicBlock *> next;
    loop.getExitBlocks(next);
    while (!next.empty()) {
      llvm::BasicBlock *block = next.pop_back_val();
      if (!loop.contains(block) && behind_.insert(block).second)
        llvm::append_range(next, llvm::successors(block));
    }
  }

  void run(llvm::Function &function) {
    for (llvm::BasicBlock *block : loop_.blocks())
      for (llvm::Instruction &instruction : llvm::make_early_inc_range(*block))
        if (auto *comparison = llvm::dyn_cast<llvm::ICmpInst>(&instruction); comparison && !isConditional(block))
          moveToUses(*comparison);
    llvm::SmallVector<llvm::WeakTrackingVH> rewritten;
    for (llvm::BasicBlock &block : function) {
      if (loop_.contains(&block) || behind_.contains(&block))
        continue;
      for (llvm::Instruction &instruction : block)
        if (rewriteUses(instruction))
          rewritten.push_back(&instruction);
    }
    llvm::RecursivelyDeleteTriviallyDeadInstructionsPermissive(rewritten);
  }

private:
  /// True if the block is in the loop, and some iterations of its innermost loop may skip it.
  bool isConditional(llvm::BasicBlock *block) const {
    llvm::BasicBlock *latch = loop_.contains(block) ? loops_.getLoopFor(block)->getLoopLatch() : nullptr;
    return latch && !dominators_.dominates(block, latch);
  }

  /// Moves a comparison to its uses, as a copy before each of them, if all of them are in blocks that some iterations
  /// skip: then only these blocks need the comparison's operands.
  void moveToUses(llvm::ICmpInst &comparison) {
    for (llvm::User *each : comparison.users()) {
      auto *user = llvm::cast<llvm::Instruction>(each);
      if (!isConditional(user->getParent()) || llvm::isa<llvm::PHINode>(user))
        return;
    }
    for (llvm::Use &use : llvm::make_early_inc_range(comparison.uses())) {
      auto *user = llvm::cast<llvm::Instruction>(use.getUser());
      llvm::Instruction *clone = comparison.clone();
      clone->insertBefore(user);
      use.set(clone);
    }
    comparison.eraseFromParent();
  }

  /// Adds the instructions that compute the value to `found`. False if they are too many, or start from several values
  /// that differ between lanes.
  bool describe(llvm::Value *value, Expression &found) const {
    if (llvm::isa<llvm::Constant>(value) || uniformity_.isUniform(value))
      return true;
    auto *instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (found.instructions.contains(instruction))
      return true;
    if (!instruction || !isCheap(*instruction)) {
      bool isSame = !found.base || found.base == value;
      found.base = value;
      return isSame && (value->getType()->isIntegerTy(32) || value->getType()->isIntegerTy(64)); // copyable types
    }
    for (llvm::Value *operand : instruction->operands())
      if (!describe(operand, found))
        return false;
    found.instructions.insert(instruction);
    return found.instructions.size() <= kMostInstructions;
  }

  /// Lets each block that uses `value`, which is computed before the loop, use a copy that this block computes. Does
  /// so, and returns true, only if all of these blocks are behind the loop or skipped by some iterations, and if the
  /// value is cheap.
  bool rewriteUses(llvm::Instruction &value) {
    if (!isCheap(value) || uniformity_.isUniform(&value))
      return false;
    llvm::SmallVector<llvm::Use *> uses;
    for (llvm::Use &use : value.uses()) {
      auto *user = llvm::cast<llvm::Instruction>(use.getUser());
      llvm::BasicBlock *block = user->getParent();
      bool isLate = isConditional(block) || behind_.contains(block);
      if (isLate && !llvm::isa<llvm::PHINode>(user))
        uses.push_back(&use);
      else if (isLate || loop_.contains(block))
        return false;
    }
    Expression expression;
    if (uses.empty() || !describe(&value, expression) || !expression.base)
      return false;
    for (llvm::Use *use : uses)
      use->set(computedIn(llvm::cast<llvm::Instruction>(use->getUser())->getParent(), &value, expression));
    return true;
  }

  /// The value, computed again at the beginning of the block.
  llvm::Value *computedIn(llvm::BasicBlock *block, llvm::Value *value, const Expression &expression) {
    auto known = [&](llvm::Value *of) -> llvm::Value *& { return made_[{block, of}]; };
    llvm::Instruction *&first = first_[block];
    if (!first)
      first = &*block->getFirstInsertionPt();
    if (!known(expression.base)) {
      llvm::IRBuilder<> b(first);
      llvm::Value *copy = opaqueValue(b, expression.base);
      known(expression.base) = copy;
    }
    for (llvm::Instruction *each : expression.instructions) {
      if (known(each))
        continue;
      llvm::Instruction *clone = each->clone();
      for (llvm::Use &operand : clone->operands())
        if (llvm::Value *made = known(operand.get()))
          operand.set(made);
      clone->insertBefore(first);
      known(each) = clone;
    }
    return known(value);
  }

  llvm::Loop &loop_;
  llvm::DominatorTree &dominators_;
  llvm::LoopInfo &loops_;
  llvm::UniformityInfo &uniformity_;
  llvm::SmallPtrSet<llvm::BasicBlock *, 16> behind_; // blocks that are reachable from the loop
  llvm::DenseMap<llvm::BasicBlock *, llvm::Instruction *> first_;
  llvm::DenseMap<std::pair<llvm::BasicBlock *, llvm::Value *>, llvm::Value *> made_;
};

} // namespace

void rematerialize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvmir::Analyses analyses(machine);
  llvm::FunctionAnalysisManager &functions = analyses.functions;
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    auto &dominators = functions.getResult<llvm::DominatorTreeAnalysis>(function);
    auto &found = functions.getResult<llvm::LoopAnalysis>(function);
    auto &uniformity = functions.getResult<llvm::UniformityInfoAnalysis>(function);
    for (llvm::Loop *loop : found)
      Rematerializer(*loop, dominators, found, uniformity).run(function);
  }
}

} // namespace tegula::rocm
