#include "frontend/language/syntax/ParserImpl.h"

#include <algorithm>

namespace tegula::lang {

const Token &TokenParser::peek(size_t ahead) const { return tokens_[std::min(next_ + ahead, tokens_.size() - 1)]; }

const Token &TokenParser::take() {
  const Token &token = peek();
  if (next_ + 1 < tokens_.size())
    ++next_;
  return token;
}

bool TokenParser::isSpelled(const Token &token, std::string_view text) {
  return (token.kind == TokenKind::Operator || token.kind == TokenKind::Keyword) && token.text == text;
}

bool TokenParser::opensBracket(const Token &token) {
  return isSpelled(token, "(") || isSpelled(token, "[") || isSpelled(token, "{");
}

bool TokenParser::closesBracket(const Token &token) {
  return isSpelled(token, ")") || isSpelled(token, "]") || isSpelled(token, "}");
}

bool TokenParser::atAny(Texts texts) const {
  return std::any_of(texts.begin(), texts.end(), [&](std::string_view text) { return at(text); });
}

bool TokenParser::accept(std::string_view text) {
  if (!at(text))
    return false;
  take();
  return true;
}

const Token &TokenParser::expect(std::string_view text, const std::string &context) {
  if (!at(text))
    failExpected("\"" + std::string(text) + "\" " + context);
  return take();
}

const Token &TokenParser::expectName(const std::string &what) {
  if (kind() != TokenKind::Name)
    failExpected(what);
  return take();
}

void TokenParser::fail(Loc loc, std::string message) const {
  if (isTrial_)
    throw Error(std::move(message));
  failAt(source_, loc, std::move(message));
}

void TokenParser::fail(Loc loc, std::string message, Loc noteLoc, std::string note) const {
  if (isTrial_)
    throw Error(std::move(message));
  failAt(source_, loc, std::move(message), noteLoc, std::move(note));
}

std::string TokenParser::describe(const Token &token) const {
  std::string text(token.text);
  switch (token.kind) {
  case TokenKind::Newline: return "the end of the line";
  case TokenKind::Indent: return "an indented line";
  case TokenKind::Dedent: return "the end of the block";
  case TokenKind::End: {
    TokenKind before = previous().kind;
    bool isLineStart = before == TokenKind::Newline || before == TokenKind::Dedent || before == TokenKind::End;
    return isLineStart && next_ ? "the end of the file" : "the end of the expression";
  }
  case TokenKind::String:
  case TokenKind::FormatString: return "a string";
  case TokenKind::Keyword: return "the keyword \"" + text + "\"";
  case TokenKind::Name:
  case TokenKind::Number:
  case TokenKind::Operator:
  case TokenKind::Invalid: return "\"" + text + "\"";
  }
  return text;
}

void TokenParser::failExpected(const std::string &what) const {
  const Token &found = peek();
  if (found.kind == TokenKind::Invalid)
    fail(found.loc, explainInvalid(found.text));
  bool isLineEnd = found.kind == TokenKind::Newline || found.kind == TokenKind::End;
  Loc place = isLineEnd && next_ ? previous().end : found.loc;
  fail(place, "expected " + what + ", found " + describe(found));
}

void TokenParser::skipUntil(Texts stops) {
  for (unsigned brackets = 0; kind() != TokenKind::Newline && kind() != TokenKind::End; take()) {
    if (brackets == 0 && (closesBracket(peek()) || atAny(stops)))
      return;
    if (opensBracket(peek()))
      ++brackets;
    else if (closesBracket(peek()))
      --brackets;
  }
}

TokenParser::Level::Level(TokenParser &parser) : parser_(parser) {
  if (parser_.depth_ >= kMaxNesting)
    parser_.fail(parser_.loc(), "the code is nested deeper than " + std::to_string(kMaxNesting) +
                                    " levels here; split it into functions or statements");
  ++parser_.depth_;
}

} // namespace tegula::lang
