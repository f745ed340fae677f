#include "frontend/language/names/Heuristics.h"

#include "frontend/language/host/HostConstants.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>

namespace tegula::lang {
namespace {

constexpr size_t kMaxText = 20000; // of one heuristic: assignments are repeated at each use
constexpr unsigned kMaxInlined = 20;

/// What a local name of the function stands for.
struct Local {
  std::string text;
  bool isArguments = false;                        // the dictionary of arguments
  std::optional<HostObject> object = std::nullopt; // of a function around this one
};
using Locals = std::map<std::string, Local, std::less<>>;

class Translator {
public:
  Translator(const ModuleNames &names, unsigned time, unsigned depth = 0) : host_(names, time), depth_(depth) {}

  /// A host expression for the function's result, given the launch's arguments. Launches evaluate it, so the module's
  /// names have the values that they have at its end.
  static std::string resultOf(const HostEvaluator &host, const HostObject &callee, Loc loc) {
    if (auto *lambda = callee.as<HostLambda>()) {
      Translator inner(*lambda->names, ModuleNames::kEnd);
      inner.surround(lambda->locals);
      auto &params = lambda->lambda->params;
      if (params.size() != 1)
        inner.host_.fail(lambda->lambda->loc, "expected a lambda of one parameter, the arguments");
      inner.locals_[params[0]] = {"", true};
      return inner.print(*lambda->lambda->body);
    }
    auto *function = callee.as<HostFunction>();
    if (!function || function->function->params.size() != 1 || !isPlain(*function))
      host.fail(loc, "expected a lambda, or a function of one parameter, the arguments");
    Translator inner(*function->names, ModuleNames::kEnd);
    inner.surround(function->outer);
    inner.locals_[function->function->params[0].name] = {"", true};
    return inner.body(*function->function);
  }

private:
  /// Whether a call binds each of its arguments to a parameter, and gives what the function's own statements return.
  static bool isPlain(const HostFunction &callee) {
    const FunctionStmt &function = *callee.function;
    return !callee.self && keepsResults(function) && function.keywordRest.empty() &&
           std::none_of(function.params.begin(), function.params.end(),
                        [](const Param &param) { return param.isVariadic || param.isKeywordOnly; });
  }

  /// The names of the function around this one.
  void surround(const std::shared_ptr<HostNames> &outer) {
    if (outer)
      for (auto &[name, object] : *outer)
        if (!object.as<HostGlobal>())
          locals_[name] = {"", false, object};
  }

  std::string body(const FunctionStmt &function) {
    std::vector<const Stmt *> statements;
    for (auto &statement : function.body)
      statements.push_back(statement.get());
    return run(statements, 0, function.loc);
  }

  /// The value that the statements from `at` on return; `if`s continue with what follows them.
  std::string run(const std::vector<const Stmt *> &statements, size_t at, Loc loc) {
    if (at == statements.size())
      return "None";
    const Stmt &statement = *statements[at];
    if (auto *returned = as<ReturnStmt>(&statement))
      return returned->value ? print(*returned->value) : "None";
    if (auto *branch = as<IfStmt>(&statement)) {
      std::string condition = print(*branch->condition);
      auto path = [&](const Block &block) {
        std::vector<const Stmt *> all;
        for (auto &inner : block)
          all.push_back(inner.get());
        all.insert(all.end(), statements.begin() + static_cast<ptrdiff_t>(at) + 1, statements.end());
        Locals saved = locals_;
        std::string text = run(all, 0, statement.loc);
        locals_ = std::move(saved);
        return text;
      };
      std::string then = path(branch->body), other = path(branch->orelse);
      return bounded(loc, "(" + then + " if " + condition + " else " + other + ")");
    }
    if (auto *assignment = as<AssignStmt>(&statement)) {
      auto *name = assignment->targets.size() == 1 ? as<NameExpr>(assignment->targets[0]) : nullptr;
      if (!name)
        unknown(statement.loc);
      auto *source = as<NameExpr>(assignment->value);
      auto known = source ? locals_.find(source->id) : locals_.end();
      locals_[name->id] = known != locals_.end() ? known->second : Local{print(*assignment->value)};
    } else if (auto *changed = as<AugAssignStmt>(&statement)) {
      auto *name = as<NameExpr>(changed->target);
      if (!name)
        unknown(statement.loc);
      locals_[name->id] = {binary(*changed->target, changed->op, *changed->value, statement.loc)};
    } else if (auto *expression = as<ExpressionStmt>(&statement);
               statement.kind != StmtKind::Pass && !(expression && as<ConstantExpr>(expression->value))) {
      unknown(statement.loc);
    }
    return run(statements, at + 1, loc);
  }

