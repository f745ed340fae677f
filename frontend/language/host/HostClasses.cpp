// Classes of host code, their members, and objects made of them. Members are looked up in the class and then in its
// base classes, as far as these are classes of files, too. The one class that is known without a file is triton.Config.
#include "frontend/language/host/HostBudget.h"
#include "frontend/language/names/ModuleChanges.h"
#include "frontend/language/names/ModuleScope.h"
#include "frontend/language/syntax/ParserImpl.h"

#include <algorithm>
#include <functional>

namespace tegula::lang {
namespace {

/// Bases that add no member which host code here could ask for.
bool isEmptyBase(std::string_view base) { return base.empty() || base == "object" || base == "ABC"; }

bool isDataclass(const HostClass &type) {
  return hasDecorator(type.definition->decorators, {"dataclass"}) || type.definition->base == "NamedTuple";
}

/// Whether an annotation says that the name is no field: ClassVar[int].
bool isOfClass(const Expr &annotation) {
  auto *subscript = as<SubscriptExpr>(&annotation);
  const Expr *base = subscript ? subscript->base.get() : &annotation;
  auto *attribute = as<AttributeExpr>(base);
  auto *name = as<NameExpr>(base);
  return (attribute ? attribute->name : name ? name->id : "") == "ClassVar";
}

} // namespace

bool isEnum(const HostClass &type) { return type.definition->base == "Enum" || type.definition->base == "IntEnum"; }

std::optional<HostClass> HostEvaluator::baseOf(const HostClass &type) const {
  if (isEmptyBase(type.definition->base) || isEnum(type))
    return std::nullopt;
  HostObject base = in(*type.names, ModuleNames::kEnd).eval(NameExpr(type.definition->loc, type.definition->base));
  auto *found = base.as<HostClass>();
  return found ? std::optional(*found) : std::nullopt;
}

/// The value of a name of the class, which sees the names that the class has bound before.
HostObject HostEvaluator::classValue(const HostClass &type, size_t statement, const Expr &value) const {
  auto &body = type.definition->body;
  auto names = std::make_shared<HostNames>();
  bool usesClass = false;
  std::function<void(const Expr &, bool)> collect = [&](const Expr &expr, bool isInside) {
    isInside |= expr.kind == ExprKind::Lambda || expr.kind == ExprKind::Comprehension;
    auto *name = as<NameExpr>(&expr);
    for (size_t at = statement; name && at-- > 0;) {
      if (!bindsName(*body[at], name->id))
        continue;
      std::optional<HostObject> found = memberBefore(type, at + 1, name->id);
      if (isInside || !found) // functions inside of a class do not see its names
        notKnown(expr.loc);
      usesClass = true;
      (*names)[name->id] = *found;
      break;
    }
    forEachChild(expr, [&](const Expr &child) { collect(child, isInside); });
  };
  collect(value, false);
  return in(*type.names, ModuleNames::kEnd, usesClass ? names : nullptr).eval(value);
}

/// What the class's statements before number `end` bind to the name, the last of them first.
std::optional<HostObject> HostEvaluator::memberBefore(const HostClass &type, size_t end,
                                                      const std::string &name) const {
  auto &body = type.definition->body;
  for (size_t at = end; at-- > 0;) {
    const StmtPtr &statement = body[at];
    if (!bindsName(*statement, name))
      continue;
    if (auto *function = as<FunctionStmt>(statement)) {
      if (hasDecorator(function->decorators, {"setter", "deleter"})) // of a property before
        continue;
      return HostFunction{function, type.names, type.definition};
    }
    auto *assignment = as<AssignStmt>(statement);
    auto *annotated = as<AnnAssignStmt>(statement);
    const Expr *value = assignment ? assignment->value.get() : annotated ? annotated->value.get() : nullptr;
    bool isPlain = annotated && as<NameExpr>(annotated->target);
    for (size_t k = 0; assignment && k < assignment->targets.size(); ++k)
      if (auto *target = as<NameExpr>(assignment->targets[k]))
        isPlain |= target->id == name;
    if (annotated && !value)
      continue;
    if (!value || !isPlain)
      in(*type.names, ModuleNames::kEnd).notKnown(statement->loc);
    HostObject member = in(*type.names, ModuleNames::kEnd).classValue(type, at, *value);
    return isEnum(type) ? HostMember{type.definition, name, std::make_shared<HostObject>(std::move(member))} : member;
  }
  return std::nullopt;
}

std::optional<HostObject> HostEvaluator::findMember(const HostClass &type, const std::string &name) const {
  HostNames &members = budget_->members[type.definition];
  if (auto member = members.find(name); member != members.end())
    return known(member->second);
  if (auto member = memberBefore(type, type.definition->body.size(), name)) {
    if (!member->as<HostFunction>())
      budget_->members[type.definition][name] = *member;
    return member;
  }
  auto base = baseOf(type);
  return base ? findMember(*base, name) : std::nullopt;
}

/// The member as Python gives it for an object, or without `self` for the class: methods get their first argument.
std::optional<HostObject> HostEvaluator::memberOf(const HostClass &type, const std::string &name,
                                                  const std::shared_ptr<HostObject> &self, Loc loc) const {
  std::optional<HostObject> found = findMember(type, name);
  auto *function = found ? found->as<HostFunction>() : nullptr;
  if (!function || !function->owner)
    return found;
  HostFunction method = *function;
  auto &decorators = method.function->decorators;
  if (hasDecorator(decorators, {"classmethod"}))
    method.self = std::make_shared<HostObject>(type);
  else if (!hasDecorator(decorators, {"staticmethod"}))
    method.self = self;
  if (self && hasDecorator(decorators, {"property", "cached_property"}))
    return callFunction(method, Call{loc, {}, {}});
  return method;
}

HostObject HostEvaluator::classMember(const HostClass &type, const std::string &name, Loc loc) const {
  if (auto member = memberOf(type, name, nullptr, loc))
    return *member;
  if (type.definition->hasOtherBases)
    notKnown(loc);
  raise(loc, "the class " + type.definition->name + " has no '" + name + "'", isEnum(type) ? "" : "AttributeError");
}

/// `object.name` of classes, of objects made of them, and of members of Enums; nothing for others.
std::optional<HostObject> HostEvaluator::attributeOfObject(const HostObject &object, const std::string &name,
                                                           Loc loc) const {
  if (auto *type = object.as<HostClass>())
    return name == "__name__" ? HostObject(type->definition->name) : classMember(*type, name, loc);
  if (auto *member = object.as<HostMember>(); member && (name == "value" || name == "name"))
    return name == "value" ? *member->value : HostObject(member->name);
  if (auto *arguments = object.as<HostArguments>())
    for (auto &[key, value] : arguments->values->items)
      if (auto *text = key.as<std::string>(); text && *text == name)
        return value;
  if (auto *above = object.as<HostSuper>()) {
    auto found = above->base ? memberOf(*above->base, name, above->self, loc) : std::nullopt;
    if (!found && (name == "__new__" || name == "__init__"))
      return HostPath{"object." + name};
    return found;
  }
  auto *instance = object.as<std::shared_ptr<HostInstance>>();
  if (!instance)
    return std::nullopt;
  auto &attributes = (*instance)->attributes;
  if (auto found = attributes.find(name); found != attributes.end())
    return known(found->second);
  if (name == "__class__")
    return (*instance)->type;
  if (auto member = memberOf((*instance)->type, name, std::make_shared<HostObject>(object), loc))
    return *member;
  for (const char *method : {"__getattr__", "__getattribute__"})
    if (findMember((*instance)->type, method))
      notKnown(loc);
  raise(loc, "this " + (*instance)->type.definition->name + " has no '" + name + "'", "AttributeError");
}

/// `isinstance(object, type)`, where `type` is a class of Python's or of a file, or a tuple of such.
bool HostEvaluator::isInstance(const HostObject &object, const HostObject &type, Loc loc) const {
  if (auto *types = type.list()) {
    for (const HostObject &one : types->items)
      if (isInstance(object, one, loc))
        return true;
    return false;
  }
  if (auto *wanted = type.as<HostClass>()) {
    if (auto *member = object.as<HostMember>())
      return member->type == wanted->definition;
    auto *instance = object.as<std::shared_ptr<HostInstance>>();
    for (auto at = instance ? std::optional((*instance)->type) : std::nullopt; at; at = baseOf(*at))
      if (at->definition == wanted->definition)
        return true;
    return false;
  }
  auto *path = type.as<HostPath>();
  auto *list = object.list();
  std::string_view name = path ? std::string_view(path->path) : "";
  if (!name.starts_with("builtins.") || object.as<HostPath>())
    notKnown(loc);
  name.remove_prefix(9);
  if (name == "list" || name == "tuple")
    return list && !list->isSet && list->isTuple == (name == "tuple");
  auto *member = object.as<HostMember>();
  if (name == "type" || name == "set" || name == "frozenset" || (member && member->type->base != "Enum")) {
    if (object.as<HostFunction>() || (list && list->isSet) || (member && name != "int"))
      notKnown(loc);
    return name == "type" ? object.as<HostClass>() != nullptr : member != nullptr;
  }
  return (name == "int" && object.integer()) || (name == "bool" && object.as<bool>()) ||
         (name == "float" && object.as<double>()) || (name == "str" && object.as<std::string>()) ||
         (name == "dict" && object.dict());
}

/// Whether calling the class makes an object in the way that is known here.
bool HostEvaluator::isMade(const HostClass &type) const {
  for (std::optional<HostClass> at = type; at; at = baseOf(*at)) {
    const ClassStmt &definition = *at->definition;
    for (auto &decorator : definition.decorators) {
      auto *call = as<CallExpr>(decorator);
      const Expr *e = call ? call->callee.get() : decorator.get();
      auto *attribute = as<AttributeExpr>(e);
      auto *name = as<NameExpr>(e);
      std::string_view last = attribute ? std::string_view(attribute->name) : name ? std::string_view(name->id) : "";
      if (last != "dataclass" && last != "final")
        return false;
    }
    bool isKnownBase = isEmptyBase(definition.base) || definition.base == "NamedTuple" || baseOf(*at);
    if (definition.hasOtherBases || isEnum(*at) || !isKnownBase)
      return false;
  }
  return true;
}

HostObject HostEvaluator::makeInstance(const HostClass &type) const {
  auto made = std::make_shared<HostInstance>(HostInstance{type, {}, false});
  for (const char *method : {"__bool__", "__len__", "__eq__"})
    made->isSpecial |= findMember(type, method).has_value();
  return made;
}

HostObject HostEvaluator::instantiate(const HostClass &type, const Call &call) const {
  if (!isMade(type))
    notKnown(call.loc);
  HostObject made = makeInstance(type);
  std::optional<HostObject> create = findMember(type, "__new__");
  if (create && create->as<HostFunction>()) {
    Call inner = call;
    inner.args.insert(inner.args.begin(), type);
    made = callFunction(*create->as<HostFunction>(), inner);
  }
  auto *instance = made.as<std::shared_ptr<HostInstance>>();
  if (!instance || (*instance)->type.definition != type.definition)
    return made;
  auto initialize = memberOf(type, "__init__", std::make_shared<HostObject>(made), call.loc);
  if (initialize && initialize->as<HostFunction>())
    callFunction(*initialize->as<HostFunction>(), call);
  else if (isDataclass(type)) {
    fillFields(**instance, call);
    auto finish = memberOf(type, "__post_init__", std::make_shared<HostObject>(made), call.loc);
    if (finish && finish->as<HostFunction>())
      callFunction(*finish->as<HostFunction>(), Call{call.loc, {}, {}});
  } else if (!create && (!call.args.empty() || !call.keywords.empty()))
    notKnown(call.loc);
  return made;
}

/// The fields of a dataclass, those of its base classes first.
void HostEvaluator::fillFields(HostInstance &instance, const Call &call) const {
  std::vector<HostClass> chain;
  for (std::optional<HostClass> at = instance.type; at; at = baseOf(*at))
    chain.insert(chain.begin(), *at);
  struct Field {
    const HostClass *type;
    size_t at; // in the class's body
    const AnnAssignStmt *statement;
    std::string name;
  };
  std::vector<Field> fields; // one that a class declares again keeps its place
  for (const HostClass &type : chain)
    for (size_t at = 0; isDataclass(type) && at < type.definition->body.size(); ++at) {
      auto *field = as<AnnAssignStmt>(type.definition->body[at]);
      auto *name = field ? as<NameExpr>(field->target) : nullptr;
      if (!name || isOfClass(*field->annotation))
        continue;
      auto known = std::find_if(fields.begin(), fields.end(), [&](const Field &f) { return f.name == name->id; });
      if (known == fields.end())
        known = fields.insert(fields.end(), Field{});
      *known = {&type, at, field, name->id};
    }
  size_t position = 0, used = 0;
  for (const Field &field : fields) {
    const HostObject *given = call.find(position++, field.name);
    used += given != nullptr;
    if (!given && !field.statement->value)
      fail(call.loc, field.type->definition->name + " needs a value for its field '" + field.name + "'");
    instance.attributes[field.name] = given ? *given : classValue(*field.type, field.at, *field.statement->value);
  }
  if (used != call.args.size() + call.keywords.size())
    notKnown(call.loc);
}

/// `super()` or `super(Class, self)` in a method.
HostObject HostEvaluator::superOf(const CallExpr &expr) const {
  auto own = locals_->find("__class__");
  if (own == locals_->end())
    notKnown(expr.loc);
  auto *type = own->second.as<HostClass>();
  HostObject self;
  if (expr.args.size() == 2) {
    self = eval(*expr.args[1]);
  } else if (auto first = locals_->find("self"); expr.args.empty() && first != locals_->end()) {
    self = first->second;
  } else if (auto first = locals_->find("cls"); expr.args.empty() && first != locals_->end()) {
    self = first->second;
  } else {
    notKnown(expr.loc);
  }
  return HostSuper{baseOf(*type), std::make_shared<HostObject>(self)};
}

void HostEvaluator::assignAttribute(const AttributeExpr &target, const HostObject &value) const {
  HostObject base = eval(*target.base);
  if (auto *instance = base.as<std::shared_ptr<HostInstance>>()) {
    auto member = findMember((*instance)->type, target.name); // a property has a method for this
    if ((member && member->as<HostFunction>()) || findMember((*instance)->type, "__setattr__"))
      notKnown(target.loc);
    (*instance)->attributes[target.name] = value;
  } else if (auto *type = base.as<HostClass>())
    budget_->members[type->definition][target.name] = value;
  else if (auto *scope = base.as<const ModuleScope *>())
    budget_->globals[&(*scope)->names][target.name] = value;
  else
    notKnown(target.loc);
}

/// `triton.Config({"BLOCK": 64}, num_warps=4, num_stages=2)`
HostObject HostEvaluator::makeConfig(const Call &call) const {
  auto config = std::make_shared<KernelConfig>();
  config->line = call.loc.line;
  const HostObject *kwargs = call.find(0, "kwargs");
  if (!kwargs || !kwargs->dict())
    fail(call.loc, "expected a dictionary of constants in triton.Config");
  (*kwargs->as<std::shared_ptr<HostDict>>())->isFixed = true; // the configuration shares it
  for (auto &[key, value] : kwargs->dict()->items) {
    auto *name = key.as<std::string>();
    auto constant = value.constant();
    if (!name || !constant)
      fail(call.loc, name ? "the value of '" + *name + "' in triton.Config is no constant"
                          : "expected a parameter's name as a string");
    config->constants[*name] = *constant;
  }
  struct Option {
    size_t position;
    const char *name;
    std::optional<int> *field;
    int least = 1;
  };
  for (auto &[position, name, field, least] :
       {Option{1, "num_warps", &config->numWarps}, Option{2, "num_stages", &config->numStages, 0}, // 0: no pipelining
        Option{3, "num_ctas", &config->numCtas}, Option{4, "maxnreg", &config->maxRegisters}}) {
    const HostObject *value = call.find(position, name);
    // Options may also stand among the constants, which Triton passes on to the launch.
    auto inside = config->constants.find(name);
    auto *given = inside == config->constants.end() ? nullptr : std::get_if<int64_t>(&inside->second);
    auto integer = value ? value->integer() : given ? std::optional(*given) : std::nullopt;
    if (integer && *integer >= least && *integer < 1 << 20)
      *field = static_cast<int>(*integer);
    else if (value && !value->as<std::monostate>())
      fail(call.loc, std::string("expected ") + (least ? "a positive" : "a non-negative") + " integer for " + name);
  }
  const HostObject *hook = call.find(5, "pre_hook");
  config->hasHook = hook && !hook->as<std::monostate>();
  return config;
}

} // namespace tegula::lang
