// Values that must be known at compile time: reading them as constants, and Python's arithmetic on them.
#include "core/ir/tile/Tile.h"
#include "frontend/language/emit/Emitter.h"

#include <cmath>

namespace tegula::lang {

namespace {

constexpr int64_t kMaxTileElements = 1 << 20;
constexpr size_t kMaxText = 1 << 20;

bool isPowerOfTwo(int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

} // namespace

Const Emitter::constant(Loc loc, const Value &value, const std::string &what) {
  if (auto *c = value.as<Const>())
    return *c;
  if (auto *t = value.as<Tensor>(); t && t->known)
    return *t->known;
  if (auto *u = value.as<Unusable>())
    fail(loc, u->why);
  fail(loc, what + " must be known when the kernel is compiled, found " + value.describe() +
                "; make it a tl.constexpr parameter");
}

Int Emitter::constantInt(Loc loc, const Value &value, const std::string &what) {
  Const c = constant(loc, value, what);
  if (auto *i = std::get_if<Int>(&c.value))
    return *i;
  if (auto *b = std::get_if<bool>(&c.value))
    return *b;
  fail(loc, what + " must be an integer, found " + Value(c).describe());
}

bool Emitter::constantBool(Loc loc, const Value &value, const std::string &what) {
  if (auto truth = staticTruth(loc, Value(constant(loc, value, what))))
    return *truth;
  fail(loc, what + " must be True or False, found " + value.describe());
}

std::string Emitter::constantString(Loc loc, const Value &value, const std::string &what) {
  Const c = constant(loc, value, what);
  if (auto *s = std::get_if<std::string>(&c.value))
    return *s;
  fail(loc, what + " must be a string, found " + Value(c).describe());
}

ElementType Emitter::constantType(Loc loc, const Value &value, const std::string &what) {
  if (auto *b = value.as<BuiltinValue>(); b && b->builtin) { // Python's float, int, bool used as types
    if (b->builtin->name == "float")
      return ScalarType::F32;
    if (b->builtin->name == "int")
      return ScalarType::I32;
    if (b->builtin->name == "bool")
      return ScalarType::I1;
  }
  if (auto *c = value.as<Const>()) {
    if (auto *t = std::get_if<TypeValue>(&c->value); t && !t->isConstexprMarker && !t->isVoid)
      return t->type;
    if (auto *s = std::get_if<std::string>(&c->value))
      if (auto scalar = parseScalarType(*s))
        return *scalar;
  }
  fail(loc, what + " must be a type such as tl.float32, found " + value.describe());
}

std::vector<Value> Emitter::elements(const Value &value) const {
  if (auto *tuple = value.as<Tuple>())
    return tuple->elements;
  return {value};
}

std::vector<int64_t> Emitter::constantInts(Loc loc, const Value &value, const std::string &what) {
  std::vector<int64_t> result;
  for (const Value &element : elements(value)) {
    Int v = constantInt(loc, element, what);
    if (v < INT64_MIN || v > INT64_MAX)
      fail(loc, what + " is out of range: " + str(v));
    result.push_back(static_cast<int64_t>(v));
  }
  return result;
}

void Emitter::checkSize(Loc loc, const Shape &shape) {
  if (shape.size() > 8)
    fail(loc,
         "a tile of shape " + str(shape) + " has " + std::to_string(shape.size()) + " axes; at most 8 are possible");
  int64_t elements = 1;
  for (int64_t extent : shape)
    if ((elements *= extent) > kMaxTileElements)
      fail(loc, "a tile of shape " + str(shape) + " has more than " + std::to_string(kMaxTileElements) +
                    " elements; use smaller blocks and a larger grid");
}

Shape Emitter::constantShape(Loc loc, const Value &value, const std::string &what) {
  Shape shape = constantInts(loc, value, what);
  if (shape.size() > 8)
    fail(loc, what + " has " + std::to_string(shape.size()) + " axes; at most 8 are possible");
  int64_t elements = 1;
  for (int64_t extent : shape) {
    if (!isPowerOfTwo(extent))
      fail(loc, what + " " + str(shape) + " has the extent " + std::to_string(extent) + ", which is not a power of 2");
    if (extent > kMaxTileElements || (elements *= extent) > kMaxTileElements)
      fail(loc, what + " " + str(shape) + " has more than " + std::to_string(kMaxTileElements) +
                    " elements; use smaller blocks and a larger grid");
  }
  return shape;
}

int64_t Emitter::normalizeAxis(Loc loc, int64_t axis, size_t rank, const std::string &what) {
  int64_t r = static_cast<int64_t>(rank);
  if (axis < -r || axis >= r)
    fail(loc, what + " must be between " + std::to_string(-r) + " and " + std::to_string(r - 1) + ", found " +
                  std::to_string(axis));
  return axis < 0 ? axis + r : axis;
}

std::optional<bool> Emitter::staticTruth(Loc loc, const Value &value) {
  if (auto *tuple = value.as<Tuple>())
    return !tuple->elements.empty();
  auto *c = value.as<Const>();
  if (!c) {
    if (value.as<Tensor>())
      return std::nullopt;
    if (auto *u = value.as<Unusable>())
      fail(loc, u->why);
    return true; // functions, modules and the like
  }
  if (c->isNone())
    return false;
  if (auto *b = std::get_if<bool>(&c->value))
    return *b;
  if (auto *i = std::get_if<Int>(&c->value))
    return *i != 0;
  if (auto *d = std::get_if<double>(&c->value))
    return *d != 0;
  if (auto *s = std::get_if<std::string>(&c->value))
    return !s->empty();
  return true;
}

namespace {

/// Python's integer power within 128 bits; false where the result exceeds them.
bool powInt(Int base, Int exponent, Int &result) {
  result = 1;
  for (Int i = 0; i < exponent; ++i) {
    if (__builtin_mul_overflow(result, base, &result))
      return false;
    if (result == 0 || (result == 1 && base == 1))
      return true;
    if (base == -1) {
      result = exponent % 2 ? -1 : 1;
      return true;
    }
  }
  return true;
}

Int floorDivide(Int a, Int b) {
  Int q = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? q - 1 : q;
}

double floorModulo(double a, double b) {
  double r = std::fmod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

double asDouble(const Const &c) {
  if (auto *b = std::get_if<bool>(&c.value))
    return *b;
  if (auto *i = std::get_if<Int>(&c.value))
    return static_cast<double>(*i);
  return std::get<double>(c.value);
}

} // namespace

Const Emitter::foldBinary(Loc loc, BinaryOp op, const Const &lhs, const Const &rhs) {
  auto *leftString = std::get_if<std::string>(&lhs.value);
  auto *rightString = std::get_if<std::string>(&rhs.value);
  if (leftString && rightString && op == BinaryOp::Add) {
    if (leftString->size() + rightString->size() > kMaxText)
      fail(loc, "a string may have at most " + std::to_string(kMaxText) + " bytes");
    return Const(*leftString + *rightString);
  }
  if (!lhs.isNumber() || !rhs.isNumber())
    fail(loc, "this operator needs numbers, found " + lhs.repr() + " and " + rhs.repr());
  bool isBitwise = op == BinaryOp::And || op == BinaryOp::Or || op == BinaryOp::Xor;
  auto *leftBool = std::get_if<bool>(&lhs.value);
  auto *rightBool = std::get_if<bool>(&rhs.value);
  if (leftBool && rightBool && isBitwise)
    return Const(op == BinaryOp::And  ? (*leftBool && *rightBool)
                 : op == BinaryOp::Or ? (*leftBool || *rightBool)
                                      : *leftBool != *rightBool);
  bool isFloat = std::holds_alternative<double>(lhs.value) || std::holds_alternative<double>(rhs.value);
  bool divides = op == BinaryOp::Div || op == BinaryOp::FloorDiv || op == BinaryOp::Mod;
  if (divides && asDouble(rhs) == 0)
    fail(loc, "division of constants by zero");
  if (isFloat || op == BinaryOp::Div) {
    double a = asDouble(lhs), b = asDouble(rhs);
    switch (op) {
    case BinaryOp::Add: return Const(a + b);
    case BinaryOp::Sub: return Const(a - b);
    case BinaryOp::Mul: return Const(a * b);
    case BinaryOp::Div: return Const(a / b);
    case BinaryOp::FloorDiv:
      return Const(std::round((a - floorModulo(a, b)) / b)); // as in Python: exact where a / b would be rounded up
    case BinaryOp::Mod: return Const(floorModulo(a, b));
    case BinaryOp::Pow: return Const(std::pow(a, b));
    default: fail(loc, "this operator needs integers, found " + lhs.repr() + " and " + rhs.repr());
    }
  }
  auto integer = [](const Const &c) {
    auto *b = std::get_if<bool>(&c.value);
    return b ? Int(*b) : std::get<Int>(c.value);
  };
  Int a = integer(lhs), b = integer(rhs), result = 0;
  bool fits = true;
  switch (op) {
  case BinaryOp::Add: fits = !__builtin_add_overflow(a, b, &result); break;
  case BinaryOp::Sub: fits = !__builtin_sub_overflow(a, b, &result); break;
  case BinaryOp::Mul: fits = !__builtin_mul_overflow(a, b, &result); break;
  case BinaryOp::FloorDiv: result = floorDivide(a, b); break;
  case BinaryOp::Mod: result = a - floorDivide(a, b) * b; break;
  case BinaryOp::Pow:
    if (b < 0)
      return Const(std::pow(static_cast<double>(a), static_cast<double>(b)));
    fits = powInt(a, b, result);
    break;
  case BinaryOp::And: result = a & b; break;
  case BinaryOp::Or: result = a | b; break;
  case BinaryOp::Xor: result = a ^ b; break;
  case BinaryOp::Shl:
  case BinaryOp::Shr:
    if (b < 0)
      fail(loc, "a shift by a negative number: " + str(b));
    if (op == BinaryOp::Shr)
      result = b > 126 ? (a < 0 ? -1 : 0) : a >> b;
    else
      fits = a == 0 || (b < 127 && !__builtin_mul_overflow(a, Int(1) << b, &result));
    break;
  default: fail(loc, "the operator @ needs tensors; use tl.dot");
  }
  if (!fits)
    fail(loc, "a constant leaves the range of 128-bit integers");
  return Const(result);
}

} // namespace tegula::lang
