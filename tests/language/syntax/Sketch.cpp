#include "Sketch.h"

#include <sstream>

namespace tegula::lang {
namespace {

constexpr const char *kUnary[] = {"+", "-", "~", "not"};
constexpr const char *kBinary[] = {"+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>"};
constexpr const char *kCompare[] = {"==", "!=", "<", "<=", ">", ">=", "is", "is-not", "in", "not-in"};

std::string constant(const Literal &value) {
  if (auto *flag = std::get_if<bool>(&value))
    return *flag ? "True" : "False";
  if (auto *integer = std::get_if<Int>(&value))
    return toString(*integer);
  if (auto *number = std::get_if<double>(&value)) {
    std::ostringstream out;
    out << *number << "f";
    return out.str();
  }
  if (auto *text = std::get_if<std::string>(&value))
    return "'" + *text + "'";
  return std::holds_alternative<NoneLiteral>(value) ? "None" : "...";
}

std::string list(const std::string &head, const std::vector<ExprPtr> &elements) {
  std::string out = "(" + head;
  for (const ExprPtr &e : elements)
    out += " " + sketch(e);
  return out + ")";
}

std::string sketchCall(const CallExpr &call) {
  std::string out = "(call " + sketch(call.callee);
  for (const ExprPtr &argument : call.args)
    out += " " + sketch(argument);
  for (const Keyword &keyword : call.keywords)
    out += " " + (keyword.name.empty() ? "**" : keyword.name + "=") + sketch(keyword.value);
  return out + ")";
}

std::string sketchCompare(const CompareExpr &e) {
  std::string out = "(cmp " + sketch(e.operands[0]);
  for (size_t i = 0; i < e.ops.size(); ++i)
    out += std::string(" ") + kCompare[unsigned(e.ops[i])] + " " + sketch(e.operands[i + 1]);
  return out + ")";
}

std::string sketchFormat(const FormatStringExpr &e) {
  std::string out = "(f";
  for (const auto &piece : e.pieces) {
    if (!piece.value) {
      out += " '" + piece.text + "'";
      continue;
    }
    out += " {" + sketch(piece.value);
    if (piece.conversion)
      out += std::string("!") + piece.conversion;
    out += (piece.format.empty() ? "" : ":" + piece.format) + "}";
  }
  return out + ")";
}

std::string blockIn(const std::string &name, const Block &block) {
  return block.empty() ? "" : " " + name + "[" + sketch(block) + "]";
}

std::string sketchSimple(const Stmt &s) {
  if (auto *result = as<ReturnStmt>(&s))
    return result->value ? "return " + sketch(result->value) : "return";
  if (auto *assign = as<AssignStmt>(&s)) {
    std::string out;
    for (const ExprPtr &target : assign->targets)
      out += sketch(target) + " = ";
    return out + sketch(assign->value);
  }
  if (auto *augmented = as<AugAssignStmt>(&s))
    return sketch(augmented->target) + " " + kBinary[unsigned(augmented->op)] + "= " + sketch(augmented->value);
  if (auto *annotated = as<AnnAssignStmt>(&s))
    return sketch(annotated->target) + ": " + sketch(annotated->annotation) +
           (annotated->value ? " = " + sketch(annotated->value) : "");
  if (auto *expression = as<ExpressionStmt>(&s))
    return sketch(expression->value);
  if (auto *check = as<AssertStmt>(&s))
    return "assert " + sketch(check->condition) + (check->message ? ", " + sketch(check->message) : "");
  switch (s.kind) {
  case StmtKind::Pass: return "pass";
  case StmtKind::Break: return "break";
  case StmtKind::Continue: return "continue";
  default: return "?";
  }
}

std::string sketchImport(const ImportStmt &import) {
  std::string out = "import";
  for (auto &[module, name, alias] : import.items)
    out += " " + module + "/" + name + "/" + alias;
  return out;
}

std::string sketchOpaque(const OpaqueStmt &opaque) {
  std::string out = "<" + opaque.what;
  for (const std::string &name : opaque.names)
    out += " " + name;
  return out + ">";
}

std::string sketchStatement(const Stmt &s) {
  if (auto *branch = as<IfStmt>(&s))
    return "if " + sketch(branch->condition) + blockIn("then", branch->body) + blockIn("else", branch->orelse);
  if (auto *loop = as<ForStmt>(&s))
    return "for " + sketch(loop->target) + " in " + sketch(loop->iterable) + blockIn("do", loop->body) +
           blockIn("else", loop->orelse);
  if (auto *loop = as<WhileStmt>(&s))
    return "while " + sketch(loop->condition) + blockIn("do", loop->body) + blockIn("else", loop->orelse);
  if (auto *function = as<FunctionStmt>(&s))
    return "def " + function->name;
  if (auto *type = as<ClassStmt>(&s))
    return "class " + type->name + blockIn("", type->body);
  if (auto *import = as<ImportStmt>(&s))
    return sketchImport(*import);
  if (auto *opaque = as<OpaqueStmt>(&s))
    return sketchOpaque(*opaque);
  if (auto *attempt = as<TryStmt>(&s)) {
    std::string out = "try" + blockIn("do", attempt->body);
    for (const Block &handler : attempt->handlers)
      out += " except[" + sketch(handler) + "]";
    return out + blockIn("else", attempt->orelse) + blockIn("finally", attempt->finally);
  }
  if (auto *with = as<WithStmt>(&s)) {
    std::string out = "with";
    for (const WithStmt::Item &item : with->items)
      out += (&item == &with->items[0] ? " " : ", ") + sketch(item.context) +
             (item.target ? " as " + sketch(item.target) : "");
    return out + "[" + sketch(with->body) + "]";
  }
  if (auto *host = as<HostBlockStmt>(&s)) {
    std::string out = host->what;
    for (const std::string &name : host->names)
      out += " " + name;
    return out + blockIn("do", host->body) + blockIn("else", host->orelse);
  }
  return sketchSimple(s);
}

std::string lines(const Diagnostic &d) {
  const char *label = d.severity == Diagnostic::Severity::Note ? "note" : "error";
  std::string out =
      std::to_string(d.location.line) + ":" + std::to_string(d.location.column) + ": " + label + ": " + d.message;
  for (const Diagnostic &note : d.notes)
    out += "\n" + lines(note);
  return out;
}

template <class Parse> std::string messageFrom(Parse parse) {
  try {
    parse();
  } catch (const Error &error) {
    return lines(error.diagnostic());
  }
  return "";
}

} // namespace

std::string sketch(const ExprPtr &e) { return sketch(e.get()); }

std::string sketch(const Expr *e) {
  if (!e)
    return "_";
  if (auto *name = as<NameExpr>(e))
    return name->id;
  if (auto *value = as<ConstantExpr>(e))
    return constant(value->value);
  if (auto *tuple = as<TupleExpr>(e))
    return list("tuple", tuple->elements);
  if (auto *elements = as<ListExpr>(e))
    return list("list", elements->elements);
  if (auto *dict = as<DictExpr>(e)) {
    std::string out = "(dict";
    for (auto &[key, value] : dict->items)
      out += " " + sketch(key) + ":" + sketch(value);
    return out + ")";
  }
  if (auto *unary = as<UnaryExpr>(e))
    return std::string("(") + kUnary[unsigned(unary->op)] + " " + sketch(unary->operand) + ")";
  if (auto *binary = as<BinaryExpr>(e))
    return std::string("(") + kBinary[unsigned(binary->op)] + " " + sketch(binary->lhs) + " " + sketch(binary->rhs) +
           ")";
  if (auto *flags = as<BoolExpr>(e))
    return list(flags->isAnd ? "and" : "or", flags->operands);
  if (auto *compare = as<CompareExpr>(e))
    return sketchCompare(*compare);
  if (auto *call = as<CallExpr>(e))
    return sketchCall(*call);
  if (auto *attribute = as<AttributeExpr>(e))
    return sketch(attribute->base) + "." + attribute->name;
  if (auto *subscript = as<SubscriptExpr>(e))
    return sketch(subscript->base) + "[" + sketch(subscript->index) + "]";
  if (auto *slice = as<SliceExpr>(e))
    return "(slice " + sketch(slice->lower) + " " + sketch(slice->upper) + " " + sketch(slice->step) + ")";
  if (auto *choice = as<IfExpr>(e))
    return "(if " + sketch(choice->condition) + " " + sketch(choice->value) + " " + sketch(choice->other) + ")";
  if (auto *lambda = as<LambdaExpr>(e)) {
    std::string out = "(lambda";
    for (const std::string &param : lambda->params)
      out += " " + param;
    return out + ": " + sketch(lambda->body) + ")";
  }
  if (auto *starred = as<StarredExpr>(e))
    return "(star " + sketch(starred->value) + ")";
  if (auto *format = as<FormatStringExpr>(e))
    return sketchFormat(*format);
  if (auto *comprehension = as<ComprehensionExpr>(e)) {
    constexpr const char *forms[] = {"list comprehension", "dictionary comprehension", "generator expression"};
    return std::string("<") + forms[static_cast<int>(comprehension->form)] + ">";
  }
  return "<" + as<OpaqueExpr>(e)->what + ">";
}

std::string sketch(const Block &block) {
  std::string out;
  for (const StmtPtr &s : block)
    out += (out.empty() ? "" : "; ") + sketchStatement(*s);
  return out;
}

std::string sketchExpression(const std::string &text) { return sketch(parseExpression("expr", text)); }

std::string kernelText(const std::string &body) {
  std::istringstream in(body);
  std::string out = "@triton.jit\ndef k():\n";
  for (std::string line; std::getline(in, line);)
    out += (line.empty() ? "" : "    " + line) + "\n";
  return out;
}

const FunctionStmt *findFunction(const Module &module, const std::string &name) {
  const FunctionStmt *found = nullptr;
  forEachFunction(module, [&](const FunctionStmt &function) {
    if (!found && function.name == name)
      found = &function;
  });
  return found;
}

std::string sketchKernel(const std::string &body) {
  auto module = parseModule("k.py", kernelText(body));
  return sketch(findFunction(*module, "k")->body);
}

std::string messageOf(const std::string &moduleText) {
  return messageFrom([&] { parseModule("m.py", moduleText); });
}

std::string expressionMessageOf(const std::string &text) {
  return messageFrom([&] { parseExpression("e", text); });
}

} // namespace tegula::lang
