// The syntax tree of a host expression, which the parser builds and the evaluator reads.
#pragma once

#include "core/runtime/HostExpression.h"

namespace tegula {

struct HostExpression::Node {
  enum class Kind : uint8_t {
    Literal, // value
    Name,    // text
    Call,    // text: the function without its module; operands
    Unary,   // text: "-", "+", "not"
    Binary,  // text: the operator
    And,
    Or,          // operands: 0, 1
    Comparison,  // operands 0..n compared by operators 0..n-1
    Conditional, // operands: condition, then, else
  };
  Kind kind = Kind::Literal;
  size_t offset = 0; // position in the source text that messages point at
  HostValue value;
  std::string text;
  std::vector<std::string> operators;
  std::vector<std::shared_ptr<const Node>> operands;
};

/// Throws an error located at `offset` of the text.
[[noreturn]] void failAt(const HostExpression::Source &source, size_t offset, const std::string &message);

} // namespace tegula
