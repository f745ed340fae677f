// The host expression language: launch grids and the lambdas of heuristics are expressions of it. Values are 64-bit
// integers, floats, booleans, strings, dtypes and None, with Python's semantics:
//
//   conditional  a if c else b          logic        not, and, or
//   comparison   < <= > >= == != (chained), is [not]
//   arithmetic   + - * / // % ** and unary + -
//   calls        cdiv min max abs next_power_of_2 int float bool ceil floor sqrt log2 (cdiv and next_power_of_2 also
//                as triton.X and tl.X), is_tensor
//   literals     12, 0x10, 1_000, 1.5e-3, True, False, None, 'text', tl.float16
//   names        names of arguments and constants
//
// An integer result that does not fit in 64 bits is an error, never a wrong number.
#pragma once

#include "core/contracts/Compiler.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tegula {

/// A buffer or descriptor. The only operation that an expression can apply to it is the comparison with None.
struct OpaqueValue {
  bool operator==(const OpaqueValue &) const = default;
};

using HostValue = std::variant<std::monostate /*None*/, bool, int64_t, double, std::string, ScalarType, OpaqueValue>;

HostValue toHostValue(const ConstantValue &value);

class HostExpression {
public:
  /// Parses one expression. `label` stands for the file in messages, such as "--grid". If the text is no expression,
  /// throws tegula::Error with line and column.
  static HostExpression parse(const std::string &text, const std::string &label);
  /// Parses expressions separated by commas, within one pair of parentheses or none; a comma may end the list.
  static std::vector<HostExpression> parseList(const std::string &text, const std::string &label);

  /// Returns the value of a name; nothing if the name is unknown.
  using Lookup = std::function<std::optional<HostValue>(std::string_view name)>;
  /// Returns the expression's value. Throws tegula::Error with line and column for an unknown name, operands of a wrong
  /// type, a division by zero or an overflow. `known`: the names from which the message suggests one for a misspelt
  /// name.
  HostValue evaluate(const Lookup &lookup, const std::vector<std::string> &known = {}) const;
  int64_t evaluateInteger(const Lookup &lookup, const std::vector<std::string> &known = {}) const;
  ConstantValue evaluateConstant(const Lookup &lookup, const std::vector<std::string> &known = {}) const;

  struct Node;
  struct Source {
    std::string text, label;
  };

private:
  std::shared_ptr<const Source> source_;
  std::shared_ptr<const Node> root_;
};

} // namespace tegula
