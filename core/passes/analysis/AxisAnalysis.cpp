// The fixed-point iteration over a function's structured control flow, and the record of the facts that answers depend
// on.
#include "core/passes/analysis/AxisTransfer.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;

namespace tegula::tile {

AxisInfo transfer(Operation *op, AxisInfos in, OpResult result) {
  Type type = result.getType();
  if (auto info = transferArithmetic(op, in, result))
    return finish(*info, type);
  if (auto info = transferShape(op, in, result))
    return finish(*info, type);
  AxisInfo info = AxisInfo::unknown(type);
  // An elementwise op without a transfer function still maps equal elements to equal elements.
  bool isElementwise = OpTrait::hasElementwiseMappableTraits(op) && op->getNumOperands() > 0 &&
                       llvm::all_of(op->getOperandTypes(), [&](Type operand) {
                         return shapeOf(operand) == shapeOf(type) && isTracked(operand);
                       });
  for (size_t axis = 0; isElementwise && axis < info.rank(); ++axis) {
    info.constancy[axis] = in[0].constancy[axis];
    for (const AxisInfo &operand : in.drop_front())
      info.constancy[axis] = std::gcd(info.constancy[axis], operand.constancy[axis]);
  }
  return info;
}

namespace {

/// The promises of `tile.assume` about a value. Only promises in the value's own block count: every execution of the
/// block then makes them.
struct Assumption {
  int64_t low = std::numeric_limits<int64_t>::min(), high = std::numeric_limits<int64_t>::max();
  int64_t divisor = 1;
};
using Assumptions = DenseMap<Value, Assumption>;

std::optional<int64_t> constantOf(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)) && constant.getBitWidth() <= 64)
    return constant.getSExtValue();
  return std::nullopt;
}

void assumeCompare(Assumptions &all, Block *block, Value x, arith::CmpIPredicate predicate, int64_t bound) {
  using P = arith::CmpIPredicate;
  if (predicate == P::eq && bound == 0)
    if (Operation *op = x.getDefiningOp(); op && op->getNumOperands() == 2)
      if (auto by = constantOf(op->getOperand(1)); by && op->getOperand(0).getParentBlock() == block) {
        int64_t &divisor = all[op->getOperand(0)].divisor;
        if (isa<arith::RemSIOp, arith::RemUIOp>(op) && *by != 0)
          divisor = std::max(divisor, powerIn(*by));
        else if (isa<arith::AndIOp>(op))
          divisor = std::max(divisor, powerIn(~*by)); // the number of low set bits
      }
  if (x.getParentBlock() != block)
    return;
  Assumption &about = all[x];
  if ((predicate == P::sge || predicate == P::eq) && bound > about.low)
    about.low = bound;
  if ((predicate == P::sle || predicate == P::eq) && bound < about.high)
    about.high = bound;
  if (predicate == P::sgt && bound >= about.low && bound < std::numeric_limits<int64_t>::max())
    about.low = bound + 1;
  if (predicate == P::slt && bound <= about.high && bound > std::numeric_limits<int64_t>::min())
    about.high = bound - 1;
}

void assumeTrue(Assumptions &all, Block *block, Value condition) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>()) {
    assumeTrue(all, block, both.getLhs());
    assumeTrue(all, block, both.getRhs());
    return;
  }
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || isa<RankedTensorType>(compare.getType()))
    return;
  if (auto bound = constantOf(compare.getRhs()))
    assumeCompare(all, block, compare.getLhs(), compare.getPredicate(), *bound);
  else if (auto bound = constantOf(compare.getLhs())) {
    using P = arith::CmpIPredicate;
    P p = compare.getPredicate();
    P turned = p == P::slt ? P::sgt : p == P::sgt ? P::slt : p == P::sle ? P::sge : p == P::sge ? P::sle : p;
    assumeCompare(all, block, compare.getRhs(), turned, *bound);
  }
}

/// The analysis under one set of declared facts.
class Run : public AxisView {
public:
  Run(Operation *root, ArrayRef<ArgumentFact> facts) {
    root->walk([&](AssumeOp op) { assumeTrue(assumptions_, op->getBlock(), op.getCondition()); });
    auto function = cast<func::FuncOp>(root);
    if (function.isExternal())
      return;
    for (BlockArgument argument : function.getArguments())
      set(argument, declared(argument, facts));
    visit(function.front());
  }

