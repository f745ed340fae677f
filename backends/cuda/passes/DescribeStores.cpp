// tile-describe-stores (TilePasses.td): replaces a store through pointers by a store through a descriptor, which
// hardware can copy.
//
// Emits positions and a descriptor, queries the analyses about them, and removes the descriptor again if hardware
// cannot copy the block, as tile-describe-loads does.
#include "backends/cuda/passes/Passes.h"
#include "core/ir/simt/Target.h"
#include "core/passes/Budget.h"
#include "core/passes/analysis/Uniform.h"
#include "core/passes/layouts/LayoutChoice.h"
#include "core/passes/loops/AccessBlock.h"
#include "core/passes/loops/TileCopies.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_DESCRIBESTORES
#include "backends/cuda/passes/TilePasses.h.inc"

namespace {

/// The kernel's only store through pointers, if it stores a tensor and is in the kernel's body; else null.
StoreOp onlyStore(func::FuncOp function) {
  StoreOp only;
  bool isOnly = true;
  function.walk([&](StoreOp store) {
    isOnly &= !only && isa<func::FuncOp>(store->getParentOp()) && isa<RankedTensorType>(store.getValue().getType());
    only = store;
  });
  return isOnly ? only : StoreOp();
}

/// Whether threads can load the block by rows, in vectors of 16 bytes, and then convert it to the layout of a product's
/// result without shared memory. In that layout a thread has two neighbours of a row; each swap of a lane bit with a
/// register bit doubles them (LayoutGroups::ownLayoutOf selects the layout).
bool isReadByRows(LoadOp load, const AxisAnalysis &axes) {
  constexpr int64_t kVectorBytes = 16;
  auto type = cast<RankedTensorType>(load.getType());
  int64_t bytes = simt::elementBytes(type.getElementType()), pairs = std::max<int64_t>(kVectorBytes / bytes / 2, 1);
  return int64_t(llvm::Log2_64(uint64_t(pairs))) <= simt::targetOf(load).policies.swappedLaneBits &&
         axes.accessWidth(load.getPtr(), load.getMask(), size_t(type.getRank()) - 1) * bytes >= kVectorBytes;
}

/// The threads' loads of blocks, such as a residual, from which the stored value is computed element by element.
/// Nothing if hardware should not store the value, because one of the blocks cannot be read by rows or its elements
/// move between positions. Such a block is exchanged through shared memory. The buffer of a store by hardware leaves so
/// little of that memory that the exchange would take many rounds.
std::optional<SmallVector<LoadOp>> loadsOf(StoreOp store) {
  auto type = cast<RankedTensorType>(store.getValue().getType());
  AxisAnalysis axes(store->getParentOfType<func::FuncOp>());
  SmallVector<LoadOp> loads;
  SmallVector<std::pair<Value, bool>> pending = {{store.getValue(), true}}; // second: all ops so far are elementwise
  llvm::SmallPtrSet<Value, 16> seen[2];
  while (!pending.empty()) {
    auto [value, isByElement] = pending.pop_back_val();
    Operation *op = value.getDefiningOp();
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    if (!op || !tensor || tensor.getShape() != type.getShape() || !seen[isByElement].insert(value).second)
      continue;
    auto load = dyn_cast<LoadOp>(op);
    if (isa<DescLoadOp>(op) || (load && !(isByElement && isReadByRows(load, axes))))
      return std::nullopt;
    if (load) {
      if (!llvm::is_contained(loads, load))
        loads.push_back(load);
      continue;
    }
    bool isElement = isByElement && isElementwise(op);
    if (!isa<DotOp, scf::ForOp>(op))
      for (Value operand : op->getOperands())
        pending.push_back({operand, isElement});
  }
  return loads;
}

/// Whether a thread's registers can hold the value in f32 and the loaded blocks.
bool fitRegisters(StoreOp store, ArrayRef<LoadOp> loads) {
  int64_t mostBytes = simt::Budget(store).registerBytesForResult();
  auto elements = [](Value value) { return cast<RankedTensorType>(value.getType()).getNumElements(); };
  int64_t bytes = elements(store.getValue()) * 4;
  for (LoadOp load : loads)
    bytes += elements(load.getResult()) * simt::elementBytes(getElementTypeOrSelf(load.getType()));
  return loads.empty() || bytes <= mostBytes * threadsOf(store).count();
}

/// Whether the pointers may be into the array of this argument: they are computed from it, or from something that is
/// not an argument.
bool mayFollowFrom(Value pointers, BlockArgument argument) {
  auto isPointer = [](Value value) { return isa<PtrType>(getElementTypeOrSelf(value.getType())); };
  SmallVector<Value> pending = {pointers};
  llvm::SmallPtrSet<Value, 16> seen;
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (auto carried = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast<scf::ForOp>(carried.getOwner()->getParentOp());
      if (loop)
        pending.append({loop.getTiedLoopInit(carried)->get(), loop.getTiedLoopYieldedValue(carried)->get()});
      else if (carried == argument || !isa<func::FuncOp>(carried.getOwner()->getParentOp()))
        return true;
      continue;
    }
    Operation *op = value.getDefiningOp();
    auto from = llvm::make_filter_range(op->getOperands(), isPointer);
    if (from.empty() || op->getNumRegions())
      return true;
    llvm::append_range(pending, from);
  }
  return false;
}

