// tile-place-fragments; see Passes.td. First which values are in fragments, then how, then the types are changed and
// what goes in and out is converted.
#include "core/passes/LayoutGroups.h"
#include "core/passes/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_PLACEFRAGMENTS
#include "core/passes/Passes.h.inc"

namespace {

using layout_ir::FragmentsAttr;

bool isTensor(Value value) { return isa<RankedTensorType>(value.getType()); }

Attribute encodingOf(Value value) { return cast<RankedTensorType>(value.getType()).getEncoding(); }

/// A warp gets a batch's entry for itself where there are enough, and of a matrix a part as square as can be.
FragmentsAttr divided(RankedTensorType type, const FragmentProduct &product, int64_t warps) {
  ArrayRef<int64_t> shape = type.getShape();
  SmallVector<int64_t> ofWarps(shape.size(), 1);
  FragmentsAttr whole = FragmentsAttr::get(type.getContext(), product.m, product.n, ofWarps);
  SmallVector<int64_t, 3> grid = whole.getGrid(shape);
  size_t row = shape.size() - 2, column = shape.size() - 1;
  for (int64_t left = warps; left > 1; left /= 2) {
    bool tall = grid[row] * product.m > grid[column] * product.n;
    size_t axis = shape.size() == 3 && grid[0] > 1 ? 0
                  : grid[tall ? row : column] > 1  ? (tall ? row : column)
                                                   : (tall ? column : row);
    if (grid[axis] == 1)
      break;
    grid[axis] /= 2;
    ofWarps[axis] *= 2;
  }
  return FragmentsAttr::get(type.getContext(), product.m, product.n, ofWarps);
}

/// Elementwise work of one type throughout, apart from a scalar condition.
bool isPlainElementwise(Operation *op) {
  if (!OpTrait::hasElementwiseMappableTraits(op) || op->getNumResults() != 1 || !isMemoryEffectFree(op) ||
      !isTensor(op->getResult(0)) || op->getNumOperands() == 0)
    return false;
  Type type = op->getResult(0).getType();
  return llvm::all_of(op->getOperands(),
                      [&](Value operand) { return !isTensor(operand) || operand.getType() == type; });
}

bool isSplat(Value value) {
  DenseElementsAttr constant;
  return value.getDefiningOp<SplatOp>() || (matchPattern(value, m_Constant(&constant)) && constant.isSplat());
}

/// A row or a column, repeated.
bool isRowOrColumn(Value value) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  if (!broadcast)
    return false;
  ArrayRef<int64_t> from = shapeOf(broadcast.getSrc().getType());
  return from.size() >= 2 && (from.back() == 1) != (from[from.size() - 2] == 1);
}

class Placer {
public:
  explicit Placer(func::FuncOp function) : function_(function), warps_(simt::kernelWarps(function)) {}

  void run() {
    function_.walk([&](DotOp dot) {
      if (dot->hasAttr(simt::kInstructionAttr))
        dots_.push_back(dot);
    });
    if (dots_.empty())
      return;
    choose();
    prune();
    spread();
    rewrite();
  }

private:
  using Values = SmallVector<Value, 4>;

  /// The values that one hands its value to unchanged, or that are computed of it element by element.
  Values next(Value value) const;
  /// The values that this one has its value from in these ways.
  Values previous(Value value) const;
  llvm::SetVector<Value> reach(ArrayRef<Value> from, Values (Placer::*step)(Value) const) const;
  void choose();
  void prune();
  bool mayStay(Value value) const;
  void spread();
  void rewrite();
  Attribute wanted(OpOperand &operand) const;
  Value in(Value value, Attribute encoding);
  bool isPlaced(Value value) const { return placed_.contains(value); }

  func::FuncOp function_;
  int64_t warps_;
  SmallVector<DotOp> dots_;
  llvm::MapVector<Value, FragmentsAttr> placed_; // null until it is known which
  DenseMap<Value, Attribute> home_;              // layouts that the values in fragments had
  DenseMap<std::pair<Value, Attribute>, Value> made_;
};

