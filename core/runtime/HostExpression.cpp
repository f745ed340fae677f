#include "core/runtime/HostExpression.h"
#include "core/runtime/HostExpressionNode.h"
#include "core/support/Suggest.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tegula {
namespace {

using Node = HostExpression::Node;
using Source = HostExpression::Source;

const char *kindName(const HostValue &value) {
  constexpr const char *kNames[] = {"None", "a bool", "an integer", "a float", "a string", "a dtype", "a tensor"};
  return kNames[value.index()];
}

bool isNumber(const HostValue &value) { return value.index() >= 1 && value.index() <= 3; }
bool isIntegral(const HostValue &value) { return value.index() == 1 || value.index() == 2; }

int64_t integerOf(const HostValue &value) {
  return std::holds_alternative<bool>(value) ? std::get<bool>(value) : std::get<int64_t>(value);
}
double floatOf(const HostValue &value) {
  return std::holds_alternative<double>(value) ? std::get<double>(value) : static_cast<double>(integerOf(value));
}

bool isTrue(const HostValue &value) {
  if (isIntegral(value))
    return integerOf(value) != 0;
  if (auto *number = std::get_if<double>(&value))
    return *number != 0;
  if (auto *text = std::get_if<std::string>(&value))
    return !text->empty();
  return !std::holds_alternative<std::monostate>(value);
}

/// Evaluates the tree; each failure is located at the node that failed.
class Evaluator {
public:
  Evaluator(const Source &source, const HostExpression::Lookup &lookup, const std::vector<std::string> &known)
      : source_(source), lookup_(lookup), known_(known) {}

  HostValue evaluate(const Node &node) const {
    switch (node.kind) {
    case Node::Kind::Literal: return node.value;
    case Node::Kind::Name: return name(node);
    case Node::Kind::Call: return call(node);
    case Node::Kind::Unary: return unary(node);
    case Node::Kind::Binary: return binary(node, evaluate(*node.operands[0]), evaluate(*node.operands[1]));
    case Node::Kind::And: {
      HostValue left = evaluate(*node.operands[0]);
      return isTrue(left) ? evaluate(*node.operands[1]) : left;
    }
    case Node::Kind::Or: {
      HostValue left = evaluate(*node.operands[0]);
      return isTrue(left) ? left : evaluate(*node.operands[1]);
    }
    case Node::Kind::Comparison: return comparison(node);
    case Node::Kind::Conditional: return evaluate(*node.operands[isTrue(evaluate(*node.operands[0])) ? 1 : 2]);
    }
    throw InternalError("unknown kind of host expression");
  }

private:
  [[noreturn]] void fail(const Node &node, const std::string &message) const { failAt(source_, node.offset, message); }
  [[noreturn]] void overflow(const Node &node) const { fail(node, "the result does not fit in a 64-bit integer"); }

  HostValue name(const Node &node) const {
    if (std::optional<HostValue> value = lookup_ ? lookup_(node.text) : std::nullopt)
      return *value;
    fail(node, "unknown name '" + node.text + "'" + suggestion(node.text, known_));
  }

  HostValue number(const Node &node, const HostValue &value) const {
    if (!isNumber(value))
      fail(node, std::string("a number expected, ") + kindName(value) + " found");
    return value;
  }

  int64_t integer(const Node &node) const {
    HostValue value = evaluate(node);
    if (!isIntegral(value))
      fail(node, std::string("an integer expected, ") + kindName(value) + " found");
    return integerOf(value);
  }

  HostValue unary(const Node &node) const {
    HostValue value = evaluate(*node.operands[0]);
    if (node.text == "not")
      return !isTrue(value);
    number(node, value);
    if (auto *real = std::get_if<double>(&value))
      return node.text == "-" ? -*real : *real;
    int64_t result = integerOf(value);
    if (node.text == "-" && __builtin_sub_overflow(int64_t(0), result, &result))
      overflow(node);
    return result;
  }

  HostValue binary(const Node &node, const HostValue &left, const HostValue &right) const {
    if (!isNumber(left) || !isNumber(right))
      fail(node, "'" + node.text + "' takes numbers, found " + kindName(left) + " and " + kindName(right));
    const std::string &op = node.text;
    if (isIntegral(left) && isIntegral(right) && op != "/" && !(op == "**" && integerOf(right) < 0))
      return integerBinary(node, integerOf(left), integerOf(right));
    double a = floatOf(left), b = floatOf(right);
    if (op == "+")
      return a + b;
    if (op == "-")
      return a - b;
    if (op == "*")
      return a * b;
    if (op == "**")
      return std::pow(a, b);
    if (b == 0)
      fail(node, "division by zero");
    if (op == "/")
      return a / b;
    double floored = std::floor(a / b);
    return op == "//" ? floored : a - floored * b;
  }

