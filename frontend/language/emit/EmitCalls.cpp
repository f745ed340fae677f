// Calls: builtins by their signatures, jit functions inlined.
#include "core/ir/tile/Tile.h"
#include "frontend/language/emit/Emitter.h"
#include "frontend/language/names/Annotations.h"
#include "frontend/language/syntax/ParserImpl.h"

#include "llvm/ADT/ScopeExit.h"

namespace tegula::lang {

using namespace mlir;

namespace {

constexpr unsigned kMaxCallDepth = 64;

std::vector<std::string_view> parameterNames(const FunctionStmt &function) {
  std::vector<std::string_view> names;
  for (const Param &param : function.params)
    names.push_back(param.name);
  return names;
}

/// Assigns positional and keyword arguments to parameters; missing ones stay empty.
std::vector<std::optional<std::pair<Value, Loc>>> place(Emitter &e, const FunctionStmt &function, CallArgs &args) {
  const std::string &name = function.name;
  std::vector<std::optional<std::pair<Value, Loc>>> slots(function.params.size());
  size_t next = 0;
  for (size_t i = 0; i < args.positional.size(); ++i) {
    if (next < slots.size() && function.params[next].isVariadic) {
      if (!slots[next])
        slots[next].emplace(Tuple{}, args.positionalLocs[i]);
      slots[next]->first.as<Tuple>()->elements.push_back(args.positional[i]);
      continue;
    }
    if (next >= slots.size() || function.params[next].isKeywordOnly)
      e.fail(args.positionalLocs[i], name + " takes " + std::to_string(next) + " positional arguments, found " +
                                         std::to_string(args.positional.size()));
    slots[next].emplace(args.positional[i], args.positionalLocs[i]);
    ++next;
  }
  for (size_t i = 0; i < args.keywords.size(); ++i) {
    auto &[keyword, value] = args.keywords[i];
    size_t index = 0;
    while (index < slots.size() && function.params[index].name != keyword)
      ++index;
    if (index == slots.size())
      e.fail(args.keywordLocs[i],
             name + " has no parameter '" + keyword + "'" + suggestion(keyword, parameterNames(function)));
    if (slots[index])
      e.fail(args.keywordLocs[i], name + " got two values for its parameter '" + keyword + "'");
    slots[index].emplace(value, args.keywordLocs[i]);
  }
  return slots;
}

bool isBuiltin(const Value &callee, std::string_view name) {
  auto *builtin = callee.as<BuiltinValue>();
  return builtin && builtin->builtin->name == name;
}

/// Whether a decorator makes it a constexpr function: callHostCode runs it on the host, or emits it.
bool isConstexprFunction(const FunctionStmt &function) {
  return hasDecorator(function.decorators, {"constexpr_function", "constexpr"});
}

/// Parameters through which Triton's compiler hands itself to functions marked by `tl.core.extern`, and they to the
/// functions that they call. There is nothing to hand on here.
bool isCompilerParameter(std::string_view name) {
  return name == "_semantic" || name == "_builder" || name == "_generator";
}

} // namespace

/// An argument, which may be a dictionary.
Value Emitter::emitArgument(const Expr &expr) {
  auto *dictionary = as<DictExpr>(&expr);
  if (!dictionary)
    return emit(expr);
  Dictionary result;
  for (auto &[key, value] : dictionary->items) {
    if (!key)
      fail(value->loc, "\"**\" in a dictionary is not part of the kernel language; write its items");
    result.keys.push_back(emit(*key));
    result.values.push_back(emit(*value));
  }
  return result;
}

Value Emitter::emitCall(const CallExpr &call) {
  Value callee = emit(*call.callee);
  // The name and path of a library are host code, such as `libdevice_path()`, and have no meaning here.
  bool isExtern = isBuiltin(callee, "extern_elementwise");
  CallArgs args;
  args.loc = call.loc;
  if (auto *attribute = as<AttributeExpr>(call.callee))
    args.loc = attribute->base->loc;
  for (auto &arg : call.args) {
    auto *starred = as<StarredExpr>(arg);
    if (!starred) {
      bool isLibrary = isExtern && args.positional.size() < 2;
      args.positional.push_back(isLibrary ? Value(Const(None{})) : emitArgument(*arg));
      args.positionalLocs.push_back(arg->loc);
      continue;
    }
    Value inner = emit(*starred->value);
    auto *tuple = inner.as<Tuple>();
    if (!tuple)
      fail(starred->loc, "only a tuple can follow '*', found " + inner.describe());
    for (Value &element : tuple->elements) {
      args.positional.push_back(element);
      args.positionalLocs.push_back(starred->loc);
    }
  }
  for (const Keyword &keyword : call.keywords) {
    if (keyword.name.empty())
      fail(keyword.loc, "'**' arguments are not part of the kernel language; name each one");
    bool isLibrary = isExtern && (keyword.name == "lib_name" || keyword.name == "lib_path");
    Value value = isLibrary ? Value(Const(None{})) : emitArgument(*keyword.value);
    if (callee.as<BuiltinValue>() && isCompilerParameter(keyword.name))
      continue;
    args.keywords.emplace_back(keyword.name, std::move(value));
    args.keywordLocs.push_back(keyword.loc);
  }
  return this->call(callee, std::move(args));
}

Value Emitter::call(const Value &callee, CallArgs args) {
  if (auto *builtin = callee.as<BuiltinValue>()) {
    if (builtin->self) {
      args.positional.insert(args.positional.begin(), *builtin->self);
      args.positionalLocs.insert(args.positionalLocs.begin(), args.loc);
    }
    const Builtin &b = *builtin->builtin;
    return b.emit(*this, bindArguments(*this, b.name, b.signature, std::move(args)));
  }
  if (auto *function = callee.as<FunctionValue>()) {
    if (isConstexprFunction(*function->function))
      return callHostCode(*function, std::move(args));
    Loc loc = args.loc;
    Value result = callFunction(*function, std::move(args));
    // A number that a @triton.jit function returns becomes a typed scalar, as in Triton. Functions of the prelude
    // implement builtins, which choose the types of their results themselves.
    bool isOfKernel = hasDecorator(function->function->decorators, {"jit"}) && function->scope != &preludeScope();
    return isOfKernel ? withTypes(loc, std::move(result)) : result;
  }
  if (auto *type = callee.as<ClassValue>())
    return construct(*type, std::move(args));
  if (auto *c = callee.as<Const>()) {
    // A query of a type (`x.dtype.is_fp16()`) is a constant that is called without arguments; tl.constexpr(v) is v.
    if (std::holds_alternative<bool>(c->value) && args.positional.empty() && args.keywords.empty())
      return callee;
    if (auto *type = std::get_if<TypeValue>(&c->value); type && args.positional.size() == 1) {
      if (type->isConstexprMarker)
        return args.positional[0].as<Tuple>()
                   ? args.positional[0]
                   : Value(constant(args.loc, args.positional[0], "the argument of constexpr"));
      return cast(args.loc, tensor(args.loc, args.positional[0]), type->type);
    }
  }
  fail(args.loc, callee.describe() + " cannot be called");
}

Value Emitter::callHostCode(const FunctionValue &callee, CallArgs args) {
  std::exception_ptr failure;
  if (!callee.self)
    if (std::optional<Value> result = hostResult(callee, args, failure))
      return *result;
  try {
    return callFunction(callee, std::move(args));
  } catch (const Error &) {
    if (failure) // the host evaluator's message names the expression that Python runs
      std::rethrow_exception(failure);
    throw;
  }
}

Value Emitter::callFunction(const FunctionValue &callee, CallArgs args) {
  const FunctionStmt &function = *callee.function;
  if (callDepth_ >= kMaxCallDepth)
    fail(args.loc, "calls are nested " + std::to_string(kMaxCallDepth) + " deep at " + function.name +
                       "; a kernel cannot call itself");
  if (callee.self) {
    args.positional.insert(args.positional.begin(), *callee.self);
    args.positionalLocs.insert(args.positionalLocs.begin(), args.loc);
  }
  auto slots = place(*this, function, args);
  Frame inner;
  inner.function = &function;
  inner.scope = callee.scope;
  inner.caller = frame;
  inner.callLoc = args.loc;
  inner.isConstructor = function.name == kConstructor && callee.self;
  inner.isConstexprCode = inner.isConstructor || isConstexprFunction(function);
  const ModuleNames &names = callee.scope->names;
  unsigned defined = names.timeOf(function);
  for (size_t i = 0; i < slots.size(); ++i) {
    const Param &param = function.params[i];
    if (!slots[i] && param.isVariadic) {
      slots[i].emplace(Tuple{}, args.loc);
    } else if (!slots[i]) {
      bool isFilledIn = !param.defaultValue && isCompilerParameter(param.name);
      if (!param.defaultValue && !isFilledIn)
        fail(args.loc, function.name + " needs a value for its parameter '" + param.name + "'");
      Frame defaults;
      defaults.scope = callee.scope;
      defaults.moduleTime = defined;
      defaults.caller = frame;
      defaults.callLoc = args.loc;
      auto restore = llvm::make_scope_exit([this, saved = std::exchange(frame, &defaults)] { frame = saved; });
      slots[i].emplace(isFilledIn ? Value(Const(None{})) : emit(*param.defaultValue), args.loc);
    }
    Value &value = slots[i]->first;
    bool isConstant = readAnnotation(names, param.annotation.get(), defined).isConstexpr;
    if (isConstant) {
      // As in Triton, a run-time value may be passed; only where a constant is needed, it is an error. A variable that
      // was assigned a constant is both, and keeps its type.
      if (!value.as<Tensor>())
        inner.constants.insert(param.name);
    }
    inner.names[param.name] = value;
  }
  ++callDepth_;
  // Also where the body fails: the call may have been tried only to learn whether it is a constant.
  auto leave = llvm::make_scope_exit([this, saved = std::exchange(frame, &inner)] {
    frame = saved;
    --callDepth_;
  });
  Value result = emitBody(function.body);
  return inner.isConstructor ? inner.names.at(function.params[0].name) : result;
}

Value Emitter::callOnScalars(Loc loc, const Value &callee, std::vector<Value> scalars) {
  CallArgs args;
  args.loc = loc;
  args.positionalLocs.assign(scalars.size(), loc);
  args.positional = std::move(scalars);
  return call(callee, std::move(args));
}

Value Emitter::prelude(Loc loc, const std::string &name, std::vector<Value> args) {
  const FunctionStmt *function = preludeScope().names.function(name);
  if (!function)
    throw InternalError("the prelude has no function " + name);
  return callOnScalars(loc, FunctionValue{function, &preludeScope(), nullptr}, std::move(args));
}

} // namespace tegula::lang
