// tile-place-fragments (Passes.td): holds accumulators of matrix instructions in fragments.
//
// Chooses the values that are held in fragments and assigns each a fragment layout.
#include "core/passes/Passes.h"
#include "core/passes/analysis/AxisInfo.h"
#include "core/passes/analysis/Uniform.h"
#include "core/passes/products/FragmentPlacer.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_PLACEFRAGMENTS
#include "core/passes/Passes.h.inc"

namespace {

using layout_ir::FragmentsAttr;
using layout_ir::FragmentsKind;
using simt::InstructionAttr;
using simt::instructionOf;

FragmentsAttr accumulators(RankedTensorType type, InstructionAttr product, ArrayRef<int64_t> warps) {
  return FragmentsAttr::get(type.getContext(), product.getM(), product.getN(), type.getElementType(), warps,
                            FragmentsKind::Matrix);
}

/// Divides an accumulator among the warps: first the matrices of a batch, then the longer side of the matrix, so that
/// each warp's part is as square as possible.
FragmentsAttr divided(RankedTensorType type, InstructionAttr product, int64_t warps) {
  ArrayRef<int64_t> shape = type.getShape();
  SmallVector<int64_t> ofWarps(shape.size(), 1);
  SmallVector<int64_t, 3> grid = accumulators(type, product, ofWarps).getGrid(shape);
  size_t row = shape.size() - 2, column = shape.size() - 1;
  for (int64_t left = warps; left > 1; left /= 2) {
    bool tall = grid[row] * product.getM() > grid[column] * product.getN();
    size_t axis = shape.size() == 3 && grid[0] > 1 ? 0
                  : grid[tall ? row : column] > 1  ? (tall ? row : column)
                                                   : (tall ? column : row);
    if (grid[axis] == 1)
      break;
    grid[axis] /= 2;
    ofWarps[axis] *= 2;
  }
  return accumulators(type, product, ofWarps);
}

/// Whether the op is elementwise and all its tensor operands have the result's type. Scalar operands, such as a
/// select's condition, may have any type.
bool isPlainElementwise(Operation *op) {
  if (!OpTrait::hasElementwiseMappableTraits(op) || op->getNumResults() != 1 || !isMemoryEffectFree(op) ||
      !isTensor(op->getResult(0)) || op->getNumOperands() == 0)
    return false;
  Type type = op->getResult(0).getType();
  return llvm::all_of(op->getOperands(),
                      [&](Value operand) { return !isTensor(operand) || operand.getType() == type; });
}

FragmentsKind kindOf(Value value) {
  ArrayRef<int64_t> shape = shapeOf(value.getType());
  return shape.size() == 1 || (shape.size() == 2 && shape[1] == 1) ? FragmentsKind::Column : FragmentsKind::Matrix;
}

bool isOfNumbers(Value value) { return getElementTypeOrSelf(value.getType()).isIntOrFloat(); }

/// Whether the op is pure, elementwise and on numbers; its operands and result may have different types.
bool isElementwiseOnNumbers(Operation *op) {
  return isElementwise(op) && op->getNumResults() == 1 && op->getNumRegions() == 0 && op->getNumOperands() > 0 &&
         isMemoryEffectFree(op) && isTensor(op->getResult(0)) && llvm::all_of(op->getOperands(), isOfNumbers) &&
         isOfNumbers(op->getResult(0));
}

} // namespace

std::optional<FragmentsKind> repeatedLine(BroadcastOp broadcast) {
  ArrayRef<int64_t> from = shapeOf(broadcast.getSrc().getType());
  if (from.size() < 2 || (from.back() == 1) == (from[from.size() - 2] == 1))
    return std::nullopt;
  return from.back() == 1 ? FragmentsKind::Column : FragmentsKind::Row;
}
bool isRowOrColumn(Value value) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  return broadcast && repeatedLine(broadcast);
}

void FragmentPlacer::run() {
  function_.walk([&](DotOp dot) {
    if (InstructionAttr instruction = instructionOf(dot); instruction && instruction.isOpaque())
      dots_.push_back(dot);
  });
  if (dots_.empty())
    return;
  holdsRows_ &= canHoldRows();
  choose();
  if (holdsRows_ && !leadsRowsOn()) {
    holdsRows_ = false;
    choose();
  }
  spread();
  rewrite();
}

