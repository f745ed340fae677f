// The tree as text: `[role] Kind field=value @line:column`, children indented below.
#include "frontend/language/syntax/Parser.h"

#include <charconv>
#include <cmath>

namespace tegula::lang {
namespace {

constexpr std::string_view kUnaryNames[] = {"+", "-", "~", "not"};
constexpr std::string_view kBinaryNames[] = {"+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>"};
constexpr std::string_view kCompareNames[] = {"==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in"};

std::string quoted(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "\"";
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (byte < 0x20 || byte == 0x7F)
      out += {'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    else
      out += c;
  }
  return out + "\"";
}

std::string printFloat(double value) {
  if (std::isinf(value))
    return "inf";
  char buffer[40];
  auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  std::string text(buffer, result.ptr);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::string print(const Literal &value) {
  if (auto *flag = std::get_if<bool>(&value))
    return *flag ? "True" : "False";
  if (auto *integer = std::get_if<Int>(&value))
    return toString(*integer);
  if (auto *number = std::get_if<double>(&value))
    return printFloat(*number);
  if (auto *text = std::get_if<std::string>(&value))
    return quoted(*text);
  return std::holds_alternative<NoneLiteral>(value) ? "None" : "...";
}

std::string join(const std::vector<std::string> &names) {
  std::string out;
  for (const std::string &name : names)
    out += (out.empty() ? "" : ",") + name;
  return out;
}

class Dumper {
public:
  void statement(const Stmt &s);
  std::string take() { return std::move(out_); }

private:
  void line(const std::string &text, Loc loc) {
    heading(text + " @" + std::to_string(loc.line) + ":" + std::to_string(loc.column));
  }
  void heading(const std::string &text) { out_ += std::string(2 * depth_, ' ') + text + "\n"; }

  template <class Children> void below(Children children) {
    ++depth_;
    children();
    --depth_;
  }

  void node(const std::string &role, const ExprPtr &e) {
    if (e)
      node(role, *e);
  }
  void node(const std::string &role, const Expr &e) {
    line((role.empty() ? "" : role + ": ") + title(e), e.loc);
    below([&] { children(e); });
  }
  void block(const std::string &name, const Block &statements) {
    if (statements.empty())
      return;
    heading(name + ":");
    below([&] {
      for (const StmtPtr &s : statements)
        statement(*s);
    });
  }

  static std::string title(const Expr &e);
  void children(const Expr &e);
  void call(const CallExpr &e);
  void formatString(const FormatStringExpr &e);
  static std::string title(const Stmt &s);
  void children(const Stmt &s);
  void function(const FunctionStmt &s);

  std::string out_;
  unsigned depth_ = 0;
};

std::string Dumper::title(const Expr &e) {
  switch (e.kind) {
  case ExprKind::Name: return "Name id=" + as<NameExpr>(&e)->id;
  case ExprKind::Constant: return "Constant value=" + print(as<ConstantExpr>(&e)->value);
  case ExprKind::Tuple: return "Tuple";
  case ExprKind::List: return "List";
  case ExprKind::Dict: return "Dict";
  case ExprKind::Unary: return "Unary op=" + std::string(kUnaryNames[unsigned(as<UnaryExpr>(&e)->op)]);
  case ExprKind::Binary: return "Binary op=" + std::string(kBinaryNames[unsigned(as<BinaryExpr>(&e)->op)]);
  case ExprKind::BoolOp: return std::string("BoolOp op=") + (as<BoolExpr>(&e)->isAnd ? "and" : "or");
  case ExprKind::Compare: {
    std::vector<std::string> ops;
    for (CompareOp op : as<CompareExpr>(&e)->ops)
      ops.emplace_back(kCompareNames[unsigned(op)]);
    return "Compare ops=" + join(ops);
  }
  case ExprKind::Call: return "Call";
  case ExprKind::Attribute: return "Attribute name=" + as<AttributeExpr>(&e)->name;
  case ExprKind::Subscript: return "Subscript";
  case ExprKind::Slice: return "Slice";
  case ExprKind::IfExp: return "IfExp";
  case ExprKind::Lambda: return "Lambda params=" + join(as<LambdaExpr>(&e)->params);
  case ExprKind::Starred: return "Starred";
  case ExprKind::FormatString: return "FormatString";
  case ExprKind::Comprehension: {
    constexpr const char *forms[] = {"list", "dictionary", "generator"};
    return std::string("Comprehension form=") + forms[unsigned(as<ComprehensionExpr>(&e)->form)];
  }
  case ExprKind::Opaque: return "Opaque what=" + quoted(as<OpaqueExpr>(&e)->what);
  }
  return {};
}

void Dumper::children(const Expr &e) {
  if (auto *binary = as<BinaryExpr>(&e)) {
    node("lhs", binary->lhs);
    node("rhs", binary->rhs);
  } else if (auto *attribute = as<AttributeExpr>(&e)) {
    node("base", attribute->base);
  } else if (auto *subscript = as<SubscriptExpr>(&e)) {
    node("base", subscript->base);
    node("index", subscript->index);
  } else if (auto *slice = as<SliceExpr>(&e)) {
    node("lower", slice->lower);
    node("upper", slice->upper);
    node("step", slice->step);
  } else if (auto *choice = as<IfExpr>(&e)) {
    node("condition", choice->condition);
    node("value", choice->value);
    node("other", choice->other);
  } else if (auto *dict = as<DictExpr>(&e)) {
    for (auto &[key, value] : dict->items) {
      if (key)
        node("key", key);
      node(key ? "value" : "**", value);
    }
  } else if (auto *comprehension = as<ComprehensionExpr>(&e)) {
    if (comprehension->key)
      node("key", comprehension->key);
    node("element", comprehension->element);
    for (auto &clause : comprehension->clauses) {
      node("for", clause.target);
      node("in", clause.iterable);
      for (const ExprPtr &condition : clause.conditions)
        node("if", condition);
    }
  } else if (auto *c = as<CallExpr>(&e)) {
    call(*c);
  } else if (auto *text = as<FormatStringExpr>(&e)) {
    formatString(*text);
  } else {
    forEachChild(e, [&](const Expr &child) { node("", child); });
  }
}

void Dumper::call(const CallExpr &e) {
  node("callee", e.callee);
  for (const ExprPtr &argument : e.args)
    node("arg", argument);
  for (const Keyword &keyword : e.keywords)
    node(keyword.name.empty() ? "**" : keyword.name + "=", keyword.value);
}

void Dumper::formatString(const FormatStringExpr &e) {
  for (const auto &piece : e.pieces) {
    if (!piece.value) {
      heading("text: " + quoted(piece.text));
      continue;
    }
    std::string role = "field";
    if (piece.conversion)
      role += std::string("!") + piece.conversion;
    if (!piece.format.empty())
      role += " format=" + quoted(piece.format);
    node(role, piece.value);
  }
}

std::string Dumper::title(const Stmt &s) {
  switch (s.kind) {
  case StmtKind::Function: return "Function name=" + as<FunctionStmt>(&s)->name;
  case StmtKind::Return: return "Return";
  case StmtKind::Assign: return "Assign";
  case StmtKind::AugAssign: return "AugAssign op=" + std::string(kBinaryNames[unsigned(as<AugAssignStmt>(&s)->op)]);
  case StmtKind::AnnAssign: return "AnnAssign";
  case StmtKind::For: return "For";
  case StmtKind::While: return "While";
  case StmtKind::If: return "If";
  case StmtKind::Expression: return "Expression";
  case StmtKind::Assert: return "Assert";
  case StmtKind::Pass: return "Pass";
  case StmtKind::Break: return "Break";
  case StmtKind::Continue: return "Continue";
  case StmtKind::Import: {
    std::string out = "Import";
    for (auto &[module, name, alias] : as<ImportStmt>(&s)->items)
      out += " " + module + (name.empty() ? "" : ":" + name) + (alias.empty() ? "" : "=" + alias);
    return out;
  }
  case StmtKind::Class: return "Class name=" + as<ClassStmt>(&s)->name;
  case StmtKind::Try: return "Try";
  case StmtKind::With: return "With";
  case StmtKind::HostBlock: {
    auto &block = *as<HostBlockStmt>(&s);
    return "HostBlock what=" + block.what + (block.names.empty() ? "" : " names=" + join(block.names));
  }
  case StmtKind::Opaque: {
    auto &opaque = *as<OpaqueStmt>(&s);
    return "Opaque what=" + opaque.what + (opaque.names.empty() ? "" : " names=" + join(opaque.names)) +
           (opaque.message.empty() ? "" : " message=" + quoted(opaque.message));
  }
  }
  return {};
}

void Dumper::statement(const Stmt &s) {
  line(title(s), s.loc);
  below([&] { children(s); });
}

void Dumper::function(const FunctionStmt &s) {
  for (const ExprPtr &decorator : s.decorators)
    node("decorator", decorator);
  for (const Param &param : s.params) {
    std::string flags = std::string(param.isVariadic ? " variadic" : "") + (param.isKeywordOnly ? " keyword-only" : "");
    line("Param name=" + param.name + flags, param.loc);
    below([&] {
      node("annotation", param.annotation);
      node("default", param.defaultValue);
    });
  }
  node("returns", s.returns);
  if (!s.docstring.empty())
    heading("docstring: " + quoted(s.docstring));
  block("body", s.body);
}

void Dumper::children(const Stmt &s) {
  if (auto *f = as<FunctionStmt>(&s)) {
    function(*f);
  } else if (auto *result = as<ReturnStmt>(&s)) {
    node("value", result->value);
  } else if (auto *assign = as<AssignStmt>(&s)) {
    for (const ExprPtr &target : assign->targets)
      node("target", target);
    node("value", assign->value);
  } else if (auto *augmented = as<AugAssignStmt>(&s)) {
    node("target", augmented->target);
    node("value", augmented->value);
  } else if (auto *annotated = as<AnnAssignStmt>(&s)) {
    node("target", annotated->target);
    node("annotation", annotated->annotation);
    node("value", annotated->value);
  } else if (auto *loop = as<ForStmt>(&s)) {
    node("target", loop->target);
    node("iterable", loop->iterable);
    block("body", loop->body);
    block("else", loop->orelse);
  } else if (auto *whileLoop = as<WhileStmt>(&s)) {
    node("condition", whileLoop->condition);
    block("body", whileLoop->body);
    block("else", whileLoop->orelse);
  } else if (auto *branch = as<IfStmt>(&s)) {
    node("condition", branch->condition);
    block("body", branch->body);
    block("else", branch->orelse);
  } else if (auto *expression = as<ExpressionStmt>(&s)) {
    node("", expression->value);
  } else if (auto *check = as<AssertStmt>(&s)) {
    node("condition", check->condition);
    node("message", check->message);
  } else if (auto *type = as<ClassStmt>(&s)) {
    for (const ExprPtr &decorator : type->decorators)
      node("decorator", decorator);
    block("body", type->body);
  } else if (auto *attempt = as<TryStmt>(&s)) {
    block("body", attempt->body);
    for (const Block &handler : attempt->handlers)
      block("except", handler);
    block("else", attempt->orelse);
    block("finally", attempt->finally);
  } else if (auto *with = as<WithStmt>(&s)) {
    for (const WithStmt::Item &item : with->items) {
      node("context", item.context);
      node("target", item.target);
    }
    block("body", with->body);
  } else if (auto *host = as<HostBlockStmt>(&s)) {
    block("body", host->body);
    block("else", host->orelse);
  }
}

} // namespace

std::string dump(const Module &module) {
  Dumper dumper;
  for (const StmtPtr &s : module.body)
    dumper.statement(*s);
  return dumper.take();
}

std::string dump(const FunctionStmt &function) {
  Dumper dumper;
  dumper.statement(function);
  return dumper.take();
}

} // namespace tegula::lang
