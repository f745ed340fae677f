// simt-expand-effects (SimtPasses.td): lowers prints and assertions to accesses of the launch's print buffer.
//
// core/contracts/DeviceOutput.h describes the buffer.
#include "core/contracts/DeviceOutput.h"
#include "core/ir/simt/Effects.h"
#include "core/passes/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tegula::simt {

#define GEN_PASS_DEF_EXPANDEFFECTS
#include "core/passes/SimtPasses.h.inc"

namespace {

class Expander {
public:
  Expander(Operation *op, uint32_t message) : op_(op), message_(message), b_(op), location_(op->getLoc()) {}

  void expand() {
    if (auto print = dyn_cast<PrintOp>(op_)) {
      guarded(print.getMask(), [&] { expandPrint(print); });
    } else if (auto check = cast<AssertOp>(op_); check.getLimit()) {
      expandLimit(check);
    } else {
      guarded(check.getMask(), [&] { expandAssert(check); });
    }
    op_->erase();
  }

private:
  // --- building ---
  Type i32() { return b_.getI32Type(); }
  VectorType vectorOf(int64_t count, Type element) { return VectorType::get({count}, element); }
  Value constant(int64_t value) { return arith::ConstantIntOp::create(b_, location_, value, 32); }
  /// The constants first, first + step, first + 2 * step, ...
  Value sequence(int64_t count, int64_t first, int64_t step) {
    SmallVector<int32_t> numbers;
    for (int64_t i = 0; i < count; ++i)
      numbers.push_back(int32_t(first + i * step));
    VectorType type = vectorOf(count, i32());
    return arith::ConstantOp::create(b_, location_, type, DenseElementsAttr::get(type, ArrayRef(numbers)));
  }
  Value splat(Value scalar, int64_t count) {
    return SplatOp::create(b_, location_, vectorOf(count, scalar.getType()), scalar);
  }
  Value pick(Value vector, int32_t number) {
    return PickOp::create(b_, location_, vectorOf(1, i32()), vector, ArrayRef<int32_t>(number));
  }
  Value asVector(Value value) { return isa<VectorType>(value.getType()) ? value : splat(value, 1); }
  Value less(Value left, Value right) {
    return arith::CmpIOp::create(b_, location_, arith::CmpIPredicate::ult, left, right);
  }

  /// Emits `body` in a divergent branch on `condition` (null: without a branch). `body` must emit no collective.
  template <class Body> void guarded(Value condition, const Body &body) {
    if (!condition)
      return body();
    auto branch = scf::IfOp::create(b_, location_, condition, /*withElseRegion=*/false);
    branch->setAttr(kDivergentAttr, b_.getUnitAttr());
    OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPoint(branch.thenBlock()->getTerminator());
    body();
  }

  /// The low and the high 32-bit words of each element.
  std::pair<Value, Value> words(Value value) {
    int64_t count = elementsOf(value.getType());
    Type element = getElementTypeOrSelf(value.getType());
    unsigned bits = element.getIntOrFloatBitWidth();
    if (isa<FloatType>(element))
      value = arith::BitcastOp::create(b_, location_, vectorOf(count, b_.getIntegerType(bits)), value);
    VectorType word = vectorOf(count, i32());
    if (bits <= 32)
      return {bits == 32 ? value : arith::ExtUIOp::create(b_, location_, word, value), sequence(count, 0, 0)};
    VectorType whole = vectorOf(count, b_.getI64Type());
    Value shift = arith::ConstantOp::create(b_, location_, whole, DenseElementsAttr::get(whole, APInt(64, 32)));
    Value high = arith::ShRUIOp::create(b_, location_, value, shift);
    return {arith::TruncIOp::create(b_, location_, word, value), arith::TruncIOp::create(b_, location_, word, high)};
  }

  /// Writes one record for each element, if the buffer has room. An atomic addition to `counter`, a word of the header,
  /// reserves the records; the header's word `room` is the number of records that fit. Record 0 of this counter is
  /// record `firstRecord` of the buffer.
  void write(uint32_t counter, uint32_t room, Value firstRecord, Value elements, Value low, Value high) {
    int64_t count = elementsOf(elements.getType());
    Value buffer = buffer_;
    Value asked = load(counter, /*isVolatile=*/true);
    Value counts = less(asked, constant(int32_t(kCounterLimit)));
    Value first = AtomicRmwOp::create(b_, location_, tile::AtomicKind::Add, tile::MemoryOrder::Relaxed,
                                      tile::Scope::Device, buffer, constant(counter), constant(count), counts);
    first = arith::SelectOp::create(b_, location_, counts, first, constant(int32_t(kCounterLimit)));
    Value place = arith::AddIOp::create(b_, location_, splat(first, count), sequence(count, 0, 1));
    Value hasRoom = less(place, splat(load(room, false), count));
    place = arith::AddIOp::create(b_, location_, place, splat(firstRecord, count));
    place = arith::MulIOp::create(b_, location_, place, sequence(count, kOutputRecordWords, 0));
    place = arith::AddIOp::create(b_, location_, place, sequence(count, kOutputHeaderWords, 0));
    StoreOp::create(b_, location_, buffer, place, records(elements, low, high), hasRoom, tile::CacheModifier::None,
                    tile::EvictionPolicy::Normal);
  }

