// Names that come from other files.
#include "frontend/language/emit/Emitter.h"
#include "frontend/language/emit/HostNames.h"
#include "frontend/language/host/HostConstants.h"
#include "frontend/language/host/HostEvaluator.h"

namespace tegula::lang {
namespace {

/// A constant, or a tuple of constants. Empty for other values, and for tuples with more than `left` elements at all
/// depths, from which those that were converted are subtracted, or with more than `depth` levels.
std::optional<Value> valueOf(const HostObject &object, size_t &left, unsigned depth) {
  if (left == 0 || depth == 0)
    return std::nullopt;
  --left;
  if (auto *list = object.list()) {
    Tuple tuple;
    for (const HostObject &item : list->items) {
      std::optional<Value> element = valueOf(item, left, depth - 1);
      if (!element)
        return std::nullopt;
      tuple.elements.push_back(std::move(*element));
    }
    return tuple;
  }
  std::optional<ConstantValue> constant = object.constant();
  return constant ? std::optional(constantValue(*constant)) : std::nullopt;
}

std::optional<Value> valueOf(const HostObject &object) {
  size_t left = kMaxTupleElements;
  return valueOf(object, left, kMaxTupleDepth);
}

/// The host object of a constant or of a tuple of constants; nothing for other values.
std::optional<HostObject> hostObject(const Value &value) {
  if (auto *tuple = value.as<Tuple>(); tuple && !tuple->aggregate) {
    auto list = std::make_shared<HostList>();
    list->isTuple = true;
    for (const Value &element : tuple->elements) {
      std::optional<HostObject> item = hostObject(element);
      if (!item)
        return std::nullopt;
      list->items.push_back(std::move(*item));
    }
    return HostObject(std::move(list));
  }
  auto *tensor = value.as<Tensor>();
  const Const *constant = tensor && tensor->known ? &*tensor->known : value.as<Const>();
  if (!constant)
    return std::nullopt;
  if (constant->isNone())
    return HostObject();
  if (auto *flag = std::get_if<bool>(&constant->value))
    return HostObject(*flag);
  if (auto *integer = std::get_if<Int>(&constant->value); integer && *integer >= INT64_MIN && *integer <= INT64_MAX)
    return HostObject(static_cast<int64_t>(*integer));
  if (auto *real = std::get_if<double>(&constant->value))
    return HostObject(*real);
  if (auto *text = std::get_if<std::string>(&constant->value))
    return HostObject(*text);
  if (auto *type = std::get_if<TypeValue>(&constant->value);
      type && !type->type.isPointer() && !type->isVoid && !type->isConstexprMarker && type->block.empty())
    return HostObject(type->type.scalar);
  return std::nullopt;
}

} // namespace

std::optional<Value> Emitter::hostResult(const FunctionValue &callee, const CallArgs &args,
                                         std::exception_ptr &failure) {
  std::vector<HostObject> positional;
  std::vector<std::pair<std::string, HostObject>> keywords;
  for (const Value &value : args.positional) {
    std::optional<HostObject> object = hostObject(value);
    if (!object)
      return std::nullopt;
    positional.push_back(std::move(*object));
  }
  for (const auto &[name, value] : args.keywords) {
    std::optional<HostObject> object = hostObject(value);
    if (!object)
      return std::nullopt;
    keywords.emplace_back(name, std::move(*object));
  }
  const ModuleNames &names = callee.scope->names;
  try {
    return valueOf(HostEvaluator(names).call(HostFunction{callee.function, &names}, std::move(positional),
                                             std::move(keywords), args.loc));
  } catch (const Error &) {
    failure = std::current_exception();
    return std::nullopt;
  }
}

std::optional<Value> Emitter::hostValue(const ModuleScope &scope, Loc loc, const std::string &name,
                                        const ModuleNames::Definition &definition) {
  try {
    return valueOf(HostEvaluator(scope.names, definition.time).defined(name, definition, loc));
  } catch (const Error &) {
    return std::nullopt;
  }
}

Value Emitter::changedValue(const ModuleScope &scope, Loc loc, const std::string &name,
                            const ModuleNames::Definition &definition) {
  if (auto value = valueOf(HostEvaluator(scope.names, definition.time).defined(name, definition, loc)))
    return *value;
  fail(loc, "'" + name + "' of the module is not a constant");
}

Value Emitter::importedValue(const ModuleScope &scope, Loc loc, const std::string &name, const ImportStmt::Item &item) {
  Modules *modules = scope.names.modules();
  if (modules) {
    Imported imported = modules->resolve(scope, item);
    if (imported.kind != Imported::Kind::Unread)
      return importedValue(loc, name, imported);
    if (!item.name.empty() && isHostPackage(item.module))
      fail(loc, hostNameMessage("'" + name + "' of " + item.module, item.name));
    std::string folders;
    for (const std::string &folder : modules->searched(scope, item.module))
      folders += (folders.empty() ? "" : ", ") + ("'" + folder + "'");
    fail(loc, "'" + name + "' is imported from '" + item.module + "', which is not found" +
                  (folders.empty() ? "" : " in " + folders) +
                  "; give the folder that holds it by --module-path or TEGULA_MODULE_PATH");
  }
  std::string path = item.name.empty() ? importedPath(item) : item.module;
  if (!item.name.empty() && isHostPackage(path))
    fail(loc, hostNameMessage("'" + name + "' of " + path, item.name));
  if (!isLanguagePath(path))
    fail(loc, "'" + name + "' is imported from '" + item.module +
                  "', which is not read; a kernel can use triton, math, and what its own file defines");
  return item.name.empty() ? Value(Namespace{path}) : attribute(loc, Namespace{path}, item.name);
}

bool Emitter::isHostPackageHere(const std::string &name) {
  if (frame->names.contains(name))
    return false;
  const ModuleNames::Binding *binding = frame->scope->names.find(name, frame->moduleTime);
  return binding && binding->isCertain() && binding->candidates[0].import &&
         isHostPackage(binding->candidates[0].import->module);
}

Value Emitter::hostAttribute(const AttributeExpr &expr, const NameExpr &package) {
  try {
    return attribute(expr.nameLoc, emit(package), expr.name);
  } catch (const Error &) {
    fail(package.loc, hostNameMessage(package.id + "." + expr.name, expr.name));
  }
}

Value Emitter::importedValue(Loc loc, const std::string &name, const Imported &imported) {
  switch (imported.kind) {
  case Imported::Kind::Language:
    if (imported.name.empty())
      return Namespace{imported.path};
    return attribute(loc, Namespace{imported.path}, imported.name);
  case Imported::Kind::Module: return ModuleValue{imported.scope};
  case Imported::Kind::Member:
    if (!imported.binding->isCertain())
      fail(loc, imported.scope->names.ambiguity(imported.name, *imported.binding, loc));
    return definedValue(*imported.scope, loc, imported.name, imported.binding->candidates[0]);
  case Imported::Kind::Missing:
    fail(loc, "'" + imported.path + "' has no '" + imported.name + "'" +
                  suggestion(imported.name, imported.scope->names.names()));
  case Imported::Kind::Circle:
    fail(loc, "the imports of '" + imported.name + "' go in a circle through '" + imported.path +
                  "'; define it in one of the files");
  case Imported::Kind::Unread: break;
  }
  fail(loc, "'" + name + "' is imported from '" + imported.path +
                "', which is not found; give the folder that holds it by --module-path or TEGULA_MODULE_PATH");
}

} // namespace tegula::lang
