// tile-assign-layouts (Passes.td): chooses a layout for every tensor: which thread and register hold each element.
//
// LayoutGroups chooses the layouts. This file changes the types, and converts or rematerializes values that an op needs
// in another layout.
#include "core/ir/simt/Target.h"
#include "core/passes/Passes.h"
#include "core/passes/analysis/Uniform.h"
#include "core/passes/layouts/LayoutGroups.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_ASSIGNLAYOUTS
#include "core/passes/Passes.h.inc"

namespace {

using layout_ir::DistributedAttr;

DistributedAttr layoutIn(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? dyn_cast_or_null<DistributedAttr>(tensor.getEncoding()) : DistributedAttr();
}

Type withLayout(Type type, DistributedAttr layout) {
  auto tensor = cast<RankedTensorType>(type);
  return RankedTensorType::get(tensor.getShape(), tensor.getElementType(), layout);
}

/// The layout that the operand of a shape change (or an elementwise op) must have so that the result gets `layout`.
DistributedAttr operandLayout(Operation *op, Value operand, DistributedAttr layout) {
  ArrayRef<int64_t> shape = shapeOf(operand.getType()), result = shapeOf(op->getResult(0).getType());
  if (auto expand = dyn_cast<ExpandDimsOp>(op))
    return layout_ir::dropUnitAxis(layout, expand.getAxis());
  if (auto trans = dyn_cast<TransOp>(op))
    return layout_ir::untranspose(layout, trans.getOrder());
  if (isa<BroadcastOp>(op))
    return layout_ir::unbroadcast(layout, shape);
  if (isa<ReshapeOp>(op))
    return layout_ir::reshape(layout, result, shape);
  if (isa<simt::JoinPartsOp>(op))
    return layout_ir::part(layout, shape.back());
  return layout;
}

class Planner {
public:
  Planner(func::FuncOp function, const LayoutGroups &groups) : function_(function), groups_(groups) {}

  LogicalResult run() {
    SmallVector<Operation *> ops;
    function_.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op != function_)
        ops.push_back(op);
    });
    for (Operation *op : ops)
      for (Region &region : op->getRegions())
        for (BlockArgument argument : region.getArguments())
          if (isTensor(argument))
            setLayout(argument, groups_.layoutOf(argument));
    SmallVector<Operation *> cheap;
    for (Operation *op : ops) {
      if (op->getNumResults() == 1 && groups_.isRematerialized(op->getResult(0))) {
        cheap.push_back(op);
        continue;
      }
      mark(op);
      if (failed(plan(op))) // may erase the op
        return failure();
    }
    for (const auto &[op, operands] : llvm::reverse(givenOperands_))
      if (op->use_empty()) // each user has its own copy
        op->erase();
    for (Operation *op : llvm::reverse(cheap))
      if (op->use_empty())
        op->erase();
    return success();
  }

