#include "frontend/language/emit/Value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <functional>
#include <numeric>

namespace tegula::lang {

ElementType ElementType::pointee() const {
  ElementType result = *this;
  --result.pointerDepth;
  result.isConst = false;
  return result;
}

ElementType ElementType::pointerTo() const {
  ElementType result = *this;
  ++result.pointerDepth;
  return result;
}

std::string ElementType::str() const { return std::string(pointerDepth, '*') + std::string(name(scalar)); }

std::pair<Int, Int> rangeOf(ElementType type) {
  unsigned bits = type.bits();
  if (type.isBool())
    return {0, 1};
  if (type.isUnsigned())
    return {0, (Int(1) << bits) - 1};
  return {-(Int(1) << (bits - 1)), (Int(1) << (bits - 1)) - 1};
}

bool holds(ElementType type, Int value) {
  if (!type.isInteger())
    return false;
  auto [low, high] = rangeOf(type);
  return low <= value && value <= high;
}

int64_t elementCount(const Shape &shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
}

std::string str(const Shape &shape) {
  std::string out = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    out += (i ? ", " : "") + std::to_string(shape[i]);
  return out + "]";
}

std::string str(Int value) {
  if (value == 0)
    return "0";
  bool negative = value < 0;
  unsigned __int128 rest = negative ? -static_cast<unsigned __int128>(value) : static_cast<unsigned __int128>(value);
  std::string digits;
  for (; rest; rest /= 10)
    digits += static_cast<char>('0' + static_cast<int>(rest % 10));
  if (negative)
    digits += '-';
  std::reverse(digits.begin(), digits.end());
  return digits;
}

namespace {

/// Like Python's repr: the shortest digits that read back to the same value, with ".0" for whole numbers.
std::string str(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char digits[64];
  auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  std::string out(digits, end);
  if (out.find_first_of(".e") == std::string::npos)
    out += ".0";
  return out;
}

struct Repr {
  std::string operator()(None) const { return "None"; }
  std::string operator()(EllipsisValue) const { return "..."; }
  std::string operator()(bool value) const { return value ? "True" : "False"; }
  std::string operator()(Int value) const { return lang::str(value); }
  std::string operator()(double value) const { return str(value); }
  std::string operator()(const std::string &value) const { return "'" + value + "'"; }
  std::string operator()(const TypeValue &value) const {
    std::string element = value.isConstexprMarker ? "constexpr" : value.isVoid ? "void" : value.type.str();
    return value.block.empty() ? element : element + " " + lang::str(value.block);
  }
};

struct Describe {
  std::string operator()(const Const &c) const {
    if (std::holds_alternative<TypeValue>(c.value))
      return "the type " + c.repr();
    return c.isNone() ? "None" : "the constant " + c.repr();
  }
  std::string operator()(const Tensor &t) const { return t.str(); }
  std::string operator()(const Tuple &t) const {
    if (t.aggregate)
      return "an instance of " + t.aggregate->name;
    return "a tuple of " + std::to_string(t.elements.size());
  }
  std::string operator()(const Dictionary &) const { return "a dictionary"; }
  std::string operator()(const Descriptor &d) const {
    return "a tensor descriptor of " + d.type.str() + " " + lang::str(d.block);
  }
  std::string operator()(const BlockPointer &p) const {
    return "a block pointer to " + p.base.type.pointee().str() + " " + lang::str(p.block);
  }
  std::string operator()(const std::shared_ptr<RangeValue> &) const { return "a range"; }
  std::string operator()(const FunctionValue &f) const { return "the function " + f.function->name; }
  std::string operator()(const ClassValue &c) const { return "the class " + c.aggregate->name; }
  std::string operator()(const BuiltinValue &) const { return "a function of the language"; }
  std::string operator()(const Namespace &n) const { return "the module " + n.path; }
  std::string operator()(const ModuleValue &) const { return "a module"; }
  std::string operator()(const Unusable &u) const { return u.why; }
  std::string operator()(const SliceValue &) const { return "a slice"; }
};

} // namespace

std::string Const::repr() const { return std::visit(Repr{}, value); }

std::string Tensor::str() const {
  return shape.empty() ? "a scalar of " + type.str() : "a tensor of " + type.str() + " " + lang::str(shape);
}

std::string Value::describe() const { return std::visit(Describe{}, v); }

std::string shown(const Value &value, bool &isKnown) {
  auto *tensor = value.as<Tensor>();
  auto *constant = tensor && tensor->known ? &*tensor->known : value.as<Const>();
  if (constant) {
    auto *text = std::get_if<std::string>(&constant->value);
    return text ? *text : constant->repr();
  }
  auto *tuple = value.as<Tuple>();
  isKnown &= !tensor && !(tuple && tuple->aggregate) && !value.as<Descriptor>() && !value.as<BlockPointer>();
  if (!tuple || tuple->aggregate)
    return value.describe();
  std::string text = "(";
  for (size_t i = 0; i < tuple->elements.size(); ++i) {
    auto *element = tuple->elements[i].as<Const>();
    text += (i ? ", " : "") + (element ? element->repr() : shown(tuple->elements[i], isKnown));
  }
  return text + (tuple->elements.size() == 1 ? ",)" : ")");
}

} // namespace tegula::lang