  [[noreturn]] void unknown(Loc loc) const {
    host_.fail(loc,
               "this cannot be evaluated outside Python; arithmetic, comparisons, cdiv, next_power_of_2, min, max, "
               "plain functions and args['NAME'] can");
  }

  std::string bounded(Loc loc, std::string text) const {
    if (text.size() > kMaxText)
      host_.fail(loc, "this heuristic is too large to be evaluated outside Python");
    return text;
  }

  bool isArguments(const Expr &expr) const {
    auto *name = as<NameExpr>(&expr);
    auto local = name ? locals_.find(name->id) : locals_.end();
    return local != locals_.end() && local->second.isArguments;
  }

  static const std::string *textOf(const Expr *expr) {
    auto *constant = as<ConstantExpr>(expr);
    return constant ? std::get_if<std::string>(&constant->value) : nullptr;
  }

  std::string literal(const HostObject &value, Loc loc) const {
    if (value.as<std::monostate>())
      return "None";
    if (auto *flag = value.as<bool>())
      return *flag ? "True" : "False";
    if (auto *integer = value.as<int64_t>())
      return *integer < 0 ? "(" + std::to_string(*integer) + ")" : std::to_string(*integer);
    if (auto *real = value.as<double>()) {
      if (!std::isfinite(*real))
        return *real > 0 ? "float('inf')" : *real < 0 ? "float('-inf')" : "float('nan')";
      char digits[64];
      std::string text(digits, std::to_chars(digits, digits + sizeof digits, *real, std::chars_format::scientific).ptr);
      return *real < 0 ? "(" + text + ")" : text;
    }
    if (auto *text = value.as<std::string>(); text && text->find('\'') == std::string::npos)
      return "'" + *text + "'";
    if (auto *type = value.as<ScalarType>())
      return "tl." + std::string(tegula::name(*type));
    unknown(loc);
  }

  /// `args["X"]`, or the text that a local name stands for.
  std::optional<std::string> argumentOrLocal(const Expr &expr) const {
    if (auto *subscript = as<SubscriptExpr>(&expr)) {
      auto *name = textOf(subscript->index.get());
      return name && isArguments(*subscript->base) ? std::optional(*name) : std::nullopt;
    }
    auto *name = as<NameExpr>(&expr);
    auto local = name ? locals_.find(name->id) : locals_.end();
    if (local == locals_.end())
      return std::nullopt;
    if (local->second.isArguments)
      unknown(expr.loc);
    return local->second.object ? literal(*local->second.object, expr.loc) : local->second.text;
  }

  std::string print(const Expr &expr) {
    if (++steps_ > 5000)
      unknown(expr.loc);
    if (std::optional<std::string> text = argumentOrLocal(expr))
      return *text;
    switch (expr.kind) {
    case ExprKind::Unary: {
      auto &unary = static_cast<const UnaryExpr &>(expr);
      constexpr const char *ops[] = {"+", "-", nullptr, "not "};
      if (const char *op = ops[static_cast<int>(unary.op)])
        return std::string("(") + op + print(*unary.operand) + ")";
      break;
    }
    case ExprKind::Binary: {
      auto &e = static_cast<const BinaryExpr &>(expr);
      if (e.op <= BinaryOp::Pow)
        return binary(*e.lhs, e.op, *e.rhs, e.loc);
      break;
    }
    case ExprKind::BoolOp: {
      auto &logical = static_cast<const BoolExpr &>(expr);
      return "(" + join(logical.operands, logical.isAnd ? " and " : " or ") + ")";
    }
    case ExprKind::Compare: return comparison(static_cast<const CompareExpr &>(expr));
    case ExprKind::IfExp: {
      auto &conditional = static_cast<const IfExpr &>(expr);
      std::string condition = print(*conditional.condition);
      return bounded(expr.loc,
                     "(" + print(*conditional.value) + " if " + condition + " else " + print(*conditional.other) + ")");
    }
    case ExprKind::Call:
      if (auto text = call(static_cast<const CallExpr &>(expr)))
        return *text;
      break;
    default: break;
    }
    if (usesLocals(expr))
      unknown(expr.loc);
    return literal(host_.evaluate(expr), expr.loc);
  }