private:
  void setLayout(Value value, DistributedAttr layout) { value.setType(withLayout(value.getType(), layout)); }

  DistributedAttr ownLayout(Value value) const {
    if (DistributedAttr layout = layoutIn(value.getType()))
      return layout;
    return groups_.isRematerialized(value) ? groups_.defaultLayout(value.getType()) : groups_.layoutOf(value);
  }

  /// The value in a layout: the value itself; a rematerialized copy (computed or loaded again) if that is cheap; or a
  /// converted value.
  Value in(Value value, DistributedAttr layout) {
    if (layoutIn(value.getType()) == layout)
      return value;
    Value &made = made_[{value, layout}];
    if (made)
      return made;
    bool isRemade =
        groups_.isRematerialized(value) || groups_.isMadeAgain(value, layout) || groups_.isLoadedAsWell(value, layout);
    Value result = isRemade ? remake(value, layout) : convert(value, layout);
    return made_[{value, layout}] = result; // the recursion may have moved `made`
  }

  Value convert(Value value, DistributedAttr layout) {
    OpBuilder builder(function_.getContext());
    builder.setInsertionPointAfterValue(value);
    return simt::ConvertLayoutOp::create(builder, value.getLoc(), withLayout(value.getType(), layout), value);
  }

  Value remake(Value value, DistributedAttr layout) {
    Operation *op = value.getDefiningOp();
    SmallVector<Value> operands, given(op->getOperands());
    if (auto planned = givenOperands_.find(op); planned != givenOperands_.end())
      given = planned->second;
    for (Value operand : given)
      operands.push_back(isTensor(operand) ? in(operand, operandLayout(op, operand, layout)) : operand);
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    Operation *clone = builder.clone(*op);
    clone->setOperands(operands);
    setLayout(clone->getResult(0), layout);
    if (auto constant = dyn_cast<arith::ConstantOp>(clone))
      constant.setValueAttr(cast<DenseElementsAttr>(constant.getValue()).reshape(cast<ShapedType>(constant.getType())));
    return clone->getResult(0);
  }

  void setOperands(Operation *op, DistributedAttr layout) {
    for (OpOperand &operand : op->getOpOperands())
      if (isTensor(operand.get()))
        operand.set(in(operand.get(), layout));
  }

  void setResults(Operation *op, DistributedAttr layout) {
    for (Value result : op->getResults())
      if (isTensor(result))
        setLayout(result, layout);
  }

  /// Converts operands to the layouts of the loop arguments or branch results into which they flow.
  void setCarried(MutableOperandRange operands, ValueRange like) {
    for (auto [operand, target] : llvm::zip_equal(operands, like))
      if (isTensor(target))
        operand.set(in(operand.get(), layoutIn(target.getType())));
  }

  void setGroupResults(Operation *op) {
    for (Value result : op->getResults())
      if (isTensor(result))
        setLayout(result, groups_.layoutOf(result));
  }

  /// Rewrites a join of two scalars: `tile.join` interleaves registers, and scalars have none. The result is a select
  /// by the element's index, 0 or 1.
  void joinScalars(JoinOp join) {
    OpBuilder builder(join);
    Location location = join.getLoc();
    DistributedAttr layout = groups_.layoutOf(join.getResult());
    auto index = cast<RankedTensorType>(withLayout(RankedTensorType::get({2}, builder.getI32Type()), layout));
    Value range = MakeRangeOp::create(builder, location, index, 0, 2);
    Value zero =
        arith::ConstantOp::create(builder, location, DenseElementsAttr::get(index, builder.getI32IntegerAttr(0)));
    Value isFirst = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq, range, zero);
    Type type = withLayout(join.getType(), layout);
    Value result =
        arith::SelectOp::create(builder, location, isFirst, SplatOp::create(builder, location, type, join.getLhs()),
                                SplatOp::create(builder, location, type, join.getRhs()));
    join.getResult().replaceAllUsesWith(result);
    join.erase();
  }

  LogicalResult plan(Operation *op);
  void planReduce(ReduceOp reduce);
  void planTerminator(Operation *op);
  void planShape(Operation *op);
  void mark(Operation *op);

  func::FuncOp function_;
  const LayoutGroups &groups_;
  DenseMap<std::pair<Value, Attribute>, Value> made_;
  // operands of ops that may be made again in another layout, before they got layouts: narrow loads, and isMadeAgain
  llvm::MapVector<Operation *, SmallVector<Value>> givenOperands_;
};

void Planner::planReduce(ReduceOp reduce) {
  auto fixed = llvm::find_if(reduce.getSrcs(), [&](Value value) { return !groups_.isRematerialized(value); });
  DistributedAttr layout = ownLayout(fixed == reduce.getSrcs().end() ? reduce.getSrcs()[0] : *fixed);
  ArrayRef<int64_t> shape = shapeOf(reduce.getSrcs()[0].getType());
  if (!reduce.commutes())
    layout = layout_ir::inAxisOrder(layout, reduce.getAxis());
  else if (!reduce.isOneCommutativeOp())
    reduce.setAnyOrder(true); // later passes may change the function so that commutativity can no longer be proven
  setOperands(reduce, layout);
  if (shape.size() > 1)
    setResults(reduce, layout_ir::reduce(layout, shape, reduce.getAxis()));
}

