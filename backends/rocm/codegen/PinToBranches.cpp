#include "backends/rocm/codegen/PinToBranches.h"
#include "backends/llvm/Optimize.h"
#include "backends/rocm/codegen/AmdgcnPrinter.h"
#include "core/support/Diagnostic.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

namespace tegula::rocm {
namespace {

/// Whether the target computes the instruction at no cost: such instructions StructurizeCFG moves. The instruction may
/// stand in any block, because passes that run between here and StructurizeCFG can still move it to the end of a path.
bool isFree(const llvm::Instruction &instruction, const llvm::TargetTransformInfo &costs) {
  return !llvm::isa<llvm::PHINode>(instruction) &&
         costs.getInstructionCost(&instruction, llvm::TargetTransformInfo::TCK_Latency) == 0;
}

/// An integer of 32 or 64 bits, by way of an empty assembly in a vector register. A value that is equal in all lanes is
/// returned to a scalar register.
llvm::Value *pinnedWord(llvm::IRBuilder<> &b, llvm::Value *word, bool isUniform) {
  llvm::Value *made = opaqueValue(b, word);
  return isUniform ? b.CreateIntrinsic(llvm::Intrinsic::amdgcn_readfirstlane, {word->getType()}, {made}) : made;
}

/// The same for a number, a pointer or a vector of numbers.
llvm::Value *pinned(llvm::IRBuilder<> &b, llvm::Value *value, bool isUniform, const llvm::DataLayout &layout) {
  llvm::Type *type = value->getType(), *scalar = type->getScalarType();
  auto bits = unsigned(layout.getTypeSizeInBits(type).getFixedValue());
  if (type->isPointerTy()) {
    llvm::Value *number = b.CreatePtrToInt(value, b.getIntNTy(bits));
    return b.CreateIntToPtr(pinned(b, number, isUniform, layout), type);
  }
  bool isNumbers = scalar->isIntegerTy() || scalar->isFloatingPointTy();
  if (!isNumbers || (bits > 64 && bits % 32 != 0))
    throw InternalError("a branch gives a value that is no number, pointer or vector of numbers of whole words");
  if (bits <= 64) {
    llvm::Type *number = b.getIntNTy(bits), *word = b.getIntNTy(bits <= 32 ? 32 : 64);
    llvm::Value *made = pinnedWord(b, b.CreateZExt(b.CreateBitCast(value, number), word), isUniform);
    return b.CreateBitCast(b.CreateTrunc(made, number), type);
  }
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
    for (llvm::BasicBlock &block : function)
      for (llvm::PHINode &phi : block.phis())
        for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
          auto *value = llvm::dyn_cast<llvm::Instruction>(phi.getIncomingValue(i));
          llvm::BasicBlock *from = phi.getIncomingBlock(i);
          if (!value || from->getSingleSuccessor() != &block || from == &block || !isFree(*value, costs))
            continue;
          // Computed for the first such value only: in a function of thousands of branches it takes seconds.
          const auto &uniformity = analyses.functions.getResult<llvm::UniformityInfoAnalysis>(function);
          llvm::IRBuilder<> b(from->getTerminator());
          phi.setIncomingValue(i, pinned(b, value, uniformity.isUniform(value), layout));
        }
  }
}

} // namespace tegula::rocm
