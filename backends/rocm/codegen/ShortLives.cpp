#include "backends/rocm/codegen/ShortLives.h"

#include "core/ir/simt/Simt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tegula::rocm {
namespace {

constexpr int64_t kFewestMoved = 8;

/// True if a load stands between the two ops of one block.
bool isLoadBetween(Operation *first, Operation *last) {
  for (Operation *op = first->getNextNode(); op != last; op = op->getNextNode())
    if (isa<simt::LoadOp>(op))
      return true;
  return false;
}

void roundEarly(arith::TruncFOp rounding) {
  Operation *value = rounding.getIn().getDefiningOp();
  Type narrow = getElementTypeOrSelf(rounding.getType());
  if (!value || !(narrow.isF16() || narrow.isBF16()) || value->getBlock() != rounding->getBlock() ||
      simt::elementsOf(rounding.getType()) < kFewestMoved || !isLoadBetween(value, rounding))
    return;
  rounding->moveAfter(value);
  OpBuilder b(rounding->getContext());
  b.setInsertionPointAfter(rounding);
  Value kept = staysHere(b, rounding);
  rounding.getResult().replaceAllUsesExcept(kept, kept.getDefiningOp());
}

/// The last barrier before the op, in its block; null if there is none.
Operation *barrierBefore(Operation *op) {
  for (Operation *each = op->getPrevNode(); each; each = each->getPrevNode())
    if (isa<simt::BarrierOp>(each))
      return each;
  return nullptr;
}

/// Finds an exchange of an operand of `product` between the two lanes of a pair: ops before the barrier, in its block,
/// that make `operand` by shuffles and selects from a single value, of which each lane holds a part. Sets `exchange` to
/// these ops, in order, and returns the value. Returns null if there is no such exchange, or if the value or a result
/// of these ops has other uses.
Value exchangeBefore(Operation *barrier, Operation *product, Value operand, SmallVectorImpl<Operation *> &exchange) {
  llvm::SetVector<Operation *> found;
  llvm::SmallPtrSet<Operation *, 8> users = {product};
  SmallVector<Value> next = {operand};
  Value source;
  bool hasShuffle = false;
  while (!next.empty()) {
    Value value = next.pop_back_val();
    Operation *op = value.getDefiningOp();
    bool isPart = op && op->getBlock() == barrier->getBlock() && op->isBeforeInBlock(barrier) &&
                  isa<simt::PickOp, simt::ConcatOp, simt::ShuffleOp, arith::SelectOp>(op) &&
                  simt::elementsOf(value.getType()) >= kFewestMoved;
    if (!isPart) {
      if (simt::elementsOf(value.getType()) < kFewestMoved)
        continue; // a condition, or a lane's number
      if (source && source != value)
        return {};
      source = value;
      continue;
    }
    hasShuffle |= isa<simt::ShuffleOp>(op);
    if (found.insert(op))
      llvm::append_range(next, op->getOperands());
  }
  if (!hasShuffle || !source)
    return {};
  users.insert(found.begin(), found.end());
  auto areKnown = [&](auto &&others) {
    return llvm::all_of(others, [&](Operation *user) { return users.contains(user); });
  };
  if (!areKnown(source.getUsers()) || !llvm::all_of(found, [&](Operation *op) { return areKnown(op->getUsers()); }))
    return {};
  exchange = found.takeVector();
  llvm::sort(exchange, [](Operation *left, Operation *right) { return left->isBeforeInBlock(right); });
  return source;
}

void exchangeLate(simt::MmaOp product) {
  Operation *barrier = barrierBefore(product);
  if (!barrier)
    return;
  for (Value operand : {product.getA(), product.getB()}) {
    SmallVector<Operation *> exchange;
    Value source = exchangeBefore(barrier, product, operand, exchange);
    if (!source)
      continue;
    OpBuilder b(product->getContext());
    b.setInsertionPointAfter(barrier); // before the loads of the other operand, which must come after the exchange
    Value kept = staysHere(b, source);
    for (Operation *op : exchange) {
      op->moveBefore(product);
      op->replaceUsesOfWith(source, kept);
    }
  }
}

class ShortLives : public PassWrapper<ShortLives, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ShortLives)
  StringRef getArgument() const override { return "rocm-short-lives"; }
  StringRef getDescription() const override { return "rounds values early and exchanges them late"; }

  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (!op->getParentOfType<scf::ForOp>())
        return;
      if (auto rounding = dyn_cast<arith::TruncFOp>(op))
        roundEarly(rounding);
      else if (auto product = dyn_cast<simt::MmaOp>(op))
        exchangeLate(product);
    });
  }
};

} // namespace

Value staysHere(OpBuilder &builder, Value value) {
  auto copy = arith::BitcastOp::create(builder, value.getLoc(), value.getType(), value);
  copy->setAttr(kStaysHere, builder.getUnitAttr());
  return copy;
}

std::unique_ptr<Pass> createShortLives() { return std::make_unique<ShortLives>(); }

} // namespace tegula::rocm
