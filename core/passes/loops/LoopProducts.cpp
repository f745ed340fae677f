#include "core/passes/loops/LoopProducts.h"

#include "core/passes/Budget.h"
#include "core/passes/layouts/ProductLayouts.h"
#include "core/passes/loops/LoopLoads.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tegula::tile {
namespace {

/// The wait for a product, if it is the only use of the product's result; else null.
simt::WaitProductsOp waitFor(simt::ProductOp product) {
  return product.getResult().hasOneUse() ? dyn_cast<simt::WaitProductsOp>(*product->user_begin())
                                         : simt::WaitProductsOp();
}

/// Whether the loop's body does nothing with the wait's result but yield it.
bool isOnlyYielded(scf::ForOp loop, simt::WaitProductsOp wait) {
  return wait.getResult().hasOneUse() && *wait->user_begin() == loop.getBody()->getTerminator();
}

/// The loop argument that holds the previous iteration's result of the product that `wait` waits for, if this product
/// can run on: nothing else uses the argument or the result. Else null.
BlockArgument sumOf(scf::ForOp loop, simt::WaitProductsOp wait) {
  auto product = wait.getProduct().getDefiningOp<simt::ProductOp>();
  auto sum = dyn_cast<BlockArgument>(product.getC());
  bool isOnlySum = sum && sum.getOwner() == loop.getBody() && sum.hasOneUse() && wait.getResult().hasOneUse() &&
                   loop.getTiedLoopYieldedValue(sum)->get() == wait.getResult();
  return isOnlySum ? sum : BlockArgument();
}

/// The latest product of the loop's body on whose result the value depends, through waits and ops of the body.
simt::ProductOp productBefore(scf::ForOp loop, Value value) {
  simt::ProductOp latest;
  llvm::SetVector<Value> reached;
  reached.insert(value);
  for (size_t i = 0; i < reached.size(); ++i) {
    Operation *op = reached[i].getDefiningOp();
    if (!op || op->getBlock() != loop.getBody())
      continue;
    if (auto product = dyn_cast<simt::ProductOp>(op); product && (!latest || latest->isBeforeInBlock(op)))
      latest = product;
    if (!isa<simt::ProductOp>(op))
      reached.insert(op->operand_begin(), op->operand_end());
  }
  return latest;
}

bool isZeroTensor(Value value) {
  DenseElementsAttr constant;
  return matchPattern(value, m_Constant(&constant)) && constant.isSplat() && constant.getElementType().isF32() &&
         constant.getSplatValue<APFloat>().isPosZero();
}

/// Whether the kernel has another product whose result has the same type but another layout, because threads load the
/// left operand of exactly one of the two (ProductLayouts.h). If both add to one sum, the sum is converted between
/// them, which is impossible while a product is in flight. (Whether they do add to one sum is not checked.)
bool hasOtherLayout(simt::ProductOp product) {
  auto kernel = product->getParentOfType<func::FuncOp>();
  auto isOther = [&](simt::ProductOp each) {
    bool differs = each.getType() == product.getType() && loadsLeft(each) != loadsLeft(product);
    return differs ? WalkResult::interrupt() : WalkResult::advance();
  };
  return kernel.walk(isOther).wasInterrupted();
}

} // namespace

simt::SharedAllocOp bufferOf(Value operand) {
  while (auto transpose = operand.getDefiningOp<simt::TransposeOp>())
    operand = transpose.getSrc();
  return operand.getDefiningOp<simt::SharedAllocOp>();
}

simt::SharedAllocOp bufferReadBy(Value operand) {
  auto load = operand.getDefiningOp<simt::SharedLoadOp>();
  return bufferOf(load ? load.getSrc() : operand);
}

simt::StageOp stageReadBy(Value operand) {
  if (auto load = operand.getDefiningOp<simt::SharedLoadOp>())
    operand = load.getSrc();
  while (auto transpose = operand.getDefiningOp<simt::TransposeOp>())
    operand = transpose.getSrc();
  return operand.getDefiningOp<simt::StageOp>();
}

