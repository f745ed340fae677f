// tile-lower-descriptors (TilePasses.td): replaces accesses through descriptors by accesses through pointers and masks.
#include "core/passes/Passes.h"
#include "core/passes/analysis/AxisInfo.h"
#include "core/passes/tile/DescriptorParts.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tegula::tile {

#define GEN_PASS_DEF_LOWERDESCRIPTORS
#include "core/passes/Passes.h.inc"

namespace {

/// Builds the pointers and the mask of the block that an access moves (the window), one axis after another. Each axis
/// adds an offset to the pointers and a condition to the mask. As long as an axis has not been added, the tensors have
/// extent 1 along it.
class Window {
public:
  Window(OpBuilder &builder, Location location, const DescriptorParts &parts, ArrayRef<int64_t> shape)
      : b_(builder), location_(location), parts_(parts), shape_(shape), base_(parts.base) {}

  /// Moves the window to the position `offset` (i32) along a descriptor axis along which it has one element and
  /// therefore no axis of its own, and masks it off if the position is outside the descriptor's extent.
  void addUnit(unsigned axis, Value offset, bool isNonNegative) {
    move(axis, offset);
    Value at = wide(offset);
    require(arith::CmpIOp::create(b_, location_, arith::CmpIPredicate::slt, at, parts_.extents[axis]));
    if (!isNonNegative)
      require(arith::CmpIOp::create(b_, location_, arith::CmpIPredicate::sge, at, integer(0)));
  }

  /// Gives the window's axis `to` the positions offset, offset + 1, ... along the descriptor's axis `axis`; positions
  /// outside the descriptor's extent are masked off.
  void addRange(unsigned axis, Value offset, bool isNonNegative, unsigned to) {
    int64_t extent = shape_[to];
    if (extent == 1)
      return addUnit(axis, offset, isNonNegative);
    move(axis, offset);
    Value range = along(MakeRangeOp::create(b_, location_, uint32_t(0), uint32_t(extent)), to);
    offsets_.push_back({to, axis + 1 == parts_.strides.size() ? range : scaled(range, axis)});
    Value at = wide(offset);
    Value left = arith::SubIOp::create(b_, location_, parts_.extents[axis], at);
    limit(range, arith::CmpIPredicate::slt, left, extent, to);
    if (!isNonNegative)
      limit(range, arith::CmpIPredicate::sge, arith::SubIOp::create(b_, location_, integer(0), at), extent, to);
  }

  /// Gives the window's axis 0 the positions in the tensor `rows` along the descriptor's axis 0; positions outside the
  /// descriptor's extent are masked off.
  void addRows(Value rows) {
    Value at = along(rows, 0);
    if (!getElementTypeOrSelf(at.getType()).isInteger(64))
      at = arith::ExtSIOp::create(b_, location_, withElement(at.getType(), b_.getI64Type()), at);
    ArrayRef<int64_t> shape = shapeOf(at.getType());
    offsets_.push_back({0, scaled(at, 0)});
    Value extents = SplatOp::create(b_, location_, shape, parts_.extents[0]);
    Value zeros = SplatOp::create(b_, location_, shape, integer(0));
    masks_.push_back({0, arith::CmpIOp::create(b_, location_, arith::CmpIPredicate::slt, at, extents)});
    masks_.push_back({0, arith::CmpIOp::create(b_, location_, arith::CmpIPredicate::sge, at, zeros)});
  }

  Value pointers() {
    SmallVector<int64_t> shape(shape_.size(), 1);
    Value all = SplatOp::create(b_, location_, shape, base_);
    for (auto [axis, offset] : offsets_) {
      shape[axis] = shape_[axis];
      all = AddPtrOp::create(b_, location_, broadcast(all, shape), broadcast(offset, shape));
    }
    return broadcast(all, shape_);
  }

