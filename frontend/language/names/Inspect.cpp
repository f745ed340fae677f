#include "frontend/language/names/Inspect.h"

#include "frontend/language/names/Annotations.h"
#include "frontend/language/names/HostConstants.h"
#include "frontend/language/names/InspectConstants.h"

#include <algorithm>
#include <charconv>

namespace tegula::lang {
namespace {

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
      if (const Expr *value = constants.assignedValue(name->id))
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

KernelInfo inspectFunction(const ModuleNames &names, const FunctionStmt &function,
                           const std::set<std::string> &constant) {
  // Python evaluates decorators and defaults when it reaches the function; lambdas in them run at launches.
  unsigned time = names.timeOf(function);
  HostConstants constants(names, time);
  KernelInfo info;
  info.name = function.name;
  info.line = function.nameLoc.line;
  for (const Param &param : function.params) {
    KernelInfo::Param p;
    p.name = param.name;
    p.isConstexpr = constant.contains(param.name);
    Annotation annotation = readAnnotation(names, param.annotation.get(), time);
    p.annotatedType = annotation.type;
    p.isAnnotatedPointer = annotation.isPointer;
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
      readHeuristics(HostConstants(names), *call, info);
  }
  return info;
}

bool isJit(const FunctionStmt &function) {
  return std::any_of(function.decorators.begin(), function.decorators.end(),
                     [](const ExprPtr &decorator) { return decoratorName(*decorator) == "jit"; });
}

/// That the function's name is bound again by host code, so that no kernel goes by it.
Diagnostic reboundProblem(const ModuleNames &names, const FunctionStmt &function, Loc again) {
  auto place = [&](Loc loc, std::string message, Diagnostic::Severity severity) {
    const SourceFile &source = *names.module().source;
    Diagnostic d;
    d.severity = severity;
    d.location = {source.path, loc.line, loc.column};
    d.message = std::move(message);
    d.sourceLine = std::string(source.line(loc.line));
    return d;
  };
  Diagnostic d = place(again,
                       "'" + function.name +
                           "' is no kernel any more: host code binds the name again; give one of them another name",
                       Diagnostic::Severity::Error);
  d.notes.push_back(place(function.nameLoc, "the kernel is here", Diagnostic::Severity::Note));
  return d;
}

} // namespace

std::vector<KernelInfo> inspect(const ModuleNames &names) {
  auto constant = constantParams(names);
  std::vector<KernelInfo> kernels;
  std::set<std::string> seen; // names whose binding has been looked at
  forEachFunction(names.module(), [&](const FunctionStmt &function) {
    const ModuleNames::Binding *binding = names.find(function.name);
    if (!isJit(function) || !binding)
      return;
    const ModuleNames::Definition *own = nullptr;
    bool hasKernel = false;
    for (const ModuleNames::Definition &candidate : binding->candidates) {
      auto *other = as<FunctionStmt>(candidate.statement);
      hasKernel |= other && isJit(*other);
      if (candidate.statement == &function)
        own = &candidate;
    }
    if (own ? !seen.insert(function.name).second : hasKernel || !seen.insert(function.name).second)
      return;
    kernels.push_back(inspectFunction(names, function, constant[&function]));
    if (!own)
      kernels.back().problem = reboundProblem(names, function, binding->candidates[0].loc());
    else if (!binding->isCertain())
      kernels.back().problem = names.ambiguity(function.name, *binding, binding->candidates[0].loc());
  });
  return kernels;
}

std::vector<KernelInfo> inspect(const Module &module) { return inspect(ModuleNames(module)); }

} // namespace tegula::lang
