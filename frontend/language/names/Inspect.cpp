#include "frontend/language/names/Inspect.h"

#include "frontend/language/host/HostConstants.h"
#include "frontend/language/host/HostEvaluator.h"
#include "frontend/language/names/Annotations.h"
#include "frontend/language/names/Heuristics.h"
#include "frontend/language/names/InspectConstants.h"

#include <algorithm>

namespace tegula::lang {
namespace {

const Expr *argument(const CallExpr &call, size_t position, std::string_view keyword) {
  for (auto &k : call.keywords)
    if (k.name == keyword)
      return k.value.get();
  return position < call.args.size() ? call.args[position].get() : nullptr;
}

bool hasKeyword(const CallExpr &call, std::string_view keyword) {
  return std::any_of(call.keywords.begin(), call.keywords.end(), [&](auto &k) { return k.name == keyword; });
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

/// The strings of a list; none without it.
std::vector<std::string> readNames(const HostEvaluator &host, const Expr *list) {
  std::vector<std::string> names;
  if (!list)
    return names;
  if (HostObject value = host.evaluate(*list); value.list())
    for (const HostObject &name : value.list()->items)
      if (auto *text = name.as<std::string>())
        names.push_back(*text);
  return names;
}

/// The hooks that the decorator or its configurations have.
std::vector<std::string> hooksOf(const CallExpr &call, const KernelInfo &info) {
  auto isGiven = [&](size_t position, std::string_view name) {
    const Expr *hook = argument(call, position, name);
    return hook && !as<ConstantExpr>(hook); // None
  };
  std::vector<std::string> hooks;
  if (isGiven(5, "pre_hook") || std::ranges::any_of(info.configs, &KernelConfig::hasHook))
    hooks.push_back("pre_hook");
  if (isGiven(6, "post_hook"))
    hooks.push_back("post_hook");
  return hooks;
}

/// What follows an element of `configs` that cannot be read is left out.
void readAutotune(const HostEvaluator &host, const CallExpr &call, KernelInfo &info) {
  try {
    const Expr *configs = argument(call, 0, "configs");
    if (!configs)
      host.fail(call.loc, "expected a list of triton.Config");
    HostObject value = host.evaluate(*configs);
    if (!value.list())
      host.fail(configs->loc,
                "expected a list of triton.Config; configurations that host code computes cannot be read");
    for (const HostObject &item : value.list()->items) {
      auto *config = item.as<std::shared_ptr<KernelConfig>>();
      if (!config)
        host.fail(configs->loc, "expected triton.Config({...}, num_warps=..., num_stages=...)");
      info.configs.push_back(**config);
    }
    info.autotuneKey = readNames(host, argument(call, 1, "key"));
    info.resetToZero = readNames(host, argument(call, 3, "reset_to_zero"));
    info.restoreValue = readNames(host, argument(call, 4, "restore_value"));
    if (const Expr *rep = argument(call, 8, "rep"))
      if (std::optional<double> time = host.evaluate(*rep).number(); time && *time > 0)
        info.tuneMilliseconds = *time;
    const Expr *prune = argument(call, 2, "prune_configs_by");
    auto *none = prune ? as<ConstantExpr>(prune) : nullptr;
    info.prunesConfigs = prune && !none;
    info.hooks = hooksOf(call, info);
  } catch (const Error &error) {
    if (info.configs.empty())
      info.configsProblem = error.what();
  }
  // Options of a launch may stand among the constants of a configuration.
  for (KernelConfig &config : info.configs)
    for (const char *option : {"num_warps", "num_stages", "num_ctas", "maxnreg", "waves_per_eu", "matrix_instr_nonkdim",
                               "kpack"}) // the last three tune code of some devices only
      if (std::none_of(info.params.begin(), info.params.end(), [&](auto &param) { return param.name == option; }))
        config.constants.erase(option);
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
    bool isGiven = names.find(givenConstant(function.name, param.name)) != nullptr;
    p.isConstexpr = isGiven || constant.contains(param.name);
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
    if (isGiven)
      p.defaultValue = std::monostate(); // launches need not give it; see Emitter::emit
    info.params.push_back(std::move(p));
  }
  for (auto &decorator : function.decorators) {
    auto *call = as<CallExpr>(decorator);
    std::string name = decoratorName(*decorator);
    // Projects wrap autotune in decorators of their own, which take the same configurations.
    if (call && (name == "autotune" || (name != "jit" && hasKeyword(*call, "configs"))))
      readAutotune(HostEvaluator(names, time), *call, info);
    else if (call && name == "heuristics")
      readHeuristics(names, time, *call, info);
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

const std::vector<ModuleNames::Definition> kNoDefinitions;

/// Jit functions that could not be parsed, with their errors.
void addUnreadable(const ModuleNames &names, std::vector<KernelInfo> &kernels) {
  for (std::string_view name : names.names()) {
    const ModuleNames::Binding *binding = names.find(name);
    for (const ModuleNames::Definition &candidate : binding ? binding->candidates : kNoDefinitions)
      if (auto *opaque = as<OpaqueStmt>(candidate.statement); opaque && opaque->problem) {
        KernelInfo info;
        info.name = name;
        info.line = opaque->loc.line;
        info.problem = *opaque->problem;
        kernels.push_back(std::move(info));
        break;
      }
  }
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
  addUnreadable(names, kernels);
  std::stable_sort(kernels.begin(), kernels.end(),
                   [](const KernelInfo &a, const KernelInfo &b) { return a.line < b.line; });
  return kernels;
}

std::vector<KernelInfo> inspect(const Module &module) { return inspect(ModuleNames(module)); }

} // namespace tegula::lang
