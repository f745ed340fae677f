// A whole file: code that kernels can use is parsed, the rest is skipped.
#include "frontend/language/Parser.h"
#include "frontend/language/ParserImpl.h"

#include <algorithm>

namespace tegula::lang {
namespace {

bool holdsOpaque(const Expr &e) {
  bool found = e.kind == ExprKind::Opaque;
  forEachChild(e, [&](const Expr &child) { found = found || holdsOpaque(child); });
  return found;
}

/// Whether the tree has a node for the assignment's value.
bool isRepresented(const Stmt &statement) {
  if (auto *assign = as<AssignStmt>(&statement))
    return !holdsOpaque(*assign->value);
  auto *annotated = as<AnnAssignStmt>(&statement);
  return annotated && (!annotated->value || !holdsOpaque(*annotated->value));
}

} // namespace

Block ModuleParser::parse() {
  Block body;
  while (kind() != TokenKind::End)
    parseModuleStatement(body, false);
  return body;
}

void ModuleParser::parseModuleStatement(Block &out, bool isConditional) {
  Level level(*this);
  if (kind() == TokenKind::Indent)
    refuseStray();
  if (at("@")) {
    parseDecorated(out);
  } else if (at("def") || (at("async") && isSpelled(peek(1), "def"))) {
    out.push_back(skipToOpaque("function", boundNames()));
  } else if (at("class")) {
    out.push_back(skipToOpaque("class", boundNames()));
  } else if (atAny({"if", "elif", "else", "for", "while", "try", "except", "finally", "with", "async"})) {
    parseBlockStatement(out);
  } else {
    parseSimpleStatements(out, isConditional);
  }
}

void ModuleParser::parseDecorated(Block &out) {
  // The decorators' names decide whether they are parsed, so they are first read from the tokens.
  bool isKernelFunction = false, isAggregate = false;
  size_t i = next_;
  while (isSpelled(tokens_[i], "@")) {
    size_t end = i + 1;
    while (tokens_[end].kind == TokenKind::Name || isSpelled(tokens_[end], "."))
      ++end;
    std::string_view name = tokens_[end - 1].text;
    bool isName = isSpelled(tokens_[end], "(") || tokens_[end].kind == TokenKind::Newline;
    isKernelFunction |= isName && (name == "jit" || name == "constexpr_function");
    isAggregate |= isName && (name == "aggregate" || name == "_aggregate");
    while (tokens_[i].kind != TokenKind::Newline && tokens_[i].kind != TokenKind::End)
      ++i;
    i = std::min(i + 1, tokens_.size() - 1);
  }
  bool isClass = isSpelled(tokens_[i], "class");
  if (isClass && isAggregate)
    out.push_back(parseClass(parseDecorators()));
  else if (!isClass && isKernelFunction)
    out.push_back(parseFunction(parseDecorators()));
  else
    out.push_back(skipToOpaque(isClass ? "class" : "function", boundNames()));
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

/// Skips the header; the block's statements become statements of the module, so that kernels among them are found.
void ModuleParser::parseBlockStatement(Block &out) {
  bool continues = atAny({"elif", "else", "except", "finally"});
  bool isHostOnly = atAny({"if", "elif"}) && isMainGuard();
  auto header = std::make_unique<OpaqueStmt>(loc());
  header->what = "statement";
  header->names = boundNames();
  if (!continues)
    out.push_back(std::move(header));

  unsigned lambdas = 0; // lambdas so far, each with a colon of its own
  do {
    take();
    next_ = findOutsideBrackets(next_, {":", "lambda"});
    if (at("lambda"))
      ++lambdas;
  } while (at("lambda") || (at(":") && lambdas-- > 0));
  accept(":");
  if (kind() != TokenKind::Newline) {
    Block hostOnly;
    return parseSimpleStatements(isHostOnly ? hostOnly : out, true);
  }
  take();
  if (kind() != TokenKind::Indent)
    return;
  if (isHostOnly)
    return skipBlock();
  take();
  while (kind() != TokenKind::Dedent)
    parseModuleStatement(out, true);
  take();
}

void ModuleParser::parseSimpleStatements(Block &out, bool isConditional) {
  while (kind() != TokenKind::Newline && kind() != TokenKind::End) {
    if (atAny({"import", "from"})) {
      out.push_back(parseImport());
      if (!at(";") && kind() != TokenKind::Newline)
        failExpected("\",\" or the end of the line after an import");
    } else if (bool isAssignment = endOfTargets() != next_; isAssignment && !isConditional) {
      out.push_back(parseModuleAssignment());
    } else {
      auto skipped = std::make_unique<OpaqueStmt>(loc());
      skipped->what = isAssignment ? "assignment" : "statement";
      skipped->names = boundNames();
      out.push_back(std::move(skipped));
      next_ = findOutsideBrackets(next_, {";"});
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
  Scoped<bool> trial(isTrial_, true);
  try {
    StmtPtr statement = parseAssignmentOrExpression();
    if (isRepresented(*statement) && (at(";") || kind() == TokenKind::Newline))
      return statement;
  } catch (const Error &) {
    // The value may use syntax that only Python knows; then a kernel that uses the name gets a message.
  }
  next_ = findOutsideBrackets(first, {";"});
  return skipped;
}

std::unique_ptr<Module> parseModule(std::string path, std::string text) {
  if (text.starts_with("\xEF\xBB\xBF")) // byte order mark
    text.erase(0, 3);
  auto source = std::make_shared<SourceFile>(SourceFile{std::move(path), std::move(text)});
  auto module = std::make_unique<Module>();
  module->body = ModuleParser(*source).parse();
  module->source = std::move(source);
  return module;
}

ExprPtr parseExpression(std::string path, std::string text) {
  SourceFile source{std::move(path), std::move(text)};
  std::vector<Token> tokens = tokenizeExpression(source, 0, source.text.size(), {1, 1});
  return ExpressionParser(source, std::move(tokens), Mode::Kernel).parseWhole();
}

} // namespace tegula::lang
