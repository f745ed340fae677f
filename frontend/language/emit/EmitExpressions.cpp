// Expressions: names, operators, comparisons, attributes, subscripts.
#include "core/ir/tile/Tile.h"
#include "frontend/language/emit/Emitter.h"
#include "frontend/language/emit/HostNames.h"
#include "frontend/language/host/HostConstants.h"

#include "llvm/ADT/ScopeExit.h"

#include <algorithm>

namespace tegula::lang {

using namespace mlir;

namespace {

Value literal(const Literal &literal) {
  struct Visitor {
    Value operator()(NoneLiteral) const { return Const(None{}); }
    Value operator()(EllipsisLiteral) const { return Const(EllipsisValue{}); }
    Value operator()(bool b) const { return Const(b); }
    Value operator()(Int i) const { return Const(i); }
    Value operator()(double d) const { return Const(d); }
    Value operator()(const std::string &s) const { return Const(s); }
  };
  return std::visit(Visitor{}, literal);
}

const char *spelling(CompareOp op) {
  constexpr const char *names[] = {"==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in"};
  return names[static_cast<int>(op)];
}

bool equalConstants(const Const &a, const Const &b) {
  if (a.isNumber() && b.isNumber()) {
    auto *x = std::get_if<Int>(&a.value), *y = std::get_if<Int>(&b.value);
    if (x && y)
      return *x == *y;
    auto number = [](const Const &c) {
      if (auto *i = std::get_if<Int>(&c.value))
        return static_cast<double>(*i);
      if (auto *v = std::get_if<bool>(&c.value))
        return static_cast<double>(*v);
      return std::get<double>(c.value);
    };
    return number(a) == number(b);
  }
  if (a.value.index() != b.value.index())
    return false;
  if (auto *s = std::get_if<std::string>(&a.value))
    return *s == std::get<std::string>(b.value);
  if (auto *type = std::get_if<TypeValue>(&a.value))
    return *type == std::get<TypeValue>(b.value);
  return true; // None, Ellipsis
}

/// Equality at compile time; nothing where an operand is a tensor.
std::optional<bool> equalValues(const Value &a, const Value &b) {
  if (auto *x = a.as<Const>()) {
    if (auto *y = b.as<Const>())
      return equalConstants(*x, *y);
    return b.as<Tensor>() && x->isNumber() ? std::nullopt : std::optional<bool>(false);
  }
  if (b.as<Const>())
    return equalValues(b, a);
  auto *x = a.as<Tuple>(), *y = b.as<Tuple>();
  if (x && y) {
    if (x->elements.size() != y->elements.size())
      return false;
    for (size_t i = 0; i < x->elements.size(); ++i) {
      auto equal = equalValues(x->elements[i], y->elements[i]);
      if (!equal || !*equal)
        return equal;
    }
    return true;
  }
  if (a.as<Tensor>() || b.as<Tensor>())
    return std::nullopt;
  return false;
}

} // namespace

Value Emitter::emit(const Expr &expr) {
  switch (expr.kind) {
  case ExprKind::Name: return lookup(expr.loc, static_cast<const NameExpr &>(expr).id);
  case ExprKind::Constant: return literal(static_cast<const ConstantExpr &>(expr).value);
  case ExprKind::Call: return emitCall(static_cast<const CallExpr &>(expr));
  case ExprKind::Tuple:
  case ExprKind::List: {
    auto &elements = expr.kind == ExprKind::Tuple ? static_cast<const TupleExpr &>(expr).elements
                                                  : static_cast<const ListExpr &>(expr).elements;
    Tuple tuple;
    for (auto &element : elements) {
      if (auto *starred = as<StarredExpr>(element)) {
        Value inner = emit(*starred->value);
        for (Value &v : this->elements(inner))
          tuple.elements.push_back(std::move(v));
      } else {
        tuple.elements.push_back(emit(*element));
      }
    }
    return checkedSize(expr.loc, std::move(tuple));
  }
  case ExprKind::Unary: {
    auto &e = static_cast<const UnaryExpr &>(expr);
    return unary(e.loc, e.op, emit(*e.operand));
  }
  case ExprKind::Binary: {
    auto &e = static_cast<const BinaryExpr &>(expr);
    Value lhs = emit(*e.lhs);
    Value rhs = emit(*e.rhs);
    return checkedBinary(e.opLoc, e.op, lhs, rhs);
  }
  case ExprKind::BoolOp: {
    auto &e = static_cast<const BoolExpr &>(expr);
    // As in Triton: an operand that is known at compile time is the result if it decides, wherever it stands, and is
    // left out if it does not.
    Value last;
    std::optional<Value> result;
    for (auto &operand : e.operands) {
      last = emit(*operand);
      if (auto truth = staticTruth(e.loc, last)) {
        if (*truth != e.isAnd)
          return last;
      } else if (!result) {
        result = last;
      } else {
        Tensor a = toBool(e.loc, tensor(e.loc, *result)), b = toBool(e.loc, tensor(e.loc, last));
        result = binary(e.loc, e.isAnd ? BinaryOp::And : BinaryOp::Or, a, b);
      }
    }
    return result ? *result : last;
  }
  case ExprKind::Compare: {
    auto &e = static_cast<const CompareExpr &>(expr);
    std::vector<Value> operands;
    for (auto &operand : e.operands)
      operands.push_back(emit(*operand));
    Value result = compare(e.opLocs[0], e.ops[0], operands[0], operands[1]);
    for (size_t i = 1; i < e.ops.size(); ++i) {
      Value next = compare(e.opLocs[i], e.ops[i], operands[i], operands[i + 1]);
      if (auto truth = staticTruth(e.opLocs[i], result)) {
        result = *truth ? next : result;
        continue;
      }
      if (auto truth = staticTruth(e.opLocs[i], next)) {
        result = *truth ? result : next;
        continue;
      }
      result = binary(e.opLocs[i], BinaryOp::And, result, next);
    }
    return result;
  }
  case ExprKind::Attribute: {
    auto &e = static_cast<const AttributeExpr &>(expr);
    auto *name = as<NameExpr>(e.base);
    if (name && isConstructed(name->id))
      return attribute(e.nameLoc, frame->names.at(name->id), e.name);
    if (name && isHostPackageHere(name->id))
      return hostAttribute(e, *name);
    return attribute(e.nameLoc, emit(*e.base), e.name);
  }
  case ExprKind::Subscript: {
    auto &e = static_cast<const SubscriptExpr &>(expr);
    Value base = emit(*e.base);
    return subscript(e.loc, base, emit(*e.index));
  }
  case ExprKind::Slice: {
    auto &e = static_cast<const SliceExpr &>(expr);
    auto part = [&](const ExprPtr &p) { return std::make_shared<Value>(p ? emit(*p) : Value(Const(None{}))); };
    return SliceValue{part(e.lower), part(e.upper), part(e.step)};
  }
  case ExprKind::IfExp: {
    auto &e = static_cast<const IfExpr &>(expr);
    Value condition = emit(*e.condition);
    if (auto truth = staticTruth(e.condition->loc, condition))
      return emit(*truth ? *e.value : *e.other);
    Tensor c = runtimeCondition(e.condition->loc, condition, "'x if c else y'", "use tl.where(c, x, y)");
    return emitRuntimeIf(e.loc, c.value, [&] { return emit(*e.value); }, [&] { return emit(*e.other); });
  }
  case ExprKind::FormatString: {
    std::string text;
    for (auto &piece : static_cast<const FormatStringExpr &>(expr).pieces) {
      text += piece.text;
      if (!piece.value)
        continue;
      Value value = emit(*piece.value);
      bool isKnown = true;
      text += shown(value, isKnown);
      if (!isKnown)
        fail(piece.value->loc, "an f-string holds values that are known when the kernel is compiled, found " +
                                   value.describe() + "; print run-time values with tl.device_print('text', value)");
    }
    return Const(text);
  }
  case ExprKind::Dict: fail(expr.loc, "dictionaries are not part of the kernel language; use a tuple");
  case ExprKind::Lambda: fail(expr.loc, "lambdas are not part of the kernel language; write a @triton.jit function");
  case ExprKind::Comprehension: return emitComprehension(static_cast<const ComprehensionExpr &>(expr));
  case ExprKind::Opaque:
    fail(expr.loc, "this expression belongs to host code; a kernel can use literals and arithmetic on them");
  case ExprKind::Starred: fail(expr.loc, "a starred expression can stand only in a tuple or among a call's arguments");
  }
  throw InternalError("unknown expression");
}

Value Emitter::lookup(Loc loc, const std::string &name) {
  if (isConstructed(name))
    fail(loc, "the instance that a constructor makes is no value before the constructor's end; use its fields");
  if (auto it = frame->names.find(name); it != frame->names.end()) {
    if (auto *u = it->second.as<Unusable>())
      fail(loc, u->why);
    return it->second;
  }
  return moduleValue(*frame->scope, loc, name);
}

Value Emitter::moduleValue(const ModuleScope &scope, Loc loc, const std::string &name) {
  if (auto *binding = scope.names.find(name, frame->moduleTime)) {
    if (!binding->isCertain())
      fail(loc, scope.names.ambiguity(name, *binding, loc));
    return definedValue(scope, loc, name, binding->candidates[0]);
  }
  if (const Builtin *builtin = findPythonBuiltin(name))
    return BuiltinValue{builtin, nullptr};
  if (auto *later = scope.names.find(name)) // a default or another constant names it
    fail(loc, "'" + name + "' is not defined yet where this is evaluated; line " +
                  std::to_string(later->candidates[0].loc().line) + " defines it later: move that up");
  std::vector<std::string_view> names = scope.names.names();
  for (auto &[known, value] : frame->names)
    names.push_back(known);
  std::string hint = suggestion(name, names);
  fail(loc, "'" + name + "' is not defined" + (hint.empty() ? languageSuggestion(name) : hint));
}

namespace {

/// Erases the operations between `last`, which is kept, and the insertion point. If `last` is null, erases those from
/// the beginning of the block.
void eraseBetween(Operation *last, OpBuilder::InsertPoint end) {
  if (!end.isSet())
    return;
  while (end.getPoint() != end.getBlock()->begin() && &*std::prev(end.getPoint()) != last)
    std::prev(end.getPoint())->erase();
}

/// `a, b = 1, 2` binds both names to one statement.
Value partFor(const AssignStmt &assign, const std::string &name, const Value &value) {
  auto *values = value.as<Tuple>();
  for (auto &target : assign.targets)
    if (auto *tuple = as<TupleExpr>(target); tuple && values && values->elements.size() == tuple->elements.size())
      for (size_t i = 0; i < tuple->elements.size(); ++i)
        if (auto *n = as<NameExpr>(tuple->elements[i]); n && n->id == name)
          return values->elements[i];
  return value;
}

} // namespace

Value Emitter::definedValue(const ModuleScope &scope, Loc loc, const std::string &name,
                            const ModuleNames::Definition &definition) {
  const Stmt &statement = *definition.statement;
  if (definition.change && definition.change->effect == ModuleNames::Change::Effect::Binds)
    return changedValue(scope, loc, name, definition);
  if (definition.import)
    return importedValue(scope, loc, name, *definition.import);
  if (auto *function = as<FunctionStmt>(&statement))
    return FunctionValue{function, &scope, nullptr};
  if (auto *aggregate = as<ClassStmt>(&statement))
    return ClassValue{aggregate, &scope};
  auto *assign = as<AssignStmt>(&statement);
  auto *annotated = as<AnnAssignStmt>(&statement);
  if (!assign && !annotated) {
    auto *opaque = as<OpaqueStmt>(&statement);
    if (opaque && opaque->problem)
      throw Error(*opaque->problem);
    fail(loc, "'" + name + "' is host code (a " + (opaque ? opaque->what : "statement") + " at line " +
                  std::to_string(statement.loc.line) +
                  ") and cannot be used in a kernel; pass it as an argument or decorate it with @triton.jit");
  }
  if (!evaluating_.insert(&statement).second || evaluating_.size() > 200)
    fail(loc, "the value of '" + name + "' depends on itself or on too many others");
  Frame moduleFrame;
  moduleFrame.scope = &scope;
  moduleFrame.caller = frame;
  moduleFrame.callLoc = loc;
  moduleFrame.moduleTime = definition.time;
  Frame *saved = std::exchange(frame, &moduleFrame);
  Value result;
  {
    auto leave = llvm::make_scope_exit([&] {
      frame = saved;
      evaluating_.erase(&statement);
    });
    mlir::OpBuilder::InsertPoint start = builder.saveInsertionPoint();
    mlir::Operation *last =
        start.isSet() && start.getPoint() != start.getBlock()->begin() ? &*std::prev(start.getPoint()) : nullptr;
    try {
      result = emit(assign ? *assign->value : *annotated->value);
    } catch (const Error &) {
      builder.restoreInsertionPoint(start);
      eraseBetween(last, start);
      // Host code may call plain functions, which kernels cannot.
      std::optional<Value> computed = hostValue(scope, loc, name, definition);
      if (!computed)
        throw;
      return *computed;
    }
  }
  if (definition.change && result.as<Tuple>()) // a list that a statement behind it may change
    return changedValue(scope, loc, name, definition);
  if (result.as<Tensor>())
    fail(loc, "'" + name + "' of the module is not a constant");
  return assign ? partFor(*assign, name, result) : result;
}

Value Emitter::compare(Loc loc, CompareOp op, const Value &lhs, const Value &rhs) {
  if (op == CompareOp::Is || op == CompareOp::IsNot) {
    auto equal = equalValues(lhs, rhs);
    if (!equal && (lhs.as<Const>() || rhs.as<Const>()))
      fail(loc, "'is' compares what is known when the kernel is compiled; use == for " + lhs.describe());
    auto *a = lhs.as<Const>(), *b = rhs.as<Const>();
    bool isOneType = !a || !b || a->value.index() == b->value.index(); // 1 == True, but it is another object
    return Const((equal && *equal && isOneType) == (op == CompareOp::Is));
  }
  if (op == CompareOp::In || op == CompareOp::NotIn) {
    bool found = false;
    if (auto *c = rhs.as<Const>(); c && std::holds_alternative<std::string>(c->value))
      found =
          std::get<std::string>(c->value).find(constantString(loc, lhs, "the left side of 'in'")) != std::string::npos;
    else if (auto *tuple = rhs.as<Tuple>())
      for (const Value &element : tuple->elements) {
        auto equal = equalValues(lhs, element);
        if (!equal)
          fail(loc, "'in' compares what is known when the kernel is compiled, found " + lhs.describe());
        found |= *equal;
      }
    else
      fail(loc, "'in' needs a tuple or a string on its right, found " + rhs.describe());
    return Const(found == (op == CompareOp::In));
  }
  auto *a = lhs.as<Const>(), *b = rhs.as<Const>();
  bool isEquality = op == CompareOp::Eq || op == CompareOp::Ne;
  if (isEquality)
    if (auto equal = equalValues(lhs, rhs))
      return Const(*equal == (op == CompareOp::Eq));
  if (a && b) {
    auto *s = std::get_if<std::string>(&a->value), *t = std::get_if<std::string>(&b->value);
    int order;
    if (s && t) {
      order = s->compare(*t);
    } else {
      Const difference = foldBinary(loc, BinaryOp::Sub, *a, *b);
      if (auto *i = std::get_if<Int>(&difference.value)) {
        order = *i < 0 ? -1 : *i > 0;
      } else {
        auto number = [](const Const &c) {
          if (auto *i = std::get_if<Int>(&c.value))
            return static_cast<double>(*i);
          if (auto *v = std::get_if<bool>(&c.value))
            return static_cast<double>(*v);
          return std::get<double>(c.value);
        };
        double x = number(*a), y = number(*b);
        order = x < y ? -1 : x > y ? 1 : x == y ? 0 : 2; // 2: an operand is NaN, every ordering is false
        if (order == 2)
          return Const(false);
      }
    }
    switch (op) {
    case CompareOp::Lt: return Const(order < 0);
    case CompareOp::Le: return Const(order <= 0);
    case CompareOp::Gt: return Const(order > 0);
    default: return Const(order >= 0);
    }
  }
  if ((!lhs.as<Tensor>() && !(a && a->isNumber())) || (!rhs.as<Tensor>() && !(b && b->isNumber())))
    fail(loc,
         std::string("the operator ") + spelling(op) + " does not take " + lhs.describe() + " and " + rhs.describe());
  auto isPointer = [](const Value &value) {
    auto *t = value.as<Tensor>();
    return t && t->type.isPointer();
  };
  if (isPointer(lhs) != isPointer(rhs) && !(isEquality && (a || b)))
    fail(loc,
         "cannot compare " + lhs.describe() + " and " + rhs.describe() + "; load the value that the pointer points to");
  auto [x, y] = promote(loc, lhs, rhs, {.numbers = Numbers::Typed, .allowPointers = true});
  return compareTensors(loc, op, x, y);
}

} // namespace tegula::lang