  AxisInfo of(Value value) const override {
    auto found = infos_.find(value);
    return found != infos_.end() ? found->second : AxisInfo::unknown(value.getType());
  }

private:
  static AxisInfo declared(BlockArgument argument, ArrayRef<ArgumentFact> facts) {
    AxisInfo info = AxisInfo::unknown(argument.getType());
    for (const ArgumentFact &fact : facts) {
      if (fact.argument != argument.getArgNumber())
        continue;
      if (fact.kind == ArgumentFact::Kind::Divisibility)
        info.divisibility.assign(info.rank(), fact.operand);
      else
        info.low = 0;
    }
    return info;
  }

  void set(Value value, AxisInfo info) {
    if (!isTracked(value.getType()))
      return;
    if (auto found = assumptions_.find(value); found != assumptions_.end()) {
      const Assumption &about = found->second;
      if (std::max(info.low, about.low) <= std::min(info.high, about.high))
        info.low = std::max(info.low, about.low), info.high = std::min(info.high, about.high);
      if (info.contiguity[0] == 1)
        info.divisibility[0] = std::max(info.divisibility[0], about.divisor);
    }
    infos_.insert_or_assign(value, finish(std::move(info), value.getType()));
  }

  SmallVector<AxisInfo> all(ValueRange values) const {
    SmallVector<AxisInfo> infos;
    for (Value value : values)
      infos.push_back(of(value));
    return infos;
  }

  void setAll(ValueRange values, ArrayRef<AxisInfo> infos) {
    for (auto [value, info] : llvm::zip_equal(values, infos))
      set(value, info);
  }

  void visit(Block &block) {
    for (Operation &op : block)
      llvm::TypeSwitch<Operation *>(&op)
          .Case([&](scf::ForOp loop) { visitFor(loop); })
          .Case([&](scf::WhileOp loop) { visitWhile(loop); })
          .Case([&](scf::IfOp branch) { visitIf(branch); })
          .Default([&](Operation *) { visitOp(op); });
  }

  void visitOp(Operation &op) {
    if (op.getNumRegions() != 0 || op.getNumResults() == 0)
      return;
    SmallVector<AxisInfo> operands = all(op.getOperands());
    for (OpResult result : op.getResults())
      if (isTracked(result.getType()))
        set(result, transfer(&op, operands, result));
  }

  /// Joins the facts of the values that a loop yields into the facts of the loop's arguments; false if nothing changed.
  /// From round kRounds on, bounds that still change are widened to the type's limits. All other facts are powers of
  /// two that a join can only reduce, so the iteration ends.
  bool join(SmallVectorImpl<AxisInfo> &carried, ArrayRef<AxisInfo> next, TypeRange types, unsigned round) {
    constexpr unsigned kRounds = 3, kMostRounds = 200;
    bool changed = false;
    for (auto [info, other, type] : llvm::zip_equal(carried, next, types)) {
      if (!isTracked(type))
        continue;
      AxisInfo joined = round > kMostRounds ? AxisInfo::unknown(type) : common(info, other, type);
      auto [least, greatest] = limitsOf(type);
      if (round >= kRounds && joined.low != info.low)
        joined.low = least;
      if (round >= kRounds && joined.high != info.high)
        joined.high = greatest;
      if (round >= kRounds)
        joined = finish(std::move(joined), type);
      changed |= !(joined == info);
      info = std::move(joined);
    }
    return changed;
  }

  void visitFor(scf::ForOp loop) {
    // The loop ends before its variable reaches the upper bound, so the variable cannot wrap.
    AxisInfo lower = of(loop.getLowerBound()), upper = of(loop.getUpperBound()), step = of(loop.getStep());
    AxisInfo variable = AxisInfo::unknown(loop.getInductionVar().getType());
    variable.divisibility[0] = std::gcd(lower.divisibility[0], step.divisibility[0]);
    variable.low = lower.low;
    variable.high =
        std::max(lower.low, upper.high == std::numeric_limits<int64_t>::min() ? upper.high : upper.high - 1);
    variable.nonNegative = lower.nonNegative;
    SmallVector<AxisInfo> carried = all(loop.getInitArgs());
    TypeRange types = loop.getInitArgs().getTypes();
    unsigned round = 0;
    do {
      set(loop.getInductionVar(), variable);
      setAll(loop.getRegionIterArgs(), carried);
      visit(*loop.getBody());
    } while (join(carried, all(loop.getBody()->getTerminator()->getOperands()), types, ++round));
    setAll(loop.getResults(), carried);
  }

