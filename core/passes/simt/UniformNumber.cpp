#include "core/passes/simt/UniformNumber.h"

#include "core/ir/simt/Simt.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tegula::simt {

bool isUniformNumber(Value scalar) {
  llvm::SetVector<Value> reached;
  reached.insert(scalar);
  for (size_t i = 0; i < reached.size(); ++i) {
    Value value = reached[i];
    if (!value.getType().isIntOrIndexOrFloat())
      return false;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      Operation *owner = argument.getOwner()->getParentOp();
      if (isa<func::FuncOp>(owner))
        continue;
      auto loop = dyn_cast<scf::ForOp>(owner);
      if (!loop || !loop->hasAttr(kUniformAttr))
        return false;
      if (argument == loop.getInductionVar()) {
        reached.insert(loop.getLowerBound());
        reached.insert(loop.getStep());
      } else {
        reached.insert(loop.getTiedLoopInit(argument)->get());
        reached.insert(loop.getTiedLoopYieldedValue(argument)->get());
      }
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (isa<tile::ProgramIdOp, tile::NumProgramsOp, ResidentIdOp, ResidentsOp>(op))
      continue;
    if (auto branch = dyn_cast<scf::IfOp>(op); branch && branch->hasAttr(kUniformAttr)) {
      unsigned number = cast<OpResult>(value).getResultNumber();
      reached.insert(branch.getCondition());
      reached.insert(branch.thenYield().getOperand(number));
      reached.insert(branch.elseYield().getOperand(number));
      continue;
    }
    StringRef dialect = op->getName().getDialectNamespace();
    bool isArithmetic = dialect == "arith" || dialect == "math";
    if (!isArithmetic || op->getNumRegions() || !isMemoryEffectFree(op))
      return false;
    reached.insert(op->operand_begin(), op->operand_end());
  }
  return true;
}

} // namespace tegula::simt
