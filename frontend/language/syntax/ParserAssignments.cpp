// Assignments of every form, and imports.
#include "frontend/language/syntax/ParserImpl.h"

#include <iterator>

namespace tegula::lang {
namespace {

struct AugmentedRow {
  std::string_view text;
  BinaryOp op;
};

constexpr AugmentedRow kAugmentedOps[] = {
    {"+=", BinaryOp::Add},  {"-=", BinaryOp::Sub},       {"*=", BinaryOp::Mul},  {"/=", BinaryOp::Div},
    {"%=", BinaryOp::Mod},  {"//=", BinaryOp::FloorDiv}, {"**=", BinaryOp::Pow}, {"@=", BinaryOp::MatMul},
    {"&=", BinaryOp::And},  {"|=", BinaryOp::Or},        {"^=", BinaryOp::Xor},  {"<<=", BinaryOp::Shl},
    {">>=", BinaryOp::Shr},
};

std::string describeKind(const Expr &e) {
  switch (e.kind) {
  case ExprKind::Constant:
  case ExprKind::FormatString: return "a literal";
  case ExprKind::Call: return "the result of a call";
  case ExprKind::Compare: return "a comparison";
  case ExprKind::Unary:
  case ExprKind::Binary:
  case ExprKind::BoolOp: return "the result of an operator";
  case ExprKind::IfExp: return "a conditional expression";
  case ExprKind::Lambda: return "a lambda";
  case ExprKind::Dict: return "a dictionary";
  case ExprKind::Tuple:
  case ExprKind::List: return "several names at once";
  default: return "this expression";
  }
}

bool isSingleTarget(const Expr &e) {
  return e.kind == ExprKind::Name || e.kind == ExprKind::Attribute || e.kind == ExprKind::Subscript;
}

} // namespace

StmtPtr StatementParser::parseAssignmentOrExpression() {
  ExprPtr first = parseExpressionList();
  if (at("="))
    return parseAssign(std::move(first));
  if (at(":"))
    return parseAnnAssign(std::move(first));
  for (const AugmentedRow &row : kAugmentedOps)
    if (at(row.text))
      return parseAugAssign(std::move(first));
  Loc start = first->loc;
  return std::make_unique<ExpressionStmt>(start, std::move(first));
}

StmtPtr StatementParser::parseAssign(ExprPtr first) {
  auto assign = std::make_unique<AssignStmt>(first->loc);
  assign->value = std::move(first);
  while (accept("=")) {
    checkTarget(*assign->value);
    assign->targets.push_back(std::move(assign->value));
    assign->value = parseExpressionList();
  }
  return assign;
}

StmtPtr StatementParser::parseAnnAssign(ExprPtr target) {
  if (isSpelled(peek(), ":") && peek(1).kind == TokenKind::Newline)
    fail(loc(), "expected the end of the statement, found \":\"; a block begins with if, for or while");
  checkSingleTarget(*target, "have an annotation");
  auto assign = std::make_unique<AnnAssignStmt>(target->loc);
  assign->target = std::move(target);
  take();
  {
    Scoped<Mode> host(mode_, Mode::Host);
    assign->annotation = parseExpression();
  }
  if (accept("="))
    assign->value = parseExpressionList();
  return assign;
}

StmtPtr StatementParser::parseAugAssign(ExprPtr target) {
  const Token &op = peek();
  checkSingleTarget(*target, "stand before \"" + std::string(op.text) + "\"");
  take();
  auto assign = std::make_unique<AugAssignStmt>(target->loc);
  assign->target = std::move(target);
  assign->opLoc = op.loc;
  for (const AugmentedRow &row : kAugmentedOps)
    if (row.text == op.text)
      assign->op = row.op;
  assign->value = parseExpressionList();
  return assign;
}

void StatementParser::checkSingleTarget(const Expr &target, const std::string &purpose) const {
  if (!isSingleTarget(target))
    fail(target.loc, describeKind(target) + " cannot " + purpose + "; only a name, an attribute or an element can");
}

void StatementParser::checkTarget(const Expr &target) const {
  if (isSingleTarget(target))
    return;
  if (auto *tuple = as<TupleExpr>(&target))
    return checkTargets(tuple->elements);
  if (auto *list = as<ListExpr>(&target))
    return checkTargets(list->elements);
  std::string message = "cannot assign to " + describeKind(target);
  if (target.kind == ExprKind::Starred)
    message = "a starred target needs other targets beside it";
  fail(target.loc, message + "; expected a name, an attribute, an element or a tuple of these");
}

void StatementParser::checkTargets(const std::vector<ExprPtr> &targets) const {
  const Expr *starred = nullptr;
  for (const ExprPtr &target : targets) {
    auto *star = as<StarredExpr>(target);
    checkTarget(star ? *star->value : *target);
    if (star && starred)
      fail(star->loc, "a tuple of targets can hold one starred target only; drop one star", starred->loc,
           "the other one is here");
    if (star)
      starred = star;
  }
}

std::string StatementParser::parseModuleName(bool mayBeRelative) {
  std::string name;
  while (mayBeRelative && (at(".") || at("...")))
    name += take().text;
  if (!name.empty() && at("import"))
    return name;
  name += expectName("a module name").text;
  while (accept(".")) {
    name += '.';
    name += expectName("a module name after \".\"").text;
  }
  return name;
}

/// `tegula` is the language's name in Tegula's own Python package: "tegula.language" is "triton.language".
static std::string languageModule(const std::string &module) {
  constexpr std::string_view kOurs = "tegula";
  bool isOurs = module.starts_with(kOurs) && (module.size() == kOurs.size() || module[kOurs.size()] == '.');
  return isOurs ? "triton" + module.substr(kOurs.size()) : module;
}

StmtPtr StatementParser::parseImport() {
  auto import = std::make_unique<ImportStmt>(loc());
  if (take().text == "from") {
    std::string module = languageModule(parseModuleName(true));
    expect("import", "after the module's name");
    parseImportNames(*import, module);
    return import;
  }
  do {
    std::string module = parseModuleName(false);
    std::string alias = module.substr(0, module.find('.'));
    if (accept("as"))
      alias = expectName("a name after as").text;
    import->items.push_back({languageModule(module), "", alias});
  } while (accept(","));
  return import;
}

/// After `from triton import jit as j` the decorators `@j` of the file's further definitions are read as `@jit`. As for
/// other decorators, the name decides, also where the file gives it another meaning later.
void StatementParser::readDecoratorAs(std::string_view alias, std::string_view name) {
  auto beginsLine = [&](const Token &before) { // else "@" multiplies matrices
    return before.kind == TokenKind::Newline || before.kind == TokenKind::Indent || before.kind == TokenKind::Dedent;
  };
  for (size_t i = next_; i < tokens_.size(); ++i) // behind the import's own tokens
    if (tokens_[i].kind == TokenKind::Name && tokens_[i].text == alias && tokens_[i - 1].text == "@" &&
        beginsLine(tokens_[i - 2]))
      tokens_[i].text = name;
}

void StatementParser::parseImportNames(ImportStmt &import, const std::string &module) {
  if (accept("*")) {
    import.items.push_back({module, "*", ""});
    return;
  }
  bool hasParens = accept("(");
  do {
    if (hasParens && at(")") && !import.items.empty())
      break;
    std::string_view name = expectName("a name to import").text, alias = name;
    if (accept("as"))
      alias = expectName("a name after as").text;
    if (alias != name && module.substr(0, module.find('.')) == "triton")
      readDecoratorAs(alias, name);
    import.items.push_back({module, std::string(name), std::string(alias)});
  } while (accept(","));
  if (hasParens)
    expect(")", "after the imported names");
}

} // namespace tegula::lang
