// Verifies whole kernels: the rules that concern more than one op.
#include "core/ir/simt/Simt.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tegula::simt {
namespace {

bool isBranch(Operation *op) { return isa<scf::IfOp, scf::ForOp, scf::WhileOp>(op); }

LogicalResult verifyMark(Operation *op) {
  Attribute uniform = op->getAttr(kUniformAttr), divergent = op->getAttr(kDivergentAttr);
  if (uniform && divergent)
    return op->emitOpError() << "expected one of 'simt.uniform' and 'simt.divergent', found both";
  if (!uniform && !divergent)
    return op->emitOpError() << "expected 'simt.uniform' or 'simt.divergent' to say whether threads may part here";
  return success();
}

/// The size of the aligned sets of warps whose threads certainly take the same way through `branch`; 0: all warps of
/// the region; -1: not even the threads of one warp.
int64_t agreeingWarps(Operation *branch) {
  Attribute uniform = branch->getAttr(kUniformAttr);
  if (!uniform)
    return -1;
  if (auto count = dyn_cast<IntegerAttr>(uniform))
    return count.getInt();
  return 0;
}

std::string warpsText(int64_t warps, int64_t ofRegion) {
  if (warps == 0)
    return "all " + std::to_string(ofRegion) + " warps of the region";
  if (warps == 1)
    return "all lanes of a warp";
  return std::to_string(warps) + " warps";
}

LogicalResult verifyCollective(Operation *op, int64_t needed, int64_t ofRegion) {
  if (needed > ofRegion || (needed > 0 && ofRegion % needed != 0))
    return op->emitOpError() << "expected a region of a multiple of " << needed << " warps, found " << ofRegion;
  for (Operation *parent = op->getParentOp(); parent && !isa<WarpGroupsOp, func::FuncOp>(parent);
       parent = parent->getParentOp()) {
    if (!isBranch(parent))
      continue;
    int64_t agreeing = agreeingWarps(parent);
    if (agreeing == 0 || agreeing == ofRegion || (needed > 0 && agreeing >= needed))
      continue;
    InFlightDiagnostic error = op->emitOpError()
                               << "expected " << warpsText(needed, ofRegion)
                               << " to be here together, found it in a branch or loop that "
                               << (agreeing < 0 ? std::string("threads of a warp part at")
                                                : "only " + warpsText(agreeing, ofRegion) + " agree on");
    error.attachNote(parent->getLoc()) << "this is the branch or loop";
    return error;
  }
  return success();
}

/// Verifies the uses of values in flight, from the result of an asynchronous product on, through loops and branches.
LogicalResult verifyInFlight(AsyncMatmul start) {
  SmallVector<Value> work{start.getAccumulatorOut()};
  llvm::DenseSet<Value> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (isa<MatmulWaitOp, WaitProductsOp>(user))
        continue;
      if (auto next = dyn_cast<AsyncMatmul>(user);
          next && next.getAccumulatorIn() == value && llvm::count(user->getOperands(), value) == 1)
        continue;
      if (isa<scf::YieldOp>(user)) {
        unsigned number = use.getOperandNumber();
        if (auto loop = dyn_cast<scf::ForOp>(user->getParentOp())) {
          work.push_back(loop.getRegionIterArg(number));
          work.push_back(loop.getResult(number));
          continue;
        }
        if (auto branch = dyn_cast<scf::IfOp>(user->getParentOp())) {
          work.push_back(branch.getResult(number));
          continue;
        }
      }
      if (auto loop = dyn_cast<scf::ForOp>(user); loop && use.getOperandNumber() >= loop.getNumControlOperands()) {
        unsigned number = use.getOperandNumber() - loop.getNumControlOperands();
        work.push_back(loop.getRegionIterArg(number));
        work.push_back(loop.getResult(number));
        continue;
      }
      InFlightDiagnostic error = user->emitOpError()
                                 << "expected a finished accumulator, found one in flight; put a "
                                 << (isa<ProductOp>(start.getOperation()) ? "simt.wait_products" : "simt.matmul_wait")
                                 << " before it";
      error.attachNote(start->getLoc()) << "the product was started here";
      return error;
    }
  }
  return success();
}

LogicalResult verifyGroups(WarpGroupsOp groups, int64_t kernelWarpCount, bool &seen) {
  if (seen)
    return groups.emitOpError("expected one simt.warp_groups or simt.producer in a kernel, found a second");
  seen = true;
  if (!isa<func::FuncOp>(groups->getParentOp()))
    return groups.emitOpError("expected to stand at the top of a kernel, found it inside another op");
  int64_t sum = 0;
  for (int32_t warps : groups.getWarps())
    sum += warps;
  if (sum != kernelWarpCount)
    return groups.emitOpError() << "expected groups of " << kernelWarpCount
                                << " warps together, as the kernel has, found " << sum;
  return success();
}