  Value load(uint32_t word, bool isVolatile) {
    return LoadOp::create(b_, location_, i32(), buffer_, constant(word), Value(), Value(), tile::CacheModifier::None,
                          tile::EvictionPolicy::Normal, isVolatile);
  }

  /// Emits a vector of the 32-bit words of one record for each element, one record after another. `elements`: the
  /// elements' numbers in the tensor; `low` and `high`: the low and the high words of their values.
  Value records(Value elements, Value low, Value high) {
    int64_t count = elementsOf(elements.getType());
    SmallVector<Value> parts = {constant(message_)};
    for (int axis = 0; axis < 3; ++axis)
      parts.push_back(tile::ProgramIdOp::create(b_, location_, axis));
    parts.push_back(ThreadIdOp::create(b_, location_, i32()));
    parts.append({elements, low, high});
    Value all = ConcatOp::create(b_, location_, vectorOf(5 + 3 * count, i32()), parts);
    SmallVector<int32_t> order;
    for (int32_t i = 0; i < count; ++i)
      order.append({0, 1, 2, 3, 5 + i, 4, int32_t(5 + count) + i, int32_t(5 + 2 * count) + i});
    return PickOp::create(b_, location_, vectorOf(int64_t(order.size()), i32()), all, order);
  }

  void takeBuffer() {
    buffer_ = HiddenArgumentOp::create(b_, location_, tile::PtrType::get(i32()), HiddenKind::PrintBuffer);
  }

  void expandPrint(PrintOp op) {
    takeBuffer();
    Value elements = op.getElements() ? asVector(op.getElements()) : sequence(1, 0, 0);
    Value low = sequence(1, 0, 0), high = low;
    if (op.getValue())
      std::tie(low, high) = words(asVector(op.getValue()));
    write(kLineCounter, kLineRoom, load(kFailureRoom, false), elements, low, high);
  }

  /// Each thread writes at most one record: for its failing element with the lowest number.
  void expandAssert(AssertOp op) {
    Value holds = asVector(op.getCondition());
    int64_t count = elementsOf(holds.getType());
    Value elements = op.getElements() ? asVector(op.getElements()) : sequence(count, 0, 0);
    Value lowest = arith::SelectOp::create(b_, location_, holds, sequence(count, -1, 0), elements);
    if (llvm::isPowerOf2_64(uint64_t(count))) {
      lowest = ReduceRegistersOp::create(b_, location_, vectorOf(1, i32()), CombineKind::MinUI, lowest, 0);
    } else {
      Value all = std::exchange(lowest, pick(lowest, 0));
      for (int32_t i = 1; i < count; ++i)
        lowest = arith::MinUIOp::create(b_, location_, lowest, pick(all, i));
    }
    Value element = PickOp::create(b_, location_, i32(), lowest, ArrayRef<int32_t>(0));
    Value fails = arith::CmpIOp::create(b_, location_, arith::CmpIPredicate::ne, element, constant(-1));
    guarded(fails, [&] {
      takeBuffer();
      Value none = sequence(1, 0, 0);
      write(kFailureCounter, kFailureRoom, constant(0), lowest, none, none);
    });
  }

  /// Expands the report of an exceeded limit. It writes no record: the host needs only the message's number.
  void expandLimit(AssertOp op) {
    takeBuffer();
    Value isMet = arith::XOrIOp::create(b_, location_, op.getCondition(),
                                        arith::ConstantIntOp::create(b_, location_, 1, /*width=*/1));
    if (op.getMask())
      isMet = arith::AndIOp::create(b_, location_, op.getMask(), isMet);
    AtomicRmwOp::create(b_, location_, tile::AtomicKind::UMin, tile::MemoryOrder::Relaxed, tile::Scope::Device, buffer_,
                        constant(kLimit), constant(message_), isMet);
  }

  Operation *op_;
  uint32_t message_;
  OpBuilder b_;
  Location location_;
  Value buffer_;
};

struct ExpandEffectsPass : impl::ExpandEffectsBase<ExpandEffectsPass> {
  void runOnOperation() override {
    getOperation()->walk([&](func::FuncOp function) {
      if (!isKernel(function) || function.isExternal())
        return;
      for (auto [number, op] : llvm::enumerate(effectsOf(function)))
        Expander(op, uint32_t(number)).expand();
    });
  }
};

} // namespace
} // namespace tegula::simt
