// A whole file: code that kernels can use is parsed, the rest is skipped.
#include "frontend/language/syntax/Parser.h"
#include "frontend/language/syntax/ParserImpl.h"

#include <algorithm>

namespace tegula::lang {
namespace {

/// Whether the tree has a node for the assignment's value. Parts without one matter only where they are evaluated.
bool isRepresented(const Stmt &statement) {
  if (auto *changed = as<AugAssignStmt>(&statement))
    return changed->target->kind == ExprKind::Name && changed->value->kind != ExprKind::Opaque;
  if (auto *assign = as<AssignStmt>(&statement))
    return assign->value->kind != ExprKind::Opaque;
  auto *annotated = as<AnnAssignStmt>(&statement);
  return annotated && (!annotated->value || annotated->value->kind != ExprKind::Opaque);
}

} // namespace

Block ModuleParser::parse() {
  Block body;
  while (kind() != TokenKind::End)
    parseModuleStatement(body);
  return body;
}

void ModuleParser::parseModuleStatement(Block &out) {
  Level level(*this);
  refuseStray();
  bool isAsync = at("async"); // `async with` and the like stand in notebooks
  if (at("@"))
    parseDecorated(out);
  else if (at("def") || (isAsync && isSpelled(peek(1), "def")))
    out.push_back(skipFunction("function"));
  else if (at("class"))
    out.push_back(skipFunction("class"));
  else if (at("if"))
    out.push_back(parseHostIf());
  else if (at("try"))
    out.push_back(parseTry());
  else if (isAsync || atAny({"for", "while", "with"}))
    out.push_back(parseHostBlock());
  else
    parseSimpleStatements(out);
}

void ModuleParser::parseDecorated(Block &out) {
  // The decorators' names decide whether they are parsed, so they are first read from the tokens.
  bool isKernelFunction = false, isAggregate = false, isExtern = false;
  size_t i = next_;
  while (isSpelled(tokens_[i], "@")) {
    size_t end = i + 1;
    while (tokens_[end].kind == TokenKind::Name || isSpelled(tokens_[end], "."))
      ++end;
    std::string_view name = tokens_[end - 1].text;
    bool isName = isSpelled(tokens_[end], "(") || tokens_[end].kind == TokenKind::Newline;
    isKernelFunction |= isName && (name == "jit" || name == "constexpr_function" || name == "constexpr");
    isExtern |= isName && (name == "extern" || name == "builtin");
    isAggregate |= isName && (name == "aggregate" || name == "_aggregate");
    while (tokens_[i].kind != TokenKind::Newline && tokens_[i].kind != TokenKind::End)
      ++i;
    i = std::min(i + 1, tokens_.size() - 1);
  }
  bool isClass = isSpelled(tokens_[i], "class");
  if (isClass && isAggregate)
    out.push_back(parseClass(parseDecorators()));
  else if (!isClass && isKernelFunction)
    out.push_back(parseKernelFunction(onError_));
  else if (!isClass && isExtern)
    out.push_back(parseKernelFunction(OnError::Keep));
  else
    out.push_back(skipFunction(isClass ? "class" : "function"));
}

/// Keeps where the definition begins whose decorators or `def` are next.
void ModuleParser::noteDefinition() {
  size_t at = next_;
  while (isSpelled(tokens_[at], "@"))
    while (tokens_[at].kind != TokenKind::End && tokens_[at++].kind != TokenKind::Newline) {
    }
  if (isSpelled(tokens_[at], "def"))
    definitions_.insert_or_assign(std::string(tokens_[at + 1].text), next_);
}

StmtPtr ModuleParser::parseKernelFunction(OnError onError) {
  size_t first = next_;
  noteDefinition();
  try {
    return parseFunction(parseDecorators());
  } catch (const Error &error) {
    if (onError == OnError::Throw)
      throw;
    next_ = first;
    StmtPtr skipped = skipFunction("function");
    static_cast<OpaqueStmt &>(*skipped).problem = std::make_shared<Diagnostic>(error.diagnostic());
    return skipped;
  }
}

/// Skips a function or class and keeps its place in the text.
StmtPtr ModuleParser::skipFunction(const char *what) {
  size_t first = next_;
  noteDefinition();
  StmtPtr skipped = skipToOpaque(what, boundNames());
  size_t last = next_;
  while (last > first + 1 && tokens_[last - 1].text.empty())
    --last;
  const Token &end = tokens_[last - 1];
  auto &opaque = static_cast<OpaqueStmt &>(*skipped);
  opaque.begin = offsetOf(tokens_[first]);
  opaque.end = offsetOf(end) + end.text.size();
  return skipped;
}

StmtPtr ModuleParser::parseHostFunction() {
  if (kind() == TokenKind::Indent)
    take();
  return parseFunction(parseDecorators());
}

StmtPtr ModuleParser::parseHostClass() {
  if (kind() == TokenKind::Indent)
    take();
  return parseClass(parseDecorators());
}

/// `if __name__ == "__main__":`
bool ModuleParser::isMainGuard() const {
  bool mentionsName = false, mentionsMain = false;
  size_t colon = findOutsideBrackets(next_, {":"});
  for (size_t i = next_; i < colon; ++i) {
    mentionsName |= tokens_[i].text == "__name__";
    mentionsMain |= tokens_[i].kind == TokenKind::String && tokens_[i].text.find("__main__") != std::string_view::npos;
  }
  return mentionsName && mentionsMain;
}

/// To the end of a clause's header, whose keyword is next; takes the colon.
void ModuleParser::skipHeader() {
  unsigned lambdas = 0; // lambdas so far, each with a colon of its own
  do {
    take();
    next_ = findOutsideBrackets(next_, {":", "lambda"});
    if (at("lambda"))
      ++lambdas;
  } while (at("lambda") || (at(":") && lambdas-- > 0));
  accept(":");
}

/// The condition of `if` or `elif`, and the colon. Python may understand more than this parser.
ExprPtr ModuleParser::parseHostCondition() {
  size_t keyword = next_;
  take();
  Loc place = loc();
  try {
    Scoped<bool> trial(isTrial_, true);
    ExprPtr condition = parseNamedExpression();
    if (accept(":"))
      return condition;
  } catch (const Error &) {
    // Then its value is not known.
  }
  next_ = keyword;
  skipHeader();
  return make<OpaqueExpr>(place, "condition");
}

/// The statements of a clause: on the line of its header, or indented below. Whatever they are, host code goes on.
Block ModuleParser::parseHostSuite() {
  Block body;
  if (kind() != TokenKind::Newline) {
    parseSimpleStatements(body);
    return body;
  }
  take();
  if (kind() != TokenKind::Indent)
    return body;
  take();
  while (kind() != TokenKind::Dedent)
    parseModuleStatement(body);
  take();
  return body;
}

/// `if` or `elif` with its suite. What stands under the main guard is skipped unread.
std::unique_ptr<IfStmt> ModuleParser::parseHostBranch() {
  auto branch = std::make_unique<IfStmt>(loc());
  bool isHostOnly = isMainGuard();
  branch->condition = parseHostCondition();
  if (isHostOnly && kind() == TokenKind::Newline && peek(1).kind == TokenKind::Indent) {
    take();
    skipBlock();
  } else {
    branch->body = parseHostSuite();
  }
  if (isHostOnly)
    branch->body.clear();
  return branch;
}

StmtPtr ModuleParser::parseHostIf() {
  constexpr unsigned kMaxBranches = 100; // `elif`s nest in the tree, whose height is bounded; what follows is left out
  auto first = parseHostBranch();
  IfStmt *last = first.get();
  for (unsigned branches = 1; at("elif"); ++branches) {
    auto next = parseHostBranch();
    if (branches >= kMaxBranches)
      continue;
    IfStmt *inner = next.get();
    last->orelse.push_back(std::move(next));
    last = inner;
  }
  if (at("else"))
    last->orelse = parseClause();
  return first;
}

/// A clause whose header holds nothing that matters here: `else:`, `try:`, `except E as e:`.
Block ModuleParser::parseClause() {
  skipHeader();
  return parseHostSuite();
}

StmtPtr ModuleParser::parseTry() {
  auto attempt = std::make_unique<TryStmt>(loc());
  attempt->body = parseClause();
  while (at("except"))
    attempt->handlers.push_back(parseClause());
  if (at("else"))
    attempt->orelse = parseClause();
  if (at("finally"))
    attempt->finally = parseClause();
  return attempt;
}

StmtPtr ModuleParser::parseHostBlock() {
  auto block = std::make_unique<HostBlockStmt>(loc());
  block->names = boundNames();
  accept("async");
  block->what = peek().text;
  if (at("for"))
    block->loop = lookAhead([this] { return parseFor(); }); // as in a host function
  block->body = parseClause();
  if (at("else"))
    block->orelse = parseClause();
  return block;
}

/// A statement that binds no name. It matters only as far as it changes objects.
StmtPtr ModuleParser::parseEffect() {
  auto skipped = std::make_unique<OpaqueStmt>(loc());
  skipped->what = at("raise") ? "raise" : at("del") ? "del" : "statement";
  size_t first = next_;
  if (accept("del"))
    skipped->names = namesBetween(next_, findOutsideBrackets(next_, {";"}));
  else
    skipped->names = boundNames();
  if (kind() == TokenKind::Name)
    skipped->changes.emplace_back(peek().text);
  if (next_ == first && skipped->what == "statement") {
    Scoped<bool> trial(isTrial_, true);
    try {
      skipped->parsed = parseAssignmentOrExpression();
    } catch (const Error &) {
      // Then what it does is not known.
    }
    if (!at(";") && kind() != TokenKind::Newline)
      skipped->parsed.reset();
    if (skipped->parsed)
      skipped->changes.clear();
  }
  next_ = findOutsideBrackets(first, {";"});
  return skipped;
}

void ModuleParser::parseSimpleStatements(Block &out) {
  while (kind() != TokenKind::Newline && kind() != TokenKind::End) {
    if (atAny({"import", "from"})) {
      out.push_back(parseImport());
      for (const ImportStmt::Item &item : static_cast<const ImportStmt &>(*out.back()).items)
        if (!item.module.starts_with("triton") && item.name != "triton" && !item.module.starts_with('.'))
          foreign_.insert(item.alias);
        else
          foreign_.erase(item.alias);
      if (!at(";") && kind() != TokenKind::Newline)
        failExpected("\",\" or the end of the line after an import");
    } else if (endOfTargets() != next_) {
      size_t first = next_;
      out.push_back(parseModuleAssignment());
      if (StmtPtr kernel = parseAssignedKernel(*out.back(), first))
        out.back() = std::move(kernel);
    } else if (accept("pass")) {
      // Nothing happens.
    } else {
      out.push_back(parseEffect());
    }
    accept(";");
  }
  bool beginsBlock = isSpelled(previous(), ":"); // `match x:` begins a block without a keyword
  take();
  if (beginsBlock && kind() == TokenKind::Indent)
    skipBlock();
}

StmtPtr ModuleParser::parseModuleAssignment() {
  size_t first = next_;
  auto skipped = std::make_unique<OpaqueStmt>(loc());
  skipped->what = "assignment";
  skipped->names = boundNames();
  if (skipped->names.empty() && kind() == TokenKind::Name) // `a.b = ...`
    skipped->changes.emplace_back(peek().text);
  Scoped<bool> trial(isTrial_, true);
  try {
    StmtPtr statement = parseAssignmentOrExpression();
    if (isRepresented(*statement) && (at(";") || kind() == TokenKind::Newline))
      return statement;
    if (statement->kind == StmtKind::AugAssign) {
      skipped->parsed = std::move(statement);
      skipped->changes.clear();
    }
  } catch (const Error &) {
    // The value may use syntax that only Python knows; then a kernel that uses the name gets a message.
  }
  next_ = findOutsideBrackets(first, {";"});
  return skipped;
}

std::unique_ptr<Module> parseModule(std::string path, std::string text, OnError onError) {
  if (text.starts_with("\xEF\xBB\xBF")) // byte order mark
    text.erase(0, 3);
  auto source = std::make_shared<SourceFile>(SourceFile{std::move(path), std::move(text)});
  auto module = std::make_unique<Module>();
  module->body = ModuleParser(*source, onError).parse();
  module->source = std::move(source);
  return module;
}

StmtPtr parseHostDefinition(const SourceFile &source, const OpaqueStmt &statement) {
  bool isClass = statement.what == "class";
  if ((statement.what != "function" && !isClass) || statement.problem || statement.end == 0)
    return nullptr;
  // Line breaks and blanks before the text keep its locations.
  std::string text(statement.loc.line - 1, '\n');
  text.append(statement.loc.column - 1, ' ');
  text += source.text.substr(statement.begin, statement.end - statement.begin);
  text += '\n';
  SourceFile part{source.path, std::move(text)};
  ModuleParser parser(part);
  return isClass ? parser.parseHostClass() : parser.parseHostFunction();
}

ExprPtr parseExpression(std::string path, std::string text) {
  SourceFile source{std::move(path), std::move(text)};
  std::vector<Token> tokens = tokenizeExpression(source, 0, source.text.size(), {1, 1});
  return ExpressionParser(source, std::move(tokens), Mode::Kernel).parseWhole();
}

} // namespace tegula::lang
