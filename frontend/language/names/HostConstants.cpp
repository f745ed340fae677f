#include "frontend/language/names/HostConstants.h"

#include "frontend/language/emit/Emitter.h"

#include <algorithm>
#include <charconv>

namespace tegula::lang {
namespace {

constexpr std::string_view kLanguage = "triton.language";
constexpr unsigned kMaxDepth = 50;

bool startsPath(std::string_view path, std::string_view module) {
  return path == module || (path.starts_with(module) && path[module.size()] == '.');
}

std::string_view topOf(std::string_view path) { return path.substr(0, path.find('.')); }

template <size_t N> bool isOneOf(std::string_view name, const std::string_view (&list)[N]) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

/// Whether a path of modules below triton.language exists in this implementation.
bool languageModuleExists(std::string_view path) {
  Namespace current{std::string(kLanguage)};
  for (size_t dot = kLanguage.size(); dot < path.size();) {
    size_t end = std::min(path.find('.', dot + 1), path.size());
    std::optional<Value> member = memberOf(current, std::string(path.substr(dot + 1, end - dot - 1)));
    auto *inner = member ? member->as<Namespace>() : nullptr;
    if (!inner)
      return false;
    current = *inner;
    dot = end;
  }
  return true;
}

/// Whether module `path` has `name`; nothing where that is not known.
std::optional<bool> memberExists(std::string_view path, const std::string &name) {
  constexpr std::string_view kOfTriton[] = {"language", "cdiv",       "next_power_of_2", "jit",
                                            "autotune", "Config",     "testing",         "runtime",
                                            "compiler", "heuristics", "__version__"};
  if (startsPath(path, kLanguage))
    return languageModuleExists(path) && memberOf(Namespace{std::string(path)}, name);
  if (path == "triton" && isOneOf(name, kOfTriton))
    return true;
  return std::nullopt;
}

bool isTruthy(const ConstantValue &value) {
  struct Visitor {
    bool operator()(std::monostate) const { return false; }
    bool operator()(bool v) const { return v; }
    bool operator()(int64_t v) const { return v != 0; }
    bool operator()(double v) const { return v != 0; }
    bool operator()(const std::string &v) const { return !v.empty(); }
    bool operator()(ScalarType) const { return true; }
  };
  return std::visit(Visitor{}, value);
}

std::optional<double> numberIn(const ConstantValue &value) {
  if (auto *flag = std::get_if<bool>(&value))
    return *flag;
  if (auto *integer = std::get_if<int64_t>(&value))
    return static_cast<double>(*integer);
  if (auto *number = std::get_if<double>(&value))
    return *number;
  return std::nullopt;
}

/// Negative, zero or positive; nothing where Python has no order between the two.
std::optional<int> order(const ConstantValue &a, const ConstantValue &b) {
  auto *x = std::get_if<int64_t>(&a), *y = std::get_if<int64_t>(&b);
  if (x && y)
    return *x < *y ? -1 : *x > *y;
  auto *s = std::get_if<std::string>(&a), *t = std::get_if<std::string>(&b);
  if (s && t)
    return s->compare(*t);
  auto u = numberIn(a), v = numberIn(b);
  if (u && v && !(*u != *u) && !(*v != *v))
    return *u < *v ? -1 : *u > *v;
  return std::nullopt;
}

bool isEqual(const ConstantValue &a, const ConstantValue &b) {
  auto u = numberIn(a), v = numberIn(b);
  return u && v && a.index() != b.index() ? *u == *v : a == b;
}

std::optional<bool> holds(CompareOp op, const ConstantValue &a, const ConstantValue &b) {
  switch (op) {
  case CompareOp::Is: return a.index() == b.index() && a == b;
  case CompareOp::IsNot: return !(a.index() == b.index() && a == b);
  case CompareOp::Eq: return isEqual(a, b);
  case CompareOp::Ne: return !isEqual(a, b);
  default: break;
  }
  std::optional<int> sign = order(a, b);
  if (!sign || op > CompareOp::Ge)
    return std::nullopt;
  return op == CompareOp::Lt   ? *sign < 0
         : op == CompareOp::Le ? *sign <= 0
         : op == CompareOp::Gt ? *sign > 0
                               : *sign >= 0;
}

/// The release numbers of a version: 3, 6, 0 of "3.6.0+git1234". Missing ones are zero.
std::vector<int> releaseOf(std::string_view version) {
  std::vector<int> numbers;
  for (const char *at = version.data(), *end = at + version.size(); at != end && numbers.size() < 4; ++at) {
    int number = 0;
    auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc())
      break;
    numbers.push_back(number);
    at = next;
    if (at == end || *at != '.')
      break;
  }
  numbers.resize(4);
  return numbers;
}

} // namespace

