#include "frontend/language/names/ModuleChanges.h"

#include "frontend/language/host/HostBudget.h"
#include "frontend/language/host/HostConstants.h"
#include "frontend/language/names/ModuleScope.h"

#include <algorithm>

namespace tegula::lang {
namespace {

constexpr unsigned kMaxChanges = 1000; // of one object that are followed

bool isAmong(std::string_view name, std::initializer_list<std::string_view> list) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

/// Methods of Python's own types, and of loggers, that change no object.
bool isReadOnlyMethod(std::string_view name) {
  return isAmong(name, {"get",   "items",    "keys",   "values",     "copy",     "index",   "count",
                        "lower", "upper",    "split",  "join",       "replace",  "format",  "strip",
                        "title", "lstrip",   "rstrip", "info",       "debug",    "warning", "warn",
                        "error", "setLevel", "encode", "startswith", "endswith", "union",   "bit_length"});
}

/// The N of `N`, `N.a["b"]` and `N.get("a")`; null where there is none.
const NameExpr *rootOf(const Expr *expr) {
  while (expr)
    if (auto *attribute = as<AttributeExpr>(expr))
      expr = attribute->base.get();
    else if (auto *subscript = as<SubscriptExpr>(expr))
      expr = subscript->base.get();
    else if (auto *starred = as<StarredExpr>(expr))
      expr = starred->value.get();
    else if (auto *call = as<CallExpr>(expr))
      expr = call->callee->kind == ExprKind::Attribute ? call->callee.get() : nullptr;
    else
      return as<NameExpr>(expr);
  return nullptr;
}

/// Calls `visit` for each name whose object may be a part of the expression's value, or the value itself.
template <class F> void forEachShared(const Expr &expr, const F &visit) {
  switch (expr.kind) {
  case ExprKind::Name: visit(static_cast<const NameExpr &>(expr)); break;
  case ExprKind::Attribute:
  case ExprKind::Subscript:
  case ExprKind::Starred:
    if (auto *root = rootOf(&expr))
      visit(*root);
    break;
  case ExprKind::Call: {
    auto &call = static_cast<const CallExpr &>(expr);
    if (auto *root = call.callee->kind == ExprKind::Attribute ? rootOf(&expr) : nullptr)
      visit(*root);
    auto *name = as<NameExpr>(call.callee);
    if (name && isHostBuiltin(name->id) && name->id != "dict" && name->id != "tuple" && name->id != "list")
      break;
    for (auto &arg : call.args)
      forEachShared(*arg, visit);
    for (auto &keyword : call.keywords)
      forEachShared(*keyword.value, visit);
    break;
  }
  case ExprKind::Tuple:
  case ExprKind::List:
  case ExprKind::Dict:
  case ExprKind::IfExp:
  case ExprKind::BoolOp: forEachChild(expr, [&](const Expr &child) { forEachShared(child, visit); }); break;
  default: break;
  }
}

const Expr *valueOf(const Stmt *statement) {
  if (auto *assignment = as<AssignStmt>(statement))
    return assignment->value.get();
  auto *annotated = as<AnnAssignStmt>(statement);
  return annotated ? annotated->value.get() : nullptr;
}

/// The names that a function's statements bind, and those that it declares global.
void collectNames(const Stmt &one, std::set<std::string, std::less<>> &locals, std::set<std::string> &globals) {
  const Stmt *statement = &one;
  std::function<void(const Expr &)> bind = [&](const Expr &target) {
    if (auto *name = as<NameExpr>(&target))
      locals.insert(name->id);
    else if (target.kind == ExprKind::Tuple || target.kind == ExprKind::List || target.kind == ExprKind::Starred)
      forEachChild(target, bind);
  };
  auto inner = [&](const Block &part) {
    for (auto &each : part)
      collectNames(*each, locals, globals);
  };
  if (auto *s = as<AssignStmt>(statement))
    for (auto &target : s->targets)
      bind(*target);
  else if (auto *s = as<AnnAssignStmt>(statement))
    bind(*s->target);
  else if (auto *s = as<AugAssignStmt>(statement))
    bind(*s->target);
  else if (auto *s = as<ForStmt>(statement))
    bind(*s->target), inner(s->body), inner(s->orelse);
  else if (auto *s = as<WhileStmt>(statement))
    inner(s->body), inner(s->orelse);
  else if (auto *s = as<IfStmt>(statement))
    inner(s->body), inner(s->orelse);
  else if (auto *s = as<FunctionStmt>(statement))
    locals.insert(s->name);
  if (auto *s = as<ImportStmt>(statement))
    for (const ImportStmt::Item &item : s->items)
      locals.insert(item.alias);
  if (auto *s = as<WithStmt>(statement)) {
    for (auto &item : s->items)
      if (item.target)
        bind(*item.target);
    inner(s->body);
  } else if (auto *s = as<TryStmt>(statement)) {
    inner(s->body), inner(s->orelse), inner(s->finally);
    for (const Block &handler : s->handlers)
      inner(handler);
  }
  if (auto *s = as<OpaqueStmt>(statement)) {
    if (s->parsed)
      collectNames(*s->parsed, locals, globals);
    if (s->what == "global")
      globals.insert(s->names.begin(), s->names.end());
    else
      locals.insert(s->names.begin(), s->names.end());
  }
}

} // namespace

bool bindsName(const Stmt &statement, const std::string &name) {
  std::set<std::string, std::less<>> locals;
  std::set<std::string> globals;
  collectNames(statement, locals, globals);
  return locals.contains(name);
}

void ChangesOf::block(const Block &block) {
  for (auto &each : block)
    statement(*each);
}

void ChangesOf::statement(const Stmt &statement) {
  if (auto *s = as<AssignStmt>(&statement)) {
    expression(*s->value);
    for (auto &each : s->targets)
      target(*each);
  } else if (auto *s = as<AnnAssignStmt>(&statement)) {
    if (s->value)
      expression(*s->value), target(*s->target);
  } else if (auto *s = as<AugAssignStmt>(&statement)) {
    expression(*s->value);
    if (auto *name = as<NameExpr>(s->target))
      add(name, Effect::Binds);
    target(*s->target);
  } else if (auto *s = as<ExpressionStmt>(&statement)) {
    expression(*s->value);
  } else if (auto *s = as<ReturnStmt>(&statement)) {
    if (s->value)
      expression(*s->value);
  } else if (auto *s = as<IfStmt>(&statement)) {
    expression(*s->condition), block(s->body), block(s->orelse);
  } else if (auto *s = as<WhileStmt>(&statement)) {
    expression(*s->condition), block(s->body), block(s->orelse);
  } else if (auto *s = as<ForStmt>(&statement)) {
    expression(*s->iterable), loop(*s->target, *s->iterable, s->body), block(s->orelse);
  } else if (auto *s = as<WithStmt>(&statement)) {
    block(s->body);
  } else if (auto *s = as<TryStmt>(&statement)) {
    block(s->body), block(s->orelse), block(s->finally);
    for (const Block &handler : s->handlers)
      block(handler);
  } else if (auto *s = as<FunctionStmt>(&statement)) {
    if (inFunction_)
      block(s->body);
  } else if (auto *s = as<HostBlockStmt>(&statement)) {
    if (s->loop)
      this->statement(*s->loop);
    else
      block(s->body), block(s->orelse);
  } else if (auto *s = as<OpaqueStmt>(&statement)) {
    if (s->parsed)
      this->statement(*s->parsed);
    for (const std::string &name : s->changes)
      add(name, Effect::Hidden);
  }
}

/// What the body changes through the loop's variable is a part of the iterable.
void ChangesOf::loop(const Expr &target, const Expr &iterable, const Block &body) {
  ChangesOf inner(*this);
  inner.found.clear();
  std::function<void(const Expr &)> collect = [&](const Expr &part) {
    if (auto *name = as<NameExpr>(&part))
      inner.variables_.insert(name->id);
    else
      forEachChild(part, collect);
  };
  collect(target);
  inner.block(body);
  for (auto &[name, effect] : inner.found) {
    if (variables_.contains(name) || !inner.variables_.contains(name))
      add(name, effect);
    else
      forEachShared(iterable, [&](const NameExpr &shared) { add(&shared, Effect::Hidden); });
  }
}

void ChangesOf::expression(const Expr &expr) {
  if (expr.kind == ExprKind::Lambda)
    return;
  if (auto *made = as<CallExpr>(&expr))
    call(*made);
  forEachChild(expr, [&](const Expr &child) { expression(child); });
}

bool ChangesOf::isOfLanguage(const Expr &callee) const {
  auto *root = rootOf(&callee);
  auto binding = root && !locals_.contains(root->id) ? state_.find(root->id) : state_.end();
  if (binding == state_.end() || !binding->second.isCertain() || !binding->second.candidates[0].import)
    return false;
  auto &import = *binding->second.candidates[0].import;
  return isLanguagePath(import.module) || importSucceeds(import) == true;
}

void ChangesOf::call(const CallExpr &call) {
  if (auto *name = as<NameExpr>(call.callee); name && !isOfLanguage(*name))
    return callOfName(name->id, call);
  auto *method = as<AttributeExpr>(call.callee);
  if (isOfLanguage(*call.callee) || (method && isReadOnlyMethod(method->name)))
    return;
  if (method)
    add(rootOf(method->base.get()), Effect::Runs);
  bool isPut = method && isAmong(method->name, {"append", "insert", "add", "extend", "update"}); // into another object
  for (auto &arg : call.args)
    if (auto *root = rootOf(arg.get()); root && !(isPut && variables_.contains(root->id)))
      add(root, Effect::Runs);
  for (auto &keyword : call.keywords)
    add(rootOf(keyword.value.get()), Effect::Runs);
}

void ChangesOf::callOfName(const std::string &name, const CallExpr &call) {
  auto binding = locals_.contains(name) ? state_.end() : state_.find(name);
  if (binding == state_.end() && (name == "setattr" || name == "delattr") && !call.args.empty())
    return add(rootOf(call.args[0].get()), Effect::Hidden);
  if (binding == state_.end() && (isHostBuiltin(name) || name == "next" || name == "id" || name == "repr"))
    return;
  if (binding != state_.end())
    for (auto &candidate : binding->second.candidates)
      if (auto *function = names_.hostFunction(*candidate.statement))
        body(*function);
  for (auto &arg : call.args)
    add(rootOf(arg.get()), Effect::Runs);
  for (auto &keyword : call.keywords)
    add(rootOf(keyword.value.get()), Effect::Runs);
}

void ChangesOf::target(const Expr &target) {
  if (target.kind == ExprKind::Subscript || target.kind == ExprKind::Attribute) {
    auto *root = rootOf(&target);
    auto binding = root ? state_.find(root->id) : state_.end();
    bool isClass = binding != state_.end() && binding->second.candidates[0].statement->kind == StmtKind::Opaque;
    add(root, isClass ? Effect::Hidden : Effect::Runs);
  }
  if (target.kind == ExprKind::Tuple || target.kind == ExprKind::List || target.kind == ExprKind::Starred)
    forEachChild(target, [&](const Expr &part) { this->target(part); });
}

/// The names of the module that the function changes when it runs.
void ChangesOf::body(const FunctionStmt &function) {
  if (!seen_.insert(&function).second)
    return;
  ChangesOf inner(names_, state_);
  inner.seen_ = seen_;
  inner.inFunction_ = true;
  std::set<std::string> globals;
  for (auto &statement : function.body)
    collectNames(*statement, inner.locals_, globals);
  for (const Param &param : function.params)
    inner.locals_.insert(param.name);
  for (const std::string &name : globals)
    inner.locals_.erase(name);
  inner.block(function.body);
  seen_.insert(inner.seen_.begin(), inner.seen_.end());
  for (auto &[name, effect] : inner.found)
    add(name, std::max(effect, Effect::Hidden));
  for (const std::string &name : globals)
    add(name, Effect::Binds);
}

void ChangesOf::add(const Expr *root, Effect effect) {
  if (auto *name = as<NameExpr>(root))
    add(name->id, effect);
}

void ChangesOf::add(const std::string &name, Effect effect) {
  if (locals_.contains(name))
    return;
  auto [at, isNew] = found.emplace(name, effect);
  at->second = std::max(at->second, effect);
}

namespace {

using Change = ModuleNames::Change;

void append(ModuleNames::Definition &definition, Change change) {
  const Change *last = definition.change.get();
  change.count = last ? last->count + 1 : 1;
  if (change.count > kMaxChanges || (last && last->effect != Change::Effect::Runs))
    change.effect = std::max({change.effect, Change::Effect::Hidden, last->effect});
  if (change.effect == Change::Effect::Runs)
    change.before = definition.change;
  definition.change = std::make_shared<const Change>(std::move(change));
}

/// Whether the two names may share an object: one's value is made of the other, or both are of one statement.
bool sharesObject(const ModuleState &state, const std::string &a, const std::string &b) {
  auto statementOf = [&](const std::string &name) { return state.at(name).candidates[0].statement; };
  if (statementOf(a) == statementOf(b))
    return true;
  auto mentions = [&](const std::string &user, const std::string &name) {
    bool found = false;
    if (const Expr *value = valueOf(statementOf(user)))
      forEachShared(*value, [&](const NameExpr &shared) { found |= shared.id == name; });
    return found;
  };
  return mentions(a, b) || mentions(b, a);
}

bool isChangeable(const ModuleNames::Binding &binding) {
  if (!binding.isCertain() || binding.candidates[0].import)
    return false;
  const Stmt *statement = binding.candidates[0].statement;
  const Expr *value = valueOf(statement);
  return statement->kind == StmtKind::AugAssign || (value && value->kind != ExprKind::Constant);
}

} // namespace

ModuleState changed(const ModuleState &state, const std::string &name, Change change) {
  ModuleState result;
  auto at = state.find(name);
  if (at == state.end())
    return result;
  auto *opaque = as<OpaqueStmt>(at->second.candidates[0].statement);
  bool binds = change.effect == Change::Effect::Binds;
  bool changesClass = opaque && opaque->what == "class" && change.effect == Change::Effect::Hidden;
  if (!isChangeable(at->second) && !binds && !changesClass)
    return result;
  result[name] = at->second;
  for (ModuleNames::Definition &definition : result[name].candidates)
    append(definition, change);
  if (binds || changesClass)
    return result;
  change.effect = Change::Effect::Hidden;
  std::vector<std::string> next{name};
  while (!next.empty()) {
    std::string from = std::move(next.back());
    next.pop_back();
    for (auto &[other, binding] : state) {
      bool isNamed = std::find(change.names.begin(), change.names.end(), other) != change.names.end();
      if (result.contains(other) || isNamed || !isChangeable(binding) || !sharesObject(state, from, other))
        continue;
      append((result[other] = binding).candidates[0], change);
      next.push_back(other);
    }
  }
  return result;
}

ModuleNames::Definition mixed(ModuleNames::Definition one, const ModuleNames::Definition &other, const Stmt &fork) {
  auto effectOf = [](const ModuleNames::Definition &d) { return d.change ? d.change->effect : Change::Effect::Runs; };
  append(one, {&fork, 0, std::max({Change::Effect::Hidden, effectOf(one), effectOf(other)}), {}, {}, 0});
  return one;
}

} // namespace tegula::lang
