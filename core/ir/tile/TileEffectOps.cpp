// Verification and folding of the ops in TileEffectOps.td.
#include "core/ir/tile/TileVerify.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tegula::tile {

bool accessesNoMemory(Operation *op) { return isMemoryEffectFree(op) || isa<AssumeOp, MayNotEndOp>(op); }

LogicalResult PrintOp::verify() {
  if (getIsSigned().size() == getValues().size())
    return success();
  return emitOpError() << "expected " << getValues().size() << " entries of 'is_signed', one for each value, found "
                       << getIsSigned().size();
}

LogicalResult AssertOp::canonicalize(AssertOp op, PatternRewriter &rewriter) {
  if (!matchPattern(op.getCondition(), m_One()))
    return rewriter.notifyMatchFailure(op, "the condition is not constant true");
  rewriter.eraseOp(op);
  return success();
}

LogicalResult AssumeOp::canonicalize(AssumeOp op, PatternRewriter &rewriter) {
  if (!matchPattern(op.getCondition(), m_One()))
    return rewriter.notifyMatchFailure(op, "the condition is not constant true");
  rewriter.eraseOp(op);
  return success();
}

LogicalResult HintOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getSrc().getType());
  return success();
}

LogicalResult HintOp::verify() {
  size_t entries = std::max<size_t>(shapeOf(getSrc().getType()).size(), 1);
  std::pair<StringRef, std::optional<ArrayRef<int64_t>>> facts[] = {
      {"divisibility", getDivisibility()}, {"contiguity", getContiguity()}, {"constancy", getConstancy()}};
  for (auto &[name, values] : facts) {
    if (!values)
      continue;
    if (values->size() != entries)
      return emitOpError() << "expected " << entries << " entries of '" << name << "', found " << values->size();
    for (int64_t value : *values)
      if (value <= 0 || !llvm::isPowerOf2_64(value))
        return emitOpError() << "expected powers of two in '" << name << "', found " << value;
  }
  return success();
}

} // namespace tegula::tile
