#include "core/passes/loops/LoopLoads.h"

#include "core/ir/simt/Simt.h"
#include "core/passes/analysis/Uniform.h"
#include "core/passes/shared/GlobalAccess.h"

using namespace mlir;

namespace tegula::tile {

SmallVector<scf::ForOp> innermostLoops(Operation *op) {
  SmallVector<scf::ForOp> loops;
  op->walk([&](scf::ForOp loop) {
    if (!loop.getBody()->walk([](LoopLikeOpInterface) { return WalkResult::interrupt(); }).wasInterrupted())
      loops.push_back(loop);
  });
  return loops;
}

bool passesOn(Operation *op) {
  return isElementwise(op) || isShapeChange(op) || isa<SplatOp, JoinOp, CatOp, SplitOp>(op);
}

SmallVector<LoadOp> feedingLoads(scf::ForOp loop) {
  DenseSet<Operation *> reached;
  SmallVector<Value> next;
  loop.walk([&](Operation *op) {
    if (isa<DotOp, simt::ProductOp, simt::SharedStoreOp>(op))
      llvm::copy_if(op->getOperands(), std::back_inserter(next), isTensor);
  });
  while (!next.empty()) {
    Operation *op = next.pop_back_val().getDefiningOp();
    if (!op || !loop->isAncestor(op) || !reached.insert(op).second)
      continue;
    if (passesOn(op))
      llvm::append_range(next, op->getOperands());
  }
  SmallVector<LoadOp> loads;
  loop.walk([&](LoadOp load) {
    if (reached.contains(load) && isNumberScalar(getElementTypeOrSelf(load.getType())))
      loads.push_back(load);
  });
  return loads;
}

int64_t stagesOf(scf::ForOp loop) {
  for (Operation *from : {loop.getOperation(), loop->getParentWithTrait<OpTrait::SymbolTable>()})
    if (auto stages = from->getAttrOfType<IntegerAttr>(kNumStagesAttr))
      return stages.getInt();
  return 1;
}

std::string ifApart(func::FuncOp kernel, ArrayRef<ArgumentPair> pairs) {
  auto nameOf = [&](uint32_t number) {
    auto name = kernel.getArgAttrOfType<StringAttr>(number, kNameAttr);
    return name ? "'" + name.str() + "'" : "argument " + std::to_string(number);
  };
  std::string text;
  for (auto [one, other] : pairs)
    text += (text.empty() ? ", if the memory of " : ", nor that of ") + nameOf(one) + " and " + nameOf(other) +
            (text.empty() ? " does not overlap" : "");
  return text;
}

int64_t bytesOfWhole(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return (tensor ? tensor.getNumElements() : 1) * simt::elementBytes(getElementTypeOrSelf(type));
}

namespace {

/// Whether an op reads the result of an atomic of the loop. If none does, the kernel cannot know whose writes an atomic
/// has acquired.
bool readsAtomics(scf::ForOp loop) {
  return loop
      ->walk([](Operation *op) {
        return isa<AtomicRmwOp, AtomicCasOp>(op) && !op->use_empty() ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The pointers through which an atomic writes, if later loads may pass it as they may pass a store: it does not
/// acquire, or the kernel cannot know what (`mayAcquire` is false). Null for other ops.
Value writtenUnordered(Operation *op, bool mayAcquire) {
  auto ordersLater = [&](MemoryOrder order) {
    return mayAcquire && order != MemoryOrder::Relaxed && order != MemoryOrder::Release;
  };
  if (auto rmw = dyn_cast<AtomicRmwOp>(op); rmw && !ordersLater(rmw.getOrder()))
    return rmw.getPtr();
  if (auto cas = dyn_cast<AtomicCasOp>(op); cas && !ordersLater(cas.getOrder()))
    return cas.getPtr();
  return {};
}

} // namespace

LoopWrites::LoopWrites(scf::ForOp loop) : loop_(loop) {
  if (auto kernel = loop->getParentOfType<func::FuncOp>())
    apart_ = apartArguments(kernel->getAttr(kApartAttr)).value_or(SmallVector<ArgumentPair>());
  bool mayAcquire = readsAtomics(loop);
  loop.walk([&](Operation *op) {
    if (Value written = writtenUnordered(op, mayAcquire))
      written_.push_back(written);
    else if (auto store = dyn_cast<StoreOp>(op))
      written_.push_back(store.getPtr());
    else if (auto load = dyn_cast<LoadOp>(op);
             load && (load.getIsVolatile() || load.getCache() == CacheModifier::Volatile))
      obstacle_ = "a volatile load keeps the order of what is around it";
    else if (op->getNumRegions() == 0 && !accessesNoMemory(op) &&
             !isa<LoadOp, LoadStridedOp, DescLoadOp, PrintOp, AssertOp, simt::CopyOp, simt::WaitCopiesOp,
                  simt::CopyTileOp, simt::WaitTilesOp, simt::ArriveWarpsOp, simt::BarrierWaitOp, simt::SharedAllocOp,
                  simt::SharedLoadOp, simt::SharedStoreOp, simt::FenceOp, simt::ProductOp, simt::WaitProductsOp>(op))
      obstacle_ = "'" + op->getName().getStringRef().str() + "' keeps the order of what is around it";
  });
}

std::string LoopWrites::obstacleOf(LoadOp load, SmallVectorImpl<ArgumentPair> *assumed) const {
  scf::ForOp loop = loop_;
  if (load->getParentOp() != loop)
    return "it stands in a branch";
  if (load.getIsVolatile())
    return "it is volatile";
  if (load.getCache() != CacheModifier::None)
    return "it names a cache";
  return obstacleToReads(load.getPtr(), assumed);
}

std::string LoopWrites::obstacleOf(simt::CopyOp copy, SmallVectorImpl<ArgumentPair> *assumed) const {
  return obstacleToReads(copy.getSrc(), assumed);
}

namespace {

constexpr StringLiteral kMayBeOne = "the loop writes elements of its type, and two arguments may be one array";

} // namespace

std::string LoopWrites::obstacleToReads(Value pointers, SmallVectorImpl<ArgumentPair> *assumed) const {
  simt::PointerRoots roots = simt::rootsOf(pointers);
  Type element = cast<PtrType>(getElementTypeOrSelf(pointers.getType())).getPointee();
  for (Value written : written_)
    if (simt::mayMeet(roots, simt::rootsOf(written)))
      return "the loop may write what it reads";
  for (Value written : written_) {
    if (cast<PtrType>(getElementTypeOrSelf(written.getType())).getPointee() != element)
      continue;
    for (Value root : roots.arguments)
      for (Value other : simt::rootsOf(written).arguments) {
        std::optional<ArgumentPair> pair = argumentPair(root, other);
        if (pair && llvm::is_contained(apart_, *pair))
          continue;
        if (!pair || !assumed)
          return kMayBeOne.str();
        if (!llvm::is_contained(*assumed, *pair))
          assumed->push_back(*pair);
      }
  }
  return obstacle_;
}

std::string LoopWrites::obstacleOf(Type element) const {
  // Two arguments may be the same array, which the loop updates in place. A load that is issued an iteration ahead
  // could then miss elements that the iteration before its own writes.
  for (Value pointers : written_)
    if (cast<PtrType>(getElementTypeOrSelf(pointers.getType())).getPointee() == element)
      return kMayBeOne.str();
  return obstacle_;
}

} // namespace tegula::tile