  Value mask() {
    SmallVector<int64_t> shape(shape_.size(), 1);
    Value all;
    for (auto [axis, mask] : masks_) {
      shape[axis] = shape_[axis];
      Value wider = broadcast(mask, shape);
      all = all ? arith::AndIOp::create(b_, location_, broadcast(all, shape), wider).getResult() : wider;
    }
    if (all)
      all = broadcast(all, shape_);
    if (scalarMask_) {
      Value splat = SplatOp::create(b_, location_, shape_, scalarMask_);
      all = all ? arith::AndIOp::create(b_, location_, all, splat).getResult() : splat;
    }
    return all;
  }

  /// The value that masked-off elements read; null for zero.
  Value padding() {
    auto type = cast<PtrType>(parts_.base.getType()).getPointee();
    auto element = dyn_cast<FloatType>(type);
    if (!element || matchPattern(parts_.padsNan, m_Zero()))
      return {};
    auto attribute = FloatAttr::get(element, APFloat::getQNaN(element.getFloatSemantics()));
    Value nan = arith::ConstantOp::create(b_, location_, attribute);
    if (!matchPattern(parts_.padsNan, m_One())) {
      Value zero = arith::ConstantOp::create(b_, location_, cast<TypedAttr>(b_.getZeroAttr(element)));
      nan = arith::SelectOp::create(b_, location_, parts_.padsNan, nan, zero);
    }
    return SplatOp::create(b_, location_, shape_, nan);
  }

private:
  Value integer(int64_t value) { return arith::ConstantOp::create(b_, location_, b_.getI64IntegerAttr(value)); }
  Value wide(Value offset) { return arith::ExtSIOp::create(b_, location_, b_.getI64Type(), offset); }

  void move(unsigned axis, Value offset) {
    Value distance = wide(offset);
    if (axis + 1 != parts_.strides.size()) // the last stride is 1
      distance = arith::MulIOp::create(b_, location_, distance, parts_.strides[axis]);
    base_ = AddPtrOp::create(b_, location_, base_, distance);
  }

  void require(Value condition) {
    scalarMask_ = scalarMask_ ? arith::AndIOp::create(b_, location_, scalarMask_, condition).getResult() : condition;
  }

  /// Adds the condition `range predicate clamp(bound, 0, extent)` to the mask of the window's axis `to`. Clamping makes
  /// a 64-bit bound fit the 32 bits of the range.
  void limit(Value range, arith::CmpIPredicate predicate, Value bound, int64_t extent, unsigned to) {
    bound = arith::MaxSIOp::create(b_, location_, bound, integer(0));
    bound = arith::MinSIOp::create(b_, location_, bound, integer(extent));
    bound = arith::TruncIOp::create(b_, location_, b_.getI32Type(), bound);
    Value bounds = SplatOp::create(b_, location_, shapeOf(range.getType()), bound);
    masks_.push_back({to, arith::CmpIOp::create(b_, location_, predicate, range, bounds)});
  }

  /// Reshapes a tensor of rank 1 so that it lies along one axis of the window.
  Value along(Value row, unsigned to) {
    for (unsigned axis = 0; axis < shape_.size(); ++axis)
      if (axis != to)
        row = ExpandDimsOp::create(b_, location_, row, axis);
    return row;
  }

  Value scaled(Value at, unsigned axis) {
    Type type = withElement(at.getType(), b_.getI64Type());
    if (at.getType() != type)
      at = arith::ExtSIOp::create(b_, location_, type, at);
    Value strides = SplatOp::create(b_, location_, type, parts_.strides[axis]);
    return arith::MulIOp::create(b_, location_, at, strides);
  }

  Value broadcast(Value value, ArrayRef<int64_t> shape) {
    return shapeOf(value.getType()) == shape ? value : BroadcastOp::create(b_, location_, shape, value).getResult();
  }

  OpBuilder &b_;
  Location location_;
  const DescriptorParts &parts_;
  ArrayRef<int64_t> shape_;
  Value base_, scalarMask_;
  SmallVector<std::pair<unsigned, Value>> offsets_, masks_; // by axis of the window, in ascending order
};

class Lowering {
public:
  explicit Lowering(func::FuncOp function) : splitter_(function), analysis_(function, AxisAnalysis::Facts::Ignored) {}

