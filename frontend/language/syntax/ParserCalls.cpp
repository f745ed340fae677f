// Calls with their arguments, and subscripts.
#include "frontend/language/syntax/ParserImpl.h"

namespace tegula::lang {

ExprPtr ExpressionParser::parseCall(ExprPtr callee) {
  auto call = std::make_unique<CallExpr>(callee->loc);
  call->callee = std::move(callee);
  Loc open = take().loc;
  while (!at(")")) {
    parseArgument(*call);
    if (!accept(","))
      break;
  }
  closeBracket(")", open);
  return finish(std::move(call));
}

void ExpressionParser::parseArgument(CallExpr &call) {
  Loc start = loc();
  if (accept("**")) {
    call.keywords.push_back({start, "", parseExpression()});
    return;
  }
  if (accept("*")) {
    call.args.push_back(make<StarredExpr>(start, parseExpression()));
    return;
  }
  if (kind() == TokenKind::Name && isSpelled(peek(1), "="))
    return parseKeywordArgument(call);
  if (kind() == TokenKind::Keyword && isSpelled(peek(1), "="))
    fail(start, "\"" + std::string(peek().text) +
                    "\" is a reserved word of Python and cannot name an argument; rename the parameter");
  ExprPtr value = parseNamedExpression();
  if (atComprehension())
    value = parseComprehension(start, ComprehensionExpr::Form::Generator, nullptr, std::move(value));
  if (at("="))
    fail(loc(), "only a parameter's name can stand before \"=\" in a call; write \"==\" to compare");
  if (!call.keywords.empty()) {
    const Keyword &keyword = call.keywords.back();
    std::string name = keyword.name.empty() ? "\"**\"" : "\"" + keyword.name + "=\"";
    fail(start, "a positional argument follows the keyword argument " + name + "; move it before that one, or name it",
         keyword.loc, "the keyword argument is here");
  }
  call.args.push_back(std::move(value));
}

void ExpressionParser::parseKeywordArgument(CallExpr &call) {
  const Token &name = take();
  for (const Keyword &other : call.keywords)
    if (other.name == name.text)
      fail(name.loc, "the argument \"" + other.name + "\" is given twice in this call; drop one", other.loc,
           "it was given here first");
  take();
  call.keywords.push_back({name.loc, std::string(name.text), parseExpression()});
}

ExprPtr ExpressionParser::parseSubscript(ExprPtr base) {
  Loc start = base->loc;
  Loc open = take().loc;
  if (at("]"))
    failExpected("an index between \"[\" and \"]\"");
  ExprPtr index = parseIndex();
  if (at(",") || as<StarredExpr>(index)) {
    Loc first = index->loc;
    std::vector<ExprPtr> elements;
    elements.push_back(std::move(index));
    while (accept(",") && !at("]"))
      elements.push_back(parseIndex());
    index = make<TupleExpr>(first, std::move(elements));
  }
  closeBracket("]", open);
  return make<SubscriptExpr>(start, std::move(base), std::move(index));
}

ExprPtr ExpressionParser::parseIndex() {
  Loc start = loc();
  if (at("*"))
    return parseStarred();
  ExprPtr lower;
  if (!at(":")) {
    lower = parseNamedExpression();
    if (!at(":"))
      return lower;
  }
  auto slice = std::make_unique<SliceExpr>(start);
  slice->lower = std::move(lower);
  take();
  if (!atAny({":", ",", "]"}))
    slice->upper = parseExpression();
  if (accept(":") && !atAny({",", "]"}))
    slice->step = parseExpression();
  return finish(std::move(slice));
}

} // namespace tegula::lang
