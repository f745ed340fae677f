#include "frontend/language/syntax/ParserImpl.h"

#include <algorithm>
#include <iterator>

namespace tegula::lang {
namespace {

enum class Where : uint8_t {
  Block,  // may have a block; host code skips both
  Line,   // a simple statement
  Branch, // a simple statement that often stands in branches which constexpr conditions remove: an error only if
          // emission reaches it
};

struct UnsupportedRow {
  std::string_view keyword;
  Where where;
  const char *advice; // completes `"keyword" is not part of the kernel language; ...`
};

constexpr UnsupportedRow kUnsupported[] = {
    {"with", Where::Block, "a kernel has nothing to close: keep the block's body only"},
    {"try", Where::Block, "a kernel has no exceptions: test with if, or check with tl.device_assert"},
    {"class", Where::Block, "define the class at module level, decorated with @triton.aggregate"},
    {"def", Where::Block, "move the inner function to module level and decorate it with @triton.jit"},
    {"@", Where::Block, "move the decorated function to module level"},
    {"async", Where::Block, "a kernel runs to its end: drop the word"},
    {"raise", Where::Branch,
     "check with tl.static_assert what is known at compile time, with tl.device_assert the rest"},
    {"del", Where::Line, "names need no deletion: drop the statement"},
    {"global", Where::Line,
     "a kernel cannot change variables of the module: pass values as arguments and return results"},
    {"nonlocal", Where::Line,
     "a kernel cannot change variables around it: pass values as arguments and return results"},
    {"import", Where::Line, "import at the top of the file"},
    {"from", Where::Line, "import at the top of the file"},
};

const UnsupportedRow *findUnsupported(std::string_view text) {
  auto row = std::find_if(std::begin(kUnsupported), std::end(kUnsupported), [&](auto &r) { return r.keyword == text; });
  return row == std::end(kUnsupported) ? nullptr : row;
}

} // namespace

void StatementParser::parseStatement(Block &out) {
  Level level(*this);
  refuseStray();
  if (inClass_ && atAny({"@", "def"})) {
    Decorators decorators = parseDecorators();
    bool isClass = at("class");
    out.push_back(isClass ? skipToOpaque("class", boundNames()) : parseFunction(std::move(decorators)));
  } else if (isHost() && at("try")) {
    out.push_back(parseHostTry());
  } else if (isHost() && atAny({"with", "def", "@"})) {
    out.push_back(parseHostInner());
  } else if (isUnsupported() && isCompound()) {
    std::string message = refuseUnsupported();
    out.push_back(skipToOpaque("statement", boundNames(), std::move(message)));
  } else if (at("if")) {
    out.push_back(parseIf());
  } else if (at("for")) {
    out.push_back(parseFor());
  } else if (at("while")) {
    out.push_back(parseWhile());
  } else {
    parseSimpleLine(out);
  }
}

void StatementParser::refuseStray() const {
  if (kind() == TokenKind::Indent)
    fail(peek(1).loc, "unexpected indentation; expected this line to begin below the statement before it");
  if (atAny({"else", "elif", "except", "finally"}))
    fail(loc(), "\"" + std::string(peek().text) + "\" follows no matching block; expected " +
                    (at("elif")   ? "an if"
                     : at("else") ? "an if, for or while"
                                  : "a try") +
                    " with the same indentation before it");
}

/// `match` is an ordinary name unless a block follows: `match x:`.
bool StatementParser::atMatchStatement() const {
  if (kind() != TokenKind::Name || peek().text != "match" || isSpelled(peek(1), ":"))
    return false;
  size_t i = 1;
  while (peek(i).kind != TokenKind::Newline && peek(i).kind != TokenKind::End)
    ++i;
  return isSpelled(peek(i - 1), ":") && peek(i + 1).kind == TokenKind::Indent;
}

/// `type X = ...`; otherwise `type` is an ordinary name.
bool StatementParser::atTypeStatement() const {
  return kind() == TokenKind::Name && peek().text == "type" && peek(1).kind == TokenKind::Name;
}

bool StatementParser::isUnsupported() const {
  bool isWord = kind() == TokenKind::Keyword || at("@");
  return (isWord && findUnsupported(peek().text)) || atMatchStatement() || atTypeStatement();
}

bool StatementParser::isCompound() const {
  const UnsupportedRow *row = findUnsupported(peek().text);
  return row ? row->where == Where::Block : atMatchStatement();
}

std::string StatementParser::refuseUnsupported() const {
  const UnsupportedRow *row = findUnsupported(peek().text);
  std::string advice = row ? row->advice : atTypeStatement() ? "drop the type" : "compare with if and elif";
  std::string message = "\"" + std::string(peek().text) + "\" is not part of the kernel language; " + advice;
  bool mayStay = isHost() || (row && row->where == Where::Branch);
  if (!mayStay)
    fail(loc(), message);
  return message;
}

void StatementParser::parseSimpleLine(Block &out) {
  do {
    out.push_back(parseSimple());
  } while (accept(";") && !atStatementEnd());
  expectLineEnd();
}

StmtPtr StatementParser::lookAhead(const std::function<StmtPtr()> &parse) {
  Scoped<size_t> back(next_, next_);
  Scoped<bool> trial(isTrial_, true);
  try {
    return parse();
  } catch (const Error &) {
    return nullptr;
  }
}

StmtPtr StatementParser::parseSimple() {
  Loc start = loc();
  if (isUnsupported()) {
    auto skipped = std::make_unique<OpaqueStmt>(start);
    skipped->message = refuseUnsupported();
    bool isGlobal = at("global");
    skipped->what = at("raise") ? "raise" : atAny({"import", "from"}) ? "import" : isGlobal ? "global" : "statement";
    skipped->names = isGlobal ? namesBetween(next_ + 1, findOutsideBrackets(next_, {";"})) : boundNames();
    if (isHost() && skipped->what == "import")
      skipped->parsed = lookAhead([this] { return parseImport(); });
    if (at("raise") && peek(1).kind == TokenKind::Name) // `raise errors.E(...)`
      for (size_t i = next_ + 1; tokens_[i].kind == TokenKind::Name || isSpelled(tokens_[i], "."); ++i)
        skipped->raised = tokens_[i].text;
    skipUntil({";"});
    return skipped;
  }
  if (accept("pass"))
    return std::make_unique<PassStmt>(start);
  if (at("return"))
    return parseReturn();
  if (at("assert"))
    return parseAssert();
  if (atAny({"break", "continue"})) {
    bool isBreak = take().text == "break";
    if (!inLoop_)
      fail(start, std::string("\"") + (isBreak ? "break" : "continue") +
                      "\" stands outside of a loop; expected a for or while around it");
    if (isBreak)
      return std::make_unique<BreakStmt>(start);
    return std::make_unique<ContinueStmt>(start);
  }
  if (atAny({"if", "for", "while"}))
    fail(start, "\"" + std::string(peek().text) + "\" must begin on a line of its own");
  return parseAssignmentOrExpression();
}

void StatementParser::expectLineEnd() {
  if (kind() == TokenKind::Newline) {
    take();
    return;
  }
  const Token &before = previous();
  if (at(":="))
    fail(loc(), "\":=\" assigns inside of an expression; write \"=\" in an assignment");
  if (before.text == "print" && before.kind == TokenKind::Name)
    fail(loc(), "print is a function; write tl.device_print(\"text\", value) with parentheses");
  for (std::string_view word : {"elseif", "elsif"})
    if (before.text == word)
      fail(before.loc, "\"" + std::string(word) + "\" is not a word of Python; write \"elif\"");
  failExpected("an operator or the end of the statement");
}

StmtPtr StatementParser::parseReturn() {
  Loc start = take().loc;
  if (!inFunction_)
    fail(start, "\"return\" stands outside of a function; expected a def around it");
  return std::make_unique<ReturnStmt>(start, atStatementEnd() ? nullptr : parseExpressionList());
}

StmtPtr StatementParser::parseAssert() {
  Loc start = take().loc;
  ExprPtr condition = parseCondition("assert");
  ExprPtr message;
  if (accept(","))
    message = parseExpression();
  return std::make_unique<AssertStmt>(start, std::move(condition), std::move(message));
}

ExprPtr StatementParser::parseCondition(const std::string &owner) {
  ExprPtr condition = parseNamedExpression();
  bool isReversed = isSpelled(peek(1), ">") || isSpelled(peek(1), "<");
  if (at("=") && isReversed) {
    take();
    failNoExpression();
  }
  if (at("="))
    fail(loc(), "\"=\" assigns; write \"==\" to compare in the condition of " + owner);
  return condition;
}

StmtPtr StatementParser::parseIf() {
  Level level(*this);
  auto result = std::make_unique<IfStmt>(loc());
  std::string word(take().text);
  result->condition = parseCondition(word);
  result->body = parseSuite(word, "after the condition of " + word);
  if (at("elif"))
    result->orelse.push_back(parseIf());
  else
    result->orelse = parseElse();
  return result;
}

/// `try` in a function of host code.
StmtPtr StatementParser::parseHostTry() {
  auto attempt = std::make_unique<TryStmt>(take().loc);
  attempt->body = parseSuite("try", "after try");
  while (at("except")) {
    size_t end = findOutsideBrackets(next_, {":"}), last = findOutsideBrackets(next_, {":", "as"});
    attempt->caught.emplace_back();
    for (size_t i = next_ + 1; i < last; ++i) // `except (KeyError, errors.E) as e`
      if (tokens_[i].kind == TokenKind::Name && !isSpelled(tokens_[i + 1], "."))
        attempt->caught.back().emplace_back(tokens_[i].text);
    next_ = end;
    attempt->handlers.push_back(parseSuite("except", "after except"));
  }
  attempt->orelse = parseElse();
  if (accept("finally"))
    attempt->finally = parseSuite("finally", "after finally");
  return attempt;
}

/// `with` in a function of host code.
StmtPtr StatementParser::parseHostWith() {
  auto with = std::make_unique<WithStmt>(take().loc);
  do {
    WithStmt::Item item{parseExpression(), nullptr};
    if (accept("as")) {
      item.target = parseTarget();
      checkTarget(*item.target);
    }
    with->items.push_back(std::move(item));
  } while (accept(","));
  with->body = parseSuite("with", "after with");
  return with;
}

/// `with`, a function or a class inside of a function of host code. If Python only knows its syntax, it is skipped, and
/// a message only where it runs.
StmtPtr StatementParser::parseHostInner() {
  size_t first = next_;
  try {
    if (at("with"))
      return parseHostWith();
    Decorators decorators = parseDecorators();
    if (at("def"))
      return parseFunction(std::move(decorators));
  } catch (const Error &) {
    // Skipped below.
  }
  next_ = first;
  std::vector<std::string> names = boundNames();
  return skipToOpaque("statement", std::move(names), "this statement of host code is not known");
}

StmtPtr StatementParser::parseWhile() {
  auto result = std::make_unique<WhileStmt>(take().loc);
  result->condition = parseCondition("while");
  {
    Scoped<bool> loop(inLoop_, true);
    result->body = parseSuite("while", "after the condition of while");
  }
  result->orelse = parseElse();
  return result;
}

StmtPtr StatementParser::parseFor() {
  auto result = std::make_unique<ForStmt>(take().loc);
  result->target = parseTargetList();
  checkTarget(*result->target);
  expect("in", "after the target of for");
  result->iterable = parseExpressionList();
  {
    Scoped<bool> loop(inLoop_, true);
    result->body = parseSuite("for", "after the iterable of for");
  }
  result->orelse = parseElse();
  return result;
}

Block StatementParser::parseElse() {
  if (!at("else"))
    return {};
  if (isSpelled(peek(1), "if"))
    fail(loc(), "\"else if\" is not a word of Python; write \"elif\"");
  take();
  return parseSuite("else", "after else");
}

Block StatementParser::parseSuite(const std::string &owner, const std::string &context) {
  Block body;
  expect(":", context);
  if (kind() != TokenKind::Newline) {
    parseSimpleLine(body);
    return body;
  }
  expectIndent(owner);
  while (kind() != TokenKind::Dedent)
    parseStatement(body);
  take();
  return body;
}

void StatementParser::expectIndent(const std::string &owner) {
  const Token &colon = previous();
  take();
  if (kind() == TokenKind::Indent) {
    take();
    return;
  }
  size_t ahead = 0;
  while (peek(ahead).kind == TokenKind::Dedent)
    ++ahead;
  Loc place = peek(ahead).kind == TokenKind::End ? colon.loc : peek(ahead).loc;
  fail(place, "expected an indented block after the \"" + owner + "\" in line " + std::to_string(colon.loc.line) +
                  "; write pass where there is nothing to do");
}

} // namespace tegula::lang