std::string importedPath(const ImportStmt::Item &item) {
  if (!item.name.empty())
    return item.module + "." + item.name;
  return item.alias == topOf(item.module) ? item.alias : item.module;
}

std::optional<bool> importSucceeds(const ImportStmt::Item &item) {
  constexpr std::string_view kPython[] = {
      "abc",     "ast",       "collections", "contextlib", "copy", "dataclasses", "enum",   "functools", "importlib",
      "inspect", "itertools", "json",        "logging",    "math", "operator",    "os",     "pathlib",   "random",
      "re",      "string",    "sys",         "textwrap",   "time", "types",       "typing", "warnings",  "__future__"};
  std::string_view module = item.module;
  if (isOneOf(topOf(module), kPython))
    return true;
  bool isModule = item.name.empty() || item.name == "*";
  if (startsPath(module, kLanguage))
    return isModule ? languageModuleExists(module) : memberExists(module, item.name);
  if (module == "triton")
    return isModule ? true : memberExists(module, item.name);
  return std::nullopt;
}

void HostConstants::fail(Loc loc, const std::string &message) const {
  Diagnostic d;
  const SourceFile &source = *names_.module().source;
  d.location = {source.path, loc.line, loc.column};
  d.message = message;
  d.sourceLine = std::string(source.line(loc.line));
  throw Error(d);
}

std::optional<std::string> HostConstants::modulePath(const Expr &expr) const {
  if (auto *attribute = as<AttributeExpr>(&expr)) {
    auto base = modulePath(*attribute->base);
    return base ? std::optional(*base + "." + attribute->name) : std::nullopt;
  }
  auto *name = as<NameExpr>(&expr);
  auto *binding = name ? names_.find(name->id, time_) : nullptr;
  if (!binding || !binding->isCertain() || !binding->candidates[0].import)
    return std::nullopt;
  return importedPath(*binding->candidates[0].import);
}

std::optional<bool> HostConstants::pathExists(const Expr &expr) const {
  auto *attribute = as<AttributeExpr>(&expr);
  auto base = attribute ? modulePath(*attribute->base) : std::nullopt;
  return base ? memberExists(*base, attribute->name) : std::nullopt;
}

const Expr *HostConstants::assignedValue(const std::string &name) const {
  auto *binding = names_.find(name, time_);
  if (!binding || !binding->isCertain())
    return nullptr;
  const Stmt *statement = binding->candidates[0].statement;
  if (auto *annotated = as<AnnAssignStmt>(statement))
    return annotated->value.get();
  auto *assignment = as<AssignStmt>(statement);
  if (assignment)
    for (auto &target : assignment->targets)
      if (auto *n = as<NameExpr>(target); n && n->id == name)
        return assignment->value.get();
  return nullptr;
}

ConstantValue HostConstants::evaluate(const Expr &expr, unsigned depth) const {
  if (depth > kMaxDepth)
    fail(expr.loc, "this constant depends on too many others");
  if (auto *constant = as<ConstantExpr>(&expr))
    return literal(*constant);
  if (auto *unary = as<UnaryExpr>(&expr))
    return ofUnary(*unary, evaluate(*unary->operand, depth + 1));
  if (auto *binary = as<BinaryExpr>(&expr))
    return arithmetic(*binary, evaluate(*binary->lhs, depth + 1), evaluate(*binary->rhs, depth + 1));
  if (auto *compare = as<CompareExpr>(&expr))
    return comparison(*compare, depth);
  if (auto *choice = as<IfExpr>(&expr))
    return evaluate(isTruthy(evaluate(*choice->condition, depth + 1)) ? *choice->value : *choice->other, depth + 1);
  if (auto *flags = as<BoolExpr>(&expr)) {
    ConstantValue value = evaluate(*flags->operands[0], depth + 1);
    for (size_t i = 1; i < flags->operands.size() && isTruthy(value) == flags->isAnd; ++i)
      value = evaluate(*flags->operands[i], depth + 1);
    return value;
  }
  if (auto *attribute = as<AttributeExpr>(&expr)) {
    if (auto type = parseScalarType(attribute->name))
      return *type;
    auto path = modulePath(expr);
    if (path == "typing.TYPE_CHECKING")
      return false;
    if (path == "triton.__version__")
      return std::string("3.6.0"); // whose language this is
  }
  if (auto *call = as<CallExpr>(&expr))
    return ofCall(*call, depth);
  if (auto *name = as<NameExpr>(&expr))
    return ofName(*name, depth);
  fail(expr.loc, "expected a literal here; configurations and defaults that host code computes cannot be read");
}

