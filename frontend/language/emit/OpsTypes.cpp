// Types of the IR, constants, casts, promotion. The promotion rules are those of Triton's `semantic.py`
// (computation_type_impl, integer_promote_impl, to_tensor), which follow PyTorch for scalars and C for integers.
#include "core/ir/Numbers.h"
#include "core/ir/tile/Tile.h"
#include "frontend/language/emit/Emitter.h"

#include <cmath>
#include <limits>

namespace tegula::lang {

using namespace mlir;

mlir::Type Emitter::irType(ElementType type) {
  if (type.isPointer())
    return tile::PtrType::get(irType(type.pointee()));
  return tile::typeOf(builder.getContext(), type.scalar);
}

mlir::Type Emitter::irType(ElementType type, const Shape &shape) {
  mlir::Type element = irType(type);
  return shape.empty() ? element : mlir::Type(RankedTensorType::get(shape, element));
}

namespace {

/// The type of a constant without other operands.
ElementType naturalType(const Const &value) {
  if (std::holds_alternative<bool>(value.value))
    return ScalarType::I1;
  if (auto *integer = std::get_if<Int>(&value.value)) {
    Int v = *integer;
    if (v >= std::numeric_limits<int32_t>::min() && v <= std::numeric_limits<int32_t>::max())
      return ScalarType::I32;
    if (v >= 0 && v <= std::numeric_limits<uint32_t>::max())
      return ScalarType::U32;
    if (v >= std::numeric_limits<int64_t>::min() && v <= std::numeric_limits<int64_t>::max())
      return ScalarType::I64;
    return ScalarType::U64;
  }
  double v = std::abs(std::get<double>(value.value));
  bool fitsF32 = std::isnan(v) || std::isinf(v) || v == 0 ||
                 (v >= std::numeric_limits<float>::min() && v <= std::numeric_limits<float>::max());
  return fitsF32 ? ScalarType::F32 : ScalarType::F64;
}

/// bool < integer < float: the order of kinds in promotion with a number.
int kindOf(ElementType type) { return type.isBool() ? 0 : type.isInteger() ? 1 : 2; }

ElementType promoteIntegers(ElementType a, ElementType b) {
  if (a.isUnsigned() == b.isUnsigned())
    return a.bits() > b.bits() ? a : b;
  if (a.isUnsigned())
    return a.bits() >= b.bits() ? a : b;
  return b.bits() >= a.bits() ? b : a;
}

} // namespace

Tensor Emitter::scalarConstant(Loc loc, const Const &value, ElementType type) {
  if (!value.isNumber())
    fail(loc, "expected a number, found " + value.repr());
  mlir::Type ir = irType(type);
  if (type.isPointer()) {
    Tensor address = scalarConstant(loc, value, ScalarType::I64);
    return wrap(tile::IntToPtrOp::create(builder, at(loc), ir, address.value), type, {});
  }
  double asDouble = 0;
  Int asInt = 0;
  if (auto *b = std::get_if<bool>(&value.value)) {
    asInt = *b;
    asDouble = *b;
  } else if (auto *i = std::get_if<Int>(&value.value)) {
    asInt = *i;
    asDouble = static_cast<double>(*i);
  } else {
    asDouble = std::get<double>(value.value);
    if (type.isInteger()) {
      if (!(std::abs(asDouble) < 0x1p100))
        fail(loc, "cannot convert " + value.repr() + " to " + type.str());
      asInt = static_cast<Int>(asDouble);
    }
  }
  TypedAttr attribute;
  if (type.isFloat()) {
    attribute = builder.getFloatAttr(ir, tile::roundedTo(llvm::cast<mlir::FloatType>(ir), asDouble));
  } else {
    if (type.isBool())
      asInt = asInt != 0;
    uint64_t words = static_cast<uint64_t>(asInt); // a conversion to a narrower integer wraps, like every integer cast
    attribute = builder.getIntegerAttr(ir, llvm::APInt(64, words).zextOrTrunc(type.bits()));
  }
  Tensor result = wrap(arith::ConstantOp::create(builder, at(loc), attribute), type, {});
  return result;
}

Tensor Emitter::fullTensor(Loc loc, const Shape &shape, const Tensor &scalar) {
  if (shape.empty())
    return scalar;
  checkSize(loc, shape);
  if (auto constant = scalar.value.getDefiningOp<arith::ConstantOp>()) {
    auto type = llvm::cast<RankedTensorType>(irType(scalar.type, shape));
    auto dense = DenseElementsAttr::get(type, constant.getValue());
    return wrap(arith::ConstantOp::create(builder, at(loc), dense), scalar.type, shape);
  }
  return wrap(tile::SplatOp::create(builder, at(loc), irType(scalar.type, shape), scalar.value), scalar.type, shape);
}

Tensor Emitter::tensor(Loc loc, const Value &value, const std::string &what) {
  if (auto *t = value.as<Tensor>())
    return *t;
  auto *c = value.as<Const>();
  if (!c || !c->isNumber())
    fail(loc, what + " must be a number or a tensor, found " + value.describe());
  if (auto *i = std::get_if<Int>(&c->value); i && (*i < INT64_MIN || *i > Int(UINT64_MAX)))
    fail(loc, "the integer " + str(*i) + " does not fit 64 bits");
  Tensor result = scalarConstant(loc, *c, naturalType(*c));
  result.known = *c;
  return result;
}

ElementType Emitter::promotedType(Loc loc, ElementType lhs, bool lhsIsConstant, ElementType rhs, bool rhsIsConstant,
                                  bool isDivision) {
  auto is = [&](ScalarType type) { return lhs == ElementType(type) || rhs == ElementType(type); };
  auto both = [&](ScalarType type) { return lhs == ElementType(type) && rhs == ElementType(type); };
  if (lhsIsConstant != rhsIsConstant) {
    ElementType constant = lhsIsConstant ? lhs : rhs, other = lhsIsConstant ? rhs : lhs;
    if (kindOf(constant) <= kindOf(other)) {
      bool is16 = other == ElementType(ScalarType::F16) || other == ElementType(ScalarType::BF16);
      return isDivision && is16 ? ElementType(ScalarType::F32) : other;
    }
  }
  if (is(ScalarType::F64))
    return ScalarType::F64;
  if (is(ScalarType::F32))
    return ScalarType::F32;
  if (is(ScalarType::F16))
    return isDivision ? ScalarType::F32 : ScalarType::F16;
  if (both(ScalarType::BF16))
    return isDivision ? ScalarType::F32 : ScalarType::BF16;
  if (is(ScalarType::BF16))
    return ScalarType::F32;
  if (lhs.isFloat() && rhs.isFloat())
    return lhs == rhs ? lhs : ElementType(ScalarType::F16);
  if (lhs.isFloat() || rhs.isFloat())
    fail(loc, "cannot combine " + lhs.str() + " and " + rhs.str() + "; convert one of them with .to()");
  if (isDivision && lhs.isUnsigned() != rhs.isUnsigned() && !lhs.isBool() && !rhs.isBool())
    fail(loc, "cannot divide " + lhs.str() + " and " + rhs.str() +
                  " because one is signed and the other is not; convert one of them with .to()");
  return promoteIntegers(lhs, rhs);
}

std::pair<Tensor, Tensor> Emitter::promote(Loc loc, const Value &lhs, const Value &rhs, Promotion how) {
  bool adapts = how.numbers == Numbers::Adapts;
  auto *lhsConst = adapts ? lhs.as<Const>() : nullptr;
  auto *rhsConst = adapts ? rhs.as<Const>() : nullptr;
  Tensor a = tensor(loc, lhs, "left operand"), b = tensor(loc, rhs, "right operand");
  if (a.type.isPointer() || b.type.isPointer()) {
    if (!how.allowPointers)
      fail(loc, "this operator does not take pointers, found " + a.str() + " and " + b.str());
    if (a.type.isPointer() && b.type.isPointer() && !(a.type == b.type))
      fail(loc, "cannot combine pointers of different types, " + a.type.str() + " and " + b.type.str());
    if (!a.type.isPointer())
      a = cast(loc, a, b.type);
    if (!b.type.isPointer())
      b = cast(loc, b, a.type);
    return broadcast(loc, a, b);
  }
  ElementType type = promotedType(loc, a.type, lhsConst, b.type, rhsConst, how.isDivision);
  auto convert = [&](const Const *constant, const Tensor &value) {
    if (!constant)
      return cast(loc, value, type);
    if (auto *integer = std::get_if<Int>(&constant->value); integer && type.isInteger()) {
      auto [low, high] = rangeOf(type);
      if (*integer < low || *integer > high)
        fail(loc, "the constant " + str(*integer) + " is out of range for " + type.str() + " (" + str(low) + " to " +
                      str(high) + "); convert the tensor with .to() first");
    }
    Tensor result = scalarConstant(loc, *constant, type);
    result.known = *constant;
    return result;
  };
  return broadcast(loc, convert(lhsConst, a), convert(rhsConst, b));
}

std::array<Tensor, 3> Emitter::promote(Loc loc, const Value &a, const Value &b, const Value &c, Promotion how) {
  auto [y, z] = promote(loc, b, c, how);
  auto [x, y1] = promote(loc, a, y, how);
  auto [x1, z1] = promote(loc, x, z, how);
  return {x1, broadcast(loc, y1, x1).first, z1};
}

Tensor Emitter::toBool(Loc loc, const Tensor &value) {
  if (value.type.isBool())
    return value;
  if (value.type.isPointer())
    return toBool(loc, cast(loc, value, ScalarType::I64));
  Tensor zero = fullTensor(loc, value.shape, scalarConstant(loc, Const(Int(0)), value.type));
  mlir::Value result =
      value.type.isFloat()
          ? arith::CmpFOp::create(builder, at(loc), arith::CmpFPredicate::UNE, value.value, zero.value).getResult()
          : arith::CmpIOp::create(builder, at(loc), arith::CmpIPredicate::ne, value.value, zero.value).getResult();
  return wrap(result, ScalarType::I1, value.shape);
}

Tensor Emitter::cast(Loc loc, const Tensor &value, ElementType type, bool towardZero) {
  ElementType from = value.type;
  if (from == type)
    return value;
  mlir::Type ir = irType(type, value.shape);
  auto make = [&]<class Op>() { return wrap(Op::create(builder, at(loc), ir, value.value), type, value.shape); };
  if (from.isPointer() && type.isPointer())
    return make.operator()<tile::PtrCastOp>();
  if (from.isPointer()) {
    if (type.isBool())
      return toBool(loc, value);
    if (!type.isInteger() || type.bits() != 64)
      fail(loc, "a pointer converts to i64, u64 or i1, not to " + type.str());
    return make.operator()<tile::PtrToIntOp>();
  }
  if (type.isPointer()) {
    if (!from.isInteger())
      fail(loc, "only an integer converts to a pointer, found " + value.str());
    Tensor address = cast(loc, value, ScalarType::I64);
    return wrap(tile::IntToPtrOp::create(builder, at(loc), ir, address.value), type, value.shape);
  }
  if (type.isBool())
    return toBool(loc, value);
  if (from.isFloat() && type.isFloat()) {
    auto mode = towardZero ? tile::RoundingMode::TowardZero : tile::RoundingMode::NearestEven;
    return wrap(tile::FpCastOp::create(builder, at(loc), ir, value.value, mode), type, value.shape);
  }
  if (from.isFloat())
    return type.isUnsigned() ? make.operator()<arith::FPToUIOp>() : make.operator()<arith::FPToSIOp>();
  bool fromUnsigned = from.isUnsigned() || from.isBool();
  if (type.isFloat())
    return fromUnsigned ? make.operator()<arith::UIToFPOp>() : make.operator()<arith::SIToFPOp>();
  if (type.bits() == from.bits())
    return wrap(value.value, type, value.shape);
  if (type.bits() < from.bits())
    return make.operator()<arith::TruncIOp>();
  return fromUnsigned ? make.operator()<arith::ExtUIOp>() : make.operator()<arith::ExtSIOp>();
}

Tensor Emitter::bitcast(Loc loc, const Tensor &value, ElementType type) {
  if (value.type == type)
    return value;
  if (value.type.isPointer() || type.isPointer())
    return cast(loc, value, type);
  if (value.type.bits() != type.bits())
    fail(loc, "cannot bitcast " + value.type.str() + " (" + std::to_string(value.type.bits()) + " bits) to " +
                  type.str() + " (" + std::to_string(type.bits()) + " bits)");
  if (value.type.isInteger() && type.isInteger())
    return wrap(value.value, type, value.shape);
  return wrap(arith::BitcastOp::create(builder, at(loc), irType(type, value.shape), value.value), type, value.shape);
}

Tensor Emitter::widenForMath(Loc loc, const Tensor &x) {
  if (!x.type.isFloat())
    fail(loc, "expected a floating-point value, found " + x.str() + "; convert it with .to(tl.float32)");
  return x.type.bits() < 32 ? cast(loc, x, ScalarType::F32) : x;
}

} // namespace tegula::lang
