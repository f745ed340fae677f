// Instances of aggregates, and the constructors that assign their fields.
#include "frontend/language/emit/Emitter.h"
#include "frontend/language/names/Annotations.h"

#include <algorithm>

namespace tegula::lang {

namespace {

/// A value for a field annotated as tl.constexpr. Variables whose constants are known become these constants, in
/// tuples, too; a run-time value is an error, which calls the field `what`.
Value constantField(Emitter &e, Loc loc, Value value, const std::string &what) {
  auto *tuple = value.as<Tuple>();
  if (!tuple) {
    bool isRuntime = value.as<Tensor>() || value.as<Descriptor>() || value.as<BlockPointer>();
    return isRuntime ? Value(e.constant(loc, value, what)) : value;
  }
  for (Value &element : tuple->elements)
    element = constantField(e, loc, std::move(element), what);
  return value;
}

std::string fieldOf(const Tuple &instance, size_t i) {
  return "the field '" + instance.names[i] + "' of " + instance.aggregate->name;
}

} // namespace

const FunctionStmt *methodOf(const ClassStmt &aggregate, std::string_view name) {
  for (const StmtPtr &statement : aggregate.body)
    if (auto *method = as<FunctionStmt>(statement); method && method->name == name)
      return method;
  return nullptr;
}

Value Emitter::construct(const ClassValue &type, CallArgs args) {
  const ClassStmt &aggregate = *type.aggregate;
  Tuple instance;
  instance.aggregate = &aggregate;
  instance.scope = type.scope;
  for (const StmtPtr &statement : aggregate.body)
    if (auto *field = as<AnnAssignStmt>(statement))
      if (auto *name = as<NameExpr>(field->target)) {
        instance.names.push_back(name->id);
        instance.isConstant.push_back(isConstexprObject(type.scope->names, field->annotation.get(), ModuleNames::kEnd));
      }
  Loc loc = args.loc;
  const FunctionStmt *constructor = methodOf(aggregate, kConstructor);
  if (!constructor) {
    std::string signature;
    for (const std::string &name : instance.names)
      signature += (signature.empty() ? "" : ", ") + name;
    instance.elements = bindArguments(*this, aggregate.name, signature, std::move(args)).values;
    for (size_t i = 0; i < instance.elements.size(); ++i)
      if (instance.isConstant[i])
        instance.elements[i] = constantField(*this, loc, std::move(instance.elements[i]), fieldOf(instance, i));
    return checkedSize(loc, std::move(instance));
  }
  if (constructor->params.empty() || constructor->params[0].isVariadic)
    fail(loc, "the constructor of " + aggregate.name + " has no parameter for the instance; begin with self");
  for (const std::string &name : instance.names)
    instance.elements.emplace_back(
        Unusable{"the constructor of " + aggregate.name + " has not assigned its field '" + name + "'", loc});
  Value made = callFunction({constructor, type.scope, std::make_shared<Value>(std::move(instance))}, std::move(args));
  auto *fields = made.as<Tuple>();
  for (const Value &field : fields->elements)
    if (auto *unusable = field.as<Unusable>())
      fail(loc, unusable->why);
  return checkedSize(loc, *fields);
}

void Emitter::assignField(const AttributeExpr &target, Value value) {
  auto *base = as<NameExpr>(target.base);
  if (!base || !isConstructed(base->id))
    fail(target.loc, "a kernel can assign to names only; to write memory use tl.store");
  auto *instance = frame->names.at(base->id).as<Tuple>();
  const std::string &owner = instance->aggregate->name;
  auto found = std::find(instance->names.begin(), instance->names.end(), target.name);
  if (found == instance->names.end())
    fail(target.nameLoc, owner + " declares no field '" + target.name + "'; add '" + target.name +
                             ": tl.tensor' or ': tl.constexpr' to the class");
  auto at = static_cast<size_t>(found - instance->names.begin());
  if (instance->isConstant[at])
    value = constantField(*this, target.loc, std::move(value), fieldOf(*instance, at));
  instance->elements[at] = std::move(value);
}

bool Emitter::isConstructed(const std::string &name) const {
  return frame->isConstructor && name == frame->function->params[0].name;
}

} // namespace tegula::lang