/// Verifies that a layout has a basis for each lane bit and warp bit of the region, including those that number copies.
LogicalResult verifyLayout(Operation *op, Type type, int64_t lanes, int64_t warps) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (auto fragments = tensor ? dyn_cast_or_null<layout_ir::FragmentsAttr>(tensor.getEncoding()) : nullptr) {
    if (warps % fragments.getWarpCount() == 0)
      return success();
    return op->emitOpError() << "expected fragments divided over at most " << warps
                             << " warps, as the kernel has, found " << fragments;
  }
  auto layout = tensor ? dyn_cast_or_null<layout_ir::DistributedAttr>(tensor.getEncoding()) : nullptr;
  if (!layout || layout.getRank() == 0)
    return success();
  int64_t ofLanes = int64_t(1) << layout.getLanes().size() / layout.getRank();
  int64_t ofWarps = int64_t(1) << layout.getWarps().size() / layout.getRank();
  if (ofLanes == lanes && ofWarps == warps)
    return success();
  return op->emitOpError() << "expected layouts of " << warps << " warps of " << lanes
                           << " lanes, as the kernel has, found " << ofWarps << " of " << ofLanes << " in " << layout;
}

LogicalResult verifyLayouts(Operation *op, func::FuncOp function) {
  if (!function->hasAttr(kWarpSizeAttr))
    return success();
  int64_t lanes = kernelWarpSize(function), warps = regionWarps(op);
  for (Type type : op->getResultTypes())
    if (failed(verifyLayout(op, type, lanes, warps)))
      return failure();
  return success();
}

LogicalResult verifyOne(Operation *op, func::FuncOp function, bool &seenGroups) {
  if (failed(verifyLayouts(op, function)))
    return failure();
  if (isBranch(op) && failed(verifyMark(op)))
    return failure();
  if (auto groups = dyn_cast<WarpGroupsOp>(op))
    return verifyGroups(groups, kernelWarps(function), seenGroups);
  if (auto producer = dyn_cast<ProducerOp>(op)) {
    if (seenGroups)
      return producer.emitOpError("expected one simt.warp_groups or simt.producer in a kernel, found a second");
    seenGroups = true;
  }
  auto buffer = dyn_cast<SharedAllocOp>(op);
  bool unplaced = buffer && !buffer.getOffset() && !op->getParentOfType<WarpGroupsOp>();
  if (isa<SharedAllocOp, BarrierAllocOp>(op) && !unplaced && op->getParentOp() != function)
    return op->emitOpError("expected to stand at the top of a kernel, found it inside another op");
  if (isa<func::CallOp>(op))
    return op->emitOpError("expected no calls in a simt kernel: inline them");
  if (isa<Collective>(op) && op->getParentOfType<ProducerOp>())
    return op->emitOpError("expected several threads to execute this together, found it in a simt.producer, whose "
                           "region one thread executes");
  if (auto collective = dyn_cast<Collective>(op))
    if (failed(verifyCollective(op, collective.getCollectiveWarps(), regionWarps(op))))
      return failure();
  if (auto product = dyn_cast<AsyncMatmul>(op))
    return verifyInFlight(product);
  return success();
}

} // namespace

bool isKernel(func::FuncOp function) { return function->hasAttr(kWarpsAttr); }

int64_t kernelWarps(func::FuncOp function) { return cast<IntegerAttr>(function->getAttr(kWarpsAttr)).getInt(); }

int64_t kernelWarpSize(func::FuncOp function) { return cast<IntegerAttr>(function->getAttr(kWarpSizeAttr)).getInt(); }

int64_t regionWarps(Operation *op) {
  for (Operation *child = op; Operation *parent = child->getParentOp(); child = parent) {
    if (auto groups = dyn_cast<WarpGroupsOp>(parent))
      return groups.getWarps()[child->getParentRegion()->getRegionNumber()];
    if (auto function = dyn_cast<func::FuncOp>(parent))
      return kernelWarps(function);
  }
  llvm_unreachable("an op outside a kernel");
}

int64_t sharedBytes(func::FuncOp function) {
  int64_t end = 0;
  for (Operation &op : function.getBody().front()) {
    if (auto buffer = dyn_cast<SharedAllocOp>(op); buffer && buffer.getOffset())
      end = std::max<int64_t>(end, *buffer.getOffset() + buffer.getType().getBytes());
    if (auto barriers = dyn_cast<BarrierAllocOp>(op); barriers && barriers.getOffset())
      end = std::max<int64_t>(end, *barriers.getOffset() + barriers.getType().getBytes());
  }
  return end;
}

LogicalResult verifyKernel(func::FuncOp function) {
  auto warpSize = function->getAttrOfType<IntegerAttr>(kWarpSizeAttr);
  if (!warpSize)
    return function.emitOpError("expected 'simt.warp_size' beside 'simt.warps'");
  if (function.getNumResults() != 0)
    return function.emitOpError() << "expected a kernel without results, found " << function.getNumResults();
  if (function.isExternal())
    return success();
  if (!function.getBody().hasOneBlock())
    return function.emitOpError("expected a body of one block: control flow is structured");
  bool seenGroups = false;
  WalkResult result = function.walk([&](Operation *op) {
    return op == function || succeeded(verifyOne(op, function, seenGroups)) ? WalkResult::advance()
                                                                            : WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

} // namespace tegula::simt
