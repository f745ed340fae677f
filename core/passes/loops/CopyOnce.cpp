// Copies by hardware of blocks that a kernel loads once, such as an attention's queries (docs/matrix/rings.md, "Copies
// by hardware").
#include "core/ir/simt/Simt.h"
#include "core/passes/loops/LoopAdvance.h"
#include "core/passes/loops/LoopProducts.h"
#include "core/passes/loops/ProducerRules.h"
#include "core/passes/loops/TileCopies.h"

using namespace mlir;

namespace tegula::tile {

bool mayBePassedByCopies(Operation *op) {
  return !op->walk([](Operation *each) {
              auto load = dyn_cast<LoadOp>(each);
              bool isPassed =
                  load ? !load.getIsVolatile() && load.getCache() == CacheModifier::None
                       : isa<DescLoadOp, simt::SharedAllocOp, simt::SharedStoreOp, simt::SharedLoadOp, simt::FenceOp,
                             simt::ProductOp, simt::WaitProductsOp, simt::BarrierAllocOp, simt::StartBarriersOp,
                             simt::CopyTileOp, simt::WaitTilesOp, simt::EndBarriersOp>(each);
              bool hasRegions = each->getNumRegions() != 0; // the nested ops are visited themselves
              return isPassed || hasRegions || accessesNoMemory(each) ? WalkResult::advance() : WalkResult::interrupt();
            }).wasInterrupted();
}

bool followsFromKernel(Value scalar) {
  Operation *op = scalar.getDefiningOp();
  return op ? canRepeatInProducer(op) && llvm::all_of(usesOf(op), followsFromKernel) : isOfKernel(scalar);
}

namespace {

/// Whether threads must wait for the copies made once before this op: the op may read a copied block, has regions
/// (which may read one, and may be executed several times), or ends the kernel.
bool endsBeginning(Operation *op) {
  return isa<DotOp, simt::ProductOp, simt::SharedLoadOp>(op) || op->getNumRegions() != 0 ||
         op->hasTrait<OpTrait::IsTerminator>();
}

/// Moves the op that defines the scalar, and the ops that it depends on, to the builder's insertion point.
void computeFirst(Value scalar, OpBuilder &at) {
  Operation *op = scalar.getDefiningOp();
  if (!op || op->isBeforeInBlock(&*at.getInsertionPoint()))
    return;
  for (Value use : usesOf(op))
    computeFirst(use, at);
  if (&*at.getInsertionPoint() == op)
    at.setInsertionPointAfter(op);
  else
    op->moveBefore(at.getBlock(), at.getInsertionPoint());
}

/// The store of the load's block to a shared buffer for products, if that is the block's only use.
simt::SharedStoreOp storeOf(DescLoadOp load) {
  Value block = load.getResult();
  auto store = block.hasOneUse() ? dyn_cast<simt::SharedStoreOp>(*block.user_begin()) : simt::SharedStoreOp();
  bool isToBuffer = store && store->getBlock() == load->getBlock() && !store.getPart() &&
                    store.getDst().getDefiningOp<simt::SharedAllocOp>();
  return isToBuffer ? store : simt::SharedStoreOp();
}

} // namespace

/// Whether the op, or an op nested in it, reads the block: the tensor, or a buffer that holds it, possibly transposed.
static bool readsBlock(Operation *reader, Value block) {
  return llvm::any_of(block.getUsers(), [&](Operation *user) {
    if (auto store = dyn_cast<simt::SharedStoreOp>(user))
      return store.getDst() != block && readsBlock(reader, store.getDst());
    return reader->isAncestor(user) ||
           (isa<TransOp, simt::TransposeOp>(user) && readsBlock(reader, user->getResult(0)));
  });
}

/// Whether the op reads the block, or loads the operand of a product whose other operand is the block.
static bool isReadFrom(Operation *op, Value block) {
  return readsBlock(op, block) || (isa<simt::SharedLoadOp>(op) && llvm::any_of(op->getUsers(), [&](Operation *user) {
                                     return isa<simt::ProductOp>(user) && readsBlock(user, block);
                                   }));
}

bool canBeCopiedOnce(DescLoadOp load) {
  if (!isa<func::FuncOp>(load->getParentOp()) || !llvm::all_of(load.getOffsets(), followsFromKernel))
    return false;
  bool isBefore = false;
  for (Operation &op : *load->getBlock()) {
    if (endsBeginning(&op))
      return isBefore && isReadFrom(&op, load.getResult());
    if (!mayBePassedByCopies(&op))
      return false;
    isBefore |= &op == load;
  }
  return false;
}

SmallVector<DescLoadOp> loadsToCopyOnce(func::FuncOp kernel) {
  SmallVector<DescLoadOp> loads;
  for (BlockArgument descriptor : kernel.getArguments()) {
    if (!isa<DescType>(descriptor.getType()) || descriptor.use_empty())
      continue;
    auto first = dyn_cast<DescLoadOp>(*descriptor.user_begin());
    simt::SharedStoreOp like = first ? storeOf(first) : simt::SharedStoreOp();
    if (like && llvm::all_of(descriptor.getUsers(), [&](Operation *user) {
          auto load = dyn_cast<DescLoadOp>(user);
          simt::SharedStoreOp store = load ? storeOf(load) : simt::SharedStoreOp();
          return store && load->hasAttr(kCopiedAttr) && canBeCopiedOnce(load) &&
                 store.getDst().getType() == like.getDst().getType() && store.getTf32() == like.getTf32();
        }))
      for (Operation *user : descriptor.getUsers())
        loads.push_back(cast<DescLoadOp>(user));
  }
  return loads;
}

void copyOnce(func::FuncOp kernel, ArrayRef<DescLoadOp> loads) {
  if (loads.empty())
    return;
  Location location = loads.front()->getLoc();
  Block *body = &kernel.getBody().front();
  OpBuilder builder = OpBuilder::atBlockBegin(body);
  auto type = simt::BarriersType::get(kernel.getContext(), 1);
  Value objects = simt::BarrierAllocOp::create(builder, location, type, IntegerAttr());
  // `start_barriers` contains a fence and a barrier, which order the copies after earlier writes to memory. Its place
  // is therefore the top of the kernel. A producer's objects start there, too; adjacent start_barriers share one fence
  // and one barrier.
  auto isByProducer = [](simt::CopyTileOp copy) {
    return simt::issuerOf(copy) == simt::Issuer::Producer ? WalkResult::interrupt() : WalkResult::advance();
  };
  bool hasProducer = kernel.walk(isByProducer).wasInterrupted();
  if (hasProducer)
    builder.setInsertionPoint(*body->getOps<simt::StartBarriersOp>().begin());
  simt::StartBarriersOp::create(builder, location, objects, uint32_t(loads.size()));
  Value first = arith::ConstantOp::create(builder, location, builder.getI32IntegerAttr(0));
  Value always = arith::ConstantOp::create(builder, location, builder.getBoolAttr(true));
  if (!hasProducer)
    for (DescLoadOp load : loads)
      for (Value offset : load.getOffsets())
        computeFirst(offset, builder);
  Value arrival;
  SmallVector<Operation *> replaced; // erased later: the builder may stand at one of them
  for (DescLoadOp load : loads) {
    simt::SharedStoreOp store = storeOf(load);
    store.getDst().getDefiningOp()->moveBefore(body, body->begin());
    if (hasProducer) // which begins with these copies, wherever they stand
      builder.setInsertionPoint(load);
    auto copy = simt::CopyTileOp::create(builder, load.getLoc(), load.getDesc(), load.getOffsets(), store.getDst(),
                                         objects, first, first, always, store.getTf32(),
                                         load->hasAttr(kEvictFirstAttr) ? always : Value());
    if (hasProducer)
      simt::setSchedule(copy, /*ahead=*/0, /*place=*/0, simt::Issuer::Producer);
    arrival = copy;
    if (isa<simt::FenceOp>(store->getNextNode()))
      replaced.push_back(store->getNextNode());
    replaced.append({store, load});
  }
  for (Operation *each : replaced)
    each->erase();
  builder.setInsertionPointAfterValue(arrival);
  auto waitsAt = builder.getInsertionPoint();
  while (!endsBeginning(&*waitsAt))
    ++waitsAt;
  builder.setInsertionPoint(body, waitsAt);
  simt::WaitTilesOp::create(builder, location, arrival, objects);
  simt::EndBarriersOp::create(builder, location, objects);
}

} // namespace tegula::tile
