#include "core/passes/AxisInfo.h"
#include "core/passes/AxisTransfer.h"

#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Analysis/DataFlow/SparseAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>
#include <numeric>

using namespace mlir;

namespace tegula::tile {
namespace {

size_t rankOf(Type type) { return std::max<size_t>(shapeOf(type).size(), 1); }

bool isTracked(Type type) { return isIntScalar(getElementTypeOrSelf(type)) || isPtrScalar(getElementTypeOrSelf(type)); }

/// A lattice value: nothing yet, or facts that hold for all that has come.
struct Facts {
  std::optional<AxisInfo> info;
  bool operator==(const Facts &) const = default;
  static Facts join(const Facts &a, const Facts &b) {
    if (!a.info || !b.info)
      return a.info ? a : b;
    return {common(*a.info, *b.info)};
  }
  void print(raw_ostream &stream) const { stream << (info ? "known" : "none"); }
};

using FactsLattice = dataflow::Lattice<Facts>;

class Propagation : public dataflow::SparseForwardDataFlowAnalysis<FactsLattice> {
public:
  using SparseForwardDataFlowAnalysis::SparseForwardDataFlowAnalysis;

  void visitOperation(Operation *op, ArrayRef<const FactsLattice *> operands,
                               ArrayRef<FactsLattice *> results) override {
    SmallVector<AxisInfo> infos;
    for (auto [lattice, operand] : llvm::zip(operands, op->getOperands())) {
      if (!isTracked(operand.getType()))
        infos.push_back(AxisInfo::unknown(rankOf(operand.getType())));
      else if (!lattice->getValue().info)
        return; // comes later
      else
        infos.push_back(*lattice->getValue().info);
    }
    for (auto [lattice, result] : llvm::zip(results, op->getResults()))
      if (isTracked(result.getType()))
        propagateIfChanged(lattice, lattice->join(Facts{transfer(op, infos, result)}));
  }

  void setToEntryState(FactsLattice *lattice) override {
    Value value = lattice->getPoint();
    AxisInfo info = AxisInfo::unknown(rankOf(value.getType()));
    if (auto argument = dyn_cast<BlockArgument>(value))
      if (auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()))
        if (auto divisor = function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), kDivisibilityAttr))
          info.divisibility[0] = divisor.getInt();
    propagateIfChanged(lattice, lattice->join(Facts{info}));
  }
};

} // namespace

AxisInfo AxisInfo::unknown(size_t rank) {
  SmallVector<int64_t, 2> ones(rank, 1);
  return {ones, ones, ones, false, std::nullopt};
}

int64_t AxisInfo::divisibilityAt(size_t axis, int64_t group, int64_t step) const {
  return contiguity[axis] > group ? std::gcd(divisibility[axis], group * step) : divisibility[axis];
}

AxisAnalysis::AxisAnalysis(Operation *root) : solver_(std::make_unique<DataFlowSolver>()) {
  solver_->load<dataflow::DeadCodeAnalysis>();
  solver_->load<dataflow::SparseConstantPropagation>();
  solver_->load<Propagation>();
  (void)solver_->initializeAndRun(root);
}

AxisAnalysis::~AxisAnalysis() = default;

AxisInfo AxisAnalysis::of(Value value) const {
  const auto *lattice = solver_->lookupState<FactsLattice>(value);
  return lattice && lattice->getValue().info ? *lattice->getValue().info : AxisInfo::unknown(rankOf(value.getType()));
}

int64_t AxisAnalysis::accessWidth(Value pointers, Value mask, size_t axis) const {
  constexpr int64_t kMostBytes = 16;
  AxisInfo address = of(pointers);
  int64_t bytes = pointeeBytes(pointers.getType());
  int64_t width = std::min({address.contiguity[axis], std::max<int64_t>(address.divisibility[axis] / bytes, 1),
                            std::max<int64_t>(kMostBytes / bytes, 1)});
  if (mask)
    width = std::min(width, of(mask).constancy[axis]);
  return width;
}

} // namespace tegula::tile
