#include "core/passes/analysis/CodeSize.h"

#include "core/ir/Locations.h"
#include "core/ir/layout/LayoutRules.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tegula::tile {
namespace {

/// The number of a tensor's elements that one thread holds; 0 for other types.
int64_t valuesOf(Type type, int64_t threads) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return 0;
  if (auto layout = dyn_cast_or_null<layout_ir::DistributedAttr>(tensor.getEncoding()))
    return layout_ir::registersOf(layout);
  return isa_and_nonnull<layout_ir::FragmentsAttr>(tensor.getEncoding()) ? tensor.getNumElements() / threads : 0;
}

/// The number of operations that code generators emit for an op: one for each element of its longest vector. Constants,
/// copies and selections of registers cost none. The body of a loop is counted once.
int64_t operationsOf(Operation *op) {
  if (op->getNumRegions() > 0 || isa<arith::ConstantOp, simt::SplatOp, simt::PickOp, simt::ConcatOp>(op))
    return 0;
  int64_t most = 1;
  auto look = [&](TypeRange types) {
    for (Type type : types)
      if (auto vector = dyn_cast<VectorType>(type))
        most = std::max(most, vector.getNumElements());
  };
  look(op->getOperandTypes());
  look(op->getResultTypes());
  return most;
}

} // namespace

LogicalResult checkValues(func::FuncOp planned) {
  int64_t threads = simt::kernelWarps(planned) * simt::kernelWarpSize(planned);
  WalkResult result = planned.walk([&](Operation *op) {
    if (isa<arith::ConstantOp>(op)) // constants are folded: their locations are those of other ops
      return WalkResult::advance();
    for (Type type : op->getResultTypes()) {
      int64_t values = valuesOf(type, threads);
      if (values <= kMostValues)
        continue;
      setShortage(planned, {"values of a tensor in a thread", uint64_t(values), uint64_t(kMostValues)});
      emitError(op->getLoc()) << "a tensor of " << cast<RankedTensorType>(type).getNumElements() << " elements is "
                              << values << " values in each of " << threads << " threads, at most " << kMostValues
                              << " compile for this target; use smaller blocks and more programs, or more warps";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult checkOperations(func::FuncOp kernel) {
  int64_t sum = 0;
  llvm::MapVector<Location, int64_t> ofLocation;
  kernel.walk([&](Operation *op) {
    int64_t operations = operationsOf(op);
    sum += operations;
    ofLocation[op->getLoc()] += operations;
  });
  if (sum <= kMostOperations)
    return success();
  auto largest = llvm::max_element(ofLocation, llvm::less_second());
  setShortage(kernel, {"operations of a thread", uint64_t(sum), uint64_t(kMostOperations)});
  return emitError(largest->first) << "the code of kernel '" << kernel.getName() << "' has " << sum
                                   << " operations for each thread, " << largest->second
                                   << " of them for this; at most " << kMostOperations
                                   << " compile for this target; use smaller blocks, more warps, or a loop over parts";
}

} // namespace tegula::tile