LogicalResult Planner::plan(Operation *op) {
  if (isa<DescLoadOp, DescStoreOp, DescGatherOp, DescScatterOp, DescAtomicOp>(op))
    return op->emitOpError("is lowered to pointers before layouts are chosen; run tile-lower-descriptors first");
  if (op->getNumResults() == 1 && (groups_.isNarrowLoad(op) || groups_.mayBeMadeAgain(op->getResult(0))))
    givenOperands_[op] = llvm::to_vector(op->getOperands());
  if (isElementwise(op)) {
    if (isTensor(op->getResult(0))) {
      DistributedAttr layout = groups_.layoutOf(op->getResult(0));
      setOperands(op, layout);
      setResults(op, layout);
    }
  } else if (DistributedAttr layout = groups_.accessLayoutOf(op)) {
    setOperands(op, layout);
    setResults(op, layout);
  } else if (isa<scf::YieldOp, scf::ConditionOp>(op)) {
    planTerminator(op);
  } else if (auto loop = dyn_cast<scf::ForOp>(op)) {
    setCarried(loop.getInitArgsMutable(), loop.getRegionIterArgs());
    setGroupResults(op);
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    setCarried(loop.getInitsMutable(), loop.getBeforeArguments());
    setGroupResults(op);
  } else if (isa<scf::IfOp, LoadStridedOp>(op)) {
    setGroupResults(op);
  } else if (isa<ScanOp, SortOp>(op)) {
    DistributedAttr layout = groups_.layoutOf(op->getResult(0));
    setOperands(op, layout);
    setResults(op, layout);
  } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
    planReduce(reduce);
  } else if (auto gather = dyn_cast<GatherOp>(op)) {
    DistributedAttr layout = groups_.layoutOf(gather.getResult());
    gather.getSrcMutable().assign(in(gather.getSrc(), ownLayout(gather.getSrc())));
    gather.getIndicesMutable().assign(in(gather.getIndices(), layout));
    setResults(op, layout);
  } else if (auto dot = dyn_cast<DotOp>(op)) {
    const ProductLayouts *product = groups_.layoutsOfProduct(dot);
    DistributedAttr layout = groups_.layoutOf(dot.getResult());
    dot.getAMutable().assign(in(dot.getA(), product ? product->a : ownLayout(dot.getA())));
    dot.getBMutable().assign(in(dot.getB(), product ? product->b : ownLayout(dot.getB())));
    if (!product || product->c == layout) {
      dot.getCMutable().assign(in(dot.getC(), layout));
      setResults(op, layout);
    } else { // the group has the layout of another product, or this product's layout would have copies in registers
      dot.getCMutable().assign(in(dot.getC(), product->c));
      setResults(op, product->c);
      Value converted = convert(dot.getResult(), layout);
      dot.getResult().replaceAllUsesExcept(converted, converted.getDefiningOp());
    }
  } else if (auto product = dyn_cast<simt::ProductOp>(op)) {
    const ProductLayouts *layouts = groups_.layoutsOfProduct(op);
    if (isTensor(product.getA()))
      product.getAMutable().assign(in(product.getA(), layouts->a));
    product.getCMutable().assign(in(product.getC(), layouts->c));
    setResults(op, layouts->c);
  } else if (auto store = dyn_cast<simt::SharedStoreOp>(op)) {
    setOperands(op, ownLayout(store.getValue()));
  } else if (isa<simt::WaitProductsOp>(op)) {
    setResults(op, layoutIn(op->getOperand(0).getType()));
  } else if (auto histogram = dyn_cast<HistogramOp>(op)) {
    setOperands(op, ownLayout(histogram.getSrc()));
    setGroupResults(op);
  } else if (isa<PrintOp, AssertOp, AssumeOp>(op)) {
    DenseMap<ArrayRef<int64_t>, DistributedAttr> byShape;
    for (OpOperand &operand : op->getOpOperands())
      if (isTensor(operand.get())) {
        DistributedAttr &layout = byShape[shapeOf(operand.get().getType())];
        if (!layout)
          layout = ownLayout(operand.get());
        operand.set(in(operand.get(), layout));
      }
  } else {
    planShape(op);
  }
  return success();
}

void Planner::planTerminator(Operation *op) {
  Operation *parent = op->getParentOp();
  if (auto condition = dyn_cast<scf::ConditionOp>(op))
    setCarried(condition.getArgsMutable(), cast<scf::WhileOp>(parent).getAfterArguments());
  else if (auto loop = dyn_cast<scf::ForOp>(parent))
    setCarried(cast<scf::YieldOp>(op).getResultsMutable(), loop.getRegionIterArgs());
  else if (auto loop = dyn_cast<scf::WhileOp>(parent))
    setCarried(cast<scf::YieldOp>(op).getResultsMutable(), loop.getBeforeArguments());
  else
    setCarried(cast<scf::YieldOp>(op).getResultsMutable(), parent->getResults());
}

