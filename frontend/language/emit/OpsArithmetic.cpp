// Operators: pointer arithmetic, integer and float arithmetic, comparisons, selection.
#include "core/ir/tile/Tile.h"
#include "frontend/language/emit/Emitter.h"

namespace tegula::lang {

using namespace mlir;

namespace {

const char *spelling(BinaryOp op) {
  switch (op) {
  case BinaryOp::Add: return "+";
  case BinaryOp::Sub: return "-";
  case BinaryOp::Mul: return "*";
  case BinaryOp::Div: return "/";
  case BinaryOp::FloorDiv: return "//";
  case BinaryOp::Mod: return "%";
  case BinaryOp::Pow: return "**";
  case BinaryOp::MatMul: return "@";
  case BinaryOp::And: return "&";
  case BinaryOp::Or: return "|";
  case BinaryOp::Xor: return "^";
  case BinaryOp::Shl: return "<<";
  case BinaryOp::Shr: return ">>";
  }
  return "?";
}

template <class Op> mlir::Value create(OpBuilder &builder, Location loc, const Tensor &a, const Tensor &b) {
  return Op::create(builder, loc, a.value, b.value);
}

bool isNegativeNumber(const Value &value) {
  auto *c = value.as<Const>();
  auto *i = c ? std::get_if<Int>(&c->value) : nullptr;
  return i && *i < 0;
}

mlir::Value arithmetic(OpBuilder &b, Location at, BinaryOp op, const Tensor &x, const Tensor &y) {
  bool isFloat = x.type.isFloat(), isUnsigned = x.type.isUnsigned() || x.type.isBool();
  switch (op) {
  case BinaryOp::Add: return isFloat ? create<arith::AddFOp>(b, at, x, y) : create<arith::AddIOp>(b, at, x, y);
  case BinaryOp::Sub: return isFloat ? create<arith::SubFOp>(b, at, x, y) : create<arith::SubIOp>(b, at, x, y);
  case BinaryOp::Mul: return isFloat ? create<arith::MulFOp>(b, at, x, y) : create<arith::MulIOp>(b, at, x, y);
  case BinaryOp::Div: return create<arith::DivFOp>(b, at, x, y);
  case BinaryOp::FloorDiv:
    return isUnsigned ? create<arith::DivUIOp>(b, at, x, y) : create<arith::DivSIOp>(b, at, x, y);
  case BinaryOp::Mod:
    if (isFloat)
      return create<arith::RemFOp>(b, at, x, y);
    return isUnsigned ? create<arith::RemUIOp>(b, at, x, y) : create<arith::RemSIOp>(b, at, x, y);
  case BinaryOp::And: return create<arith::AndIOp>(b, at, x, y);
  case BinaryOp::Or: return create<arith::OrIOp>(b, at, x, y);
  case BinaryOp::Xor: return create<arith::XOrIOp>(b, at, x, y);
  case BinaryOp::Shl: return create<arith::ShLIOp>(b, at, x, y);
  case BinaryOp::Shr: return isUnsigned ? create<arith::ShRUIOp>(b, at, x, y) : create<arith::ShRSIOp>(b, at, x, y);
  default: return {};
  }
}

} // namespace

/// The number of elements at all depths, where an inner tuple counts as an element, too, and the depth of nesting: 1
/// for a tuple without inner tuples.
static std::pair<size_t, unsigned> sizeAndDepth(const Tuple &tuple) {
  size_t size = 0;
  unsigned depth = 1;
  for (const Value &element : tuple.elements) {
    ++size;
    if (auto *inner = element.as<Tuple>()) {
      auto [more, deeper] = sizeAndDepth(*inner);
      size += more;
      depth = std::max(depth, deeper + 1);
    }
  }
  return {size, depth};
}

Tuple Emitter::checkedSize(Loc loc, Tuple tuple) {
  auto [size, depth] = sizeAndDepth(tuple);
  if (size > kMaxTupleElements || depth > kMaxTupleDepth)
    fail(loc, "this tuple would have " + std::to_string(size) + " elements and inner tuples, nested " +
                  std::to_string(depth) + " deep; at most " + std::to_string(kMaxTupleElements) + " and " +
                  std::to_string(kMaxTupleDepth) + " are possible");
  return tuple;
}

/// `[2] * n`: the elements n times, n being a constant.
Tuple Emitter::repeated(Loc loc, const Tuple &tuple, const Value &repetitions) {
  Int times = constantInt(loc, repetitions, "the number of repetitions");
  constexpr Int kMost = 4096;
  const Int count = static_cast<Int>(tuple.elements.size());
  if (tuple.aggregate)
    fail(loc, "an aggregate cannot be repeated");
  if (count > 0 && times > kMost / count)
    fail(loc, lang::str(times) + " times " + lang::str(count) + " elements make a list that is too long; at most " +
                  lang::str(kMost) + " are possible");
  Tuple result = tuple;
  result.elements.clear();
  for (Int i = 0; i < times; ++i)
    result.elements.insert(result.elements.end(), tuple.elements.begin(), tuple.elements.end());
  return checkedSize(loc, std::move(result));
}

Value Emitter::roundedBinary(Loc loc, BinaryOp op, const Value &lhs, const Value &rhs) {
  Value result = binary(loc, op, lhs, rhs);
  const Tensor *tensor = result.as<Tensor>();
  Operation *made = tensor ? tensor->value.getDefiningOp() : nullptr;
  if (isa_and_nonnull<arith::AddFOp, arith::SubFOp, arith::MulFOp>(made))
    made->setAttr(tile::kRoundedAttr, builder.getUnitAttr());
  return result;
}

Value Emitter::binary(Loc loc, BinaryOp op, const Value &lhs, const Value &rhs) {
  auto *leftConst = lhs.as<Const>();
  auto *rightConst = rhs.as<Const>();
  if (leftConst && rightConst)
    return foldBinary(loc, op, *leftConst, *rightConst);
  auto *leftTuple = lhs.as<Tuple>();
  auto *rightTuple = rhs.as<Tuple>();
  if (leftTuple && rightTuple && op == BinaryOp::Add && !leftTuple->aggregate && !rightTuple->aggregate) {
    Tuple joined = *leftTuple;
    joined.elements.insert(joined.elements.end(), rightTuple->elements.begin(), rightTuple->elements.end());
    return checkedSize(loc, std::move(joined));
  }
  if (op == BinaryOp::Mul && (leftTuple || rightTuple) && !(leftTuple && rightTuple))
    return repeated(loc, leftTuple ? *leftTuple : *rightTuple, leftTuple ? rhs : lhs);
  auto *left = lhs.as<Tensor>();
  auto *right = rhs.as<Tensor>();
  bool leftIsPointer = left && left->type.isPointer(), rightIsPointer = right && right->type.isPointer();
  if (leftIsPointer || rightIsPointer) {
    if (op == BinaryOp::Add && !(leftIsPointer && rightIsPointer))
      return leftIsPointer ? addPointer(loc, *left, tensor(loc, rhs, "the offset"))
                           : addPointer(loc, *right, tensor(loc, lhs, "the offset"));
    if (op == BinaryOp::Sub && leftIsPointer && !rightIsPointer) {
      Tensor offset = tensor(loc, rhs, "the offset");
      if (offset.type.isUnsigned() || offset.type.isBool()) // the negative of an unsigned offset needs a signed type
        offset = cast(loc, offset, ScalarType::I64);
      return addPointer(loc, *left, tensor(loc, unary(loc, UnaryOp::Minus, offset)));
    }
    fail(loc, std::string("the operator ") + spelling(op) + " does not take " + lhs.describe() + " and " +
                  rhs.describe() + "; only an integer may be added to or subtracted from a pointer");
  }
  if (op == BinaryOp::MatMul)
    fail(loc, "the operator @ is not part of the kernel language; use tl.dot(a, b)");
  if (op == BinaryOp::Pow)
    fail(loc, "the operator ** takes constants only, found " + lhs.describe() + " and " + rhs.describe() +
                  "; multiply, or use tl.exp2 and tl.log2");
  bool isDivision = op == BinaryOp::Div || op == BinaryOp::FloorDiv || op == BinaryOp::Mod;
  auto [x, y] = promote(loc, lhs, rhs, {.isDivision = isDivision});
  if (x.type.isUnsigned() && (isNegativeNumber(lhs) || isNegativeNumber(rhs)))
    fail(loc, "cannot combine an unsigned tensor (" + x.type.str() +
                  ") with a negative constant; convert one of them with .to()");
  bool isInteger = x.type.isInteger();
  if (op == BinaryOp::Div && isInteger) {
    x = cast(loc, x, ScalarType::F32);
    y = cast(loc, y, ScalarType::F32);
  } else if (op == BinaryOp::FloorDiv && !isInteger) {
    fail(loc, "the operator // takes integers, found " + x.type.str() + "; use tl.floor(a / b)");
  } else if (op >= BinaryOp::And && !isInteger) {
    fail(loc, std::string("the operator ") + spelling(op) + " takes integers or booleans, found " + lhs.describe() +
                  " and " + rhs.describe());
  }
  Tensor result;
  bool shiftsSigned = left && left->type.isInteger() && !left->type.isUnsigned() && !left->type.isBool();
  if (op == BinaryOp::Shr && shiftsSigned) // the left operand's own signedness decides, not the promoted type's
    result = wrap(arith::ShRSIOp::create(builder, at(loc), x.value, y.value), x.type, x.shape);
  else
    result = wrap(arithmetic(builder, at(loc), op, x, y), x.type, x.shape);
  // A variable with a known constant counts as a constant, and so does a result computed from known constants.
  auto known = [](const Value &value, const Tensor &t) {
    auto *c = value.as<Const>();
    return c ? std::optional<Const>(*c) : t.known;
  };
  auto a = left ? left->known : known(lhs, x), b = right ? right->known : known(rhs, y);
  bool knownInts = a && b && std::holds_alternative<Int>(a->value) && std::holds_alternative<Int>(b->value);
  if (knownInts && op != BinaryOp::Div && !(isDivision && std::get<Int>(b->value) == 0)) {
    Const folded = foldBinary(loc, op, *a, *b);
    auto *value = std::get_if<Int>(&folded.value);
    bool sameRounding = !isDivision || (std::get<Int>(a->value) >= 0 && std::get<Int>(b->value) > 0);
    if (value && sameRounding && *value >= INT32_MIN && *value <= INT32_MAX && holds(result.type, *value))
      result.known = folded;
  }
  return result;
}

bool Emitter::isInCombineFunction() const {
  for (Region *region = builder.getBlock()->getParent(); region; region = region->getParentOp()->getParentRegion())
    if (!region->getParentOp()) // it belongs to no kernel before it is complete
      return true;
  return false;
}

Value Emitter::checkedBinary(Loc loc, BinaryOp op, const Value &lhs, const Value &rhs) {
  Value result = binary(loc, op, lhs, rhs);
  const Tensor *narrow = result.as<Tensor>();
  const char *name = op == BinaryOp::Add ? "add" : op == BinaryOp::Sub ? "sub" : op == BinaryOp::Mul ? "mul" : nullptr;
  if (!options.checksOverflow || !narrow || !name || !narrow->type.isInteger() || narrow->type.isBool() ||
      narrow->type.bits() >= 64)
    return result;
  if (frame->scope->isPrelude || isInCombineFunction()) // the library's functions wrap on purpose
    return result;
  auto [x, y] = promote(loc, lhs, rhs, Promotion{});
  Tensor wideX = cast(loc, x, ScalarType::I64), wideY = cast(loc, y, ScalarType::I64);
  Tensor wide = wrap(arithmetic(builder, at(loc), op, wideX, wideY), ScalarType::I64, narrow->shape);
  Tensor kept = cast(loc, *narrow, ScalarType::I64);
  Tensor holds = compareTensors(loc, CompareOp::Eq, wide, kept);
  tile::AssertOp::create(
      builder, at(loc), holds.value,
      builder.getStringAttr("int" + std::to_string(narrow->type.bits()) + " overflow detected for operation " + name));
  return result;
}

Value Emitter::unary(Loc loc, UnaryOp op, const Value &operand) {
  if (op == UnaryOp::Not) {
    if (auto truth = staticTruth(loc, operand))
      return Const(!*truth);
    return logicalNot(loc, tensor(loc, operand));
  }
  if (auto *c = operand.as<Const>()) {
    if (!c->isNumber())
      fail(loc, "this operator needs a number, found " + c->repr());
    if (op == UnaryOp::Plus)
      return std::holds_alternative<bool>(c->value) ? Const(Int(std::get<bool>(c->value))) : *c;
    if (op == UnaryOp::Minus) {
      if (auto *number = std::get_if<double>(&c->value))
        return Const(-*number); // 0 - x would lose the sign of zero
      return foldBinary(loc, BinaryOp::Sub, Const(Int(0)), *c);
    }
    if (std::holds_alternative<double>(c->value))
      fail(loc, "the operator ~ takes integers, found " + c->repr());
    return foldBinary(loc, BinaryOp::Sub, Const(Int(-1)), *c); // ~x == -1 - x
  }
  Tensor x = tensor(loc, operand);
  if (op == UnaryOp::Plus)
    return x;
  if (x.type.isPointer())
    fail(loc, "this operator does not take a pointer, found " + x.str());
  if (op == UnaryOp::Minus) {
    if (x.type.isFloat())
      return wrap(arith::NegFOp::create(builder, at(loc), x.value), x.type, x.shape);
    Tensor zero = fullTensor(loc, x.shape, scalarConstant(loc, Const(Int(0)), x.type));
    Tensor result = wrap(arith::SubIOp::create(builder, at(loc), zero.value, x.value), x.type, x.shape);
    if (auto *known = x.known ? std::get_if<Int>(&x.known->value) : nullptr; known && holds(x.type, -*known))
      result.known = Const(-*known);
    return result;
  }
  if (!x.type.isInteger())
    fail(loc, "the operator ~ takes integers or booleans, found " + x.str());
  Tensor ones = fullTensor(loc, x.shape, scalarConstant(loc, x.type.isBool() ? Const(Int(1)) : Const(Int(-1)), x.type));
  return wrap(arith::XOrIOp::create(builder, at(loc), x.value, ones.value), x.type, x.shape);
}

Tensor Emitter::logicalNot(Loc loc, const Tensor &value) {
  Tensor condition = toBool(loc, value);
  Tensor one = fullTensor(loc, condition.shape, scalarConstant(loc, Const(true), ScalarType::I1));
  return wrap(arith::XOrIOp::create(builder, at(loc), condition.value, one.value), ScalarType::I1, condition.shape);
}

Tensor Emitter::compareTensors(Loc loc, CompareOp op, Tensor lhs, Tensor rhs) {
  if (lhs.type.isPointer()) {
    lhs = cast(loc, lhs, ScalarType::U64);
    rhs = cast(loc, rhs, ScalarType::U64);
  }
  bool isUnsigned = lhs.type.isUnsigned() || lhs.type.isBool();
  if (lhs.type.isFloat()) {
    auto predicate = [&] {
      switch (op) {
      case CompareOp::Eq: return arith::CmpFPredicate::OEQ;
      case CompareOp::Ne: return arith::CmpFPredicate::UNE;
      case CompareOp::Lt: return arith::CmpFPredicate::OLT;
      case CompareOp::Le: return arith::CmpFPredicate::OLE;
      case CompareOp::Gt: return arith::CmpFPredicate::OGT;
      default: return arith::CmpFPredicate::OGE;
      }
    }();
    return wrap(arith::CmpFOp::create(builder, at(loc), predicate, lhs.value, rhs.value), ScalarType::I1, lhs.shape);
  }
  auto predicate = [&] {
    switch (op) {
    case CompareOp::Eq: return arith::CmpIPredicate::eq;
    case CompareOp::Ne: return arith::CmpIPredicate::ne;
    case CompareOp::Lt: return isUnsigned ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
    case CompareOp::Le: return isUnsigned ? arith::CmpIPredicate::ule : arith::CmpIPredicate::sle;
    case CompareOp::Gt: return isUnsigned ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::sgt;
    default: return isUnsigned ? arith::CmpIPredicate::uge : arith::CmpIPredicate::sge;
    }
  }();
  return wrap(arith::CmpIOp::create(builder, at(loc), predicate, lhs.value, rhs.value), ScalarType::I1, lhs.shape);
}

Tensor Emitter::minMax(Loc loc, bool isMax, const Tensor &x, const Tensor &y, bool propagateNan) {
  auto make = [&]<class Op>() { return wrap(Op::create(builder, at(loc), x.value, y.value), x.type, x.shape); };
  if (x.type.isFloat()) {
    if (propagateNan)
      return isMax ? make.operator()<arith::MaximumFOp>() : make.operator()<arith::MinimumFOp>();
    return isMax ? make.operator()<arith::MaxNumFOp>() : make.operator()<arith::MinNumFOp>();
  }
  if (x.type.isUnsigned() || x.type.isBool())
    return isMax ? make.operator()<arith::MaxUIOp>() : make.operator()<arith::MinUIOp>();
  return isMax ? make.operator()<arith::MaxSIOp>() : make.operator()<arith::MinSIOp>();
}

Tensor Emitter::where(Loc loc, const Value &condition, const Value &x, const Value &y) {
  auto [a, b] = promote(loc, x, y, {.allowPointers = true});
  Tensor c = toBool(loc, tensor(loc, condition, "the condition"));
  if (c.shape.empty() && !a.shape.empty()) {
    // A scalar condition selects between whole tiles.
    return wrap(arith::SelectOp::create(builder, at(loc), c.value, a.value, b.value), a.type, a.shape);
  }
  a = broadcast(loc, c, a).second;
  b = broadcast(loc, c, b).second;
  c = broadcast(loc, c, a).first;
  return wrap(arith::SelectOp::create(builder, at(loc), c.value, a.value, b.value), a.type, a.shape);
}

} // namespace tegula::lang
