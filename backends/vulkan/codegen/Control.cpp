// Prints structured control flow: a loop of the simt level stays a loop, and each loop-carried element of a register
// tile becomes a phi.
#include "backends/vulkan/codegen/Printer.h"

using namespace mlir;

namespace tegula::vulkan {

/// True if the value's narrow elements are carried in 32-bit words, because a phi of a narrow type takes a whole
/// register.
bool Printer::isCarriedInWords(mlir::Value value) const {
  auto tile = dyn_cast<VectorType>(value.getType());
  if (!tile || tile.getElementType().isInteger(1))
    return false;
  ScalarType type = scalarOf(value);
  return byteSize(type) < 4 && scalars.isHeld(byteSize(type) == 1 ? ScalarType::I8 : ScalarType::I16) &&
         tile.getNumElements() * byteSize(type) % 4 == 0;
}

Values Printer::flatten(ValueRange values) {
  Values all;
  for (mlir::Value value : values)
    llvm::append_range(all, isCarriedInWords(value) ? pack(get(value), scalarOf(value)) : get(value));
  return all;
}

void Printer::unflatten(ValueRange values, const Values &ids, ValueRange sources) {
  size_t at = 0;
  for (auto [value, source] : llvm::zip(values, sources)) {
    auto count = uint32_t(get(source).size());
    bool isInWords = isCarriedInWords(value);
    size_t carried = isInWords ? count * byteSize(scalarOf(value)) / 4 : count;
    auto own = llvm::ArrayRef(ids).slice(at, carried);
    set(value, isInWords ? unpack(own, count, scalarOf(value)) : Values(own));
    at += carried;
    if (auto view = views_.find(source); view != views_.end()) {
      View same = view->second;
      views_[value] = same;
    }
  }
}

/// Requires that shared-memory views which a branch or loop merges lie in one array, because the merged value is only
/// an index.
void Printer::checkMeeting(Operation *op, ValueRange some, ValueRange others) const {
  for (auto [one, other] : llvm::zip(some, others))
    if (isa<simt::SharedType>(one.getType()) && &storageOf(one) != &storageOf(other))
      fail(op,
           "target " + target_ + " has typed shared memory: expected views of buffers that share storage to meet here");
}

/// True if the last index plus the step may overflow the type. If not, the loop gets the plain form, the only one for
/// which drivers compute trip counts.
static bool mayWrap(scf::ForOp loop) {
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound()),
                         upper = getConstantIntValue(loop.getUpperBound()), step = getConstantIntValue(loop.getStep());
  if (step == 1)
    return false;
  constexpr int64_t kLimit = int64_t(1) << 30;
  auto isSmall = [&](std::optional<int64_t> value) { return value && *value > -kLimit && *value < kLimit; };
  return !isSmall(lower) || !isSmall(upper) || !isSmall(step);
}

bool hasProducts(scf::ForOp loop) {
  return loop.getBody()->walk([](simt::FragmentMmaOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// Loops with matrix instructions are not unrolled: NVIDIA's driver unrolls even loops with a run-time trip count, and
/// with matrix instructions, which fill the registers, the unrolled loop would spill.
static spv::LoopControlMask controlOf(scf::ForOp loop) {
  return hasProducts(loop) ? spv::LoopControlMask::DontUnroll : spv::LoopControlMask::MaskNone;
}

void Printer::printFor(scf::ForOp loop) {
  Values initial = flatten(loop.getInitArgs());
  Values results = b.forLoop(
      one(loop.getLowerBound()), one(loop.getUpperBound()), one(loop.getStep()), initial,
      [&](Id index, const Values &carried) {
        set(loop.getInductionVar(), index);
        unflatten(loop.getRegionIterArgs(), carried, loop.getInitArgs());
        printBlock(*loop.getBody());
        ValueRange next = loop.getBody()->getTerminator()->getOperands();
        checkMeeting(loop, loop.getInitArgs(), next);
        return flatten(next);
      },
      mayWrap(loop), controlOf(loop));
  unflatten(loop.getResults(), results, loop.getInitArgs());
}

void Printer::printIf(scf::IfOp branch) {
  auto region = [&](Block *block) {
    return [this, block] {
      if (!block)
        return Values();
      printBlock(*block);
      return flatten(block->getTerminator()->getOperands());
    };
  };
  bool hasElse = !branch.getElseRegion().empty();
  Values results = b.ifThenElse(one(branch.getCondition()), region(branch.thenBlock()),
                                region(hasElse ? branch.elseBlock() : nullptr));
  if (results.empty())
    return;
  checkMeeting(branch, branch.thenYield().getOperands(), branch.elseYield().getOperands());
  unflatten(branch.getResults(), results, branch.thenYield().getOperands());
}

void Printer::printWhile(scf::WhileOp loop) {
  scf::ConditionOp condition = loop.getConditionOp();
  Values initial = flatten(loop.getInits());
  Values results = b.loop(
      initial,
      [&](const Values &carried, Values &forwarded) {
        unflatten(loop.getBeforeArguments(), carried, loop.getInits());
        printBlock(*loop.getBeforeBody());
        forwarded = flatten(condition.getArgs());
        return one(condition.getCondition());
      },
      [&](const Values &forwarded) {
        unflatten(loop.getAfterArguments(), forwarded, condition.getArgs());
        printBlock(*loop.getAfterBody());
        ValueRange next = loop.getYieldOp().getOperands();
        checkMeeting(loop, loop.getInits(), next);
        return flatten(next);
      });
  unflatten(loop.getResults(), results, condition.getArgs());
}

bool Printer::printControl(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    printFor(loop);
  else if (auto branch = dyn_cast<scf::IfOp>(op))
    printIf(branch);
  else if (auto loop = dyn_cast<scf::WhileOp>(op))
    printWhile(loop);
  else if (isa<simt::WarpGroupsOp>(op))
    fail(op, "target " + target_ + " has no barriers of some warps, so that all warps of a kernel do the same");
  else
    return false;
  return true;
}

} // namespace tegula::vulkan