/// Whether threads may load from the array to which the argument points. A copy out is not ordered with their loads:
/// some warps may start the copy while others still load.
bool mayLoadFrom(func::FuncOp function, BlockArgument argument) {
  return function
      .walk([&](LoadOp load) {
        return mayFollowFrom(load.getPtr(), argument) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether hardware may copy loads in loops of the kernel.
bool copiesLoads(func::FuncOp function) {
  return function
      .walk([](DescLoadOp load) {
        return isa<scf::ForOp>(load->getParentOp()) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

class StoreDescriber {
public:
  StoreDescriber(func::FuncOp function, StoreOp store) : function_(function), store_(store) {}

  void run() {
    std::string obstacle = describe();
    explainCopy(store_.getLoc(), obstacle);
    if (obstacle.empty())
      store_.erase();
  }

private:
  /// Makes the store through a descriptor and returns an empty text, or returns the reason why it cannot be made.
  std::string describe() {
    std::optional<SmallVector<LoadOp>> loads = loadsOf(store_);
    if (!loads)
      return "what it stores is computed from a block that threads load, not by rows in vectors of 16 bytes";
    if (!fitRegisters(store_, *loads))
      return "the blocks that threads load for it take too many registers beside it";
    std::string obstacle;
    std::optional<AccessBlock> block = blockOf(store_, scalars_, obstacle);
    if (!block)
      return obstacle;
    if (block->isTransposed)
      return "its elements lie side by side along its first axis";
    if (mayLoadFrom(function_, function_.getArgument(block->tensor.pointer)))
      return "threads may load from the same array";
    Type element = cast<RankedTensorType>(store_.getValue().getType()).getElementType();
    if (!isKnownAligned(function_, *block, element))
      return "its address, or the distance between its lines, is not known to be a multiple of 16 bytes";
    OpBuilder builder(store_);
    SmallVector<Value> positions;
    if (!placeBlock(builder, function_, store_.getLoc(), *block, scalars_, positions))
      return "a position may be negative";
    BlockArgument descriptor = addDescriptor(function_, *block, element, store_.getLoc());
    auto made = DescStoreOp::create(builder, store_.getLoc(), descriptor, store_.getValue(), positions);
    store_->remove();
    AxisAnalysis axes(function_, AxisAnalysis::Facts::Ignored);
    bool canCopy = !storesToCopy(function_, axes).empty();
    made->getBlock()->getOperations().insert(made->getIterator(), store_);
    if (!canCopy) {
      made.erase();
      (void)function_.eraseArgument(descriptor.getArgNumber());
      return "blocks, or what the kernel does beside, are not what hardware copies out";
    }
    deriveTensor(function_, descriptor, *block);
    return "";
  }

  func::FuncOp function_;
  StoreOp store_;
  Polynomials scalars_;
};

struct DescribeStoresPass : impl::DescribeStoresBase<DescribeStoresPass> {
  void runOnOperation() override {
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal() || !function->hasAttr(kKernelAttr) || !copiesLoads(function))
        continue;
      if (StoreOp store = onlyStore(function))
        StoreDescriber(function, store).run();
    }
  }
};

} // namespace
} // namespace tegula::tile