  HostValue integerBinary(const Node &node, int64_t a, int64_t b) const {
    int64_t result = 0;
    const std::string &op = node.text;
    if (op == "+"   ? __builtin_add_overflow(a, b, &result)
        : op == "-" ? __builtin_sub_overflow(a, b, &result)
        : op == "*" ? __builtin_mul_overflow(a, b, &result)
                    : false)
      overflow(node);
    if (op == "**")
      return power(node, a, b);
    if (op == "//" || op == "%") {
      if (b == 0)
        fail(node, "division by zero");
      if (b == -1) { // the only quotient that can overflow
        if (op == "//" && __builtin_sub_overflow(int64_t(0), a, &result))
          overflow(node);
        return op == "//" ? result : 0;
      }
      int64_t remainder = a % b;
      bool adjust = remainder != 0 && (remainder < 0) != (b < 0);
      return op == "//" ? a / b - adjust : remainder + (adjust ? b : 0);
    }
    return result;
  }

  HostValue power(const Node &node, int64_t base, int64_t exponent) const {
    int64_t result = 1;
    for (; exponent > 0; exponent /= 2) {
      if (exponent % 2 && __builtin_mul_overflow(result, base, &result))
        overflow(node);
      if (exponent > 1 && __builtin_mul_overflow(base, base, &base))
        overflow(node);
    }
    return result;
  }

  bool compare(const Node &node, const std::string &op, const HostValue &left, const HostValue &right) const {
    bool numbers = isNumber(left) && isNumber(right);
    if (op == "is" || op == "is not") {
      bool same = left.index() == right.index() && left == right;
      if (std::holds_alternative<OpaqueValue>(left) && std::holds_alternative<OpaqueValue>(right))
        fail(node, "two tensors cannot be compared in a host expression");
      return same == (op == "is");
    }
    if (op == "==" || op == "!=") {
      bool equal = !numbers                                ? left == right
                   : isIntegral(left) && isIntegral(right) ? integerOf(left) == integerOf(right)
                                                           : floatOf(left) == floatOf(right);
      return equal == (op == "==");
    }
    if (!numbers)
      fail(node, "'" + op + "' compares numbers, found " + kindName(left) + " and " + kindName(right));
    auto ordered = [&](auto a, auto b) { return op == "<" ? a < b : op == "<=" ? a <= b : op == ">" ? a > b : a >= b; };
    return isIntegral(left) && isIntegral(right) ? ordered(integerOf(left), integerOf(right))
                                                 : ordered(floatOf(left), floatOf(right));
  }

  HostValue comparison(const Node &node) const {
    HostValue left = evaluate(*node.operands[0]);
    for (size_t i = 0; i < node.operators.size(); ++i) {
      HostValue right = evaluate(*node.operands[i + 1]);
      if (!compare(node, node.operators[i], left, right))
        return false;
      left = std::move(right);
    }
    return true;
  }

  void arity(const Node &node, size_t least, size_t most) const {
    if (node.operands.size() >= least && node.operands.size() <= most)
      return;
    fail(node, node.text + " takes " + (least == most ? std::to_string(least) : "at least " + std::to_string(least)) +
                   (most == 1 ? " argument, " : " arguments, ") + std::to_string(node.operands.size()) + " given");
  }

  HostValue call(const Node &node) const {
    const std::string &f = node.text;
    if (f == "cdiv")
      return ceilingQuotient(node);
    if (f == "next_power_of_2")
      return nextPower(node);
    if (f == "min" || f == "max")
      return extreme(node);
    if (f == "abs" || f == "int" || f == "float" || f == "bool")
      return convert(node);
    if (f == "is_tensor") {
      arity(node, 1, 1);
      return std::holds_alternative<OpaqueValue>(evaluate(*node.operands[0]));
    }
    if (f == "ceil" || f == "floor" || f == "sqrt" || f == "log2")
      return ofFloat(node);
    static const std::vector<std::string> functions = {
        "cdiv", "next_power_of_2", "min", "max", "abs", "int", "float", "bool", "ceil", "floor", "sqrt", "log2"};
    fail(node, "unknown function '" + f + "'" + suggestion(f, functions));
  }