Placer::Values Placer::next(Value value) const {
  Values result;
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (isPlainElementwise(user)) {
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

Placer::Values Placer::previous(Value value) const {
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
  return isPlainElementwise(op) ? llvm::to_vector_of<Value, 4>(llvm::make_filter_range(op->getOperands(), isTensor))
                                : Values();
}

llvm::SetVector<Value> Placer::reach(ArrayRef<Value> from, Values (Placer::*step)(Value) const) const {
  llvm::SetVector<Value> found(from.begin(), from.end());
  for (size_t i = 0; i < found.size(); ++i)
    for (Value value : (this->*step)(found[i]))
      found.insert(value);
  return found;
}

/// What is on a way from a dot's result to a dot's accumulator.
void Placer::choose() {
  SmallVector<Value> results, accumulators;
  for (DotOp dot : dots_) {
    results.push_back(dot.getResult());
    accumulators.push_back(dot.getC());
  }
  llvm::SetVector<Value> wanted = reach(accumulators, &Placer::previous);
  for (Value value : reach(results, &Placer::next))
    if (wanted.contains(value) || llvm::is_contained(results, value))
      placed_[value] = {};
  for (DotOp dot : dots_)
    placed_[dot.getResult()] =
        divided(dot.getType(), *parseFragmentProduct(cast<StringAttr>(dot->getAttr(simt::kInstructionAttr)).getValue()),
                warps_);
  // A loop's result is as its argument.
  function_.walk([&](scf::ForOp loop) {
    for (auto [argument, result] : llvm::zip_equal(loop.getRegionIterArgs(), loop.getResults()))
      if (isPlaced(argument))
        placed_.insert({result, {}});
  });
}

bool Placer::mayStay(Value value) const {
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
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return !isTensor(operand) || isPlaced(operand) || isSplat(operand) || isRowOrColumn(operand);
  });
}

/// Takes away what would have to be converted on its way: elementwise work with another operand that is distributed.
void Placer::prune() {
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

/// The dots know their fragments; all else takes those of a neighbour.
void Placer::spread() {
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
        found->second = layout;
        work.push_back(value);
      }
  }
  // A loop's argument and result have one type, whichever was reached first.
  function_.walk([&](scf::ForOp loop) {
    for (auto [argument, result] : llvm::zip_equal(loop.getRegionIterArgs(), loop.getResults()))
      if (isPlaced(argument))
        placed_[result] = placed_[argument];
  });
  placed_.remove_if([](auto &entry) { return !entry.second; });
}

Value Placer::in(Value value, Attribute encoding) {
  if (encodingOf(value) == encoding)
    return value;
  if (Value known = made_.lookup({value, encoding}))
    return known;
  OpBuilder builder(function_.getContext());
  builder.setInsertionPointAfterValue(value);
  auto tensor = cast<RankedTensorType>(value.getType());
  auto type = RankedTensorType::get(tensor.getShape(), tensor.getElementType(), encoding);
  Value made;
  bool isInto = isa<FragmentsAttr>(encoding);
  if (isInto && (isSplat(value) || isRowOrColumn(value))) {
    Operation *clone = builder.clone(*value.getDefiningOp());
    made = clone->getResult(0);
    made.setType(type);
    if (auto constant = dyn_cast<arith::ConstantOp>(clone))
      constant.setValueAttr(cast<DenseElementsAttr>(constant.getValue()).reshape(type));
  } else if (isInto && isPlaced(value)) { // from other fragments: by way of threads
    made = in(in(value, home_.at(value)), encoding);
  } else {
    made = builder.create<simt::ConvertLayoutOp>(value.getLoc(), type, value);
  }
  return made_[{value, encoding}] = made;
}

/// The layout in which an op takes its operand.
Attribute Placer::wanted(OpOperand &operand) const {
  Operation *op = operand.getOwner();
  unsigned number = operand.getOperandNumber();
  auto now = [&](Value value) { return encodingOf(value); };
  if (auto dot = dyn_cast<DotOp>(op); dot && number == 2)
    return now(dot.getResult());
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return now(loop.getRegionIterArg(number - loop.getNumControlOperands()));
  if (isa<scf::YieldOp>(op)) {
    if (auto loop = dyn_cast<scf::ForOp>(op->getParentOp()))
      return now(loop.getRegionIterArg(number));
    if (auto branch = dyn_cast<scf::IfOp>(op->getParentOp()))
      return now(branch.getResult(number));
  }
  if (op->getNumResults() == 1 && isPlaced(op->getResult(0)) && !isa<DotOp>(op)) // elementwise work
    return now(op->getResult(0));
  auto home = home_.find(operand.get());
  return home == home_.end() ? now(operand.get()) : home->second;
}

void Placer::rewrite() {
  SmallVector<OpOperand *> operands;
  function_.walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (isTensor(operand.get()))
        operands.push_back(&operand);
  });
  for (auto &[value, layout] : placed_) {
    auto tensor = cast<RankedTensorType>(value.getType());
    home_[value] = tensor.getEncoding();
    value.setType(RankedTensorType::get(tensor.getShape(), tensor.getElementType(), layout));
  }
  for (OpOperand *operand : operands)
    operand->set(in(operand->get(), wanted(*operand)));
}

class PlaceFragmentsPass : public impl::PlaceFragmentsBase<PlaceFragmentsPass> {
public:
  using PlaceFragmentsBase::PlaceFragmentsBase;

  void runOnOperation() override {
    getOperation()->walk([&](func::FuncOp function) {
      if (function->hasAttr(kKernelAttr) && simt::isKernel(function))
        Placer(function).run();
    });
  }
};

} // namespace
} // namespace tegula::tile