/// Whether mode "rows" is possible: all accumulators are f32 matrices, use fragments of one shape, and have at least
/// one fragment of rows for each warp.
bool FragmentPlacer::canHoldRows() const {
  InstructionAttr first = instructionOf(dots_.front());
  return llvm::all_of(dots_, [&](DotOp dot) {
    InstructionAttr product = instructionOf(dot);
    ArrayRef<int64_t> shape = shapeOf(dot.getType());
    return product.getM() == first.getM() && product.getN() == first.getN() && dot.getType().getElementType().isF32() &&
           shape.size() == 2 && shape[0] >= product.getM() * warps_ && shape[1] >= product.getN();
  });
}

/// Whether mode "rows" pays off: some result reaches the left operand of a product or is reduced, and no value leaves
/// fragments within a loop that contains a product.
bool FragmentPlacer::leadsRowsOn() const {
  llvm::DenseSet<Operation *> loops;
  for (DotOp dot : dots_)
    if (auto loop = dot->getParentOfType<LoopLikeOpInterface>())
      loops.insert(loop);
  for (auto &[value, layout] : placed_)
    for (OpOperand &use : value.getUses())
      if (auto loop = use.getOwner()->getParentOfType<LoopLikeOpInterface>())
        if (loops.contains(loop) && !staysInside(use))
          return false;
  if (llvm::any_of(dots_, [&](DotOp dot) { return isHandedOn(dot) && !canBeUnrolled(dot); }))
    return false;
  return llvm::any_of(dots_, [&](DotOp dot) { return isHandedOn(dot); }) ||
         llvm::any_of(placed_, [](auto &entry) { return entry.first.template getDefiningOp<ReduceOp>(); });
}

/// Whether a warp executes so few matrix instructions for the product that they are emitted without a loop. A left
/// operand in fragments requires that, because a loop cannot index a list of fragments.
bool FragmentPlacer::canBeUnrolled(DotOp dot) const {
  InstructionAttr product = instructionOf(dot);
  int64_t instructions = llvm::divideCeil(shapeOf(dot.getA().getType())[1], product.getK());
  for (int64_t count : accumulators(dot.getType(), product, {warps_, 1}).getGridOfWarp(shapeOf(dot.getType())))
    instructions *= count;
  return instructions <= policies_.unrolledInstructions;
}

/// Whether shared memory can hold the whole right operand. If not, the depth is divided into parts, which is not
/// supported for a left operand in fragments.
bool FragmentPlacer::fitsWhole(DotOp dot) const {
  InstructionAttr product = instructionOf(dot);
  int64_t depth = std::max(shapeOf(dot.getA().getType())[1], product.getK());
  return dot.getB().getDefiningOp<LoadStridedOp>() || rightBytes(dot, product, depth) <= sharedBytes_;
}

/// Whether the product can take its left operand in the fragments in which another op leaves it: the operand is in
/// fragments, and the instruction's fragments of accumulators and of left operands have the same shape.
bool FragmentPlacer::isHandedOn(DotOp dot) const {
  InstructionAttr product = instructionOf(dot);
  return holdsRows_ && isPlaced(dot.getA()) && fitsWhole(dot) && product.getK() == product.getN() &&
         shapeOf(dot.getA().getType())[1] >= product.getK() &&
         isa<FloatType>(getElementTypeOrSelf(dot.getA().getType()));
}

/// Whether the left operand is loaded into fragments once, before the loop around the product: it is loop-invariant,
/// and a lane's share of it is at most the target's `heldBytes`.
bool FragmentPlacer::isHeld(DotOp dot) const {
  auto loop = dot->getParentOfType<LoopLikeOpInterface>();
  if (!holdsRows_ || isHandedOn(dot) || !canBeUnrolled(dot) || !fitsWhole(dot) || !loop ||
      !loop.isDefinedOutsideOfLoop(dot.getA()) || dot.getA().getDefiningOp<LoadStridedOp>())
    return false;
  FragmentsAttr layout = operandOf(dot);
  SmallVector<int64_t, 3> grid = layout.getGridOfWarp(shapeOf(dot.getA().getType()));
  int64_t elements = grid[0] * grid[1] * layout.getRows() * layout.getColumns();
  return elements * simt::elementBytes(layout.getElementType()) <= policies_.heldBytes * warpSize_;
}

