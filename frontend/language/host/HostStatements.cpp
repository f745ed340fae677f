// Plain functions of host code, statement by statement.
#include "frontend/language/host/HostBudget.h"
#include "frontend/language/syntax/ParserImpl.h"

namespace tegula::lang {

bool keepsResults(const FunctionStmt &function) {
  for (auto &decorator : function.decorators) {
    const Expr *e = decorator.get();
    if (auto *call = as<CallExpr>(e))
      e = call->callee.get();
    auto *attribute = as<AttributeExpr>(e);
    auto *name = as<NameExpr>(e);
    std::string_view last = attribute ? std::string_view(attribute->name) : name ? std::string_view(name->id) : "";
    if (last != "lru_cache" && last != "cache" && last != "staticmethod" && last != "classmethod" &&
        last != "constexpr_function" && last != "constexpr" && last != "property" && last != "cached_property")
      return false;
  }
  return true;
}

std::vector<HostObject> HostEvaluator::elements(Loc loc, const HostObject &value, bool inAnyOrder) const {
  if (auto *list = value.list()) {
    if (list->isSet && list->items.size() > 1 && !inAnyOrder)
      notKnown(loc);
    return list->items;
  }
  if (auto *dict = value.dict()) {
    std::vector<HostObject> keys;
    for (auto &[key, item] : dict->items)
      keys.push_back(key);
    return keys;
  }
  if (auto *type = value.as<HostClass>(); type && isEnum(*type)) {
    std::vector<HostObject> members;
    for (auto &statement : type->definition->body) {
      auto *assignment = as<AssignStmt>(statement);
      auto *name = assignment ? as<NameExpr>(assignment->targets[0]) : nullptr;
      if (!name || name->id.starts_with('_'))
        continue;
      HostObject member = classMember(*type, name->id, loc);
      bool isNew = true; // another name of a member before is none of its own
      for (const HostObject &before : members) {
        auto same = isEqual(before, member);
        if (!same)
          notKnown(loc);
        isNew &= !*same;
      }
      if (isNew)
        members.push_back(std::move(member));
    }
    return members;
  }
  notKnown(loc);
}

void HostEvaluator::assign(const Expr &target, const HostObject &value) const {
  if (auto *name = as<NameExpr>(&target)) {
    HostObject &local = (*locals_)[name->id];
    (local.as<HostGlobal>() ? budget_->globals[&names_][name->id] : local) = value;
    return;
  }
  if (target.kind == ExprKind::Tuple || target.kind == ExprKind::List) {
    std::vector<const Expr *> parts;
    forEachChild(target, [&](const Expr &part) { parts.push_back(&part); });
    if (value.as<HostUnknown>()) {
      for (const Expr *part : parts)
        assign(*part, value);
      return;
    }
    std::vector<HostObject> items = elements(target.loc, value);
    if (parts.size() != items.size())
      fail(target.loc, std::to_string(items.size()) + " values for " + std::to_string(parts.size()) + " names");
    for (size_t i = 0; i < parts.size(); ++i)
      assign(*parts[i], items[i]);
    return;
  }
  if (auto *element = as<SubscriptExpr>(&target)) {
    HostObject base = eval(*element->base);
    if (auto *dict = base.as<std::shared_ptr<HostDict>>(); dict && !(*dict)->isFixed)
      return setItem(**dict, eval(*element->index), known(value));
    auto *list = base.as<std::shared_ptr<HostList>>();
    auto index = list && !(*list)->isTuple ? eval(*element->index).integer() : std::nullopt;
    auto size = list ? static_cast<int64_t>((*list)->items.size()) : 0;
    if (index && *index >= -size && *index < size) {
      (*list)->items[static_cast<size_t>(*index < 0 ? *index + size : *index)] = known(value);
      return;
    }
  }
  if (auto *attribute = as<AttributeExpr>(&target))
    return assignAttribute(*attribute, value);
  notKnown(target.loc);
}

HostObject HostEvaluator::callFunction(const HostFunction &callee, const Call &given) const {
  const FunctionStmt &function = *callee.function;
  Call call = given;
  if (callee.self)
    call.args.insert(call.args.begin(), *callee.self);
  if (!keepsResults(function))
    notKnown(call.loc);
  std::shared_ptr<HostNames> locals = names_.frames().make(callee.outer);
  HostEvaluator module = in(*callee.names, callee.names->timeOf(function), callee.outer);
  std::set<std::string_view> taken;
  size_t next = 0;
  for (const Param &param : function.params) {
    const HostObject *argument = nullptr;
    taken.insert(param.name);
    if (param.isVariadic) {
      auto rest = std::make_shared<HostList>();
      rest->isTuple = true;
      for (; next < call.args.size(); ++next)
        rest->items.push_back(call.args[next]);
      (*locals)[param.name] = rest;
      continue;
    }
    if (!param.isKeywordOnly && next < call.args.size())
      argument = &call.args[next++];
    for (auto &[name, value] : call.keywords)
      if (name == param.name) {
        if (argument)
          fail(call.loc, function.name + " gets two values for its parameter '" + name + "'");
        argument = &value;
      }
    if (!argument && !param.defaultValue)
      fail(call.loc, function.name + " needs a value for its parameter '" + param.name + "'");
    if (argument || !callee.defaults)
      (*locals)[param.name] = argument ? *argument : module.eval(*param.defaultValue);
    else
      (*locals)[param.name] = callee.defaults->at(param.name);
  }
  if (!function.keywordRest.empty()) {
    auto rest = std::make_shared<HostDict>();
    for (auto &[name, value] : call.keywords)
      if (!taken.contains(name))
        setItem(*rest, name, value);
    call.keywords.clear();
    (*locals)[function.keywordRest] = rest;
  }
  bool allKnown = next >= call.args.size();
  for (auto &[name, value] : call.keywords)
    allKnown = allKnown && taken.contains(name);
  if (!allKnown)
    notKnown(call.loc);
  if (callee.owner) // for super()
    (*locals)["__class__"] = HostClass{callee.owner, callee.names};
  Budget::Step step(*budget_, *this, call.loc);
  unsigned time = callee.names == &names_ ? time_ : ModuleNames::kEnd; // another module has run by now
  return in(*callee.names, time, locals).run(function.body).value;
}

HostObject HostEvaluator::callLambda(const HostLambda &lambda, const Call &call) const {
  auto &params = lambda.lambda->params;
  if (params.size() != call.args.size() || !call.keywords.empty())
    notKnown(call.loc);
  std::shared_ptr<HostNames> locals = names_.frames().make(lambda.locals);
  for (size_t i = 0; i < params.size(); ++i)
    (*locals)[params[i]] = call.args[i];
  unsigned time = lambda.names == &names_ ? time_ : ModuleNames::kEnd;
  return in(*lambda.names, time, locals).eval(*lambda.lambda->body);
}

HostEvaluator::Flow HostEvaluator::run(const Block &block) const {
  for (auto &statement : block)
    if (Flow flow = run(*statement); flow.kind != Flow::Kind::Next)
      return flow;
  return {};
}

/// Where the value cannot be known, the message for those who use the name. In a `try` it might be the exception that
/// decides how the program goes on: then it is an error at once.
HostObject HostEvaluator::valueOrUnknown(const Expr &expr) const {
  if (budget_->tries)
    return eval(expr);
  try {
    return eval(expr);
  } catch (const HostRaise &) {
    throw;
  } catch (const Error &error) {
    return HostUnknown{std::make_shared<const Diagnostic>(error.diagnostic())};
  }
}

void HostEvaluator::runAssignment(const Stmt &statement) const {
  if (auto *plain = as<AssignStmt>(&statement)) {
    HostObject value = valueOrUnknown(*plain->value);
    for (auto &target : plain->targets)
      assign(*target, value);
  } else if (auto *annotated = as<AnnAssignStmt>(&statement)) {
    if (annotated->value)
      assign(*annotated->target, valueOrUnknown(*annotated->value));
  } else if (auto *changed = as<AugAssignStmt>(&statement)) {
    HostObject before = eval(*changed->target), value = eval(*changed->value);
    auto *list = before.as<std::shared_ptr<HostList>>();
    bool extends = list && !(*list)->isTuple && changed->op == BinaryOp::Add;
    bool updates = before.dict() && changed->op == BinaryOp::Or;
    if (extends || updates) // the object itself changes
      callMethod({std::make_shared<HostObject>(before), extends ? "extend" : "update"}, {changed->opLoc, {value}, {}});
    else
      before = binary(changed->opLoc, changed->op, before, value);
    assign(*changed->target, before);
  }
}

HostEvaluator::Flow HostEvaluator::run(const Stmt &statement) const {
  Budget::Step step(*budget_, *this, statement.loc);
  switch (statement.kind) {
  case StmtKind::Return: {
    auto &value = static_cast<const ReturnStmt &>(statement).value;
    return {Flow::Kind::Return, value ? eval(*value) : HostObject()};
  }
  case StmtKind::Assign:
  case StmtKind::AnnAssign:
  case StmtKind::AugAssign: runAssignment(statement); return {};
  case StmtKind::Expression: {
    auto &value = *static_cast<const ExpressionStmt &>(statement).value;
    if (!as<ConstantExpr>(&value)) // a string between statements
      eval(value);
    return {};
  }
  case StmtKind::If: {
    auto &branch = static_cast<const IfStmt &>(statement);
    return run(isTrue(*branch.condition) ? branch.body : branch.orelse);
  }
  case StmtKind::For: return runFor(static_cast<const ForStmt &>(statement));
  case StmtKind::While: {
    auto &loop = static_cast<const WhileStmt &>(statement);
    while (isTrue(*loop.condition))
      if (std::optional<Flow> end = runRound(loop.body))
        return *end;
    return run(loop.orelse);
  }
  case StmtKind::Assert:
    if (!isTrue(*static_cast<const AssertStmt &>(statement).condition))
      fail(statement.loc, "this assertion of host code does not hold");
    return {};
  case StmtKind::Pass: return {};
  case StmtKind::Break: return {Flow::Kind::Break, {}};
  case StmtKind::Continue: return {Flow::Kind::Continue, {}};
  case StmtKind::Try: return runTry(static_cast<const TryStmt &>(statement));
  case StmtKind::With: return runWith(static_cast<const WithStmt &>(statement));
  case StmtKind::Function: {
    auto &function = static_cast<const FunctionStmt &>(statement);
    auto defaults = std::make_shared<HostNames>();
    for (const Param &param : function.params)
      if (param.defaultValue)
        (*defaults)[param.name] = valueOrUnknown(*param.defaultValue);
    (*locals_)[function.name] = HostFunction{&function, &names_, nullptr, nullptr, locals_, defaults};
    return {};
  }
  case StmtKind::Opaque: {
    auto &opaque = static_cast<const OpaqueStmt &>(statement);
    if (opaque.what == "raise")
      raise(statement.loc, "host code raises an exception here", opaque.raised);
    if (opaque.what == "global")
      for (const std::string &name : opaque.names)
        (*locals_)[name] = HostGlobal{};
    if (opaque.parsed)
      return run(*opaque.parsed);
    if (opaque.what == "global")
      return {};
    notKnown(statement.loc);
  }
  case StmtKind::Import: runImport(static_cast<const ImportStmt &>(statement)); return {};
  case StmtKind::HostBlock:
    if (auto &loop = static_cast<const HostBlockStmt &>(statement).loop)
      return run(*loop);
    notKnown(statement.loc);
  default: notKnown(statement.loc);
  }
}

void HostEvaluator::runImport(const ImportStmt &import) const {
  for (const ImportStmt::Item &item : import.items)
    try {
      assign(NameExpr(import.loc, item.alias), valueOfImport(item, import.loc));
    } catch (const HostRaise &) {
      throw;
    } catch (const Error &error) { // for those who use the name
      assign(NameExpr(import.loc, item.alias), HostUnknown{std::make_shared<const Diagnostic>(error.diagnostic())});
    }
}

/// The handler that takes an exception; null where none does. One of a type that is not known goes to the only handler.
const Block *HostEvaluator::handlerOf(const TryStmt &attempt, const std::string &type) const {
  constexpr std::string_view kOfPython[] = {"KeyError",       "IndexError",    "ValueError",    "AttributeError",
                                            "RuntimeError",   "TypeError",     "ImportError",   "FileNotFoundError",
                                            "AssertionError", "Exception",     "LookupError",   "NotImplementedError",
                                            "OSError",        "StopIteration", "BaseException", "ModuleNotFoundError"};
  auto isOfPython = [&](std::string_view name) {
    return std::find(std::begin(kOfPython), std::end(kOfPython), name) != std::end(kOfPython);
  };
  for (size_t i = 0; i < attempt.handlers.size(); ++i) {
    const std::vector<std::string> &names = attempt.caught.at(i);
    bool takes = names.empty() || (type.empty() && attempt.handlers.size() == 1), isKnown = isOfPython(type);
    for (const std::string &name : names) {
      bool isLookup = name == "LookupError" && (type == "KeyError" || type == "IndexError");
      bool isSystem = name == "OSError" && type == "FileNotFoundError";
      takes |= name == type || name == "Exception" || name == "BaseException" || isLookup || isSystem;
      isKnown &= isOfPython(name);
    }
    if (takes)
      return &attempt.handlers[i];
    if (!isKnown) // it may be a class above the exception's
      notKnown(attempt.loc);
  }
  return nullptr;
}

HostEvaluator::Flow HostEvaluator::runTry(const TryStmt &attempt) const {
  Flow flow;
  const Block *handled = nullptr;
  try {
    Scoped<unsigned> inside(budget_->tries, budget_->tries + 1);
    flow = run(attempt.body);
  } catch (const HostRaise &raised) {
    handled = handlerOf(attempt, raised.type);
    if (!handled && !attempt.finally.empty()) // which runs before the exception goes on
      notKnown(attempt.loc);
    if (!handled)
      throw;
  }
  if (handled)
    flow = run(*handled);
  else if (flow.kind == Flow::Kind::Next)
    flow = run(attempt.orelse);
  Flow after = run(attempt.finally);
  return after.kind == Flow::Kind::Next ? flow : after;
}

HostEvaluator::Flow HostEvaluator::runWith(const WithStmt &with) const {
  for (const WithStmt::Item &item : with.items) {
    HostObject context = eval(*item.context);
    if (!context.as<HostFile>())
      notKnown(item.context->loc);
    if (item.target)
      assign(*item.target, context);
  }
  return run(with.body);
}

HostEvaluator::Flow HostEvaluator::runFor(const ForStmt &loop) const {
  HostObject iterable = eval(*loop.iterable);
  auto *list = iterable.as<std::shared_ptr<HostList>>(); // which the body may lengthen
  std::vector<HostObject> items = elements(loop.iterable->loc, iterable);
  for (size_t i = 0; i < (list ? (*list)->items : items).size(); ++i) {
    assign(*loop.target, HostObject((list ? (*list)->items : items)[i]));
    if (std::optional<Flow> end = runRound(loop.body))
      return *end;
  }
  return run(loop.orelse);
}

std::optional<HostEvaluator::Flow> HostEvaluator::runRound(const Block &body) const {
  Flow flow = run(body);
  if (flow.kind == Flow::Kind::Return)
    return flow;
  return flow.kind == Flow::Kind::Break ? std::optional(Flow()) : std::nullopt;
}

} // namespace tegula::lang
