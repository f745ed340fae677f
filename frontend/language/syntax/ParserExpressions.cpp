// Operators, from the lowest precedence to the highest.
#include "frontend/language/syntax/ParserImpl.h"

#include <iterator>

namespace tegula::lang {
namespace {

struct BinaryRow {
  std::string_view text;
  unsigned precedence;
  BinaryOp op;
};

// Precedences. Comparisons bind more loosely than all of these, unary operators and ** more tightly.
constexpr BinaryRow kBinaryOps[] = {
    {"|", 1, BinaryOp::Or},   {"^", 2, BinaryOp::Xor},       {"&", 3, BinaryOp::And}, {"<<", 4, BinaryOp::Shl},
    {">>", 4, BinaryOp::Shr}, {"+", 5, BinaryOp::Add},       {"-", 5, BinaryOp::Sub}, {"*", 6, BinaryOp::Mul},
    {"/", 6, BinaryOp::Div},  {"//", 6, BinaryOp::FloorDiv}, {"%", 6, BinaryOp::Mod}, {"@", 6, BinaryOp::MatMul},
};

struct CompareRow {
  std::string_view text;
  CompareOp op;
};

constexpr CompareRow kCompareOps[] = {
    {"==", CompareOp::Eq}, {"!=", CompareOp::Ne}, {"<", CompareOp::Lt},  {"<=", CompareOp::Le},
    {">", CompareOp::Gt},  {">=", CompareOp::Ge}, {"in", CompareOp::In},
};

} // namespace

ExprPtr ExpressionParser::parseWhole() {
  ExprPtr e = parseExpressionList();
  if (kind() != TokenKind::End)
    failExpected("an operator or the end of the expression");
  return e;
}

bool ExpressionParser::atExpression() const {
  switch (kind()) {
  case TokenKind::Name:
  case TokenKind::Number:
  case TokenKind::String:
  case TokenKind::FormatString: return true;
  case TokenKind::Keyword: return atAny({"not", "lambda", "None", "True", "False", "await", "yield"});
  case TokenKind::Operator: return atAny({"(", "[", "{", "-", "+", "~", "...", "*"});
  default: return false;
  }
}

ExprPtr ExpressionParser::parseTuple(ExprPtr first, ExprPtr (ExpressionParser::*parseNext)()) {
  if (!at(",")) {
    if (as<StarredExpr>(first))
      fail(first->loc, "a starred value needs a list or tuple around it; write \"[*x]\" or \"*x,\"");
    return first;
  }
  Loc start = first->loc;
  std::vector<ExprPtr> elements;
  elements.push_back(std::move(first));
  while (accept(",") && atExpression())
    elements.push_back((this->*parseNext)());
  return make<TupleExpr>(start, std::move(elements));
}

ExprPtr ExpressionParser::parseItem() { return at("*") ? parseStarred() : parseExpression(); }

ExprPtr ExpressionParser::parseExpressionList() { return parseTuple(parseItem(), &ExpressionParser::parseItem); }

ExprPtr ExpressionParser::parseElement() { return at("*") ? parseStarred() : parseNamedExpression(); }

ExprPtr ExpressionParser::parseStarred() {
  Level level(*this);
  Loc start = take().loc;
  return make<StarredExpr>(start, parseBinary(1));
}

ExprPtr ExpressionParser::parseTarget() { return at("*") ? parseStarred() : parseBinary(1); }

ExprPtr ExpressionParser::parseTargetList() { return parseTuple(parseTarget(), &ExpressionParser::parseTarget); }

ExprPtr ExpressionParser::parseNamedExpression() {
  ExprPtr e = parseExpression();
  if (!at(":="))
    return e;
  ExprPtr result =
      opaque(loc(), "assignment expression",
             "assignment expressions (\":=\") are not part of the kernel language; assign on a line of its own");
  take();
  parseExpression();
  return result;
}

ExprPtr ExpressionParser::parseExpression() {
  Level level(*this);
  if (at("lambda"))
    return parseLambda();
  ExprPtr value = parseOr();
  if (!accept("if"))
    return value;
  Loc start = value->loc;
  ExprPtr condition = parseOr();
  expect("else", "after the condition of \"a if condition else b\"");
  ExprPtr other = parseExpression();
  return make<IfExpr>(start, std::move(condition), std::move(value), std::move(other));
}

ExprPtr ExpressionParser::parseLambda() {
  auto lambda = std::make_unique<LambdaExpr>(take().loc);
  ExprPtr unrepresented = parseLambdaParams(*lambda);
  expect(":", "after the parameters of lambda");
  lambda->body = parseExpression();
  return unrepresented ? std::move(unrepresented) : finish(std::move(lambda));
}

ExprPtr ExpressionParser::parseLambdaParams(LambdaExpr &lambda) {
  ExprPtr unrepresented;
  while (!at(":")) {
    if (atAny({"*", "**", "/"}) || isSpelled(peek(1), "="))
      unrepresented =
          opaque(loc(), "lambda with default or starred parameters",
                 "the parameters of a lambda must be plain names in the kernel language; drop defaults and stars");
    bool mayLackName = at("*") || at("/");
    if (atAny({"*", "**", "/"}))
      take();
    if (!mayLackName || kind() == TokenKind::Name)
      lambda.params.emplace_back(expectName("a parameter name or \":\" after lambda").text);
    if (accept("="))
      parseExpression();
    if (!accept(","))
      break;
  }
  return unrepresented;
}

ExprPtr ExpressionParser::parseOr() {
  ExprPtr first = parseAnd();
  if (!at("or"))
    return first;
  Loc start = first->loc;
  std::vector<ExprPtr> operands;
  operands.push_back(std::move(first));
  while (accept("or"))
    operands.push_back(parseAnd());
  return make<BoolExpr>(start, false, std::move(operands));
}

ExprPtr ExpressionParser::parseAnd() {
  ExprPtr first = parseNot();
  if (!at("and"))
    return first;
  Loc start = first->loc;
  std::vector<ExprPtr> operands;
  operands.push_back(std::move(first));
  while (accept("and"))
    operands.push_back(parseNot());
  return make<BoolExpr>(start, true, std::move(operands));
}

ExprPtr ExpressionParser::parseNot() {
  if (!at("not"))
    return parseComparison();
  Level level(*this);
  Loc start = take().loc;
  return make<UnaryExpr>(start, UnaryOp::Not, parseNot());
}

bool ExpressionParser::takeCompareOp(CompareOp &op) {
  if (accept("is")) {
    op = accept("not") ? CompareOp::IsNot : CompareOp::Is;
    return true;
  }
  if (at("not") && isSpelled(peek(1), "in")) {
    take();
    take();
    op = CompareOp::NotIn;
    return true;
  }
  for (const CompareRow &row : kCompareOps)
    if (accept(row.text)) {
      op = row.op;
      return true;
    }
  return false;
}

ExprPtr ExpressionParser::parseComparison() {
  ExprPtr first = parseBinary(1);
  CompareOp op{};
  Loc opLoc = loc();
  if (!takeCompareOp(op))
    return first;
  Loc start = first->loc;
  std::vector<ExprPtr> operands;
  std::vector<CompareOp> ops;
  std::vector<Loc> opLocs;
  operands.push_back(std::move(first));
  do {
    ops.push_back(op);
    opLocs.push_back(opLoc);
    operands.push_back(parseBinary(1));
    opLoc = loc();
  } while (takeCompareOp(op));
  return make<CompareExpr>(start, std::move(operands), std::move(ops), std::move(opLocs));
}

ExprPtr ExpressionParser::parseBinary(unsigned minPrecedence) {
  ExprPtr lhs = parseUnary();
  while (true) {
    auto row = std::begin(kBinaryOps);
    while (row != std::end(kBinaryOps) && !at(row->text))
      ++row;
    if (row == std::end(kBinaryOps) || row->precedence < minPrecedence)
      return lhs;
    Loc opLoc = take().loc;
    Loc start = lhs->loc;
    ExprPtr rhs = parseBinary(row->precedence + 1);
    lhs = make<BinaryExpr>(start, opLoc, row->op, std::move(lhs), std::move(rhs));
  }
}

ExprPtr ExpressionParser::parseUnary() {
  if (!atAny({"+", "-", "~"}))
    return parsePower();
  Level level(*this);
  const Token &token = take();
  UnaryOp op = token.text == "+" ? UnaryOp::Plus : token.text == "-" ? UnaryOp::Minus : UnaryOp::Invert;
  return make<UnaryExpr>(token.loc, op, parseUnary());
}

ExprPtr ExpressionParser::parsePower() {
  ExprPtr base = parsePostfix();
  if (!at("**"))
    return base;
  Level level(*this);
  Loc opLoc = take().loc;
  Loc start = base->loc;
  ExprPtr exponent = parseUnary();
  return make<BinaryExpr>(start, opLoc, BinaryOp::Pow, std::move(base), std::move(exponent));
}

} // namespace tegula::lang
