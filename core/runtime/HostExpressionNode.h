// The tree of a host expression, shared by its parser and its evaluator.
#pragma once

#include "core/runtime/HostExpression.h"

namespace tegula {

struct HostExpression::Node {
  enum class Kind : uint8_t {
    Literal, // value
    Name,    // text
    Call,    // text, without module: the function; operands
    Unary,   // text: "-", "+", "not"
    Binary,  // text: the operator
    And,
    Or,          // operands 0, 1
    Comparison,  // operands 0..n compared by operators 0..n-1
    Conditional, // operands: condition, then, else
  };
  Kind kind = Kind::Literal;
  size_t offset = 0; // in the source text, of what a message points at
  HostValue value;
  std::string text;
  std::vector<std::string> operators;
  std::vector<std::shared_ptr<const Node>> operands;
};

/// A diagnostic at `offset` of the text.
[[noreturn]] void failAt(const HostExpression::Source &source, size_t offset, const std::string &message);

} // namespace tegula
