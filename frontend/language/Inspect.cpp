#include "frontend/language/Inspect.h"

#include "frontend/language/InspectConstants.h"

#include <charconv>
#include <functional>

namespace tegula::lang {
namespace {

/// Evaluates expressions in decorators and defaults: literals, arithmetic on them, dtypes, constants of the module.
class HostConstants {
public:
  explicit HostConstants(const Module &module) : module_(module) {}

  [[noreturn]] void fail(Loc loc, const std::string &message) const {
    Diagnostic d;
    d.location = {module_.source->path, loc.line, loc.column};
    d.message = message;
    d.sourceLine = std::string(module_.source->line(loc.line));
    throw Error(d);
  }

  ConstantValue evaluate(const Expr &expr, unsigned depth = 0) const {
    if (depth > 50)
      fail(expr.loc, "this constant depends on too many others");
    if (auto *constant = as<ConstantExpr>(&expr))
      return literal(*constant);
    if (auto *unary = as<UnaryExpr>(&expr))
      return negate(*unary, evaluate(*unary->operand, depth + 1));
    if (auto *binary = as<BinaryExpr>(&expr))
      return arithmetic(*binary, evaluate(*binary->lhs, depth + 1), evaluate(*binary->rhs, depth + 1));
    if (auto *attribute = as<AttributeExpr>(&expr)) {
      if (auto type = parseScalarType(attribute->name))
        return *type;
    }
    if (auto *call = as<CallExpr>(&expr)) {
      if (auto *callee = as<AttributeExpr>(call->callee);
          callee && callee->name == "constexpr" && call->args.size() == 1)
        return evaluate(*call->args[0], depth + 1);
      auto *callee = as<NameExpr>(call->callee);
      auto *text = call->args.size() == 1 ? as<ConstantExpr>(call->args[0]) : nullptr;
      if (callee && callee->id == "float" && text)
        if (auto *s = std::get_if<std::string>(&text->value)) {
          double value = 0;
          auto [end, error] = std::from_chars(s->data(), s->data() + s->size(), value);
          if (error == std::errc() && end == s->data() + s->size())
            return value;
        }
    }
    if (auto *name = as<NameExpr>(&expr))
      if (const Expr *value = moduleConstant(name->id))
        return evaluate(*value, depth + 1);
    fail(expr.loc, "expected a literal here; configurations and defaults that host code computes cannot be read");
  }