simt::SharedStoreOp fillingStore(scf::ForOp loop, simt::SharedAllocOp buffer) {
  simt::SharedStoreOp store;
  SmallVector<Operation *> users(buffer->getUsers()), readers;
  for (size_t i = 0; i < users.size(); ++i) {
    Operation *user = users[i];
    auto stage = dyn_cast<simt::StageOp>(user);
    if (isa<simt::TransposeOp>(user) || (stage && matchPattern(stage.getIndex(), m_Zero()))) {
      llvm::append_range(users, user->getUsers());
      continue;
    }
    if (user->getBlock() != loop.getBody())
      return {};
    auto one = dyn_cast<simt::SharedStoreOp>(user);
    if (one ? bool(store) || one.getOffset() || one.getPart() : !isa<simt::ProductOp, simt::SharedLoadOp>(user))
      return {};
    if (one)
      store = one;
    else
      readers.push_back(user);
  }
  bool isBehind = store && llvm::all_of(readers, [&](Operation *reader) { return store->isBeforeInBlock(reader); });
  return isBehind ? store : simt::SharedStoreOp();
}

bool onlyFeedsDots(Value value, llvm::function_ref<bool(simt::InstructionAttr)> isWanted) {
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    if (auto trans = dyn_cast<TransOp>(use.getOwner()))
      return onlyFeedsDots(trans.getResult(), isWanted);
    auto dot = dyn_cast<DotOp>(use.getOwner());
    simt::InstructionAttr instruction = dot ? simt::instructionOf(dot) : simt::InstructionAttr();
    return instruction && isWanted(instruction) && use.get() != dot.getC();
  });
}

namespace {

/// Adds to `found` the loads from which elementwise ops of the loop compute the value; false if it depends on something
/// else that the loop makes of tensors, such as a product. Loads behind changes of shape are not added (`isReshaped`):
/// threads would load single bytes across the lines of a ring, or the value has fewer elements, such as a scale.
bool collectLoads(scf::ForOp loop, Value value, bool isReshaped, llvm::SetVector<Operation *> &found) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != loop.getBody())
    return loop.isDefinedOutsideOfLoop(value);
  if (isa<LoadOp, DescLoadOp>(op)) {
    if (!isReshaped)
      found.insert(op);
    return true;
  }
  bool hasNoTensors = op->getNumRegions() == 0 && isMemoryEffectFree(op) && llvm::none_of(op->getOperands(), isTensor);
  return (passesOn(op) || hasNoTensors) && llvm::all_of(op->getOperands(), [&](Value each) {
           return !isTensor(each) || collectLoads(loop, each, isReshaped || !isElementwise(op), found);
         });
}

} // namespace

llvm::SetVector<Operation *> rawLoads(scf::ForOp loop) {
  llvm::SetVector<Operation *> loads;
  for (auto dot : loop.getBody()->getOps<DotOp>()) {
    simt::InstructionAttr instruction = simt::instructionOf(dot);
    if (!instruction || !readsShared(instruction))
      continue;
    for (Value operand : {dot.getA(), dot.getB()}) {
      llvm::SetVector<Operation *> ofOperand;
      while (auto trans = operand.getDefiningOp<TransOp>())
        operand = trans.getSrc();
      if (collectLoads(loop, operand, /*isReshaped=*/false, ofOperand))
        loads.insert_range(ofOperand);
    }
  }
  loads.remove_if([](Operation *load) {
    Type element = getElementTypeOrSelf(load->getResult(0).getType());
    bool isNumber = element.isIntOrFloat() && element.getIntOrFloatBitWidth() >= 8;
    return !isNumber || onlyFeedsDots(load->getResult(0), readsShared);
  });
  return loads;
}

bool runsLater(Operation *op) {
  simt::ScheduleAttr schedule = simt::scheduleOf(op);
  return schedule && schedule.getAhead() < 0;
}

std::optional<DelayedProduct> delayedBy(scf::ForOp loop, simt::WaitProductsOp wait) {
  auto product = wait.getProduct().getDefiningOp<simt::ProductOp>();
  if (!product || waitFor(product) != wait || !isOnlyYielded(loop, wait) || !isTensor(product.getA()))
    return std::nullopt;
  BlockArgument sum = loop.getRegionIterArg(wait.getResult().use_begin()->getOperandNumber());
  Value scale;
  auto factors = product.getC().getDefiningOp<arith::MulFOp>();
  if (factors && factors->hasOneUse() && llvm::is_contained(factors->getOperands(), sum))
    scale = factors.getLhs() == sum ? factors.getRhs() : factors.getLhs();
  simt::ProductOp first = productBefore(loop, product.getA());
  if (!sum.hasOneUse() || (product.getC() != sum && !scale) || !first)
    return std::nullopt;
  return DelayedProduct{wait, first, sum, scale};
}

