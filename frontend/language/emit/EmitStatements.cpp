// Statements and assignment.
#include "frontend/language/emit/Emitter.h"
#include "frontend/language/names/Annotations.h"

namespace tegula::lang {

void Emitter::emitBlock(const Block &block) {
  for (auto &statement : block)
    emitStatement(*statement);
}

void Emitter::emitStatement(const Stmt &statement) {
  switch (statement.kind) {
  case StmtKind::Expression: emit(*static_cast<const ExpressionStmt &>(statement).value); return;
  case StmtKind::Assign: {
    auto &assignment = static_cast<const AssignStmt &>(statement);
    Value value = emit(*assignment.value);
    for (auto &target : assignment.targets)
      assign(*target, value);
    return;
  }
  case StmtKind::AugAssign: {
    auto &assignment = static_cast<const AugAssignStmt &>(statement);
    Value old = emit(*assignment.target);
    Value value = emit(*assignment.value);
    assign(*assignment.target, checkedBinary(assignment.opLoc, assignment.op, old, value));
    return;
  }
  case StmtKind::AnnAssign: {
    auto &assignment = static_cast<const AnnAssignStmt &>(statement);
    auto *name = as<NameExpr>(assignment.target);
    if (assignment.value && frame->isConstructor && as<AttributeExpr>(assignment.target))
      return assign(*assignment.target, emit(*assignment.value));
    if (!name)
      fail(statement.loc, "only a plain name can be annotated");
    if (!assignment.value)
      return;
    Value value = emit(*assignment.value);
    if (!isConstexprObject(frame->scope->names, assignment.annotation.get(),
                           frame->moduleTime)) // other annotations add no information
      return assign(*assignment.target, value);
    if (auto *before = frame->namesBeforeLoop)
      if (auto found = before->find(name->id); found != before->end() && !found->second.as<Unusable>())
        fail(statement.loc, "'" + name->id +
                                "' has a value from before the loop; a loop does not carry a name "
                                "annotated as tl.constexpr, choose another name");
    // As in Triton, a run-time value may be assigned, too.
    if (auto *tensor = value.as<Tensor>(); tensor && !tensor->known)
      return assign(*assignment.target, value);
    if (value.as<Tensor>())
      value = constant(assignment.value->loc, value, "the value of '" + name->id + ": tl.constexpr'");
    return bindName(statement.loc, name->id, std::move(value));
  }
  case StmtKind::For: return emitFor(static_cast<const ForStmt &>(statement));
  case StmtKind::While: return emitWhile(static_cast<const WhileStmt &>(statement));
  case StmtKind::If: return emitIf(static_cast<const IfStmt &>(statement));
  case StmtKind::Assert: {
    auto &assertion = static_cast<const AssertStmt &>(statement);
    CallArgs args;
    args.loc = statement.loc;
    args.positional = {emit(*assertion.condition),
                       assertion.message ? emit(*assertion.message) : Value(Const(std::string()))};
    args.positionalLocs = {assertion.condition->loc, assertion.message ? assertion.message->loc : statement.loc};
    bool isStatic = args.positional[0].as<Const>() != nullptr;
    call(BuiltinValue{findBuiltin(isStatic ? "static_assert" : "device_assert"), nullptr}, std::move(args));
    return;
  }
  case StmtKind::Pass: return;
  case StmtKind::Return:
    fail(statement.loc, "a return inside a run-time loop is not part of the kernel language; put a condition on the "
                        "loop's body instead");
  case StmtKind::Break:
    fail(statement.loc, "'break' is not part of the kernel language; make it the condition of a while loop");
  case StmtKind::Continue:
    fail(statement.loc, "'continue' is not part of the kernel language; put the rest of the body under an if");
  case StmtKind::Function:
    fail(statement.loc, "a function cannot be defined inside a kernel; define it in the module with @triton.jit");
  case StmtKind::Class: fail(statement.loc, "a class cannot be defined inside a kernel");
  case StmtKind::Import: fail(statement.loc, "an import belongs at the top of the file, not in a kernel");
  case StmtKind::Try: fail(statement.loc, "a kernel has no exceptions: test with if, or check with tl.device_assert");
  case StmtKind::With: fail(statement.loc, "a kernel has nothing to close: keep the block's body only");
  case StmtKind::HostBlock: throw InternalError("a statement of the module level stands in a kernel");
  case StmtKind::Opaque: fail(statement.loc, static_cast<const OpaqueStmt &>(statement).message);
  }
}

void Emitter::assign(const Expr &target, Value value) {
  if (auto *name = as<NameExpr>(&target))
    return assignName(target.loc, name->id, std::move(value));
  if (auto *field = as<AttributeExpr>(&target))
    return assignField(*field, std::move(value));
  const std::vector<ExprPtr> *targets = nullptr;
  if (auto *tuple = as<TupleExpr>(&target))
    targets = &tuple->elements;
  else if (auto *list = as<ListExpr>(&target))
    targets = &list->elements;
  if (!targets)
    fail(target.loc, "a kernel can assign to names only; to write memory use tl.store");
  auto *tuple = value.as<Tuple>();
  if (!tuple)
    fail(target.loc, "cannot unpack " + value.describe() + " into " + std::to_string(targets->size()) + " names");
  if (tuple->elements.size() != targets->size())
    fail(target.loc, "cannot unpack " + value.describe() + " into " + std::to_string(targets->size()) + " names");
  for (size_t i = 0; i < targets->size(); ++i)
    assign(*(*targets)[i], tuple->elements[i]);
}

Value Emitter::withTypes(Loc loc, Value value) {
  if (auto *c = value.as<Const>(); c && c->isNumber())
    return tensor(loc, value);
  auto *tuple = value.as<Tuple>();
  if (!tuple)
    return value;
  for (size_t at = 0; at < tuple->elements.size(); ++at)
    if (!tuple->isConstantField(at))
      tuple->elements[at] = withTypes(loc, std::move(tuple->elements[at]));
  return value;
}

void Emitter::assignName(Loc loc, const std::string &name, Value value) {
  // A constexpr parameter becomes an ordinary variable when it is assigned, but not inside a run-time loop: the loop
  // would have to carry a value that is a constant in the first iteration only.
  if (frame->loopDepth && frame->constants.contains(name))
    fail(loc, "'" + name + "' is a tl.constexpr parameter and cannot be assigned in a loop; choose another name");
  frame->constants.erase(name);
  // As in Triton, an assigned number becomes a scalar tensor; its constant stays known.
  if (!frame->isConstexprCode)
    value = withTypes(loc, std::move(value));
  bindName(loc, name, std::move(value));
}

void Emitter::bindName(Loc loc, const std::string &name, Value value) {
  if (isConstructed(name))
    fail(loc, "a constructor cannot give '" + name + "' another value; assign to its fields");
  frame->names[name] = std::move(value);
}

} // namespace tegula::lang