  /// The value expression of the module's last assignment to `name`; null without one.
  const Expr *moduleConstant(const std::string &name) const {
    const Expr *found = nullptr;
    for (auto &statement : module_.body) {
      if (auto *assignment = as<AssignStmt>(statement)) {
        for (auto &target : assignment->targets)
          if (auto *n = as<NameExpr>(target); n && n->id == name)
            found = assignment->value.get();
      } else if (auto *annotated = as<AnnAssignStmt>(statement)) {
        if (auto *n = as<NameExpr>(annotated->target); n && n->id == name && annotated->value)
          found = annotated->value.get();
      }
    }
    return found;
  }

private:
  ConstantValue literal(const ConstantExpr &constant) const {
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

  ConstantValue negate(const UnaryExpr &expr, ConstantValue value) const {
    if (expr.op == UnaryOp::Minus) {
      if (auto *i = std::get_if<int64_t>(&value); i && *i != INT64_MIN)
        return -*i;
      if (auto *d = std::get_if<double>(&value))
        return -*d;
    }
    if (auto *b = std::get_if<bool>(&value); b && expr.op == UnaryOp::Not)
      return !*b;
    if (expr.op == UnaryOp::Plus)
      return value;
    fail(expr.loc, "expected a literal number");
  }

  ConstantValue arithmetic(const BinaryExpr &expr, const ConstantValue &lhs, const ConstantValue &rhs) const {
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

  const Module &module_;
};

/// A lambda's body as text of the host expression language; `args['X']` becomes X.
class LambdaText {
public:
  LambdaText(const HostConstants &constants, const LambdaExpr &lambda) : constants_(constants) {
    if (lambda.params.size() != 1)
      constants.fail(lambda.loc, "expected a lambda of one parameter, the arguments");
    args_ = lambda.params[0];
    text = print(*lambda.body);
  }
  std::string text;

private:
  std::string print(const Expr &expr) const {
    if (auto *subscript = as<SubscriptExpr>(&expr)) {
      auto *base = as<NameExpr>(subscript->base);
      auto *key = as<ConstantExpr>(subscript->index);
      auto *name = key ? std::get_if<std::string>(&key->value) : nullptr;
      if (base && base->id == args_ && name)
        return *name;
    } else if (auto *constant = as<ConstantExpr>(&expr)) {
      if (auto *b = std::get_if<bool>(&constant->value))
        return *b ? "True" : "False";
      if (auto *i = std::get_if<Int>(&constant->value); i && *i <= INT64_MAX)
        return std::to_string(static_cast<int64_t>(*i));
      if (auto *d = std::get_if<double>(&constant->value)) {
        char digits[64];
        return std::string(digits,
                           std::to_chars(digits, digits + sizeof digits, *d, std::chars_format::scientific).ptr);
      }
    } else if (auto *unary = as<UnaryExpr>(&expr)) {
      constexpr const char *ops[] = {"+", "-", nullptr, "not "};
      if (const char *op = ops[static_cast<int>(unary->op)])
        return std::string("(") + op + print(*unary->operand) + ")";
    } else if (auto *binary = as<BinaryExpr>(&expr)) {
      constexpr const char *ops[] = {"+", "-", "*", "/", "//", "%", "**"};
      if (binary->op <= BinaryOp::Pow)
        return "(" + print(*binary->lhs) + " " + ops[static_cast<int>(binary->op)] + " " + print(*binary->rhs) + ")";
    } else if (auto *logical = as<BoolExpr>(&expr)) {
      return "(" + join(logical->operands, logical->isAnd ? " and " : " or ") + ")";
    } else if (auto *compare = as<CompareExpr>(&expr)) {
      constexpr const char *ops[] = {"==", "!=", "<", "<=", ">", ">="};
      std::string out = "(" + print(*compare->operands[0]);
      for (size_t i = 0; i < compare->ops.size(); ++i) {
        if (compare->ops[i] > CompareOp::Ge)
          constants_.fail(compare->opLocs[i], "this comparison cannot be evaluated outside Python");
        out += std::string(" ") + ops[static_cast<int>(compare->ops[i])] + " " + print(*compare->operands[i + 1]);
      }
      return out + ")";
    } else if (auto *conditional = as<IfExpr>(&expr)) {
      return "(" + print(*conditional->value) + " if " + print(*conditional->condition) + " else " +
             print(*conditional->other) + ")";
    } else if (auto *call = as<CallExpr>(&expr)) {
      std::string name;
      if (auto *callee = as<NameExpr>(call->callee))
        name = callee->id;
      else if (auto *callee = as<AttributeExpr>(call->callee))
        name = callee->name;
      bool known = name == "cdiv" || name == "next_power_of_2" || name == "min" || name == "max" || name == "abs";
      if (known && call->keywords.empty())
        return name + "(" + join(call->args, ", ") + ")";
    } else if (auto *name = as<NameExpr>(&expr)) {
      ConstantValue value = constants_.evaluate(*name);
      if (auto *i = std::get_if<int64_t>(&value))
        return std::to_string(*i);
    }
    constants_.fail(expr.loc, "this cannot be evaluated outside Python; arithmetic, comparisons, cdiv, "
                              "next_power_of_2, min, max and args['NAME'] can");
  }

  std::string join(const std::vector<ExprPtr> &list, const char *separator) const {
    std::string out;
    for (auto &e : list)
      out += (out.empty() ? "" : separator) + print(*e);
    return out;
  }

  const HostConstants &constants_;
  std::string args_;
};

const Expr *argument(const CallExpr &call, size_t position, std::string_view keyword) {
  for (auto &k : call.keywords)
    if (k.name == keyword)
      return k.value.get();
  return position < call.args.size() ? call.args[position].get() : nullptr;
}

std::string decoratorName(const Expr &decorator) {
  const Expr *expr = &decorator;
  if (auto *call = as<CallExpr>(expr))
    expr = call->callee.get();
  if (auto *attribute = as<AttributeExpr>(expr))
    return attribute->name;
  auto *name = as<NameExpr>(expr);
  return name ? name->id : "";
}

KernelConfig readConfig(const HostConstants &constants, const Expr &expr) {
  auto *call = as<CallExpr>(&expr);
  if (!call || decoratorName(expr) != "Config")
    constants.fail(expr.loc, "expected triton.Config({...}, num_warps=..., num_stages=...)");
  KernelConfig config;
  config.line = expr.loc.line;
  const Expr *kwargs = argument(*call, 0, "kwargs");
  auto *dict = as<DictExpr>(kwargs);
  if (!dict)
    constants.fail(kwargs ? kwargs->loc : expr.loc, "expected a dictionary of constants in triton.Config");
  for (auto &[key, value] : dict->items) {
    auto *literal = as<ConstantExpr>(key);
    auto *name = literal ? std::get_if<std::string>(&literal->value) : nullptr;
    if (!name)
      constants.fail(key ? key->loc : dict->loc, "expected a parameter's name as a string");
    config.constants[*name] = constants.evaluate(*value);
  }
  struct Option {
    size_t position;
    const char *name;
    std::optional<int> *field;
  };
  for (auto &[position, name, field] :
       {Option{1, "num_warps", &config.numWarps}, Option{2, "num_stages", &config.numStages},
        Option{3, "num_ctas", &config.numCtas}, Option{4, "maxnreg", &config.maxRegisters}})
    if (const Expr *e = argument(*call, position, name)) {
      ConstantValue value = constants.evaluate(*e);
      auto *i = std::get_if<int64_t>(&value);
      if (i && *i > 0 && *i < 1 << 20)
        *field = static_cast<int>(*i);
      else if (!std::holds_alternative<std::monostate>(value))
        constants.fail(e->loc, std::string("expected a positive integer for ") + name);
    }
  return config;
}

void readAutotune(const HostConstants &constants, const CallExpr &call, KernelInfo &info) {
  try {
    const Expr *configs = argument(call, 0, "configs");
    if (auto *name = as<NameExpr>(configs)) // a list assigned to a name of the module
      if (const Expr *value = constants.moduleConstant(name->id))
        configs = value;
    auto *list = as<ListExpr>(configs);
    if (!list)
      constants.fail(configs ? configs->loc : call.loc,
                     "expected a literal list of triton.Config; configurations that host code computes cannot be read");
    for (auto &element : list->elements)
      info.configs.push_back(readConfig(constants, *element));
    if (auto *key = as<ListExpr>(argument(call, 1, "key")))
      for (auto &element : key->elements) {
        ConstantValue value = constants.evaluate(*element);
        if (auto *name = std::get_if<std::string>(&value))
          info.autotuneKey.push_back(*name);
      }
  } catch (const Error &error) {
    info.configs.clear();
    info.configsProblem = error.what();
  }
}

void readHeuristics(const HostConstants &constants, const CallExpr &call, KernelInfo &info) {
  const Expr *values = argument(call, 0, "values");
  auto *dict = as<DictExpr>(values);
  if (!dict)
    return;
  for (auto &[key, value] : dict->items) {
    auto *literal = as<ConstantExpr>(key);
    auto *name = literal ? std::get_if<std::string>(&literal->value) : nullptr;
    if (!name)
      continue;
    KernelHeuristic heuristic;
    heuristic.name = *name;
    try {
      auto *lambda = as<LambdaExpr>(value);
      if (!lambda)
        constants.fail(value->loc, "expected a lambda; a heuristic that host code computes cannot be evaluated");
      heuristic.expression = LambdaText(constants, *lambda).text;
    } catch (const Error &error) {
      heuristic.problem = error.what();
    }
    info.heuristics.push_back(std::move(heuristic));
  }
}

/// The scalar type that an annotation names: `tl.int64`, "i64", tl.float32.
std::optional<ScalarType> annotatedType(const Expr *annotation) {
  if (auto *attribute = as<AttributeExpr>(annotation))
    return parseScalarType(attribute->name);
  if (auto *constant = as<ConstantExpr>(annotation))
    if (auto *text = std::get_if<std::string>(&constant->value))
      return parseScalarType(*text);
  return std::nullopt;
}

KernelInfo inspectFunction(const HostConstants &constants, const FunctionStmt &function,
                           const std::set<std::string> &constant) {
  KernelInfo info;
  info.name = function.name;
  info.line = function.nameLoc.line;
  for (const Param &param : function.params) {
    KernelInfo::Param p;
    p.name = param.name;
    p.isConstexpr = constant.contains(param.name);
    p.annotatedType = annotatedType(param.annotation.get());
    p.line = param.loc.line;
    p.column = param.loc.column;
    if (param.defaultValue) {
      try {
        p.defaultValue = constants.evaluate(*param.defaultValue);
      } catch (const Error &) {
        // A default that is no literal counts as none: the launch then requires a value.
      }
    }
    info.params.push_back(std::move(p));
  }
  for (auto &decorator : function.decorators) {
    auto *call = as<CallExpr>(decorator);
    std::string name = decoratorName(*decorator);
    if (call && name == "autotune")
      readAutotune(constants, *call, info);
    else if (call && name == "heuristics")
      readHeuristics(constants, *call, info);
  }
  return info;
}

} // namespace

std::vector<KernelInfo> inspect(const Module &module) {
  HostConstants constants(module);
  auto constant = constantParams(module);
  std::vector<KernelInfo> kernels;
  for (auto &statement : module.body)
    if (auto *function = as<FunctionStmt>(statement)) {
      bool isJit = false;
      for (auto &decorator : function->decorators)
        isJit |= decoratorName(*decorator) == "jit";
      if (isJit)
        kernels.push_back(inspectFunction(constants, *function, constant[function->name]));
    }
  return kernels;
}

} // namespace tegula::lang
