#include "tests/passes/RandomTiles.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tegula::tile::test {

RandomTiles::RandomTiles(MLIRContext &context, uint64_t seed) : b_(&context), random_(seed) {
  i32_ = b_.getI32Type(), i64_ = b_.getI64Type(), i1_ = b_.getI1Type();
  pointer_ = PtrType::get(below(2) ? Type(b_.getF32Type()) : Type(b_.getF16Type()));
  module_ = ModuleOp::create(b_.getUnknownLoc());
  b_.setInsertionPointToEnd(module_->getBody());
  SmallVector<Type> types = {i32_, i32_, i64_, pointer_};
  function_ = func::FuncOp::create(b_, b_.getUnknownLoc(), "f", b_.getFunctionType(types, {}));
  Block *block = function_.addEntryBlock();
  b_.setInsertionPointToStart(block);
  for (unsigned i = 0; i < types.size(); ++i) {
    if (below(3))
      function_.setArgAttr(i, kDivisibilityAttr, b_.getI64IntegerAttr(int64_t(1) << below(6)));
    if (i < 3 && below(3) == 0)
      function_.setArgAttr(i, kNonNegativeAttr, b_.getUnitAttr());
    keep(block->getArgument(i));
  }
  leaves();
  statements(22, 0);
  SmallVector<Value> results;
  for (Type type : {tensor(i32_), tensor(pointer_), tensor(i64_), tensor(pointer_), i32_, tensor(i1_)})
    results.push_back(any(type));
  func::ReturnOp::create(b_, b_.getUnknownLoc(), results);
  function_.setType(b_.getFunctionType(types, ValueRange(results).getTypes()));
}

std::vector<int64_t> RandomTiles::arguments() {
  std::vector<int64_t> values;
  for (unsigned i = 0; i < function_.getNumArguments(); ++i) {
    auto declared = function_.getArgAttrOfType<IntegerAttr>(i, kDivisibilityAttr);
    int64_t divisor = declared ? declared.getInt() : 1, value = divisor * (below(61) - 30);
    Type type = function_.getArgument(i).getType();
    if (type == pointer_) {
      value = divisor * (4096 + below(4096));
    } else if (below(4) == 0) { // close to the value at which it wraps
      int64_t most = type == i32_ ? std::numeric_limits<int32_t>::max() : std::numeric_limits<int64_t>::max();
      value = below(2) ? (most - below(40)) / divisor * divisor : (-most + below(40)) / divisor * divisor;
    }
    if (function_.getArgAttr(i, kNonNegativeAttr) && value < 0)
      value = -value;
    values.push_back(value);
  }
  return values;
}

Value RandomTiles::keep(Value value) {
  pools_[value.getType().getAsOpaquePointer()].push_back(value);
  return value;
}

Value RandomTiles::any(Type type) {
  std::vector<Value> &pool = pools_[type.getAsOpaquePointer()];
  // Prefers later values, which are deeper expressions.
  return pool[size_t(std::max(below(int64_t(pool.size())), below(int64_t(pool.size()))))];
}

Value RandomTiles::constant(Type type, int64_t value) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr attribute = b_.getIntegerAttr(element, value);
  if (auto shaped = dyn_cast<RankedTensorType>(type))
    attribute = SplatElementsAttr::get(shaped, Attribute(attribute));
  return make<arith::ConstantOp>(attribute);
}

void RandomTiles::leaves() {
  Value program = make<ProgramIdOp>(uint32_t(0));
  Value block = make<arith::MulIOp>(program, constant(i32_, int64_t(1) << below(8)));
  make<SplatOp>(tensor(i32_), block);
  constant(i64_, below(100) - 20);
  for (Type type : {i32_, i64_, pointer_})
    make<SplatOp>(tensor(type), any(type));
  make<SplatOp>(tensor(i32_), any(i32_));
  constant(tensor(i32_), below(3) ? int64_t(1) << below(6) : below(40) - 10);
  constant(tensor(i64_), int64_t(1) << below(6));
  for (int64_t axis : {0, 1}) {
    int64_t extent = axis ? 16 : 8, start = below(3) * extent + (below(4) ? 0 : below(8));
    Value range = MakeRangeOp::create(b_, b_.getUnknownLoc(), uint32_t(start), uint32_t(start + extent));
    Value expanded = ExpandDimsOp::create(b_, b_.getUnknownLoc(), range, uint32_t(1 - axis));
    make<BroadcastOp>(tensor(i32_), expanded);
  }
  make<arith::ExtSIOp>(tensor(i64_), any(tensor(i32_)));
  make<arith::CmpIOp>(arith::CmpIPredicate::slt, any(tensor(i32_)), any(tensor(i32_)));
}

