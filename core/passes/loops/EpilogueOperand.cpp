// Epilogue operands: a block that a kernel loads after its loop, such as a residual, is copied by the loop's producer
// (docs/matrix/producer.md).
#include "core/passes/Explain.h"
#include "core/passes/analysis/Uniform.h"
#include "core/passes/loops/AccessBlock.h"
#include "core/passes/loops/CopyPipeline.h"
#include "core/passes/loops/TileCopies.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace tegula::tile {
namespace {

/// Whether hardware stores a result of the kernel.
bool copiesOut(func::FuncOp kernel) {
  return kernel.walk([](simt::CopyOutOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// Whether the value only flows through elementwise ops to stores into a shared buffer.
bool isOnlyJoined(Value value) {
  return llvm::all_of(value.getUsers(), [](Operation *user) {
    return isa<simt::SharedStoreOp>(user) ||
           (isElementwise(user) && user->getNumResults() == 1 && isOnlyJoined(user->getResult(0)));
  });
}

/// Whether the rings can stay in use until after this op, which follows their loop. A loop, product or buffer may reuse
/// the rings' storage, and copies must be able to start before the op (mayBePassedByCopies).
bool mayKeepRings(Operation *op) {
  return op->getNumRegions() == 0 && !isa<simt::SharedAllocOp, simt::ProductOp, DotOp>(op) && mayBePassedByCopies(op);
}

} // namespace

void CopyPipeline::findEpilogueOperand() {
  // Hardware must copy the kernel's result to global memory (copiesOut). This copy contains a barrier, after which the
  // next program can hand back the stage of the operand's last part.
  simt::Target target = simt::targetOf(loop_);
  if (!target.features.copiesTiles || !target.policies.conditional || groups_.size() != 1 ||
      !products_.delayed.empty() || !copiesOut(loop_->getParentOfType<func::FuncOp>()) || !mayBePassedByCopies(loop_))
    return;
  for (Operation *op = loop_->getNextNode(); op && mayKeepRings(op); op = op->getNextNode())
    if (auto load = dyn_cast<LoadOp>(op); load && takeEpilogueOperand(load)) {
      explain(load.getLoc(), "copies") << "by hardware, of a tensor that the launch describes, in " << epilogue_->parts
                                       << " parts behind those of the loop";
      return;
    }
}

bool CopyPipeline::takeEpilogueOperand(LoadOp load) {
  auto kernel = loop_->getParentOfType<func::FuncOp>();
  auto type = dyn_cast<RankedTensorType>(load.getType());
  if (!type || type.getRank() != 2 || !isOnlyJoined(load.getResult()))
    return false;
  ArrayRef<int64_t> shape = type.getShape();
  auto canHold = [&](Candidate *each) {
    ArrayRef<int64_t> stage = each->type().getShape();
    return each->type().getElementType() == type.getElementType() && stage.size() == 2 && stage[0] == shape[0] &&
           shape[1] % stage[1] == 0 && each->layout.getBasis(0)[1] == 1;
  };
  auto ring = llvm::find_if(groups_.front().members, canHold);
  if (ring == groups_.front().members.end())
    return false;
  Polynomials scalars;
  std::string obstacle;
  std::optional<AccessBlock> block = blockOf(load, scalars, obstacle);
  if (!block || block->isTransposed || !isKnownAligned(kernel, *block, type.getElementType()) ||
      llvm::any_of(block->positions, [&](const Polynomial &each) { return scalars.hasRemainder(each); }))
    return false;
  OpBuilder builder(load);
  SmallVector<Value> position;
  bool isPlaced = placeBlock(builder, kernel, load.getLoc(), *block, scalars, position);
  AxisAnalysis axes(kernel, AxisAnalysis::Facts::Ignored);
  int64_t piece = kTileAlignment / simt::elementBytes(type.getElementType());
  if (!isPlaced || !llvm::all_of(position, followsFromKernel) || axes.of(position.back()).divisor() < piece)
    return false;
  block->extents.back() = (*ring)->type().getShape()[1];
  BlockArgument tensor = addDescriptor(kernel, *block, type.getElementType(), load.getLoc());
  deriveTensor(kernel, tensor, *block);
  epilogue_ = EpilogueOperand{load, *ring, (*ring)->type(), shape[1] / block->extents.back(), tensor, position};
  return true;
}

Operation *CopyPipeline::copyEpilogueOperand() {
  LoadOp load = epilogue_->load;
  Location location = load.getLoc();
  const CopyGroup &group = groups_.front();
  OpBuilder builder(load);
  int64_t columns = epilogue_->part.getShape()[1];
  Value always = arith::ConstantOp::create(builder, location, builder.getBoolAttr(true)), first = number(builder, 0);
  Value once = load.getEviction() == EvictionPolicy::EvictFirst ? always : Value();
  SmallVector<Value> parts;
  for (int64_t part = 0; part < epilogue_->parts; ++part) {
    SmallVector<Value> position = epilogue_->position;
    position.back() = arith::AddIOp::create(builder, location, position.back(), number(builder, part * columns));
    Value stage = firstStage(builder, epilogue_->ring->ring); // stands for the next stage
    auto copy = simt::CopyTileOp::create(builder, location, epilogue_->tensor, position, stage, group.barriers, first,
                                         first, always, /*tf32=*/false, once);
    simt::setSchedule(copy, /*ahead=*/0, /*place=*/0, simt::Issuer::Producer);
    simt::WaitTilesOp::create(builder, location, copy, group.barriers);
    parts.push_back(simt::SharedLoadOp::create(builder, location, epilogue_->part, stage, Value()));
  }
  Operation *read = simt::JoinPartsOp::create(builder, location, load.getType(), parts);
  load.replaceAllUsesWith(read->getResult(0));
  load.erase();
  return read;
}

} // namespace tegula::tile
