// Functions with their decorators and parameters, and aggregate classes.
#include "frontend/language/syntax/ParserImpl.h"

#include <algorithm>

namespace tegula::lang {

bool hasDecorator(const std::vector<ExprPtr> &decorators, Texts names) {
  return std::any_of(decorators.begin(), decorators.end(), [&](const ExprPtr &decorator) {
    const Expr *e = decorator.get();
    if (auto *call = as<CallExpr>(e))
      e = call->callee.get();
    auto *attribute = as<AttributeExpr>(e);
    auto *name = as<NameExpr>(e);
    std::string_view last = attribute ? std::string_view(attribute->name) : name ? std::string_view(name->id) : "";
    return std::find(names.begin(), names.end(), last) != names.end();
  });
}

StatementParser::Decorators StatementParser::parseDecorators() {
  Scoped<Mode> host(mode_, Mode::Host);
  Decorators decorators;
  decorators.firstToken = next_;
  while (accept("@")) {
    decorators.list.push_back(parseNamedExpression());
    if (kind() != TokenKind::Newline)
      failExpected("an operator or the end of the line after a decorator");
    take();
  }
  return decorators;
}

StmtPtr StatementParser::parseFunction(Decorators decorators) {
  Mode mode = hasDecorator(decorators.list, {"jit"}) ? Mode::Kernel : Mode::Host;
  if (at("async") && mode == Mode::Kernel)
    fail(loc(), "an async function cannot be a kernel; drop \"async\"");
  accept("async");
  auto function = std::make_unique<FunctionStmt>(loc());
  expect("def", "after the decorators of a function");
  const Token &name = expectName("a function's name after def");
  function->name = name.text;
  function->nameLoc = name.loc;
  function->decorators = std::move(decorators.list);
  Scoped<Mode> bodyMode(mode_, mode);
  if (at("[")) {
    if (!isHost())
      fail(loc(), "type parameters are not part of the kernel language; drop them: a kernel is compiled for each type "
                  "it meets");
    take();
    skipUntil({});
    take();
  }
  parseParams(*function);
  if (accept("->")) {
    Scoped<Mode> host(mode_, Mode::Host);
    function->returns = parseExpression();
  }
  Scoped<bool> isFunction(inFunction_, true), isLoop(inLoop_, false), isClass(inClass_, false);
  function->body = parseSuite("def", "after the parameters of \"" + function->name + "\"");
  takeDocstring(*function);
  function->sourceText = textSince(decorators.firstToken);
  return function;
}

void StatementParser::takeDocstring(FunctionStmt &function) const {
  auto *statement = function.body.empty() ? nullptr : as<ExpressionStmt>(function.body.front());
  auto *constant = statement ? as<ConstantExpr>(statement->value) : nullptr;
  auto *text = constant ? std::get_if<std::string>(&constant->value) : nullptr;
  if (!text)
    return;
  function.docstring = *text;
  function.body.erase(function.body.begin());
}

std::string StatementParser::textSince(size_t firstToken) const {
  size_t last = next_ - 1;
  while (tokens_[last].text.empty())
    --last;
  size_t begin = offsetOf(tokens_[firstToken]);
  size_t end = source_.text.find_first_of("\r\n", offsetOf(tokens_[last]) + tokens_[last].text.size());
  return source_.text.substr(begin, end == std::string::npos ? end : end - begin);
}

void StatementParser::parseParams(FunctionStmt &function) {
  expect("(", "after the function's name");
  bool isKeywordOnly = false;
  while (!at(")")) {
    if (at("*") || at("**")) {
      parseStarParam(function, isKeywordOnly);
    } else if (at("/")) {
      if (function.params.empty())
        fail(loc(), "expected a parameter before \"/\"");
      take(); // '/' is ignored: kernels accept names and positions for all parameters
    } else {
      parseParam(function, isKeywordOnly);
    }
    if (!accept(","))
      break;
  }
  if (!at(")"))
    failExpected("\",\" or \")\" after a parameter");
  take();
}

void StatementParser::parseStarParam(FunctionStmt &function, bool &isKeywordOnly) {
  Loc start = loc();
  if (accept("**")) {
    if (!isHost())
      fail(start, "parameters of the form \"**" + std::string(peek().text) +
                      "\" are not part of the kernel language; name each parameter");
    function.keywordRest = expectName("a parameter name after \"**\"").text;
    skipUntil({","});
    return;
  }
  take();
  if (isKeywordOnly)
    fail(start, "a function can have one \"*\" only among its parameters; drop this one");
  isKeywordOnly = true;
  if (at(",")) {
    if (peek(1).kind != TokenKind::Name) {
      take();
      failExpected("a named parameter after \"*\"");
    }
    return;
  }
  Param param;
  param.loc = loc();
  param.name = expectName("a parameter name or \",\" after \"*\"").text;
  param.isVariadic = true;
  if (accept(":")) {
    Scoped<Mode> host(mode_, Mode::Host);
    param.annotation = at("*") ? parseStarred() : parseExpression();
  }
  addParam(function, std::move(param));
}

void StatementParser::parseParam(FunctionStmt &function, bool isKeywordOnly) {
  Param param;
  param.loc = loc();
  param.name = expectName("a parameter's name").text;
  param.isKeywordOnly = isKeywordOnly;
  Scoped<Mode> host(mode_, Mode::Host);
  if (accept(":"))
    param.annotation = parseExpression();
  if (accept("="))
    param.defaultValue = parseExpression();
  addParam(function, std::move(param));
}

void StatementParser::addParam(FunctionStmt &function, Param param) const {
  for (const Param &other : function.params)
    if (other.name == param.name)
      fail(param.loc, "the parameter \"" + param.name + "\" is declared twice; rename one", other.loc,
           "the first one is here");
  bool mayLackDefault = param.defaultValue || param.isKeywordOnly || param.isVariadic;
  if (!mayLackDefault && !function.params.empty() && function.params.back().defaultValue)
    fail(param.loc,
         "the parameter \"" + param.name +
             "\" has no default but follows one that has; give it one, or move it forward",
         function.params.back().loc, "this parameter has a default");
  function.params.push_back(std::move(param));
}

StmtPtr StatementParser::parseClass(Decorators decorators) {
  auto result = std::make_unique<ClassStmt>(loc());
  take();
  result->name = expectName("a class's name after class").text;
  result->decorators = std::move(decorators.list);
  while (atAny({"[", "("})) { // type parameters and base classes
    bool isLast = at("(");
    take();
    if (isLast && kind() == TokenKind::Name && peek(1).text == ")")
      result->base = peek().text;
    else if (isLast && !at(")"))
      result->hasOtherBases = true;
    skipUntil({});
    take();
  }
  Scoped<bool> isClass(inClass_, true), isFunction(inFunction_, false);
  result->body = parseSuite("class", "after the name of class \"" + result->name + "\"");
  return result;
}

} // namespace tegula::lang
