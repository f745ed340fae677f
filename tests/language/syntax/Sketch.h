// Syntax trees as short text, so that a test reads like the grammar rule it proves: `a + b * c` is "(+ a (* b c))".
#pragma once

#include "core/support/Diagnostic.h"
#include "frontend/language/syntax/Parser.h"

#include <string>

namespace tegula::lang {

std::string sketch(const Expr *e);
std::string sketch(const ExprPtr &e);
/// Statements are separated by "; ".
std::string sketch(const Block &block);

/// The sketch of one expression, parsed as kernel code.
std::string sketchExpression(const std::string &text);

/// The sketch of the body of `@triton.jit def k(): <body>`; `body` holds lines without indentation.
std::string sketchKernel(const std::string &body);

/// The function called `name` in a module; null if it does not exist.
const FunctionStmt *findFunction(const Module &module, const std::string &name);

/// The parser's error as `LINE:COL: error: text`, with notes on further lines; "" where parsing succeeds.
std::string messageOf(const std::string &moduleText);
std::string expressionMessageOf(const std::string &text);

/// A jit function `k` around lines of a body, which begin at line 3, column 5.
std::string kernelText(const std::string &body);

} // namespace tegula::lang
