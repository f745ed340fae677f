// Kernels that are decorated by a call in place of an @: `k = triton.jit(f)`, `k = triton.autotune(...)(f)`.
#include "frontend/language/syntax/ParserImpl.h"

#include <iterator>

namespace tegula::lang {
namespace {

bool isNamed(const Expr &expr, std::string_view wanted) {
  if (auto *attribute = as<AttributeExpr>(&expr))
    return attribute->name == wanted;
  auto *name = as<NameExpr>(&expr);
  return name && name->id == wanted;
}

/// `triton.jit(f, debug=True)` decorates f with `triton.jit(debug=True)`.
ExprPtr decoratorOf(CallExpr &call) {
  call.args.clear();
  if (call.keywords.empty())
    return std::move(call.callee);
  auto decorator = std::make_unique<CallExpr>(call.loc);
  decorator->callee = std::move(call.callee);
  decorator->keywords = std::move(call.keywords);
  return decorator;
}

/// What is decorated in the end: the f of `triton.autotune(...)(triton.jit(f))`. Null where a call is none of Triton's
/// decorators: what it gives is not known.
const NameExpr *decoratedName(const Expr &value, const std::set<std::string, std::less<>> &foreign, bool &hasJit) {
  const Expr *at = &value;
  while (auto *call = as<CallExpr>(at)) {
    if (call->args.size() != 1)
      return nullptr;
    auto *made = as<CallExpr>(call->callee.get()); // triton.jit(debug=True)(f)
    const Expr &decorator = made ? *made->callee : *call->callee;
    if (!isNamed(decorator, "jit") && !isNamed(decorator, "autotune") && !isNamed(decorator, "heuristics"))
      return nullptr;
    const Expr *root = &decorator;
    while (auto *attribute = as<AttributeExpr>(root))
      root = attribute->base.get();
    if (auto *name = as<NameExpr>(root); name && foreign.contains(name->id)) // another library's jit
      return nullptr;
    hasJit |= isNamed(decorator, "jit");
    at = call->args[0].get();
  }
  return as<NameExpr>(at);
}

} // namespace

StmtPtr ModuleParser::parseAssignedKernel(Stmt &statement, size_t firstToken) {
  auto *assign = statement.kind == StmtKind::Assign ? static_cast<AssignStmt *>(&statement) : nullptr;
  auto *target = assign && assign->targets.size() == 1 ? as<NameExpr>(assign->targets[0]) : nullptr;
  if (!target || !as<CallExpr>(assign->value))
    return nullptr;
  bool hasJit = false;
  const NameExpr *name = decoratedName(*assign->value, foreign_, hasJit);
  auto definition = name ? definitions_.find(name->id) : definitions_.end();
  if (definition == definitions_.end())
    return nullptr;
  std::string text = textSince(firstToken);
  Scoped<size_t> back(next_, definition->second);
  Decorators all = parseDecorators();
  if (!hasJit && !hasDecorator(all.list, {"jit"}))
    return nullptr;
  std::vector<ExprPtr> outer;
  for (ExprPtr at = std::move(assign->value); as<CallExpr>(at);) {
    auto &call = static_cast<CallExpr &>(*at);
    ExprPtr inner = std::move(call.args[0]);
    outer.push_back(decoratorOf(call));
    at = std::move(inner);
  }
  all.list.insert(all.list.begin(), std::make_move_iterator(outer.begin()), std::make_move_iterator(outer.end()));
  StmtPtr parsed = parseFunction(std::move(all));
  auto &function = static_cast<FunctionStmt &>(*parsed);
  function.name = target->id;
  function.sourceText += "\n" + text;
  return parsed;
}

} // namespace tegula::lang