std::optional<bool> HostConstants::truth(const Expr &expr, unsigned depth) const {
  if (depth > kMaxDepth)
    return std::nullopt;
  if (auto *unary = as<UnaryExpr>(&expr); unary && unary->op == UnaryOp::Not) {
    auto inner = truth(*unary->operand, depth + 1);
    return inner ? std::optional(!*inner) : std::nullopt;
  }
  if (auto *flags = as<BoolExpr>(&expr)) { // one operand may decide where others are not known
    bool allKnown = true;
    for (auto &operand : flags->operands) {
      auto one = truth(*operand, depth + 1);
      if (one && *one != flags->isAnd)
        return *one;
      allKnown &= one.has_value();
    }
    return allKnown ? std::optional(flags->isAnd) : std::nullopt;
  }
  try {
    return isTruthy(evaluate(expr, depth + 1));
  } catch (const Error &) {
    return std::nullopt;
  }
}

ConstantValue HostConstants::ofName(const NameExpr &name, unsigned depth) const {
  auto *binding = names_.find(name.id, time_);
  if (!binding && name.id == "__name__")
    return std::string("kernels"); // never "__main__": kernels are read as a module is imported
  if (binding && !binding->isCertain())
    throw Error(names_.ambiguity(name.id, *binding, name.loc));
  if (binding && binding->candidates[0].import &&
      importedPath(*binding->candidates[0].import) == "typing.TYPE_CHECKING")
    return false;
  if (const Expr *value = assignedValue(name.id))
    return at(binding->candidates[0].time).evaluate(*value, depth + 1);
  fail(name.loc, "expected a literal here; configurations and defaults that host code computes cannot be read");
}

ConstantValue HostConstants::ofCall(const CallExpr &call, unsigned depth) const {
  auto *attribute = as<AttributeExpr>(call.callee);
  auto *callee = as<NameExpr>(call.callee);
  if (attribute && attribute->name == "constexpr" && call.args.size() == 1)
    return evaluate(*call.args[0], depth + 1);
  auto textOf = [&](size_t i) {
    auto *constant = i < call.args.size() ? as<ConstantExpr>(call.args[i]) : nullptr;
    return constant ? std::get_if<std::string>(&constant->value) : nullptr;
  };
  if (callee && callee->id == "float" && call.args.size() == 1)
    if (auto *text = textOf(0)) {
      double value = 0;
      auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
      if (error == std::errc() && end == text->data() + text->size())
        return value;
    }
  if (callee && callee->id == "bool" && call.args.size() == 1)
    return isTruthy(evaluate(*call.args[0], depth + 1));
  if (callee && callee->id == "hasattr" && call.args.size() == 2 && textOf(1))
    if (auto path = modulePath(*call.args[0]))
      if (auto exists = memberExists(*path, *textOf(1)))
        return *exists;
  fail(call.loc, "expected a literal here; configurations and defaults that host code computes cannot be read");
}

ConstantValue HostConstants::literal(const ConstantExpr &constant) const {
  if (auto *b = std::get_if<bool>(&constant.value))
    return *b;
  if (auto *i = std::get_if<Int>(&constant.value)) {
    if (*i > INT64_MAX)
      fail(constant.loc, "this integer does not fit 64 bits");
    return static_cast<int64_t>(*i);
  }
  if (auto *d = std::get_if<double>(&constant.value))
    return *d;
  if (auto *s = std::get_if<std::string>(&constant.value))
    return *s;
  if (std::holds_alternative<NoneLiteral>(constant.value))
    return std::monostate{};
  fail(constant.loc, "'...' is not a value for a parameter");
}

