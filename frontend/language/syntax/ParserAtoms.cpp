// Operands: names, literals, displays, and their attributes, calls and subscripts.
#include "frontend/language/syntax/ParserImpl.h"

namespace tegula::lang {

ExprPtr ExpressionParser::parsePostfix() {
  if (at("await")) {
    ExprPtr result = opaque(loc(), "await expression",
                            "\"await\" is not part of the kernel language; a kernel runs to its end: drop the word");
    take();
    parsePostfix();
    return result;
  }
  ExprPtr e = parseAtom();
  while (true) {
    if (at("(")) {
      e = parseCall(std::move(e));
    } else if (at("[")) {
      e = parseSubscript(std::move(e));
    } else if (accept(".")) {
      const Token &name = expectName("an attribute name after \".\"");
      Loc start = e->loc;
      e = make<AttributeExpr>(start, std::move(e), std::string(name.text), name.loc);
    } else {
      return e;
    }
  }
}

ExprPtr ExpressionParser::parseAtom() {
  Loc start = loc();
  switch (kind()) {
  case TokenKind::Name: return make<NameExpr>(start, std::string(take().text));
  case TokenKind::Number: return parseNumber();
  case TokenKind::String:
  case TokenKind::FormatString: return parseStrings();
  default: break;
  }
  if (accept("None"))
    return make<ConstantExpr>(start, Literal(NoneLiteral{}));
  if (accept("..."))
    return make<ConstantExpr>(start, Literal(EllipsisLiteral{}));
  if (atAny({"True", "False"}))
    return make<ConstantExpr>(start, Literal(take().text == "True"));
  if (at("("))
    return parseParenthesized();
  if (at("["))
    return parseList();
  if (at("{"))
    return parseBraces();
  if (at("yield"))
    return parseYield();
  failNoExpression();
}

void ExpressionParser::failNoExpression() const {
  if (kind() == TokenKind::Invalid || next_ == 0)
    failExpected("an expression");
  struct Habit {
    std::string_view first, second;
    const char *message;
  };
  // Operators of other languages, which this parser sees as two adjacent tokens.
  constexpr Habit kHabits[] = {
      {"&", "&", "\"&&\" is not an operator of Python; write \"and\" for conditions, \"&\" for masks"},
      {"|", "|", "\"||\" is not an operator of Python; write \"or\" for conditions, \"|\" for masks"},
      {"<", ">", "\"<>\" is not an operator of Python; write \"!=\""},
      {"==", "=", "\"===\" is not an operator of Python; write \"==\""},
      {"=", ">", "\"=>\" is not an operator of Python; write \">=\" to compare"},
      {"=", "<", "\"=<\" is not an operator of Python; write \"<=\" to compare"},
  };
  const Token &before = previous();
  for (const Habit &habit : kHabits)
    if (isSpelled(before, habit.first) && at(habit.second) && before.end.column == loc().column)
      fail(before.loc, habit.message);
  bool isTwice =
      next_ >= 2 && before.text == tokens_[next_ - 2].text && (isSpelled(before, "+") || isSpelled(before, "-"));
  if (isTwice && kind() == TokenKind::Newline)
    fail(tokens_[next_ - 2].loc, "\"" + std::string(2, before.text[0]) + "\" is not an operator of Python; write \"" +
                                     std::string(before.text) + "= 1\"");
  bool followsToken = !before.text.empty();
  failExpected(followsToken ? "an expression after \"" + std::string(before.text) + "\"" : "an expression");
}

ExprPtr ExpressionParser::parseYield() {
  ExprPtr result = opaque(loc(), "yield expression",
                          "\"yield\" is not part of the kernel language; return a tuple, or store to memory");
  skipUntil({";", "="});
  return result;
}

void ExpressionParser::closeBracket(std::string_view close, Loc open) {
  if (accept(close))
    return;
  if (kind() == TokenKind::Invalid)
    fail(loc(), explainInvalid(peek().text));
  if (at("="))
    fail(loc(), "\"=\" assigns and cannot stand inside of an expression; write \"==\" to compare");
  if (at(":") && close == ")")
    fail(loc(), "a slice \"a:b\" stands in square brackets only; write x[a:b], or \"==\" or \"<\" to compare");
  fail(loc(), "expected \",\", an operator or \"" + std::string(close) + "\", found " + describe(peek()), open,
       "the bracket was opened here");
}

ExprPtr ExpressionParser::parseComprehension(Loc start, ComprehensionExpr::Form form, ExprPtr key, ExprPtr element) {
  constexpr const char *kForms[] = {"list comprehension", "dictionary comprehension", "generator expression"};
  std::string what = kForms[static_cast<int>(form)];
  bool isAsync = at("async");
  if (isAsync || (!isHost() && form != ComprehensionExpr::Form::List)) {
    ExprPtr result =
        opaque(start, what, what + "s are not part of the kernel language; write a for loop over tl.static_range");
    skipUntil({});
    return result;
  }
  auto result = std::make_unique<ComprehensionExpr>(start, form);
  result->key = std::move(key);
  result->element = std::move(element);
  while (accept("for")) {
    ComprehensionExpr::Clause clause;
    clause.target = parseTargetList();
    expect("in", "after the target of a comprehension");
    clause.iterable = parseOr();
    while (accept("if"))
      clause.conditions.push_back(parseOr());
    result->clauses.push_back(std::move(clause));
  }
  return finish(std::move(result));
}

ExprPtr ExpressionParser::parseParenthesized() {
  Loc open = take().loc;
  if (accept(")"))
    return make<TupleExpr>(open, std::vector<ExprPtr>());
  ExprPtr first = parseElement();
  if (atComprehension())
    first = parseComprehension(open, ComprehensionExpr::Form::Generator, nullptr, std::move(first));
  if (at(",")) {
    first = parseTuple(std::move(first), &ExpressionParser::parseElement);
    first->loc = open;
  } else if (as<StarredExpr>(first)) {
    fail(first->loc, "a starred value needs a list or tuple around it; write \"[*x]\" or \"(*x,)\"");
  }
  closeBracket(")", open);
  return first;
}

ExprPtr ExpressionParser::parseList() {
  Loc open = take().loc;
  std::vector<ExprPtr> elements;
  while (!at("]")) {
    elements.push_back(parseElement());
    if (elements.size() == 1 && atComprehension()) {
      ExprPtr result = parseComprehension(open, ComprehensionExpr::Form::List, nullptr, std::move(elements.front()));
      closeBracket("]", open);
      return result;
    }
    if (!accept(","))
      break;
  }
  closeBracket("]", open);
  return make<ListExpr>(open, std::move(elements));
}

ExprPtr ExpressionParser::parseBraces() {
  Loc open = take().loc;
  if (accept("}"))
    return make<DictExpr>(open);
  if (at("**"))
    return parseDict(open, nullptr);
  ExprPtr first = parseElement();
  if (!at(":")) {
    if (atComprehension()) {
      opaque(open, "set",
             "set comprehensions are not part of the kernel language; write a for loop over tl.static_range");
      skipUntil({});
    }
    return parseSet(open);
  }
  return parseDict(open, std::move(first));
}

ExprPtr ExpressionParser::parseSet(Loc open) {
  ExprPtr result = opaque(open, "set", "sets are not part of the kernel language; write a tuple");
  while (accept(",") && !at("}"))
    parseElement();
  closeBracket("}", open);
  return result;
}

/// The items after `key`, which is null where the first one is `**mapping`.
ExprPtr ExpressionParser::parseDict(Loc open, ExprPtr key) {
  auto dict = std::make_unique<DictExpr>(open);
  while (true) {
    if (at("**")) {
      ExprPtr mapping = parseSpread();
      dict->items.emplace_back(nullptr, std::move(mapping));
    } else {
      expect(":", "after the key of a dictionary");
      ExprPtr value = parseExpression();
      if (dict->items.empty() && atComprehension()) {
        ExprPtr result = parseComprehension(open, ComprehensionExpr::Form::Dict, std::move(key), std::move(value));
        closeBracket("}", open);
        return result;
      }
      dict->items.emplace_back(std::move(key), std::move(value));
    }
    if (!accept(",") || at("}"))
      break;
    if (!at("**"))
      key = parseExpression();
  }
  closeBracket("}", open);
  return finish(std::move(dict));
}

/// `**mapping` among the items of a dictionary.
ExprPtr ExpressionParser::parseSpread() {
  if (!isHost())
    fail(loc(), "\"**\" in a dictionary is not part of the kernel language; write its items");
  take();
  return parseExpression();
}

} // namespace tegula::lang