void Planner::planShape(Operation *op) {
  if (isa<ExpandDimsOp, TransOp, ReshapeOp, BroadcastOp>(op)) {
    Value src = op->getOperand(0), result = op->getResult(0);
    DistributedAttr layout = groups_.layoutOf(result);
    // A broadcast's operand keeps the layout that it has if each thread already holds all operand elements that it
    // needs for its elements of the result. Operands of other shape changes are converted.
    DistributedAttr given = groups_.isRematerialized(src) ? DistributedAttr() : layoutIn(src.getType());
    bool isLocal = isa<BroadcastOp>(op) && given &&
                   layout_ir::localRegisters(given, shapeOf(src.getType()), layout, shapeOf(result.getType()));
    if (!isLocal)
      op->setOperand(0, in(src, operandLayout(op, src, layout)));
    setResults(op, layout);
  } else if (isa<simt::JoinPartsOp>(op)) {
    DistributedAttr layout = groups_.layoutOf(op->getResult(0));
    for (OpOperand &part : op->getOpOperands())
      part.set(in(part.get(), operandLayout(op, part.get(), layout)));
    setResults(op, layout);
  } else if (auto split = dyn_cast<SplitOp>(op)) {
    DistributedAttr layout = groups_.layoutForSplit(split);
    op->setOperand(0, in(split.getSrc(), layout));
    if (DistributedAttr half = layout_ir::split(layout))
      setResults(op, half);
  } else if (auto join = dyn_cast<JoinOp>(op)) {
    if (!isTensor(join.getLhs())) {
      joinScalars(join);
      return;
    }
    DistributedAttr layout = groups_.layoutOf(join.getResult());
    DistributedAttr half = layout_ir::splitBit(layout) == 0u ? layout_ir::split(layout) : ownLayout(join.getLhs());
    setOperands(op, half);
    setResults(op, layout_ir::join(half));
  } else if (auto cat = dyn_cast<CatOp>(op)) {
    DistributedAttr half = ownLayout(groups_.isRematerialized(cat.getLhs()) ? cat.getRhs() : cat.getLhs());
    setOperands(op, half);
    setResults(op, layout_ir::cat(half, cat.getLhs().getType().getDimSize(0)));
  }
}

void Planner::mark(Operation *op) {
  if (!isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op))
    return;
  bool isEachThread =
      op->getParentOfType<MapElementwiseOp>() || op->getParentOfType<ReduceOp>() || op->getParentOfType<ScanOp>();
  op->setAttr(isEachThread ? simt::kDivergentAttr : simt::kUniformAttr, UnitAttr::get(op->getContext()));
}

/// Gives each user of a broadcast a broadcast of its own. CSE merges broadcasts to equal shapes whose users have
/// nothing else in common, such as those of a mask of rows for an operand of 64x128 elements and for a result of
/// 64x128; the merged value would tie their layouts together.
void divideBroadcasts(func::FuncOp function) {
  SmallVector<BroadcastOp> broadcasts;
  function.walk([&](BroadcastOp broadcast) { broadcasts.push_back(broadcast); });
  for (BroadcastOp broadcast : broadcasts) {
    OpBuilder builder(broadcast);
    SmallVector<Operation *> users;
    for (Operation *user : broadcast->getUsers())
      if (!llvm::is_contained(users, user))
        users.push_back(user);
    for (Operation *user : ArrayRef(users).drop_front(std::min<size_t>(users.size(), 1)))
      user->replaceUsesOfWith(broadcast, builder.clone(*broadcast)->getResult(0));
  }
}

class AssignLayoutsPass : public impl::AssignLayoutsBase<AssignLayoutsPass> {
public:
  void runOnOperation() override {
    ModuleOp module = getOperation();
    ThreadShape threads = threadsOf(module);
    for (func::FuncOp function : module.getOps<func::FuncOp>()) {
      if (!function->hasAttr(kKernelAttr) || simt::isKernel(function))
        continue;
      divideBroadcasts(function);
      AxisAnalysis axes(function);
      LayoutGroups groups(function, axes, threads);
      if (failed(Planner(function, groups).run()))
        return signalPassFailure();
      Builder builder(&getContext());
      function->setAttr(simt::kWarpsAttr, builder.getI32IntegerAttr(threads.warps));
      function->setAttr(simt::kWarpSizeAttr, builder.getI32IntegerAttr(threads.warpSize));
    }
  }
};

} // namespace
} // namespace tegula::tile