bool canRunOn(scf::ForOp loop, simt::WaitProductsOp wait) {
  auto product = wait.getProduct().getDefiningOp<simt::ProductOp>();
  return product && waitFor(product) == wait && sumOf(loop, wait) && !isTensor(product.getA());
}

bool LoopProducts::endsLater(simt::ProductOp product) const {
  return llvm::any_of(runningOn, [&](simt::WaitProductsOp wait) { return wait.getProduct() == product.getResult(); }) ||
         llvm::any_of(delayed, [&](const DelayedProduct &each) { return each.product() == product; });
}

Value DelayedProduct::scaleSource() const {
  Value source = scale;
  while (Operation *op = source.getDefiningOp()) {
    if (!isa<SplatOp, ExpandDimsOp, BroadcastOp>(op))
      break;
    source = op->getOperand(0);
  }
  return source;
}

Value DelayedProduct::scaled(OpBuilder &builder, Value of, Value source) const {
  if (!scale)
    return of;
  SmallVector<Operation *> repeats; // ops from the factor back to its source
  for (Value value = scale; value != scaleSource(); value = value.getDefiningOp()->getOperand(0))
    repeats.push_back(value.getDefiningOp());
  Value factor = source;
  for (Operation *repeat : llvm::reverse(repeats)) {
    Operation *clone = builder.clone(*repeat);
    clone->setOperand(0, factor);
    factor = clone->getResult(0);
  }
  return arith::MulFOp::create(builder, of.getLoc(), of, factor);
}

bool isSumOfProducts(Value value) {
  auto loop = value.getDefiningOp<scf::ForOp>();
  if (!loop)
    return isZeroTensor(value) || value.getDefiningOp<simt::WaitProductsOp>();
  unsigned number = cast<OpResult>(value).getResultNumber();
  return loop.getYieldedValues()[number].getDefiningOp<simt::WaitProductsOp>() &&
         isSumOfProducts(loop.getInitArgs()[number]);
}

int64_t delayedBytesOf(const simt::Target &target, int64_t threads) {
  return std::min(target.policies.delayedBytes, simt::Budget(target.features).registerBytesForDelayed(threads));
}

LoopProducts findProducts(scf::ForOp loop, llvm::function_ref<bool(simt::SharedAllocOp)> isRing,
                          llvm::function_ref<bool(simt::SharedAllocOp)> isStored, int64_t threads, int64_t delayedBytes,
                          bool onlyFromZeros) {
  LoopProducts found;
  auto bytesOf = [&](Type type) { return int64_t(llvm::divideCeil(bytesOfWhole(type), threads)); };
  int64_t carried = 0;
  for (BlockArgument argument : loop.getRegionIterArgs())
    if (auto tensor = dyn_cast<RankedTensorType>(argument.getType()); tensor && isNumberScalar(tensor.getElementType()))
      carried += bytesOf(tensor);
  int64_t results = 0; // bytes of results from which the loop computes, such as scores: all alive at the same time
  for (auto product : loop.getBody()->getOps<simt::ProductOp>())
    if (simt::WaitProductsOp wait = waitFor(product); wait && !isOnlyYielded(loop, wait))
      results += bytesOf(product.getType());
  for (auto product : loop.getBody()->getOps<simt::ProductOp>()) {
    simt::WaitProductsOp wait = waitFor(product);
    if (!wait || !isOnlyYielded(loop, wait) || hasOtherLayout(product))
      continue;
    auto staysInMemory = [&](Value operand) {
      simt::SharedAllocOp buffer = bufferOf(operand);
      return buffer && (loop.isDefinedOutsideOfLoop(buffer) || isRing(buffer) || isStored(buffer));
    };
    if (sumOf(loop, wait) && staysInMemory(product.getA()) && staysInMemory(product.getB())) {
      found.runningOn.push_back(wait);
      continue;
    }
    std::optional<DelayedProduct> one = delayedBy(loop, wait);
    if (!one)
      continue;
    simt::SharedAllocOp buffer = bufferOf(product.getB());
    // The first iteration has no previous product: it adds zeros times zeros to the sum times one. That would change -0
    // to 0, so the sum must begin with zeros, or be a sum of products, whose zeros may have either sign.
    Value init = loop.getTiedLoopInit(one->sum)->get();
    // In a loop with several results, only one product is delayed: tile-order-products moves the starts of products up,
    // and with a second delayed product an assembler emitted waits for each product.
    bool isOneTooMany = !found.delayed.empty() && results > bytesOf(one->first.getType());
    if (isOneTooMany || !buffer || !isRing(buffer) || !(onlyFromZeros ? isZeroTensor(init) : isSumOfProducts(init)) ||
        carried + bytesOf(product.getA().getType()) + results > delayedBytes)
      continue;
    carried += bytesOf(product.getA().getType());
    found.delayed.push_back(*one);
  }
  return found;
}

