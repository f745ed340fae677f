#include "core/passes/layouts/LayoutChoice.h"

#include "core/ir/simt/Target.h"
#include "core/layout/Layouts.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tegula::tile {
namespace {

using layout_ir::DistributedAttr;

int64_t product(ArrayRef<int64_t> shape) {
  int64_t result = 1;
  for (int64_t extent : shape)
    result *= extent;
  return result;
}

std::vector<uint32_t> words(ArrayRef<int64_t> shape) { return {shape.begin(), shape.end()}; }

/// Distributes `count` lanes or warps over `axes`, in this order, at most room[axis] along each axis. The remainder
/// goes to the last axis, where it makes copies. Example: 32 along axes (1, 0) with room (4, 16) gives (2, 16).
std::vector<uint32_t> deal(int64_t count, ArrayRef<unsigned> axes, ArrayRef<int64_t> room) {
  std::vector<uint32_t> result(room.size(), 1);
  for (unsigned axis : axes) {
    int64_t taken = std::min(count, std::max<int64_t>(room[axis], 1));
    result[axis] = taken;
    count /= taken;
  }
  result[axes.back()] *= count;
  return result;
}

DistributedAttr blocked(MLIRContext *context, ArrayRef<int64_t> shape, ArrayRef<unsigned> order,
                        std::vector<uint32_t> perThread, ArrayRef<unsigned> laneAxes, ArrayRef<unsigned> warpAxes,
                        ThreadShape threads) {
  SmallVector<int64_t> room;
  for (auto [extent, mine] : llvm::zip_equal(shape, perThread))
    room.push_back(extent / mine);
  std::vector<uint32_t> lanes = deal(threads.warpSize, laneAxes, room);
  for (auto [left, taken] : llvm::zip_equal(room, lanes))
    left = std::max<int64_t>(left / taken, 1);
  std::vector<uint32_t> warps = deal(threads.warps, warpAxes, room);
  return DistributedAttr::get(
      context, layout::blocked({std::move(perThread), lanes, warps, {order.begin(), order.end()}, words(shape)}));
}

} // namespace

ThreadShape threadsOf(Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    module = op->getParentOfType<ModuleOp>();
  auto numWarps = module->getAttrOfType<IntegerAttr>(kNumWarpsAttr);
  TargetFeatures features = simt::targetOf(module).features;
  int64_t threads = (numWarps ? numWarps.getInt() : 4) * features.threadsPerWarp;
  return {std::max<int64_t>(threads / features.warpSize, 1), features.warpSize};
}

SmallVector<unsigned, 4> rowMajorOrder(size_t rank) {
  SmallVector<unsigned, 4> order = llvm::to_vector<4>(llvm::seq<unsigned>(0, rank));
  std::reverse(order.begin(), order.end());
  return order;
}

DistributedAttr accessLayout(MLIRContext *context, ArrayRef<int64_t> shape, const AccessShape &access,
                             ThreadShape threads) {
  std::vector<uint32_t> perThread(shape.size(), 1);
  int64_t share = std::max<int64_t>(product(shape) / threads.count(), 1);
  perThread[access.order[0]] = std::min({access.width, share, shape[access.order[0]]});
  if (access.runAxis != access.order[0])
    perThread[access.runAxis] =
        std::max<int64_t>(std::min({access.run, share / perThread[access.order[0]], shape[access.runAxis]}), 1);
  SmallVector<unsigned, 4> slowFirst = llvm::to_vector<4>(llvm::reverse(access.order));
  return blocked(context, shape, access.order, std::move(perThread), access.order, slowFirst, threads);
}

DistributedAttr productLayout(MLIRContext *context, ArrayRef<int64_t> shape, ThreadShape threads) {
  unsigned rank = shape.size(), row = rank - 2, column = rank - 1;
  std::vector<uint32_t> perThread(rank, 1);
  // `perThread` is the box of rows and columns that one thread has. The box grows towards a square of at most 4 x 4,
  // while there are enough boxes for all threads.
  int64_t share = std::max<int64_t>(product(shape) / threads.count(), 1);
  for (unsigned axis = column; share > 1 && perThread[row] * perThread[column] < 16;
       axis = axis == row ? column : row) {
    unsigned other = axis == row ? column : row;
    unsigned grown = perThread[axis] < std::min<int64_t>(4, shape[axis]) ? axis : other;
    if (perThread[grown] >= std::min<int64_t>(4, shape[grown]))
      break;
    perThread[grown] *= 2;
    share /= 2;
  }
  SmallVector<unsigned, 4> order = rowMajorOrder(rank), slowFirst = llvm::to_vector<4>(llvm::reverse(order));
  return blocked(context, shape, order, std::move(perThread), order, slowFirst, threads);
}

DistributedAttr splitLayout(MLIRContext *context, ArrayRef<int64_t> shape, ThreadShape threads) {
  if (shape.size() == 1) {
    SmallVector<int64_t> lanes(llvm::Log2_64(threads.warpSize), 0), warps(llvm::Log2_64(threads.warps), 0);
    return DistributedAttr::get(context, 1, {1}, lanes, warps, {});
  }
  SmallVector<int64_t> rest(shape.drop_back());
  return layout_ir::join(accessLayout(context, rest, {rowMajorOrder(rest.size()), 4}, threads));
}