  bool usesLocals(const Expr &expr) const {
    auto *name = as<NameExpr>(&expr);
    bool found = name && locals_.contains(name->id);
    forEachChild(expr, [&](const Expr &child) { found = found || usesLocals(child); });
    return found;
  }

  std::string binary(const Expr &lhs, BinaryOp op, const Expr &rhs, Loc loc) {
    constexpr const char *ops[] = {"+", "-", "*", "/", "//", "%", "**"};
    if (op > BinaryOp::Pow)
      unknown(loc);
    std::string left = print(lhs);
    return bounded(loc, "(" + left + " " + ops[static_cast<int>(op)] + " " + print(rhs) + ")");
  }

  std::string comparison(const CompareExpr &compare) {
    constexpr const char *ops[] = {"==", "!=", "<", "<=", ">", ">=", "is", "is not"};
    // `x in (1, 2)` is x == 1 or x == 2.
    bool isIn = compare.ops.size() == 1 && compare.ops[0] >= CompareOp::In;
    const Expr *list = isIn ? compare.operands[1].get() : nullptr;
    if (list && (list->kind == ExprKind::Tuple || list->kind == ExprKind::List)) {
      std::string value = print(*compare.operands[0]), out;
      forEachChild(*list, [&](const Expr &e) { out += (out.empty() ? "" : " or ") + value + " == " + print(e); });
      out = "(" + (out.empty() ? "False" : out) + ")";
      return compare.ops[0] == CompareOp::In ? out : "(not " + out + ")";
    }
    std::string out = "(" + print(*compare.operands[0]);
    for (size_t i = 0; i < compare.ops.size(); ++i) {
      if (compare.ops[i] > CompareOp::IsNot)
        unknown(compare.opLocs[i]);
      out += std::string(" ") + ops[static_cast<int>(compare.ops[i])] + " " + print(*compare.operands[i + 1]);
    }
    return bounded(compare.loc, out + ")");
  }

  std::optional<std::string> call(const CallExpr &call) {
    auto *attribute = as<AttributeExpr>(call.callee);
    if (attribute && attribute->name == "get" && isArguments(*attribute->base) && call.args.size() == 1)
      if (auto *name = textOf(call.args[0].get()))
        return *name;
    auto *name = as<NameExpr>(call.callee);
    if (name && name->id == "isinstance" && call.args.size() == 2)
      if (auto *type = as<AttributeExpr>(call.args[1]); type && type->name == "Tensor")
        return "is_tensor(" + print(*call.args[0]) + ")";
    if (!usesLocals(*call.callee)) {
      HostObject callee = host_.evaluate(*call.callee);
      if (auto *function = callee.as<HostFunction>())
        return inlined(*function, call);
      if (auto *path = callee.as<HostPath>()) {
        std::string name = path->path.substr(path->path.rfind('.') + 1);
        bool ofTriton = path->path.starts_with("triton") && (name == "cdiv" || name == "next_power_of_2");
        bool ofPython = path->path.starts_with("builtins.") && (name == "min" || name == "max" || name == "abs" ||
                                                                name == "int" || name == "float" || name == "bool");
        bool ofMath =
            path->path.starts_with("math.") && (name == "ceil" || name == "floor" || name == "sqrt" || name == "log2");
        if ((ofTriton || ofPython || ofMath) && call.keywords.empty())
          return name + "(" + join(call.args, ", ") + ")";
        return std::nullopt;
      }
    }
    return std::nullopt;
  }