void RandomTiles::statements(int count, int depth) {
  for (int i = 0; i < count; ++i)
    switch (below(12)) {
    case 0:
    case 1:
    case 2: binary(tensor(i32_)); break;
    case 3: binary(tensor(i64_)); break;
    case 4: binary(below(2) ? i32_ : i64_); break;
    case 5: cast(); break;
    case 6: shape(); break;
    case 7: pointer(); break;
    case 8: choose(); break;
    case 9: make<SplatOp>(tensor(i32_), any(i32_)); break;
    case 10: depth < 2 ? loop(depth + 1) : pointer(); break;
    default: depth < 2 ? branch(depth + 1) : cast(); break;
    }
}

void RandomTiles::binary(Type type) {
  Value a = any(type), b = any(type);
  switch (below(19)) {
  case 0: make<arith::SubIOp>(a, b); break;
  case 1:
  case 2: make<arith::MulIOp>(a, b); break;
  case 3: make<arith::DivSIOp>(a, b); break;
  case 4: make<arith::RemSIOp>(a, b); break;
  case 5: make<arith::DivUIOp>(a, b); break;
  case 6: make<arith::RemUIOp>(a, b); break;
  case 7: make<arith::AndIOp>(a, below(2) ? b : constant(type, (int64_t(1) << below(6)) - 1)); break;
  case 8: make<arith::OrIOp>(a, b); break;
  case 9: make<arith::XOrIOp>(a, b); break;
  case 10: make<arith::ShLIOp>(a, constant(type, below(8))); break;
  case 11: make<arith::ShRSIOp>(a, constant(type, below(8))); break;
  case 12: make<arith::ShRUIOp>(a, constant(type, below(8))); break;
  case 13: make<arith::MinSIOp>(a, b); break;
  case 14: make<arith::MaxSIOp>(a, b); break;
  case 15: below(2) ? make<arith::MinUIOp>(a, b) : make<arith::MaxUIOp>(a, b); break;
  default: make<arith::AddIOp>(a, b); break;
  }
}

void RandomTiles::cast() {
  switch (below(5)) {
  case 0: make<arith::ExtSIOp>(tensor(i64_), any(tensor(i32_))); break;
  case 1: make<arith::ExtUIOp>(tensor(i64_), any(tensor(i32_))); break;
  case 2: make<arith::TruncIOp>(tensor(i32_), any(tensor(i64_))); break;
  case 3: make<arith::ExtUIOp>(tensor(i32_), any(tensor(i1_))); break;
  default: make<arith::ExtSIOp>(i64_, any(i32_)); break;
  }
}

/// Changes a value's shape and back, so that results have uses.
void RandomTiles::shape() {
  Type type = tensor(below(3) ? i32_ : below(2) ? i64_ : pointer_), element = getElementTypeOrSelf(type);
  Value x = any(type);
  switch (below(5)) {
  case 0: {
    Value turned = make<TransOp>(x, ArrayRef<int32_t>{1, 0});
    make<TransOp>(turned, ArrayRef<int32_t>{1, 0});
    make<ReshapeOp>(ArrayRef<int64_t>{8, 16}, turned);
    break;
  }
  case 1: make<ReshapeOp>(ArrayRef<int64_t>{8, 16}, make<ReshapeOp>(ArrayRef<int64_t>{4, 32}, x)); break;
  case 2: {
    Value flat = make<ReshapeOp>(ArrayRef<int64_t>{128}, x);
    make<ReshapeOp>(ArrayRef<int64_t>{8, 16}, make<ReshapeOp>(ArrayRef<int64_t>{8, 1, 4, 4}, flat));
    make<CatOp>(flat, make<ReshapeOp>(ArrayRef<int64_t>{128}, any(type)));
    break;
  }
  case 3: {
    auto split = SplitOp::create(b_, b_.getUnknownLoc(), make<JoinOp>(x, any(type)));
    keep(split.getLhs()), keep(split.getRhs());
    break;
  }
  default:
    auto halves = SplitOp::create(b_, b_.getUnknownLoc(), make<ReshapeOp>(ArrayRef<int64_t>{8, 8, 2}, x));
    make<ReshapeOp>(ArrayRef<int64_t>{8, 16}, make<JoinOp>(halves.getLhs(), halves.getRhs()));
    make<ExpandDimsOp>(halves.getRhs(), uint32_t(below(3)));
    (void)element;
  }
}

