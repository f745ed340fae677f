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

/// Distributes `count` lanes or warps over `axes`, in order, at most room[axis] along each; the remainder goes to the
/// last axis, where it makes copies. Example: 32 along axes (1, 0) with room (4, 16) gives (2, 16).
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
  // The box grows towards a square of at most 4 x 4, as long as there is a box for every thread.
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

bool suits(DistributedAttr layout, ArrayRef<int64_t> shape, const AccessShape &access, int64_t elementBytes,
           ThreadShape threads) {
  // How many neighbours along order[0] the lowest register bits hold in one thread, and how many threads the lowest
  // lane bits put side by side.
  auto run = [&](DistributedAttr of) {
    unsigned fast = access.order[0];
    int64_t registers = 1, lanes = 1;
    auto follow = [&](ArrayRef<int64_t> bases, int64_t &count, int64_t step) {
      for (size_t at = 0; at < bases.size(); at += of.getRank())
        for (unsigned axis = 0; axis < of.getRank(); ++axis)
          if (bases[at + axis] != (axis == fast ? step * count : 0))
            return;
          else if (axis + 1 == of.getRank())
            count *= 2;
    };
    follow(of.getRegisters(), registers, 1);
    registers = std::min(registers, access.width);
    follow(of.getLanes(), lanes, registers);
    return std::pair(registers, lanes);
  };
  auto [registers, lanes] = run(layout);
  auto [bestRegisters, bestLanes] = run(accessLayout(layout.getContext(), shape, access, threads));
  constexpr int64_t kSectorBytes = 32;
  int64_t line = std::min(bestRegisters * bestLanes * elementBytes, kSectorBytes);
  return registers * 2 >= bestRegisters && registers * lanes * elementBytes >= line;
}

} // namespace tegula::tile