FragmentsAttr FragmentPlacer::operandOf(DotOp dot) const {
  InstructionAttr product = instructionOf(dot);
  return FragmentsAttr::get(dot.getContext(), product.getM(), product.getK(),
                            getElementTypeOrSelf(dot.getA().getType()), {warps_, 1}, FragmentsKind::Operand);
}

/// Whether the op can take its operands in fragments and then produces its result in fragments.
bool FragmentPlacer::isStep(Operation *op) const {
  if (!holdsRows_)
    return isPlainElementwise(op);
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    ArrayRef<int64_t> shape = shapeOf(reduce.getSrcs()[0].getType());
    return shape.size() == 2 && reduce.getAxis() == 1 && shape[1] >= instructionOf(dots_.front()).getN() &&
           rowCombination(reduce);
  }
  if (auto expand = dyn_cast<ExpandDimsOp>(op))
    return shapeOf(expand.getSrc().getType()).size() == 1 && expand.getAxis() == 1;
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return repeatedLine(broadcast) == FragmentsKind::Column && shapeOf(broadcast.getType()).size() == 2 &&
           shapeOf(broadcast.getType())[1] >= instructionOf(dots_.front()).getN();
  return isa<simt::ConvertLayoutOp>(op) || isElementwiseOnNumbers(op);
}

FragmentPlacer::Values FragmentPlacer::next(Value value) const {
  Values result;
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (isStep(user)) {
      result.push_back(user->getResult(0));
    } else if (auto loop = dyn_cast<scf::ForOp>(user); loop && use.getOperandNumber() >= loop.getNumControlOperands()) {
      unsigned number = use.getOperandNumber() - loop.getNumControlOperands();
      result.append({loop.getRegionIterArg(number), loop.getResult(number)});
    } else if (isa<scf::YieldOp>(user)) {
      unsigned number = use.getOperandNumber();
      if (auto loop = dyn_cast<scf::ForOp>(user->getParentOp()))
        result.append({loop.getRegionIterArg(number), loop.getResult(number)});
      else if (auto branch = dyn_cast<scf::IfOp>(user->getParentOp()))
        result.push_back(branch.getResult(number));
    }
  }
  return result;
}

FragmentPlacer::Values FragmentPlacer::previous(Value value) const {
  auto ofLoop = [](scf::ForOp loop, unsigned number) {
    return Values{loop.getInitArgs()[number], loop.getYieldedValues()[number], loop.getRegionIterArg(number)};
  };
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument != loop.getInductionVar() ? ofLoop(loop, argument.getArgNumber() - 1) : Values();
  }
  unsigned number = cast<OpResult>(value).getResultNumber();
  Operation *op = value.getDefiningOp();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return ofLoop(loop, number);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return {branch.thenYield().getOperand(number), branch.elseYield().getOperand(number)};
  if (auto dot = dyn_cast<DotOp>(op); dot && dot->hasAttr(simt::kInstructionAttr))
    return {dot.getC()};
  return isStep(op) ? llvm::to_vector_of<Value, 4>(llvm::make_filter_range(op->getOperands(), isTensor)) : Values();
}

llvm::SetVector<Value> FragmentPlacer::reach(ArrayRef<Value> from, Values (FragmentPlacer::*step)(Value) const) const {
  llvm::SetVector<Value> found(from.begin(), from.end());
  for (size_t i = 0; i < found.size(); ++i)
    for (Value value : (this->*step)(found[i]))
      found.insert(value);
  return found;
}

