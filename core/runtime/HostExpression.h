// The host expression language, in which launch grids and the lambdas of heuristics are evaluated. Values are integers
// of 64 bits, floats, booleans, strings, dtypes and None, with Python's meaning:
//
//   conditional  a if c else b          logic        not, and, or
//   comparison   < <= > >= == != (chained), is [not]
//   arithmetic   + - * / // % ** and unary + -
//   calls        cdiv min max abs next_power_of_2 int float bool ceil floor sqrt log2 (cdiv and next_power_of_2 also
//                as triton.X and tl.X), is_tensor
//   literals     12, 0x10, 1_000, 1.5e-3, True, False, None, 'text', tl.float16
//   names        of arguments and constants
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

/// A buffer or descriptor: an expression can only compare it with None.
struct OpaqueValue {
  bool operator==(const OpaqueValue &) const = default;
};

using HostValue = std::variant<std::monostate /*None*/, bool, int64_t, double, std::string, ScalarType, OpaqueValue>;

HostValue toHostValue(const ConstantValue &value);

class HostExpression {
public:
  /// `label` stands for the file in messages, e.g. "--grid". Throws tegula::Error with line and column.
  static HostExpression parse(const std::string &text, const std::string &label);
  /// Expressions separated by commas, within one pair of parentheses or none; a comma may end the list.
  static std::vector<HostExpression> parseList(const std::string &text, const std::string &label);

  /// The value of a name; nothing where it is unknown.
  using Lookup = std::function<std::optional<HostValue>(std::string_view name)>;
  /// Throws tegula::Error with line and column: an unknown name, operands of the wrong type, division by zero,
  /// overflow. `known` are the names that a misspelt one is compared with.
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