/// The bits whose bases are steps along `axis` alone: of `step` elements, of 2 * step, and so on up to the first step
/// that no bit makes. Example: for register (0,1) (8,0) (0,2), axis 1, step 1 the result is bits 0 and 2.
static SmallVector<unsigned> neighbourBits(ArrayRef<int64_t> bases, unsigned rank, unsigned axis, int64_t step) {
  SmallVector<unsigned> bits;
  for (bool isFound = true; isFound; step *= 2) {
    isFound = false;
    for (unsigned bit = 0; bit < bases.size() / rank && !isFound; ++bit) {
      isFound = llvm::all_of(llvm::seq(0u, rank),
                             [&](unsigned each) { return bases[bit * rank + each] == (each == axis ? step : 0); });
      if (isFound)
        bits.push_back(bit);
    }
  }
  return bits;
}

DistributedAttr withNeighboursFirst(DistributedAttr layout, unsigned axis) {
  ArrayRef<int64_t> registers = layout.getRegisters();
  unsigned rank = layout.getRank();
  SmallVector<unsigned> order = neighbourBits(registers, rank, axis, 1);
  for (unsigned bit = 0; bit < registers.size() / rank; ++bit)
    if (!llvm::is_contained(order, bit))
      order.push_back(bit);
  SmallVector<int64_t> made;
  for (unsigned bit : order)
    llvm::append_range(made, registers.slice(bit * rank, rank));
  return DistributedAttr::get(layout.getContext(), rank, made, layout.getLanes(), layout.getWarps(),
                              layout.getBlocks());
}

DistributedAttr withRuns(DistributedAttr layout, unsigned axis, int64_t width, int64_t mostSwaps) {
  unsigned rank = layout.getRank();
  SmallVector<int64_t> registers(layout.getRegisters()), lanes(layout.getLanes());
  // `run`: how many neighbours along the axis one thread has. `next`: the lane bits that select the elements after
  // these. `behind`: the register bits that select the elements after those of all these lanes.
  int64_t run = int64_t(1) << neighbourBits(registers, rank, axis, 1).size();
  SmallVector<unsigned> next = neighbourBits(lanes, rank, axis, run);
  SmallVector<unsigned> behind = neighbourBits(registers, rank, axis, run << next.size());
  int64_t most = std::min<int64_t>({mostSwaps, int64_t(next.size()), int64_t(behind.size())});
  for (int64_t i = 0; i < most && run < width; ++i, run *= 2)
    std::swap(lanes[next[i] * rank + axis], registers[behind[i] * rank + axis]);
  auto made = DistributedAttr::get(layout.getContext(), rank, registers, lanes, layout.getWarps(), layout.getBlocks());
  return withNeighboursFirst(made, axis);
}

/// The number of neighbours along the axis that consecutive registers of a thread hold.
static int64_t runOf(DistributedAttr layout, unsigned axis) {
  unsigned inOrder = 0;
  SmallVector<unsigned> bits = neighbourBits(layout.getRegisters(), layout.getRank(), axis, 1);
  while (inOrder < bits.size() && bits[inOrder] == inOrder)
    ++inOrder;
  return int64_t(1) << inOrder;
}

bool suits(DistributedAttr layout, ArrayRef<int64_t> shape, const AccessShape &access, int64_t elementBytes,
           ThreadShape threads, bool isLoad) {
  // kSectorBytes: the unit in which memory is loaded. kMostCachedBytes: if a thread's neighbouring loads take at most
  // this many bytes together (two to four loads), the later ones find in the cache what the first one's sectors
  // contain.
  constexpr int64_t kSectorBytes = 32, kMostCachedBytes = 64;
  // Returns how many elements along order[0] one access of a thread moves, and how many neighbouring elements the
  // accesses of all lanes touch at about the same time.
  auto run = [&](DistributedAttr of) {
    int64_t own = runOf(of, access.order[0]), width = std::min(own, access.width);
    int64_t filled = isLoad && own * elementBytes <= kMostCachedBytes ? own : width;
    SmallVector<unsigned> lanes = neighbourBits(of.getLanes(), of.getRank(), access.order[0], filled);
    return std::pair(width, filled << lanes.size());
  };
  auto [width, filled] = run(layout);
  auto [bestWidth, bestFilled] = run(accessLayout(layout.getContext(), shape, access, threads));
  return width * 2 >= bestWidth && filled * elementBytes >= std::min(bestFilled * elementBytes, kSectorBytes);
}

int64_t accessesIn(DistributedAttr layout, const AccessShape &access) {
  int64_t width = std::min(runOf(layout, access.order[0]), access.width);
  int64_t equal = access.constancy.empty() ? 0 : layout_ir::registersInGroups(layout, access.constancy) & ~(width - 1);
  return (layout_ir::registersOf(layout) >> llvm::popcount(uint64_t(equal))) / width;
}

} // namespace tegula::tile
