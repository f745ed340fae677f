#include "core/passes/programs/PrologueBlocks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tegula::tile {

FailureOr<std::optional<PrologueBlocks>> PrologueBlocks::find(simt::ProducerOp producer, ArrayRef<Operation *> own) {
  PrologueBlocks found;
  found.producer = producer;
  for (Operation &op : producer.getBody().front()) {
    if (isa<scf::ForOp>(op))
      break;
    if (auto copy = dyn_cast<simt::CopyTileOp>(op))
      found.copies.push_back(copy);
  }
  if (found.copies.empty())
    return std::optional<PrologueBlocks>();
  // For an argument of the producer's region: the op outside the producer that defines the captured value. Null for
  // other values.
  auto definitionOf = [&](Value inside) -> Operation * {
    auto argument = dyn_cast<BlockArgument>(inside);
    return argument ? producer.getCaptures()[argument.getArgNumber()].getDefiningOp() : nullptr;
  };
  Value objects = found.copies.front().getBarriers();
  for (simt::CopyTileOp copy : found.copies) {
    auto buffer = dyn_cast_or_null<simt::SharedAllocOp>(definitionOf(copy.getDst()));
    if (!buffer || copy.getBarriers() != objects)
      return failure();
    found.buffers.push_back(buffer);
  }
  found.objects = dyn_cast_or_null<simt::BarrierAllocOp>(definitionOf(objects));
  for (Operation *op : own)
    if (auto wait = dyn_cast<simt::BarrierWaitOp>(op); wait && found.objects && wait.getBarriers() == found.objects)
      found.wait = wait;
  if (!found.wait)
    return failure();
  return std::optional(found);
}

int64_t PrologueBlocks::bytes() {
  int64_t sum = 0;
  for (simt::SharedAllocOp buffer : buffers)
    sum += buffer.getType().getBytes();
  return sum;
}

SmallVector<Operation *> PrologueBlocks::without(ArrayRef<Operation *> ops) {
  SmallVector<Operation *> others(ops);
  llvm::erase_if(others, [&](Operation *op) { return op == wait || llvm::is_contained(copies, op); });
  return others;
}

std::pair<Value, Value> PrologueBlocks::placeIn(scf::ForOp programs) {
  return {programs.getRegionIterArgs().drop_back().back(), programs.getRegionIterArgs().back()};
}

void PrologueBlocks::makeRings(scf::ForOp programs, scf::ForOp copying, uint32_t consumerWarps) {
  Location location = wait.getLoc();
  auto [stage, phase] = placeIn(programs);
  auto [copyStage, copyPhase] = placeIn(copying);
  OpBuilder top(objects), before(copies.front());
  auto type = simt::BarriersType::get(top.getContext(), stages);
  auto empty = simt::BarrierAllocOp::create(top, location, type, IntegerAttr());
  objects.getResult().setType(type);
  copies.front().getBarriers().setType(type);
  auto started = llvm::find_if(objects->getUsers(), llvm::IsaPred<simt::StartBarriersOp>);
  auto ended = llvm::find_if(objects->getUsers(), llvm::IsaPred<simt::EndBarriersOp>);
  OpBuilder(*started).create<simt::StartBarriersOp>(location, empty, consumerWarps);
  OpBuilder(*ended).create<simt::EndBarriersOp>(location, empty);
  wait.getIndexMutable().assign(stage);
  wait.getPhaseMutable().assign(phase);
  producer.getCapturesMutable().append(empty.getResult());
  Value emptyInside = producer.getBody().front().addArgument(type, location);
  Value one = arith::ConstantOp::create(before, location, before.getI32IntegerAttr(1));
  Value phaseBefore = arith::XOrIOp::create(before, location, copyPhase, one);
  simt::BarrierWaitOp::create(before, location, emptyInside, copyStage, phaseBefore);
  llvm::SetVector<Value> views; // views of the buffers in the consumer warps' code
  for (auto [copy, buffer] : llvm::zip_equal(copies, buffers)) {
    copy.getIndexMutable().assign(copyStage);
    copy.getPhaseMutable().assign(copyPhase);
    views.insert(stages == 1 ? Value(buffer) : makeRing(copy, buffer, copyStage, programs));
  }
  handBack(programs, views, empty);
}

Value PrologueBlocks::makeRing(simt::CopyTileOp copy, simt::SharedAllocOp buffer, Value copyStage,
                               scf::ForOp programs) {
  simt::SharedType one = buffer.getType();
  SmallVector<int64_t> shape = {stages};
  llvm::append_range(shape, one.getShape());
  auto ring = simt::SharedType::get(one.getContext(), shape, one.getElementType(), one.getLayout());
  Value inside = copy.getDst();
  buffer.getResult().setType(ring);
  inside.setType(ring);
  OpBuilder before(copy), first = OpBuilder::atBlockBegin(programs.getBody());
  auto destination = simt::StageOp::create(before, copy.getLoc(), one, inside, copyStage);
  copy.getDstMutable().assign(destination.getResult());
  auto view = simt::StageOp::create(first, copy.getLoc(), one, buffer, placeIn(programs).first);
  buffer.getResult().replaceAllUsesExcept(view, llvm::SmallPtrSet<Operation *, 2>{view, producer});
  return view;
}

void PrologueBlocks::handBack(scf::ForOp programs, llvm::SetVector<Value> views, simt::BarrierAllocOp empty) {
  bool areLoaded = false;
  Operation *last = wait;
  auto arriveBehind = [&](Operation *op) { last = last->isBeforeInBlock(op) ? op : last; };
  for (size_t i = 0; i < views.size(); ++i)
    for (Operation *user : views[i].getUsers()) {
      if (user == producer)
        continue;
      if (auto view = dyn_cast<simt::TransposeOp>(user))
        views.insert(view);
      areLoaded |= isa<simt::SharedLoadOp>(user);
      arriveBehind(programs.getBody()->findAncestorOpInBlock(*user));
    }
  for (auto products : programs.getBody()->getOps<simt::WaitProductsOp>())
    arriveBehind(products);
  OpBuilder builder(programs->getContext());
  builder.setInsertionPointAfter(last);
  simt::ArriveWarpsOp::create(builder, wait.getLoc(), empty, placeIn(programs).first).setLoaded(areLoaded);
}

} // namespace tegula::tile
