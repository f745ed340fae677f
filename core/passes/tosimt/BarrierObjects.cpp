// Copies by hardware, and the barrier objects at which they arrive. Thread 0 makes the objects, announces the bytes of
// a copy and starts the copy; all threads wait. A copy out may be started by one thread of each set of four warps. In a
// producer, its single thread does all of this.
#include "core/passes/layouts/ProductLayouts.h"
#include "core/passes/tosimt/Lowering.h"

using namespace mlir;

namespace tegula::tosimt {

/// Whether nothing before these objects accesses memory: all earlier ops of the kernel only compute scalars, and
/// exchange nothing between threads.
static bool areFirst(simt::StartBarriersOp start) {
  auto isQuiet = [](Operation &op) {
    if (isa<simt::SharedAllocOp, simt::BarrierAllocOp, simt::StartBarriersOp>(op))
      return true;
    return !llvm::any_of(op.getOperandTypes(), llvm::IsaPred<TensorType>) && op.getNumRegions() == 0 &&
           isMemoryEffectFree(&op);
  };
  return isa<func::FuncOp>(start->getParentOp()) &&
         llvm::all_of(llvm::make_range(start->getBlock()->begin(), start->getIterator()), isQuiet);
}

void Lowering::forOneThread(Value condition, llvm::function_ref<void()> emit, int64_t parts) {
  if (!isInProducer_) {     // a producer is a single thread, and all of its ops are in one branch
    Value number = thread_; // the thread's number within its part
    if (parts > 1)
      number = arith::RemUIOp::create(b_, location_, thread_, constant(warps() / parts * warpSize_));
    Value isFirst = arith::CmpIOp::create(b_, location_, arith::CmpIPredicate::eq, number, constant(0));
    condition = condition ? arith::AndIOp::create(b_, location_, isFirst, condition) : isFirst;
  }
  auto branch = scf::IfOp::create(b_, location_, condition, /*withElse=*/false);
  branch->setAttr(simt::kDivergentAttr, b_.getUnitAttr());
  OpBuilder::InsertionGuard guard(b_);
  b_.setInsertionPointToStart(branch.thenBlock());
  emit();
}

void Lowering::lowerArrival(simt::ArriveWarpsOp arrive) {
  auto emit = [&] {
    simt::BarrierArriveOp::create(b_, location_, get(arrive.getBarriers()), get(arrive.getIndex()));
    if (arrive.getRank())
      simt::BarrierArriveOp::create(b_, location_, get(arrive.getBarriers()), get(arrive.getIndex()),
                                    get(arrive.getRank()));
  };
  if (isInProducer_)
    return emit();
  if (arrive.getLoaded()) {
    // The arrival alone does not order this thread's loads before a copy by hardware to the same bytes
    // (docs/matrix/producer.md). Without the fence the copy may overwrite what they have not read yet.
    simt::FenceOp::create(b_, location_, simt::FenceKind::Async);
    simt::BarrierOp::create(b_, location_, b_.getI32IntegerAttr(1));
  }
  auto branch = scf::IfOp::create(b_, location_, simt::ElectOp::create(b_, location_, b_.getI1Type()),
                                  /*withElse=*/false);
  branch->setAttr(simt::kDivergentAttr, b_.getUnitAttr());
  OpBuilder::InsertionGuard guard(b_);
  b_.setInsertionPointToStart(branch.thenBlock());
  emit();
}

LogicalResult Lowering::lowerBarrierObjects(Operation *op) {
  if (auto alloc = dyn_cast<simt::BarrierAllocOp>(op)) {
    set(alloc, simt::BarrierAllocOp::create(b_, location_, alloc.getType(), alloc.getOffsetAttr()));
    return success();
  }
  if (auto start = dyn_cast<simt::StartBarriersOp>(op)) {
    forOneThread({}, [&] {
      for (int64_t number = 0; number < start.getBarriers().getType().getCount(); ++number)
        simt::BarrierInitOp::create(b_, location_, get(start.getBarriers()), constant(number), start.getCount());
      simt::FenceOp::create(b_, location_, simt::FenceKind::BarrierInit);
    });
    if (isa<simt::StartBarriersOp>(start->getNextNode()))
      return success(); // one barrier for several arrays, after the last of them
    // A fence orders the copies after earlier accesses of threads: the storage that copies write may have been used by
    // an exchange, and the kernel may have stored to the global memory that they read. It is omitted if no access
    // precedes.
    bool mayFollowAccesses = !areFirst(start);
    if (mayFollowAccesses)
      simt::FenceOp::create(b_, location_, simt::FenceKind::AsyncDevice);
    // This barrier makes all threads wait until the objects are made. A barrier of the cluster that follows does that,
    // too, but orders no other accesses: it is enough only if no access comes before.
    if (mayFollowAccesses || !isa<simt::ClusterBarrierOp>(start->getNextNode()))
      simt::BarrierOp::create(b_, location_, IntegerAttr());
    return success();
  }
  if (auto end = dyn_cast<simt::EndBarriersOp>(op)) {
    if (!isa_and_nonnull<simt::EndBarriersOp>(end->getPrevNode())) // one barrier for several arrays
      simt::BarrierOp::create(b_, location_, IntegerAttr());
    forOneThread({}, [&] {
      for (int64_t number = 0; number < end.getBarriers().getType().getCount(); ++number)
        simt::BarrierInvalidateOp::create(b_, location_, get(end.getBarriers()), constant(number));
    });
    return success();
  }
  if (isa<simt::ClusterBarrierOp>(op)) {
    simt::ClusterBarrierOp::create(b_, location_);
    return success();
  }
  if (auto arrive = dyn_cast<simt::ArriveWarpsOp>(op)) {
    lowerArrival(arrive);
    return success();
  }
  if (auto wait = dyn_cast<simt::BarrierWaitOp>(op)) {
    simt::BarrierWaitOp::create(b_, location_, get(wait.getBarriers()), get(wait.getIndex()), get(wait.getPhase()));
    return success();
  }
  return lowerTileCopies(op);
}

int64_t Lowering::partsOfCopyOut(simt::CopyOutOp copy) {
  int64_t sets = warps() / simt::kSetWarps;
  SmallVector<int64_t> shape(copy.getSrc().getType().getShape());
  if (sets < 2 || warps() % simt::kSetWarps || shape.size() < 2 || shape[shape.size() - 2] % (8 * sets))
    return 1;
  shape[shape.size() - 2] /= sets;
  bool onlyStores = llvm::all_of(copy.getDescriptor().getUsers(), llvm::IsaPred<simt::CopyOutOp>);
  // Sets of warps that do not wait for each other would store several results in any order. That is wrong if the
  // results go to the same addresses, one after another, so only a single result is copied by sets, part by part. (Its
  // parts are disjoint.)
  bool isAlone = true;
  planned_.walk([&](simt::CopyOutOp each) { isAlone &= each == copy || (each.getLater() && copy.getLater()); });
  // Loads of elements of the copied type may be from the array that the copy writes: one set's copy could overtake
  // another set's loads. Arrays of other element types are other arrays (docs/passes/shared.md, "Global memory").
  planned_.walk([&](tile::LoadOp load) {
    isAlone &= getElementTypeOrSelf(load.getType()) != copy.getSrc().getType().getElementType();
  });
  bool areRows = false; // some product's rows are divided among the sets in this way
  planned_.walk([&](simt::ProductOp product) { areRows |= tile::partsOfProduct(product)[0] == sets; });
  return onlyStores && isAlone && areRows && copy.getSrc().getType().getPartType(shape) ? sets : 1;
}

void Lowering::startTileCopy(simt::CopyTileOp copy) {
  Value barriers = get(copy.getBarriers()), index = get(copy.getIndex());
  SmallVector<Value> position;
  for (Value coordinate : copy.getPosition())
    position.push_back(get(coordinate));
  auto load = [&](bool once, bool multicast) {
    simt::LoadTileOp::create(b_, location_, get(copy.getDescriptor()), position, get(copy.getDst()), barriers, index,
                             copy.getTf32(), once, multicast);
  };
  auto loadAlone = [&] {
    if (copy.getOnce())
      branch(
          get(copy.getOnce()), simt::kDivergentAttr, [&] { return load(true, false), Value(); },
          [&] { return load(false, false), Value(); });
    else
      load(false, false);
    return Value();
  };
  forOneThread(get(copy.getCondition()), [&] {
    simt::BarrierExpectOp::create(b_, location_, barriers, index, uint32_t(copy.getDst().getType().getBytes()));
    if (copy.getMulticast())
      branch(get(copy.getMulticast()), simt::kDivergentAttr, [&] { return load(false, true), Value(); }, loadAlone);
    else
      loadAlone();
  });
  values_[copy.getArrival()] = {index, get(copy.getPhase())};
}

LogicalResult Lowering::lowerTileCopies(Operation *op) {
  if (auto copy = dyn_cast<simt::CopyTileOp>(op)) {
    startTileCopy(copy);
    return success();
  }
  if (auto copy = dyn_cast<simt::CopyOutOp>(op)) {
    SmallVector<Value> position;
    for (Value coordinate : copy.getPosition())
      position.push_back(get(coordinate));
    // After the last store it is enough to wait until the copy has read its buffer, which may then be written again or
    // freed: tile-mark-tile-copies lets hardware store only if nothing that follows in the program reads the stored
    // memory, and a launch ends after its stores. Any other store must be complete, because a later store may be to the
    // same addresses.
    bool isLast = true;
    for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
      isLast &= !isa<simt::CopyOutOp>(next);
    int64_t parts = partsOfCopyOut(copy);
    auto emit = [&] {
      Value source = get(copy.getSrc());
      if (parts > 1) {
        unsigned rows = unsigned(copy.getSrc().getType().getShape().size()) - 2;
        Value part = arith::DivUIOp::create(b_, location_, warp_, constant(warps() / parts));
        Value first =
            arith::MulIOp::create(b_, location_, part, constant(copy.getSrc().getType().getShape()[rows] / parts));
        Value &row = position[position.size() - 2];
        row = arith::AddIOp::create(b_, location_, row, first);
        source = partOfView(source, rows, parts, part);
      }
      simt::StoreTileOp::create(b_, location_, source, get(copy.getDescriptor()), position);
      simt::CommitStoresOp::create(b_, location_);
      if (!copy.getLater())
        simt::WaitStoresOp::create(b_, location_, /*reads=*/isLast, /*pending=*/0u);
    };
    forOneThread({}, emit, parts);
    return success();
  }
  if (auto waited = dyn_cast<simt::WaitCopyOutOp>(op)) {
    int64_t parts = 1;
    planned_.walk([&](simt::CopyOutOp copy) {
      if (copy.getLater())
        parts = partsOfCopyOut(copy);
    });
    auto emit = [&] { simt::WaitStoresOp::create(b_, location_, /*reads=*/true, waited.getPending()); };
    forOneThread({}, emit, parts);
    return success();
  }
  auto wait = cast<simt::WaitTilesOp>(op);
  const Values &arrival = values_.at(wait.getArrival());
  simt::BarrierWaitOp::create(b_, location_, get(wait.getBarriers()), arrival[0], arrival[1]);
  return success();
}

LogicalResult Lowering::lowerProducer(simt::ProducerOp op) {
  SmallVector<Value> captures;
  for (Value capture : op.getCaptures())
    captures.push_back(get(capture));
  auto made = simt::ProducerOp::create(b_, location_, captures, op.getWarps(), op.getRegisters());
  OpBuilder::InsertionGuard guard(b_);
  Block *body = b_.createBlock(&made.getBody());
  for (BlockArgument argument : op.getBody().getArguments())
    set(argument, body->addArgument(argument.getType(), argument.getLoc()));
  isInProducer_ = true;
  LogicalResult result = lowerBlock(op.getBody().front());
  isInProducer_ = false;
  b_.setInsertionPointToEnd(body);
  simt::EndGroupOp::create(b_, location_);
  return result;
}

} // namespace tegula::tosimt