ConstantValue HostConstants::ofUnary(const UnaryExpr &expr, ConstantValue value) const {
  if (expr.op == UnaryOp::Minus) {
    if (auto *i = std::get_if<int64_t>(&value); i && *i != INT64_MIN)
      return -*i;
    if (auto *d = std::get_if<double>(&value))
      return -*d;
  }
  if (expr.op == UnaryOp::Not)
    return !isTruthy(value);
  if (expr.op == UnaryOp::Plus)
    return value;
  fail(expr.loc, "expected a literal number");
}

ConstantValue HostConstants::arithmetic(const BinaryExpr &expr, const ConstantValue &lhs,
                                        const ConstantValue &rhs) const {
  auto *a = std::get_if<int64_t>(&lhs), *b = std::get_if<int64_t>(&rhs);
  if (!a || !b)
    fail(expr.loc, "expected integers on both sides of this operator");
  int64_t result = 0;
  bool fits = true;
  switch (expr.op) {
  case BinaryOp::Add: fits = !__builtin_add_overflow(*a, *b, &result); break;
  case BinaryOp::Sub: fits = !__builtin_sub_overflow(*a, *b, &result); break;
  case BinaryOp::Mul: fits = !__builtin_mul_overflow(*a, *b, &result); break;
  case BinaryOp::FloorDiv:
    if (*a < 0 || *b <= 0)
      fail(expr.loc, "expected positive integers on both sides of //");
    result = *a / *b;
    break;
  case BinaryOp::Pow:
    result = 1;
    if (*b < 0 || *b > 63)
      fail(expr.loc, "expected an exponent between 0 and 63");
    for (int64_t i = 0; i < *b && fits; ++i)
      fits = !__builtin_mul_overflow(result, *a, &result);
    break;
  case BinaryOp::Shl: fits = *b >= 0 && *b < 63 && !__builtin_mul_overflow(*a, int64_t(1) << *b, &result); break;
  default: fail(expr.opLoc, "this operator cannot stand in a literal configuration");
  }
  if (!fits)
    fail(expr.opLoc, "this constant does not fit 64 bits");
  return result;
}

/// `version.parse(a) >= version.parse(b)`, `Version(a) < Version(b)`: by release numbers.
std::optional<int> HostConstants::compareVersions(const Expr &lhs, const Expr &rhs, unsigned depth) const {
  auto release = [&](const Expr &side) -> std::optional<std::vector<int>> {
    auto *call = as<CallExpr>(&side);
    if (!call || call->args.size() != 1)
      return std::nullopt;
    auto *attribute = as<AttributeExpr>(call->callee);
    auto *name = as<NameExpr>(call->callee);
    std::string_view callee = attribute ? std::string_view(attribute->name) : name ? std::string_view(name->id) : "";
    if (callee != "parse" && callee != "Version" && callee != "LooseVersion")
      return std::nullopt;
    ConstantValue value = evaluate(*call->args[0], depth + 1);
    auto *text = std::get_if<std::string>(&value);
    return text ? std::optional(releaseOf(*text)) : std::nullopt;
  };
  auto a = release(lhs), b = a ? release(rhs) : std::nullopt;
  if (!a || !b)
    return std::nullopt;
  return *a < *b ? -1 : *a > *b;
}

ConstantValue HostConstants::comparison(const CompareExpr &expr, unsigned depth) const {
  for (size_t i = 0; i < expr.ops.size(); ++i) {
    const Expr &lhs = *expr.operands[i], &rhs = *expr.operands[i + 1];
    std::optional<bool> result;
    if (auto versions = compareVersions(lhs, rhs, depth))
      result = holds(expr.ops[i], int64_t(*versions), int64_t(0));
    else
      result = holds(expr.ops[i], evaluate(lhs, depth + 1), evaluate(rhs, depth + 1));
    if (!result)
      fail(expr.opLocs[i], "this comparison cannot be evaluated outside Python");
    if (!*result)
      return false;
  }
  return true;
}

} // namespace tegula::lang
