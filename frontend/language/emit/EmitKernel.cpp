// The kernel's function in the IR; locations for messages and for the IR.
#include "core/contracts/KernelOptions.h"
#include "core/ir/Register.h"
#include "core/ir/tile/Tile.h"
#include "frontend/language/emit/Emitter.h"
#include "frontend/language/syntax/Parser.h"

#include "mlir/IR/Verifier.h"

namespace tegula::lang {

using namespace mlir;

Emitter::Emitter(MLIRContext &context, const ModuleScope &scope, const CompileRequest &request)
    : builder(&context), request(request), userScope(scope) {}

namespace {

Diagnostic diagnosticAt(const ModuleScope &scope, Loc loc, const std::string &message, Diagnostic::Severity severity) {
  Diagnostic d;
  d.severity = severity;
  const SourceFile &source = *scope.module->source;
  d.location = {source.path, loc.line, loc.column};
  d.message = message;
  d.sourceLine = std::string(source.line(loc.line));
  return d;
}

} // namespace

void Emitter::fail(Loc loc, const std::string &message) const {
  Diagnostic d;
  d.message = message;
  fail(loc, d);
}

void Emitter::fail(Loc loc, const Diagnostic &message) const {
  const Frame *f = frame;
  while (f && f->scope && f->scope->isPrelude && f->caller) {
    loc = f->callLoc;
    f = f->caller;
  }
  Diagnostic d = diagnosticAt(f && f->scope ? *f->scope : userScope, loc, message.message, Diagnostic::Severity::Error);
  d.notes = message.notes;
  // At most four notes on calls: in a deep recursion the innermost calls are enough.
  for (; f && f->caller && d.notes.size() < message.notes.size() + 4; f = f->caller) {
    if (f->caller->scope && f->caller->scope->isPrelude)
      continue;
    std::string callee = f->function ? "in " + f->function->name + ", called from here" : "used here";
    d.notes.push_back(diagnosticAt(*f->caller->scope, f->callLoc, callee, Diagnostic::Severity::Note));
  }
  throw Error(d);
}

void Emitter::warn(Loc loc, const std::string &message) {
  warnings.push_back(diagnosticAt(*frame->scope, loc, message, Diagnostic::Severity::Warning));
}

Location Emitter::at(Loc loc) const {
  auto place = [&](const Frame &f, Loc l) -> Location {
    const std::string &path = f.scope->module->source->path;
    Location result = FileLineColLoc::get(builder.getContext(),
                                          request.portable ? portablePath(path, request.path) : path, l.line, l.column);
    bool isCalled = f.caller && f.function;
    return isCalled ? NameLoc::get(StringAttr::get(builder.getContext(), f.function->name), result) : result;
  };
  const Frame *f = frame;
  while (f->scope->isPrelude && f->caller) {
    loc = f->callLoc;
    f = f->caller;
  }
  Location result = place(*f, loc);
  SmallVector<Location> callers;
  for (; f->caller; f = f->caller)
    if (!f->caller->scope->isPrelude)
      callers.push_back(place(*f->caller, f->callLoc));
  if (callers.empty())
    return result;
  Location caller = callers.back();
  for (size_t i = callers.size() - 1; i-- > 0;)
    caller = CallSiteLoc::get(callers[i], caller);
  return CallSiteLoc::get(result, caller);
}

Value constantValue(const ConstantValue &value) {
  struct Visitor {
    Value operator()(std::monostate) const { return Const(None{}); }
    Value operator()(bool b) const { return Const(b); }
    Value operator()(int64_t i) const { return Const(Int(i)); }
    Value operator()(double d) const { return Const(d); }
    Value operator()(const std::string &s) const { return Const(s); }
    Value operator()(ScalarType t) const { return Const(TypeValue{t}); }
  };
  return std::visit(Visitor{}, value);
}

OwningOpRef<ModuleOp> Emitter::emit() {
  Frame top;
  top.scope = &userScope;
  frame = &top;
  if (auto *binding = userScope.names.find(request.kernel); binding && !binding->isCertain())
    throw Error(userScope.names.ambiguity(request.kernel, *binding, binding->candidates[0].loc()));
  const FunctionStmt *function = userScope.names.function(request.kernel);
  if (!function)
    throw Error(userScope.module->source->path + ": there is no @triton.jit function '" + request.kernel + "'");
  top.function = function;
  options = optionsOf(request.constants, [&](std::string_view name) {
    return llvm::any_of(function->params, [&](const Param &param) { return param.name == name; });
  });

  module_ = ModuleOp::create(at(function->loc));
  (*module_)->setAttr("tile.num_warps", builder.getI32IntegerAttr(request.numWarps));
  (*module_)->setAttr("tile.num_stages", builder.getI32IntegerAttr(request.numStages));

  // Constexpr parameters are bound by name; the others take the signature's types in order.
  SmallVector<mlir::Type> types;
  SmallVector<DictionaryAttr> attributes;
  struct Runtime {
    const Param *param;
    const ParamType *type;
  };
  std::vector<Runtime> runtime;
  size_t next = 0;
  for (const Param &param : function->params) {
    if (auto constant = request.constants.find(param.name); constant != request.constants.end()) {
      std::string given = givenConstant(function->name, param.name);
      top.names[param.name] =
          userScope.names.find(given) ? moduleValue(userScope, param.loc, given) : constantValue(constant->second);
      top.constants.insert(param.name);
      continue;
    }
    if (next == request.signature.size())
      fail(param.loc, "the signature has " + std::to_string(request.signature.size()) + " types, but '" + param.name +
                          "' and what follows have none; give each parameter that is not a constant a type");
    const ParamType &type = request.signature[next++];
    if (type.kind == ParamType::Kind::Constant) {
      top.names[param.name] = constantValue(type.value);
      continue;
    }
    ElementType element(type.type, type.kind == ParamType::Kind::Pointer             ? 1
                                   : type.kind == ParamType::Kind::PointerToPointers ? 2
                                                                                     : 0);
    bool isDescriptor = type.kind == ParamType::Kind::Descriptor;
    types.push_back(isDescriptor ? mlir::Type(tile::DescType::get(builder.getContext(), type.block, irType(element)))
                                 : irType(element));
    NamedAttrList attrs;
    attrs.append("tile.name", builder.getStringAttr(param.name));
    if (type.divisibility > 1)
      attrs.append("tile.divisibility", builder.getI64IntegerAttr(type.divisibility));
    if (type.isOne)
      attrs.append("tile.equals", builder.getI64IntegerAttr(1));
    attributes.push_back(attrs.getDictionary(builder.getContext()));
    runtime.push_back({&param, &type});
  }
  if (next != request.signature.size())
    fail(function->nameLoc, "the signature has " + std::to_string(request.signature.size()) + " types, but " +
                                function->name + " has " + std::to_string(next) + " parameters that are not constants");

  builder.setInsertionPointToEnd(module_->getBody());
  auto op = func::FuncOp::create(builder, at(function->loc), function->name, builder.getFunctionType(types, {}));
  op->setAttr("tile.kernel", builder.getUnitAttr());
  if (options.depthSplits > 1)
    op->setAttr(tile::kDepthSplitsAttr, builder.getI32IntegerAttr(int32_t(options.depthSplits)));
  for (size_t i = 0; i < attributes.size(); ++i)
    op.setArgAttrs(i, attributes[i]);
  mlir::Block *entry = op.addEntryBlock();
  builder.setInsertionPointToEnd(entry);
  for (size_t i = 0; i < runtime.size(); ++i) {
    auto &[param, type] = runtime[i];
    mlir::Value argument = entry->getArgument(i);
    if (type->kind == ParamType::Kind::Descriptor)
      top.names[param->name] = Descriptor{argument, type->type, type->block, {}, {}};
    else
      top.names[param->name] = wrap(argument,
                                    ElementType(type->type, type->kind == ParamType::Kind::Scalar              ? 0
                                                            : type->kind == ParamType::Kind::PointerToPointers ? 2
                                                                                                               : 1),
                                    {});
  }
  emitBody(function->body);
  func::ReturnOp::create(builder, at(function->loc));
  if (failed(verify(*module_)))
    throw InternalError("the front end made invalid IR for " + function->name);
  frame = nullptr;
  return std::move(module_);
}

} // namespace tegula::lang
