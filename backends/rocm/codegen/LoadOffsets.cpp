#include "backends/rocm/codegen/LoadOffsets.h"
#include "backends/llvm/Optimize.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

namespace tegula::rocm {
namespace {

constexpr int64_t kMostImmediate = 4095;
constexpr unsigned kOffset = 1; // index of the offset among the operands of llvm.amdgcn.raw.buffer.load

struct Load {
  llvm::IntrinsicInst *call;
  int64_t difference; // from the offset of the first load of the same resource
};

/// Makes the loads, whose offsets differ by values that fit immediates, use the first load's offset. The offset does
/// not change in the loop, so LLVM would compute the sums of offset and differences before the loop, in one register
/// for each sum. Therefore the loop carries the offset through an empty instruction that LLVM cannot see through.
void share(llvm::ArrayRef<Load> loads, const llvm::Loop &loop) {
  llvm::Value *offset = loads.front().call->getArgOperand(kOffset);
  llvm::Type *type = offset->getType();
  llvm::IRBuilder<> header(&loop.getHeader()->front());
  llvm::PHINode *carried = header.CreatePHI(type, 2);
  llvm::IRBuilder<> latch(loop.getLoopLatch()->getTerminator());
  auto *same = llvm::InlineAsm::get(llvm::FunctionType::get(type, {type}, false), "", "=v,0", /*hasSideEffects=*/false);
  carried->addIncoming(offset, loop.getLoopPreheader());
  carried->addIncoming(latch.CreateCall(same, {carried}), loop.getLoopLatch());
  for (const Load &load : loads) {
    llvm::IRBuilder<> b(load.call);
    int64_t difference = load.difference - loads.front().difference;
    load.call->setArgOperand(kOffset, b.CreateAdd(carried, b.getInt32(uint32_t(difference))));
  }
}

void shareOfResource(llvm::ArrayRef<llvm::IntrinsicInst *> calls, const llvm::Loop &loop,
                     llvm::ScalarEvolution &evolution) {
  const llvm::SCEV *first = evolution.getSCEV(calls.front()->getArgOperand(kOffset));
  llvm::SmallVector<Load> loads;
  for (llvm::IntrinsicInst *call : calls) {
    llvm::Value *offset = call->getArgOperand(kOffset);
    auto *difference = llvm::dyn_cast<llvm::SCEVConstant>(evolution.getMinusSCEV(evolution.getSCEV(offset), first));
    if (difference && loop.isLoopInvariant(offset))
      loads.push_back({call, difference->getAPInt().getSExtValue()});
  }
  llvm::stable_sort(loads, [](const Load &left, const Load &right) { return left.difference < right.difference; });
  for (size_t begin = 0, end = 0; begin < loads.size(); begin = end) {
    while (end < loads.size() && loads[end].difference - loads[begin].difference <= kMostImmediate)
      ++end;
    if (end - begin > 1)
      share(llvm::ArrayRef(loads).slice(begin, end - begin), loop);
  }
}

} // namespace

void shareLoadOffsets(llvm::Module &module, llvm::TargetMachine &machine) {
  llvmir::Analyses analyses(machine);
  llvm::FunctionAnalysisManager &functions = analyses.functions;
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    llvm::MapVector<std::pair<llvm::BasicBlock *, llvm::Value *>, llvm::SmallVector<llvm::IntrinsicInst *>> found;
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      if (call && call->getIntrinsicID() == llvm::Intrinsic::amdgcn_raw_buffer_load)
        found[{call->getParent(), call->getArgOperand(0)}].push_back(call);
    }
    for (auto &[place, calls] : found) {
      llvm::Loop *loop = functions.getResult<llvm::LoopAnalysis>(function).getLoopFor(place.first);
      if (calls.size() > 1 && loop && loop->getLoopPreheader() && loop->getLoopLatch())
        shareOfResource(calls, *loop, functions.getResult<llvm::ScalarEvolutionAnalysis>(function));
    }
  }
}

} // namespace tegula::rocm