void RandomTiles::pointer() {
  switch (below(4)) {
  case 0: make<AddPtrOp>(any(pointer_), any(below(2) ? i32_ : i64_)); break;
  case 1: make<SplatOp>(tensor(pointer_), any(pointer_)); break;
  case 2: make<AddPtrOp>(any(tensor(pointer_)), any(tensor(i64_))); break;
  default: make<AddPtrOp>(any(tensor(pointer_)), any(tensor(i32_))); break;
  }
}

void RandomTiles::choose() {
  Type type = tensor(below(2) ? i32_ : below(2) ? i64_ : pointer_);
  if (below(2))
    make<arith::CmpIOp>(static_cast<arith::CmpIPredicate>(below(10)), any(tensor(i32_)), any(tensor(i32_)));
  if (below(3) == 0)
    make<arith::AndIOp>(any(tensor(i1_)), any(tensor(i1_)));
  make<arith::SelectOp>(any(tensor(i1_)), any(type), any(type));
}

void RandomTiles::loop(int depth) {
  Location loc = b_.getUnknownLoc();
  Value lower = below(2) ? function_.getArgument(0) : constant(i32_, 8 * below(3));
  Value step = constant(i32_, int64_t(1) << below(5));
  Value upper = make<arith::AddIOp>(lower, make<arith::MulIOp>(step, constant(i32_, below(5))));
  Value pointers = any(tensor(pointer_));
  if (below(2)) // pointers with a common base
    pointers = make<AddPtrOp>(make<SplatOp>(tensor(pointer_), any(pointer_)), any(tensor(below(2) ? i32_ : i64_)));
  SmallVector<Value> inits = {any(tensor(i32_)), pointers, any(i32_), any(tensor(i64_))};
  auto op = scf::ForOp::create(b_, loc, lower, upper, step, inits);
  Pools outside = pools_;
  b_.setInsertionPointToStart(op.getBody());
  keep(op.getInductionVar());
  for (Value argument : op.getRegionIterArgs())
    keep(argument);
  statements(int(2 + below(6)), depth);
  SmallVector<Value> yields;
  for (auto [type, argument] : llvm::zip(ValueRange(inits).getTypes(), op.getRegionIterArgs())) {
    Value next = any(type);
    bool isTensor = isa<RankedTensorType>(type), isPointer = isPtrScalar(getElementTypeOrSelf(type));
    if (isTensor && below(2)) // advanced by one amount for all elements, possibly also by an inner loop
      for (int64_t moves = 1 + below(2); moves > 0; --moves) {
        Value from = moves == 1 || below(2) ? Value(argument) : next;
        if (isPointer)
          next = make<AddPtrOp>(from, make<SplatOp>(tensor(i32_), any(i32_)));
        else
          next = make<arith::AddIOp>(from, make<SplatOp>(type, any(getElementTypeOrSelf(type))));
      }
    else if (!isPointer && below(2))
      next = make<arith::AddIOp>(argument, next);
    yields.push_back(next);
  }
  scf::YieldOp::create(b_, loc, yields);
  b_.setInsertionPointAfter(op);
  pools_ = std::move(outside);
  for (Value result : op.getResults())
    keep(result);
}

void RandomTiles::branch(int depth) {
  Location loc = b_.getUnknownLoc();
  Value condition = make<arith::CmpIOp>(arith::CmpIPredicate::slt, Value(function_.getArgument(1)), constant(i32_, 3));
  SmallVector<Type> types = {tensor(i32_), tensor(pointer_), i32_};
  auto op = scf::IfOp::create(b_, loc, types, condition, true);
  Pools outside = pools_;
  for (Region *region : {&op.getThenRegion(), &op.getElseRegion()}) {
    b_.setInsertionPointToStart(&region->front());
    statements(int(below(4)), depth);
    SmallVector<Value> yields;
    for (Type type : types)
      yields.push_back(any(type));
    scf::YieldOp::create(b_, loc, yields);
    pools_ = outside;
  }
  b_.setInsertionPointAfter(op);
  for (Value result : op.getResults())
    keep(result);
}

} // namespace tegula::tile::test