  void visitWhile(scf::WhileOp loop) {
    SmallVector<AxisInfo> carried = all(loop.getInits());
    unsigned round = 0;
    do {
      setAll(loop.getBeforeArguments(), carried);
      visit(*loop.getBeforeBody());
      setAll(loop.getAfterArguments(), all(loop.getConditionOp().getArgs()));
      visit(*loop.getAfterBody());
    } while (join(carried, all(loop.getYieldOp().getOperands()), loop.getInits().getTypes(), ++round));
    setAll(loop.getResults(), all(loop.getConditionOp().getArgs()));
  }

  void visitIf(scf::IfOp branch) {
    visit(*branch.thenBlock());
    if (!branch.elseBlock())
      return;
    visit(*branch.elseBlock());
    auto onTrue = all(branch.thenYield().getOperands()), onFalse = all(branch.elseYield().getOperands());
    for (auto [result, a, b] : llvm::zip_equal(branch.getResults(), onTrue, onFalse))
      if (isTracked(result.getType()))
        set(result, common(a, b, result.getType()));
  }

  DenseMap<Value, AxisInfo> infos_;
  Assumptions assumptions_;
};

/// The function to analyse: `root` itself, the module's kernel, or its first function.
Operation *functionOf(Operation *root) {
  func::FuncOp chosen = dyn_cast<func::FuncOp>(root);
  if (!chosen)
    root->walk([&](func::FuncOp function) {
      if (!chosen || (function->hasAttr(kKernelAttr) && !chosen->hasAttr(kKernelAttr)))
        chosen = function;
    });
  return chosen;
}

SmallVector<ArgumentFact> declaredBy(func::FuncOp function) {
  constexpr size_t kMostFacts = 63; // a set of facts is a bit mask of 64 bits
  SmallVector<ArgumentFact> facts;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    if (!isTracked(function.getArgument(i).getType()) || facts.size() + 2 > kMostFacts)
      continue;
    if (auto divisor = function.getArgAttrOfType<IntegerAttr>(i, kDivisibilityAttr); divisor && divisor.getInt() > 1)
      facts.push_back({i, ArgumentFact::Kind::Divisibility, divisor.getInt()});
    if (function.getArgAttr(i, kNonNegativeAttr))
      facts.push_back({i, ArgumentFact::Kind::NonNegative, 0});
  }
  return facts;
}

} // namespace

AxisAnalysis::AxisAnalysis(Operation *function, Facts facts) : function_(functionOf(function)) {
  if (facts == Facts::Declared)
    declared_ = declaredBy(cast<func::FuncOp>(function_));
  all_ = (uint64_t(1) << declared_.size()) - 1;
  with(all_);
}

AxisAnalysis::~AxisAnalysis() = default;

const AxisView &AxisAnalysis::with(uint64_t facts) {
  std::unique_ptr<AxisView> &view = views_[facts];
  if (!view) {
    SmallVector<ArgumentFact> chosen;
    for (size_t i = 0; i < declared_.size(); ++i)
      if (facts >> i & 1)
        chosen.push_back(declared_[i]);
    view = std::make_unique<Run>(function_, chosen);
  }
  return *view;
}

AxisInfo AxisAnalysis::of(Value value) const { return views_.at(all_)->of(value); }

int64_t AxisAnalysis::use(llvm::function_ref<int64_t(const AxisView &)> query) {
  int64_t answer = query(with(all_));
  if (query(with(used_)) == answer)
    return answer;
  uint64_t needed = all_;
  for (size_t i = 0; i < declared_.size(); ++i) {
    uint64_t without = needed & ~(uint64_t(1) << i);
    if (!(used_ >> i & 1) && query(with(without)) == answer)
      needed = without;
  }
  used_ |= needed;
  return answer;
}

int64_t AxisAnalysis::useAccessWidth(Value pointers, Value mask, size_t axis, int64_t mostBytes) {
  return use([&](const AxisView &view) { return view.accessWidth(pointers, mask, axis, mostBytes); });
}

bool AxisAnalysis::useSumFits(Value a, Value b, unsigned bits) {
  return use([&](const AxisView &view) { return int64_t(view.sumFits(a, b, bits)); }) != 0;
}

SmallVector<ArgumentFact> AxisAnalysis::usedFacts() const {
  SmallVector<ArgumentFact> facts;
  for (size_t i = 0; i < declared_.size(); ++i)
    if (used_ >> i & 1)
      facts.push_back(declared_[i]);
  return facts;
}

} // namespace tegula::tile
