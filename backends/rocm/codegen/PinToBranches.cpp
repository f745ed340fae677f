#include "backends/rocm/codegen/PinToBranches.h"
#include "backends/llvm/Optimize.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"

namespace tegula::rocm {
namespace {

/// Whether StructurizeCFG would move the instruction out of its block.
bool isMovable(const llvm::Instruction &instruction, const llvm::TargetTransformInfo &costs) {
  if (llvm::isa<llvm::PHINode>(instruction) ||
      costs.getInstructionCost(&instruction, llvm::TargetTransformInfo::TCK_Latency) != 0)
    return false;
  return llvm::none_of(instruction.operands(), [&](const llvm::Use &operand) {
    auto *made = llvm::dyn_cast<llvm::Instruction>(operand);
    return made && made->getParent() == instruction.getParent();
  });
}

/// The value, by way of an empty assembly: in scalar registers if it is equal in all lanes.
llvm::Value *pinned(llvm::IRBuilder<> &b, llvm::Value *value, bool isUniform, const llvm::DataLayout &layout) {
  llvm::Type *type = value->getType();
  uint64_t bits = layout.getTypeSizeInBits(type).getFixedValue();
  if (bits < 16) { // registers hold such values in 32 bits
    llvm::Value *wide = b.CreateZExt(b.CreateBitCast(value, b.getIntNTy(unsigned(bits))), b.getInt32Ty());
    wide = pinned(b, wide, isUniform, layout);
    if (bits == 1)
      return b.CreateICmpNE(wide, b.getInt32(0));
    return b.CreateBitCast(b.CreateTrunc(wide, b.getIntNTy(unsigned(bits))), type);
  }
  llvm::Type *held = bits <= 64 ? static_cast<llvm::Type *>(b.getIntNTy(unsigned(bits)))
                                : llvm::FixedVectorType::get(b.getInt32Ty(), unsigned(bits / 32));
  llvm::Value *given = type->isPtrOrPtrVectorTy() ? b.CreatePtrToInt(value, held) : b.CreateBitCast(value, held);
  auto *same = llvm::InlineAsm::get(llvm::FunctionType::get(held, {held}, false), "", isUniform ? "=s,0" : "=v,0",
                                    /*hasSideEffects=*/false);
  llvm::Value *made = b.CreateCall(same, given);
  return type->isPtrOrPtrVectorTy() ? b.CreateIntToPtr(made, type) : b.CreateBitCast(made, type);
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
          if (!value || value->getParent() != from || from->getSingleSuccessor() != &block || from == &block ||
              !isMovable(*value, costs))
            continue;
          llvm::IRBuilder<> b(from->getTerminator());
          phi.setIncomingValue(i, pinned(b, value, uniformity.isUniform(value), layout));
        }
  }
}

} // namespace tegula::rocm