  HostValue ceilingQuotient(const Node &node) const {
    arity(node, 2, 2);
    int64_t a = integer(*node.operands[0]), b = integer(*node.operands[1]);
    if (b == 0)
      fail(node, "division by zero");
    if (b == -1 && a == std::numeric_limits<int64_t>::min())
      overflow(node);
    return a / b + (a % b != 0 && (a < 0) == (b < 0));
  }

  HostValue nextPower(const Node &node) const {
    arity(node, 1, 1);
    int64_t n = integer(*node.operands[0]), p = 1;
    while (p < n)
      if (__builtin_mul_overflow(p, int64_t(2), &p))
        overflow(node);
    return p;
  }

  HostValue extreme(const Node &node) const {
    arity(node, 2, std::numeric_limits<size_t>::max());
    HostValue best = number(*node.operands[0], evaluate(*node.operands[0]));
    for (size_t i = 1; i < node.operands.size(); ++i) {
      HostValue value = number(*node.operands[i], evaluate(*node.operands[i]));
      if (compare(node, node.text == "min" ? "<" : ">", value, best))
        best = value;
    }
    return best;
  }

  /// Evaluates a call of sqrt, log2, ceil or floor, as Python's module math does.
  HostValue ofFloat(const Node &node) const {
    arity(node, 1, 1);
    double x = floatOf(number(*node.operands[0], evaluate(*node.operands[0])));
    if (node.text == "sqrt" || node.text == "log2") {
      if (!(node.text == "sqrt" ? x >= 0 : x > 0))
        fail(*node.operands[0], node.text + "() of " + std::to_string(x) + " is not defined");
      return node.text == "sqrt" ? std::sqrt(x) : std::log2(x);
    }
    double whole = node.text == "ceil" ? std::ceil(x) : std::floor(x);
    if (!(whole >= -0x1p63 && whole < 0x1p63))
      overflow(node);
    return static_cast<int64_t>(whole);
  }

  HostValue convert(const Node &node) const {
    arity(node, 1, 1);
    HostValue value = evaluate(*node.operands[0]);
    if (node.text == "bool")
      return isTrue(value);
    if (auto *text = std::get_if<std::string>(&value); text && node.text == "float") {
      std::string digits = *text;
      bool negative = digits.starts_with('-');
      if (negative || digits.starts_with('+'))
        digits.erase(0, 1);
      double magnitude =
          digits == "inf" ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
      if (digits != "inf" && digits != "nan")
        fail(node, "float() of a string takes 'inf', '-inf' or 'nan', found '" + *text + "'");
      return negative ? -magnitude : magnitude;
    }
    number(*node.operands[0], value);
    if (node.text == "float")
      return floatOf(value);
    if (node.text == "int") {
      if (isIntegral(value))
        return integerOf(value);
      double whole = std::trunc(std::get<double>(value));
      if (!(whole >= -0x1p63 && whole < 0x1p63))
        overflow(node);
      return static_cast<int64_t>(whole);
    }
    if (auto *real = std::get_if<double>(&value))
      return std::fabs(*real);
    int64_t n = integerOf(value);
    if (n == std::numeric_limits<int64_t>::min())
      overflow(node);
    return n < 0 ? -n : n;
  }

  const Source &source_;
  const HostExpression::Lookup &lookup_;
  const std::vector<std::string> &known_;
};

} // namespace

HostValue toHostValue(const ConstantValue &value) {
  return std::visit([](const auto &v) -> HostValue { return v; }, value);
}

HostValue HostExpression::evaluate(const Lookup &lookup, const std::vector<std::string> &known) const {
  return Evaluator(*source_, lookup, known).evaluate(*root_);
}

int64_t HostExpression::evaluateInteger(const Lookup &lookup, const std::vector<std::string> &known) const {
  HostValue value = evaluate(lookup, known);
  if (!isIntegral(value))
    failAt(*source_, root_->offset,
           std::string("an integer expected, ") + kindName(value) + " found" +
               (std::holds_alternative<double>(value) ? "; use // to divide integers" : ""));
  return integerOf(value);
}

ConstantValue HostExpression::evaluateConstant(const Lookup &lookup, const std::vector<std::string> &known) const {
  HostValue value = evaluate(lookup, known);
  return std::visit(
      [&](const auto &v) -> ConstantValue {
        if constexpr (std::is_same_v<std::decay_t<decltype(v)>, OpaqueValue>)
          failAt(*source_, root_->offset, "a tensor cannot be a constant");
        else
          return v;
      },
      value);
}

} // namespace tegula
