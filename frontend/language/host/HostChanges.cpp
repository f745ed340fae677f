// Objects of a module's names, behind the statements that change them (ModuleChanges.h). A change is applied to a copy
// of the object, since other names have the object that was there before.
#include "frontend/language/host/HostBudget.h"
#include "frontend/language/syntax/ParserImpl.h"

namespace tegula::lang {
namespace {

/// Whether nothing but another binding can give the name another value.
bool isImmutable(const HostObject &object) {
  if (auto *list = object.list())
    return list->isTuple && std::all_of(list->items.begin(), list->items.end(), isImmutable);
  bool isMutable = object.dict() || object.as<std::shared_ptr<HostInstance>>() || object.as<HostClass>() ||
                   object.as<HostArguments>() || object.as<HostUnknown>() || object.as<HostMethod>();
  return !isMutable;
}

} // namespace

HostObject HostEvaluator::changed(const std::string &name, const ModuleNames::Definition &definition, Loc loc) const {
  using Change = ModuleNames::Change;
  const Change &last = *definition.change;
  auto refuse = [&](const std::string &reason) {
    fail(loc, "the value of '" + name + "' cannot be known without running the host code in Python: " +
                  (last.statement ? "line " + std::to_string(last.statement->loc.line) + " may change it" : "") +
                  reason);
  };
  if (last.effect == Change::Effect::Binds)
    refuse("");
  ModuleNames::Definition original = definition;
  original.change = nullptr;
  HostObject value = valueOf(name, original, loc);
  if (isImmutable(value))
    return value;
  if (last.effect == Change::Effect::Hidden || value.as<HostClass>())
    refuse("");
  std::vector<const Change *> changes;
  for (const Change *at = &last; at; at = at->before.get()) {
    std::pair<const void *, std::string> key(at, name);
    if (auto known = budget_->values.find(key); known != budget_->values.end()) {
      value = known->second;
      break;
    }
    changes.push_back(at);
  }
  for (auto at = changes.rbegin(); at != changes.rend(); ++at) {
    try {
      value = changedBy(**at, name, value, loc);
    } catch (const Error &error) {
      refuse(", where " + error.diagnostic().message);
    }
    budget_->values[{*at, name}] = value;
  }
  return value;
}

HostObject HostEvaluator::changedBy(const ModuleNames::Change &change, const std::string &name, const HostObject &value,
                                    Loc loc) const {
  Budget::Once once(*budget_, *this, *change.statement, loc);
  std::shared_ptr<HostNames> locals = names_.frames().make(nullptr);
  HostEvaluator then = in(names_, change.time);
  for (const std::string &each : change.names) {
    std::optional<HostObject> copy;
    if (each == name)
      copy = deepCopy(value);
    else if (names_.find(each, change.time))
      copy = deepCopy(then.name(NameExpr(loc, each)));
    else
      continue;
    if (!copy)
      notKnown(loc);
    (*locals)[each] = *copy;
  }
  in(names_, change.time, locals).run(*change.statement);
  return known((*locals)[name]);
}

} // namespace tegula::lang