SmallVector<Value> firstCarried(OpBuilder &builder, ArrayRef<DelayedProduct> delayed) {
  SmallVector<Value> values;
  for (const DelayedProduct &each : delayed) {
    Location location = each.product().getLoc();
    auto add = [&](Attribute constant) {
      values.push_back(arith::ConstantOp::create(builder, location, cast<TypedAttr>(constant)));
    };
    add(builder.getZeroAttr(each.product().getA().getType()));
    if (!each.scale)
      continue;
    Type type = each.scaleSource().getType();
    Attribute one = builder.getFloatAttr(getElementTypeOrSelf(type), 1);
    add(isTensor(each.scaleSource()) ? DenseElementsAttr::get(cast<ShapedType>(type), one) : one);
  }
  return values;
}

SmallVector<Value> delayProducts(scf::ForOp loop, ArrayRef<DelayedProduct> delayed, ArrayRef<BlockArgument> carried,
                                 OpBuilder &after, llvm::function_ref<Value(OpBuilder &, Value, bool)> operandBefore) {
  SmallVector<Value> next;
  for (const DelayedProduct &each : delayed) {
    simt::ProductOp product = each.product();
    BlockArgument left = carried[next.size()];
    BlockArgument scale = each.scale ? carried[next.size() + 1] : BlockArgument();
    auto start = [&](OpBuilder &builder, Value a, Value c, bool isAfterLoop) {
      Value b = operandBefore(builder, product.getB(), isAfterLoop);
      return simt::ProductOp::create(builder, product.getLoc(), a, b, c, product.getInstruction());
    };
    // The sum is scaled before the iteration's first product starts, because an op on a product's registers must not
    // run while products are in flight.
    OpBuilder builder = OpBuilder::atBlockBegin(loop.getBody());
    Value c = each.scaled(builder, each.sum, scale);
    builder.setInsertionPointAfter(each.first);
    Value started = start(builder, left, c, /*isAfterLoop=*/false);
    OpResult sum = loop.getTiedLoopResult(each.sum);
    Value lastC = each.scaled(after, sum, scale ? loop.getTiedLoopResult(scale) : Value());
    simt::ProductOp last = start(after, loop.getTiedLoopResult(left), lastC, /*isAfterLoop=*/true);
    Value done = simt::WaitProductsOp::create(after, product.getLoc(), last);
    sum.replaceUsesWithIf(
        done, [&](OpOperand &use) { return use.getOwner() != last && use.getOwner() != last.getC().getDefiningOp(); });
    next.push_back(product.getA());
    if (each.scale)
      next.push_back(each.scaleSource());
    simt::WaitProductsOp wait = each.wait;
    wait.getProductMutable().assign(started);
    Operation *scaled = each.scale ? product.getC().getDefiningOp() : nullptr;
    product.erase();
    if (scaled)
      scaled->erase();
  }
  return next;
}

void runOn(scf::ForOp loop, simt::WaitProductsOp wait) {
  BlockArgument sum = sumOf(loop, wait);
  auto product = wait.getProduct().getDefiningOp<simt::ProductOp>();
  OpBuilder builder(wait);
  simt::WaitProductsOp::create(builder, wait.getLoc(), sum); // the sum of the previous iteration
  wait.replaceAllUsesWith(product.getResult());
  wait.erase();
  OpResult result = loop.getTiedLoopResult(sum);
  builder.setInsertionPointAfter(loop);
  auto last = simt::WaitProductsOp::create(builder, product.getLoc(), result);
  result.replaceAllUsesExcept(last, last);
}

} // namespace tegula::tile
