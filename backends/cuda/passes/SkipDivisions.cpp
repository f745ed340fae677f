// simt-skip-divisions (SimtPasses.td): puts divisions of scalars into branches. If the dividend is less than the
// divisor, no division is executed; a divisor min(x, constant) is replaced by the constant if x is at least the
// constant.
#include "backends/cuda/passes/Passes.h"
#include "core/ir/simt/Simt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tegula::simt {

#define GEN_PASS_DEF_SKIPDIVISIONS
#include "backends/cuda/passes/SimtPasses.h.inc"

namespace {

bool isSigned(Operation *division) { return isa<arith::DivSIOp, arith::RemSIOp>(division); }
bool isRemainder(Operation *division) { return isa<arith::RemSIOp, arith::RemUIOp>(division); }

/// Whether the op divides a scalar by a divisor that is not a constant.
bool isCandidate(Operation *op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op) &&
         op->getResult(0).getType().isInteger() && !matchPattern(op->getOperand(1), m_Constant());
}

/// A divisor min(other, most) with a positive constant `most`.
struct Bounded {
  Value other, most;
};

std::optional<Bounded> boundedBy(Value divisor, bool isSigned) {
  Operation *op = divisor.getDefiningOp();
  if (!op || !(isSigned ? isa<arith::MinSIOp>(op) : isa<arith::MinUIOp>(op)))
    return std::nullopt;
  for (auto [other, most] :
       {std::pair(op->getOperand(0), op->getOperand(1)), std::pair(op->getOperand(1), op->getOperand(0))})
    if (APInt constant; matchPattern(most, m_ConstantInt(&constant)) && constant.isStrictlyPositive())
      return Bounded{other, most};
  return std::nullopt;
}

/// Emits branches around divisions with the same dividend and divisor. The divisions are in one block, in source order.
void skip(ArrayRef<Operation *> divisions) {
  Operation *first = divisions.front();
  OpBuilder builder(first);
  Location location = first->getLoc();
  Value x = first->getOperand(0), y = first->getOperand(1);
  Value zero = arith::ConstantOp::create(builder, location, builder.getZeroAttr(x.getType()));
  auto compare = [&](arith::CmpIPredicate predicate, Value left, Value right) -> Value {
    return arith::CmpIOp::create(builder, location, predicate, left, right);
  };
  std::optional<Bounded> bounded = boundedBy(y, isSigned(first));
  Value known;
  if (bounded) { // `known`: the divisor equals the constant
    known =
        compare(isSigned(first) ? arith::CmpIPredicate::sge : arith::CmpIPredicate::uge, bounded->other, bounded->most);
  } else { // `known`: 0 <= dividend < divisor
    known = compare(arith::CmpIPredicate::ult, x, y);
    if (isSigned(first))
      known = arith::AndIOp::create(builder, location, known, compare(arith::CmpIPredicate::sgt, y, zero));
  }
  auto branch = scf::IfOp::create(builder, location, SmallVector<Type>(divisions.size(), x.getType()), known,
                                  /*withElse=*/true);
  branch->setAttr(kDivergentAttr, builder.getUnitAttr());
  OpBuilder then = branch.getThenBodyBuilder(), otherwise = branch.getElseBodyBuilder();
  SmallVector<Value> easy, divided;
  for (Operation *division : divisions) {
    divided.push_back(otherwise.clone(*division)->getResult(0));
    if (!bounded) {
      easy.push_back(isRemainder(division) ? x : zero);
      continue;
    }
    Operation *byConstant = then.clone(*division);
    byConstant->setOperand(1, bounded->most);
    easy.push_back(byConstant->getResult(0));
  }
  scf::YieldOp::create(then, location, easy);
  scf::YieldOp::create(otherwise, location, divided);
  for (auto [division, result] : llvm::zip_equal(divisions, branch.getResults())) {
    division->getResult(0).replaceAllUsesWith(result);
    division->erase();
  }
}

struct SkipDivisionsPass : impl::SkipDivisionsBase<SkipDivisionsPass> {
  void runOnOperation() override {
    using Key = std::tuple<Block *, Value, Value, unsigned>;
    llvm::MapVector<Key, SmallVector<Operation *>> divisions; // for each key, at most a quotient and a remainder
    getOperation()->walk([&](Operation *op) {
      if (!isCandidate(op))
        return;
      auto &same = divisions[{op->getBlock(), op->getOperand(0), op->getOperand(1), unsigned(isSigned(op))}];
      auto before = llvm::find_if(same, [&](Operation *each) { return each->getName() == op->getName(); });
      if (before == same.end()) {
        same.push_back(op);
      } else { // no later pass merges results of a branch
        op->getResult(0).replaceAllUsesWith((*before)->getResult(0));
        op->erase();
      }
    });
    for (auto &[key, same] : divisions)
      skip(same);
  }
};

} // namespace
} // namespace tegula::simt