/// Fills `placed_` with the values on a path from a product's result to a product's accumulator. In mode "rows" the
/// path may also end at a left operand, or at any loop-carried tensor of a loop around a product.
void FragmentPlacer::choose() {
  placed_.clear();
  SmallVector<Value> results, ends;
  for (DotOp dot : dots_) {
    results.push_back(dot.getResult());
    ends.push_back(dot.getC());
    if (!holdsRows_)
      continue;
    ends.push_back(dot.getA());
    if (auto loop = dot->getParentOfType<scf::ForOp>())
      llvm::copy_if(loop.getYieldedValues(), std::back_inserter(ends), isTensor);
  }
  llvm::SetVector<Value> wanted = reach(ends, &FragmentPlacer::previous);
  for (Value value : reach(results, &FragmentPlacer::next))
    if (wanted.contains(value) || llvm::is_contained(results, value))
      placed_[value] = {};
  for (DotOp dot : dots_)
    placed_[dot.getResult()] = holdsRows_ ? accumulators(dot.getType(), instructionOf(dot), {warps_, 1})
                                          : divided(dot.getType(), instructionOf(dot), warps_);
  // If a loop's argument is placed in fragments, so is its result, because both must have the same type.
  function_.walk([&](scf::ForOp loop) {
    for (auto [argument, result] : llvm::zip_equal(loop.getRegionIterArgs(), loop.getResults()))
      if (isPlaced(argument))
        placed_.insert({result, {}});
  });
  prune();
}

/// Whether the value can be rematerialized in fragments of this kind from ranges, splats and scalars alone, so that no
/// data moves between threads.
bool FragmentPlacer::isComputable(Value value, FragmentsKind kind) const {
  auto known = computable_.find({value.getAsOpaquePointer(), kind});
  if (known != computable_.end())
    return known->second;
  bool result = findComputable(value, kind);
  computable_[{value.getAsOpaquePointer(), kind}] = result;
  return result;
}

bool FragmentPlacer::findComputable(Value value, FragmentsKind kind) const {
  if (isSplat(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || !isTensor(value) || !isOfNumbers(value))
    return false;
  if (isa<MakeRangeOp>(op))
    return kind != FragmentsKind::Matrix;
  if (auto convert = dyn_cast<simt::ConvertLayoutOp>(op))
    return isComputable(convert.getSrc(), kind);
  if (auto expand = dyn_cast<ExpandDimsOp>(op))
    return layout_ir::isRepeated(kind, expand.getAxis()) && isComputable(expand.getSrc(), kind);
  return isElementwiseOnNumbers(op) && llvm::all_of(op->getOperands(), [&](Value operand) {
           return !isTensor(operand) || isComputable(operand, kind);
         });
}

/// Whether the value can be produced in fragments of this kind: it isComputable, or can be computed from lines (columns
/// and rows), which may go through shared memory.
bool FragmentPlacer::isAvailable(Value value, FragmentsKind kind) const {
  auto known = available_.find({value.getAsOpaquePointer(), kind});
  if (known != available_.end())
    return known->second;
  bool result = findAvailable(value, kind);
  available_[{value.getAsOpaquePointer(), kind}] = result;
  return result;
}

bool FragmentPlacer::findAvailable(Value value, FragmentsKind kind) const {
  if (kind != FragmentsKind::Matrix || isSplat(value))
    return isOfNumbers(value);
  Operation *op = value.getDefiningOp();
  if (!op || !isTensor(value) || shapeOf(value.getType()).size() != 2)
    return false;
  if (isRowOrColumn(value))
    return isOfNumbers(value);
  if (auto convert = dyn_cast<simt::ConvertLayoutOp>(op))
    return isAvailable(convert.getSrc(), kind);
  return isElementwiseOnNumbers(op) && llvm::all_of(op->getOperands(), [&](Value operand) {
           return !isTensor(operand) || isAvailable(operand, kind);
         });
}

/// Whether the op that uses the value takes it in fragments.
bool FragmentPlacer::staysInside(OpOperand &use) const {
  Operation *user = use.getOwner();
  unsigned number = use.getOperandNumber();
  if (auto dot = dyn_cast<DotOp>(user))
    return dot->hasAttr(simt::kInstructionAttr) && (number == 2 || (number == 0 && isHandedOn(dot)));
  if (auto loop = dyn_cast<scf::ForOp>(user))
    return number >= loop.getNumControlOperands() &&
           isPlaced(loop.getRegionIterArg(number - loop.getNumControlOperands()));
  if (isa<scf::YieldOp>(user)) {
    if (auto loop = dyn_cast<scf::ForOp>(user->getParentOp()))
      return isPlaced(loop.getRegionIterArg(number));
    if (auto branch = dyn_cast<scf::IfOp>(user->getParentOp()))
      return isPlaced(branch.getResult(number));
  }
  return isStep(user) && isPlaced(user->getResult(0));
}

bool FragmentPlacer::mayStay(Value value) const {
  // Other tensors than those of f32 must not leave fragments, because they cannot be converted to a distributed layout.
  if (holdsRows_ && !getElementTypeOrSelf(value.getType()).isF32() &&
      !llvm::all_of(value.getUses(), [&](OpOperand &use) { return staysInside(use); }))
    return false;
  // Other tensors than those of f32 must not enter fragments from a distributed layout, because they cannot be
  // converted. A loop-carried or branch result may come from a value in a distributed layout.
  bool isHandedIn = isa<BlockArgument>(value) || isa<scf::ForOp, scf::IfOp>(value.getDefiningOp());
  if (holdsRows_ && isHandedIn && kindOf(value) == FragmentsKind::Matrix &&
      !getElementTypeOrSelf(value.getType()).isF32())
    return false;
  auto staysInLoop = [&](scf::ForOp loop, unsigned number) {
    return isPlaced(loop.getRegionIterArg(number)) && isPlaced(loop.getYieldedValues()[number]);
  };
  if (auto argument = dyn_cast<BlockArgument>(value))
    return staysInLoop(cast<scf::ForOp>(argument.getOwner()->getParentOp()), argument.getArgNumber() - 1);
  Operation *op = value.getDefiningOp();
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (isa<DotOp>(op))
    return true;
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return staysInLoop(loop, number);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return isPlaced(branch.thenYield().getOperand(number)) || isPlaced(branch.elseYield().getOperand(number));
  if (passesFragments(op) || isa<ReduceOp>(op))
    return isPlaced(op->getOperand(0));
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return !isTensor(operand) || isPlaced(operand) || isSplat(operand) ||
           (holdsRows_ ? isAvailable(operand, kindOf(value)) : isRowOrColumn(operand));
  });
}