  LogicalResult lower(Operation *op) {
    DescriptorParts parts = splitter_.of(op->getOperand(0));
    if (!parts.base)
      return failure();
    OpBuilder builder(op);
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](DescLoadOp load) {
          Window window = block(builder, load, parts, load.getType(), load.getOffsets());
          replaceWithLoad(builder, load, window);
        })
        .Case([&](DescStoreOp store) {
          Window window = block(builder, store, parts, store.getValue().getType(), store.getOffsets());
          replaceWithStore(builder, store, window, store.getValue());
        })
        .Case([&](DescAtomicOp atomic) {
          Window window = block(builder, atomic, parts, atomic.getValue().getType(), atomic.getOffsets());
          Value pointers = window.pointers(), mask = window.mask();
          AtomicRmwOp::create(builder, op->getLoc(), atomic.getKind(), MemoryOrder::Relaxed, Scope::Device, pointers,
                              atomic.getValue(), mask);
          op->erase();
        })
        .Case([&](DescGatherOp gather) {
          Window window = rows(builder, gather, parts, gather.getType(), gather.getRows(), gather.getColumn());
          replaceWithLoad(builder, gather, window);
        })
        .Case([&](DescScatterOp scatter) {
          Window window =
              rows(builder, scatter, parts, scatter.getValue().getType(), scatter.getRows(), scatter.getColumn());
          replaceWithStore(builder, scatter, window, scatter.getValue());
        });
    return success();
  }

  void finish() { splitter_.eraseDead(); }

private:
  bool isNonNegative(Value offset) const { return analysis_.of(offset).low >= 0; }

  Window block(OpBuilder &builder, Operation *op, const DescriptorParts &parts, Type type, ValueRange offsets) {
    Window window(builder, op->getLoc(), parts, shapeOf(type));
    unsigned dropped = offsets.size() - shapeOf(type).size();
    for (auto [axis, offset] : llvm::enumerate(offsets))
      if (axis < dropped)
        window.addUnit(axis, offset, isNonNegative(offset));
      else
        window.addRange(axis, offset, isNonNegative(offset), axis - dropped);
    return window;
  }

  Window rows(OpBuilder &builder, Operation *op, const DescriptorParts &parts, Type type, Value rows, Value column) {
    Window window(builder, op->getLoc(), parts, shapeOf(type));
    window.addRows(rows);
    window.addRange(1, column, isNonNegative(column), 1);
    return window;
  }

  static void replaceWithLoad(OpBuilder &builder, Operation *op, Window &window) {
    Value pointers = window.pointers(), mask = window.mask();
    auto eviction = op->hasAttr(kEvictFirstAttr) ? EvictionPolicy::EvictFirst : EvictionPolicy::Normal;
    Value loaded =
        LoadOp::create(builder, op->getLoc(), pointers, mask, window.padding(), CacheModifier::None, eviction, false);
    op->replaceAllUsesWith(ValueRange(loaded));
    op->erase();
  }

  static void replaceWithStore(OpBuilder &builder, Operation *op, Window &window, Value value) {
    Value pointers = window.pointers(), mask = window.mask();
    StoreOp::create(builder, op->getLoc(), pointers, value, mask, CacheModifier::None, EvictionPolicy::Normal);
    op->erase();
  }

  DescriptorSplitter splitter_; // made before the analysis, which must see the rebuilt loops
  AxisAnalysis analysis_;
};

struct LowerDescriptorsPass : impl::LowerDescriptorsBase<LowerDescriptorsPass> {
  void runOnOperation() override {
    getOperation()->walk([&](func::FuncOp function) {
      SmallVector<Operation *> accesses;
      bool hasAny = false;
      function.walk([&](Operation *op) {
        if (isa<DescLoadOp, DescStoreOp, DescAtomicOp, DescGatherOp, DescScatterOp>(op) && !op->hasAttr(kCopiedAttr))
          accesses.push_back(op);
        hasAny |= isa<MakeDescOp>(op);
      });
      if (accesses.empty() && !hasAny)
        return;
      Lowering lowering(function);
      for (Operation *op : accesses)
        if (failed(lowering.lower(op)))
          return signalPassFailure();
      lowering.finish();
    });
  }
};

} // namespace
} // namespace tegula::tile
