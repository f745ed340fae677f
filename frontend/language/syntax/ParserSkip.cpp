// Statements that are not parsed: their ends, and the names that they bind.
#include "frontend/language/syntax/ParserImpl.h"

#include <algorithm>

namespace tegula::lang {

void StatementParser::skipBlock() {
  unsigned blocks = 0;
  do {
    if (kind() == TokenKind::Indent)
      ++blocks;
    else if (kind() == TokenKind::Dedent)
      --blocks;
    take();
  } while (blocks > 0);
}

void StatementParser::skipStatement() {
  do {
    while (kind() != TokenKind::Newline && kind() != TokenKind::End)
      take();
    take();
    if (kind() == TokenKind::Indent)
      skipBlock();
  } while (atAny({"elif", "else", "except", "finally"}));
}

StmtPtr StatementParser::skipToOpaque(std::string what, std::vector<std::string> names, std::string message) {
  auto skipped = std::make_unique<OpaqueStmt>(loc());
  skipped->what = std::move(what);
  skipped->names = std::move(names);
  skipped->message = std::move(message);
  while (at("@")) { // each decorator takes a line
    while (kind() != TokenKind::Newline && kind() != TokenKind::End)
      take();
    take();
  }
  refuseStray();
  if (kind() != TokenKind::Dedent && kind() != TokenKind::End) // the file may end after decorators
    skipStatement();
  return skipped;
}

size_t StatementParser::findOutsideBrackets(size_t from, Texts texts) const {
  unsigned brackets = 0;
  for (size_t i = from; i < tokens_.size(); ++i) {
    const Token &token = tokens_[i];
    if (token.kind == TokenKind::Newline || token.kind == TokenKind::End)
      return i;
    if (brackets == 0)
      for (std::string_view text : texts)
        if (isSpelled(token, text))
          return i;
    if (opensBracket(token))
      ++brackets;
    else if (closesBracket(token) && brackets > 0)
      --brackets;
  }
  return tokens_.size() - 1;
}

size_t StatementParser::endOfTargets() const {
  const Texts kStops = {
      "=", ":", "lambda", ";", "+=", "-=", "*=", "/=", "//=", "%=", "@=", "&=", "|=", "^=", ">>=", "<<=", "**="};
  size_t end = next_;
  size_t i = findOutsideBrackets(next_, kStops);
  while (isSpelled(tokens_[i], "=")) {
    end = i;
    i = findOutsideBrackets(i + 1, kStops);
  }
  if (end != next_)
    return end;
  bool isNone = tokens_[i].text.empty() || isSpelled(tokens_[i], "lambda") || isSpelled(tokens_[i], ";");
  bool beginsBlock = isSpelled(tokens_[i], ":") && tokens_[i + 1].kind == TokenKind::Newline;
  return isNone || beginsBlock ? next_ : i;
}

std::vector<std::string> StatementParser::namesBetween(size_t first, size_t last) const {
  std::vector<std::string> names;
  for (size_t i = first; i < last; ++i) {
    const Token &token = tokens_[i];
    const Token &next = tokens_[i + 1];
    bool isPart = i > first && isSpelled(tokens_[i - 1], ".");
    bool hasSuffix = isSpelled(next, ".") || isSpelled(next, "[") || isSpelled(next, "(");
    if (token.kind == TokenKind::Name && !isPart && !hasSuffix)
      names.emplace_back(token.text);
    bool isOperand = token.kind == TokenKind::Name || closesBracket(token);
    if (isOperand && (isSpelled(next, "[") || isSpelled(next, "("))) // a subscript or an attribute's call binds no name
      i = findOutsideBrackets(i + 2, {")", "]", "}"}) - 1;
  }
  return names;
}

std::vector<std::string> StatementParser::boundNames() const {
  size_t i = next_;
  while (isSpelled(tokens_[i], "@")) {
    while (tokens_[i].kind != TokenKind::Newline && tokens_[i].kind != TokenKind::End)
      ++i;
    i = std::min(i + 1, tokens_.size() - 1);
  }
  if (isSpelled(tokens_[i], "async"))
    ++i;
  const Token &token = tokens_[i];
  bool bindsNext =
      isSpelled(token, "def") || isSpelled(token, "class") || (token.kind == TokenKind::Name && token.text == "type");
  if (bindsNext && tokens_[i + 1].kind == TokenKind::Name)
    return {std::string(tokens_[i + 1].text)};
  if (isSpelled(token, "for"))
    return namesBetween(i + 1, findOutsideBrackets(i + 1, {"in"}));
  if (isSpelled(token, "with")) {
    std::vector<std::string> names;
    for (; tokens_[i].kind != TokenKind::Newline && tokens_[i].kind != TokenKind::End; ++i)
      if (isSpelled(tokens_[i], "as") && tokens_[i + 1].kind == TokenKind::Name)
        names.emplace_back(tokens_[i + 1].text);
    return names;
  }
  bool isAssignment = i == next_ && token.kind != TokenKind::Keyword;
  return isAssignment ? namesBetween(next_, endOfTargets()) : std::vector<std::string>();
}

} // namespace tegula::lang