/// Removes values that cannot be in fragments because of a neighbour, until nothing changes. Example: the result of an
/// elementwise op with an operand that must be distributed.
void FragmentPlacer::prune() {
  for (bool changed = true; changed;) {
    SmallVector<Value> gone;
    for (auto &[value, layout] : placed_)
      if (!mayStay(value))
        gone.push_back(value);
    for (Value value : gone)
      placed_.erase(value);
    changed = !gone.empty();
  }
}

/// Assigns each placed value the fragment layout of a neighbour, starting at the products' results.
void FragmentPlacer::spread() {
  SmallVector<Value> work;
  for (DotOp dot : dots_)
    work.push_back(dot.getResult());
  for (size_t i = 0; i < work.size(); ++i) {
    Value from = work[i];
    FragmentsAttr layout = placed_[from];
    Values around = next(from);
    llvm::append_range(around, previous(from));
    for (Value value : around)
      if (auto found = placed_.find(value); found != placed_.end() && !found->second) {
        found->second = holdsRows_ ? layout.as(kindOf(value)) : layout;
        work.push_back(value);
      }
  }
  // A loop's argument and result must have the same layout; the propagation above may have reached them from different
  // sides.
  function_.walk([&](scf::ForOp loop) {
    for (auto [argument, result] : llvm::zip_equal(loop.getRegionIterArgs(), loop.getResults()))
      if (isPlaced(argument)) {
        auto layout = placed_[argument]; // a copy: the next access may move the map's elements
        placed_[result] = layout;
      }
  });
  placed_.remove_if([](auto &entry) { return !entry.second; });
}

namespace {

class PlaceFragmentsPass : public impl::PlaceFragmentsBase<PlaceFragmentsPass> {
public:
  void runOnOperation() override {
    simt::Target target = simt::targetOf(getOperation());
    getOperation()->walk([&](func::FuncOp function) {
      if (function->hasAttr(kKernelAttr) && simt::isKernel(function))
        FragmentPlacer(function, target).run();
    });
  }
};

} // namespace
} // namespace tegula::tile
