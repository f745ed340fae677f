#include "backends/rocm/codegen/PinToBranches.h"
#include "backends/llvm/Optimize.h"
#include "core/support/Diagnostic.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

namespace tegula::rocm {
namespace {

/// Whether the instruction is one that StructurizeCFG moves to another block. Where it stands does not matter: passes
/// before StructurizeCFG may move it into the block where a path ends.
bool isFree(const llvm::Instruction &instruction, const llvm::TargetTransformInfo &costs) {
  return !llvm::isa<llvm::PHINode>(instruction) &&
         costs.getInstructionCost(&instruction, llvm::TargetTransformInfo::TCK_Latency) == 0;
}

/// An integer of 32 or 64 bits, by way of an empty assembly in a vector register. A value that is equal in all lanes is
/// returned to a scalar register.
llvm::Value *pinnedWord(llvm::IRBuilder<> &b, llvm::Value *word, bool isUniform) {
  llvm::Type *type = word->getType();
  auto *same = llvm::InlineAsm::get(llvm::FunctionType::get(type, {type}, false), "", "=v,0", /*hasSideEffects=*/false);
  llvm::Value *made = b.CreateCall(same, word);
  return isUniform ? b.CreateIntrinsic(llvm::Intrinsic::amdgcn_readfirstlane, {type}, {made}) : made;
}

/// The same for a number, a pointer or a vector of numbers.
llvm::Value *pinned(llvm::IRBuilder<> &b, llvm::Value *value, bool isUniform, const llvm::DataLayout &layout) {
  llvm::Type *type = value->getType();
  auto bits = unsigned(layout.getTypeSizeInBits(type).getFixedValue());
  if (type->isPointerTy()) {
    llvm::Value *number = b.CreatePtrToInt(value, b.getIntNTy(bits));
    return b.CreateIntToPtr(pinned(b, number, isUniform, layout), type);
  }
  if (bits <= 64) {
    llvm::Type *number = b.getIntNTy(bits), *word = b.getIntNTy(bits <= 32 ? 32 : 64);
    llvm::Value *made = pinnedWord(b, b.CreateZExt(b.CreateBitCast(value, number), word), isUniform);
    if (bits == 1) // not by a truncation, which costs nothing
      return b.CreateICmpNE(made, llvm::ConstantInt::get(word, 0));
    return b.CreateBitCast(b.CreateTrunc(made, number), type);
  }
  if (bits % 32 != 0 || llvm::isa<llvm::PointerType>(type->getScalarType()) || type->isAggregateType())
    throw InternalError("a branch gives a value that is no number, pointer or vector of numbers of whole words");
  llvm::Type *words = llvm::FixedVectorType::get(b.getInt32Ty(), bits / 32);
  llvm::Value *given = b.CreateBitCast(value, words), *made = llvm::PoisonValue::get(words);
  for (unsigned i = 0; i < bits / 32; ++i)
    made = b.CreateInsertElement(made, pinnedWord(b, b.CreateExtractElement(given, i), isUniform), uint64_t(i));
  return b.CreateBitCast(made, type);
}

} // namespace

void pinToBranches(llvm::Module &module, llvm::TargetMachine &machine) {
  llvmir::Analyses analyses(machine);
  const llvm::DataLayout &layout = module.getDataLayout();
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    const llvm::TargetTransformInfo &costs = analyses.functions.getResult<llvm::TargetIRAnalysis>(function);
    const llvm::UniformityInfo &uniformity = analyses.functions.getResult<llvm::UniformityInfoAnalysis>(function);
    for (llvm::BasicBlock &block : function)
      for (llvm::PHINode &phi : block.phis())
        for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
          auto *value = llvm::dyn_cast<llvm::Instruction>(phi.getIncomingValue(i));
          llvm::BasicBlock *from = phi.getIncomingBlock(i);
          if (!value || from->getSingleSuccessor() != &block || from == &block || !isFree(*value, costs))
            continue;
          llvm::IRBuilder<> b(from->getTerminator());
          phi.setIncomingValue(i, pinned(b, value, uniformity.isUniform(value), layout));
        }
  }
}

} // namespace tegula::rocm