  /// A plain function that is called with the dictionary of arguments or with values.
  std::optional<std::string> inlined(const HostFunction &callee, const CallExpr &call) {
    const FunctionStmt &function = *callee.function;
    bool reads = false;
    for (auto &arg : call.args)
      reads |= usesLocals(*arg);
    for (auto &keyword : call.keywords)
      reads |= usesLocals(*keyword.value);
    if (!reads)
      return std::nullopt; // a constant, which evaluation gives
    bool isKnown = depth_ <= kMaxInlined && call.args.size() <= function.params.size() && isPlain(callee);
    size_t given = call.args.size() + call.keywords.size();
    Translator inner(*callee.names, ModuleNames::kEnd, depth_ + 1);
    inner.surround(callee.outer);
    Translator definition(*callee.names, callee.names->timeOf(function), depth_ + 1); // when defaults are evaluated
    definition.surround(callee.outer);
    for (size_t i = 0; i < function.params.size() && isKnown; ++i) {
      const Param &param = function.params[i];
      const Expr *value = i < call.args.size() ? call.args[i].get() : nullptr;
      for (auto &keyword : call.keywords)
        if (keyword.name == param.name)
          value = value ? nullptr : keyword.value.get();
      given -= value != nullptr;
      if (!value && !param.defaultValue)
        unknown(call.loc);
      if (value && isArguments(*value))
        inner.locals_[param.name] = {"", true};
      else
        inner.locals_[param.name] = {value ? print(*value) : definition.print(*param.defaultValue)};
    }
    if (!isKnown || given != 0) // or given twice
      unknown(call.loc);
    return bounded(call.loc, inner.body(function));
  }

  std::string join(const std::vector<ExprPtr> &list, const char *separator) {
    std::string out;
    for (auto &e : list)
      out += (out.empty() ? "" : separator) + print(*e);
    return out;
  }

  HostEvaluator host_;
  unsigned depth_, steps_ = 0;
  Locals locals_;
};

} // namespace

void readHeuristics(const ModuleNames &names, unsigned time, const CallExpr &call, KernelInfo &info) {
  const Expr *values = nullptr;
  for (auto &keyword : call.keywords)
    if (keyword.name == "values")
      values = keyword.value.get();
  if (!values && !call.args.empty())
    values = call.args[0].get();
  if (!values)
    return;
  HostEvaluator host(names, time);
  auto nameOf = [&](const HostObject &key, Loc loc) {
    auto *name = key.as<std::string>();
    if (!name)
      host.fail(loc, "expected a parameter's name as a string");
    return *name;
  };
  auto add = [&](const std::string &name, Loc loc, const std::function<HostObject()> &callee) {
    KernelHeuristic heuristic;
    heuristic.name = name;
    try {
      heuristic.expression = Translator::resultOf(host, callee(), loc);
    } catch (const Error &error) {
      heuristic.problem = error.what();
    }
    info.heuristics.push_back(std::move(heuristic));
  };
  auto addAll = [&](const Expr &mapping) { // a dictionary by name
    HostObject object = host.evaluate(mapping);
    if (object.as<std::monostate>()) // of a library that has none for this device
      return;
    if (!object.dict())
      host.fail(mapping.loc, "expected a dictionary of functions by the names of parameters");
    for (auto &[key, value] : object.dict()->items)
      add(nameOf(key, mapping.loc), mapping.loc, [&] { return value; });
  };
  try {
    auto *dict = as<DictExpr>(values);
    if (!dict)
      addAll(*values);
    for (size_t i = 0; dict && i < dict->items.size(); ++i) {
      auto &[key, value] = dict->items[i];
      if (key)
        add(nameOf(host.evaluate(*key), key->loc), value->loc, [&] { return host.evaluate(*value); });
      else
        addAll(*value);
    }
  } catch (const Error &error) {
    info.heuristicsProblem = error.what();
  }
}

} // namespace tegula::lang
