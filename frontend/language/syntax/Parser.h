// Source text -> syntax tree.
#pragma once

#include "frontend/language/syntax/Ast.h"

#include <memory>
#include <string>

namespace tegula::lang {

/// Parses a whole `.py` file. Jit functions, aggregate classes, imports and module-level assignments are parsed in
/// full, also inside of module-level `if`, `try`, `with`, `for` and `while`, which become IfStmt, TryStmt and
/// HostBlockStmt; other host code is skipped by its indentation and brackets and becomes OpaqueStmt. What stands under
/// `if __name__ == "__main__":` is left out. Which of several definitions a name has, ModuleNames.h says.
/// Throws tegula::Error with file, line, column and source line for a syntax error in code that is parsed in full, and
/// for text that no Python file can contain (an unterminated string, an unmatched bracket, an inconsistent dedent).
/// Accepts any byte sequence: no input aborts, and nesting is bounded (a located message past 200 levels).
/// With OnError::Keep an error in a jit function does not concern the other functions: the function becomes an
/// OpaqueStmt that holds the error.
enum class OnError : uint8_t { Throw, Keep };
std::unique_ptr<Module> parseModule(std::string path, std::string text, OnError onError = OnError::Throw);

/// Parses a function or class of host code that parseModule skipped, as a FunctionStmt or ClassStmt; null where it is
/// none. Statements that the tree cannot represent become OpaqueStmts.
StmtPtr parseHostDefinition(const SourceFile &source, const OpaqueStmt &statement);

/// Parses one expression (a host lambda's body, a grid). Locations are relative to `text`; `path` names it in messages.
ExprPtr parseExpression(std::string path, std::string text);

/// The tree as indented text, for `--emit=ast`: one node a line, `[role: ]Kind field=value @line:column`.
std::string dump(const Module &module);
std::string dump(const FunctionStmt &function);

} // namespace tegula::lang
