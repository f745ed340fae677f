// Names, operators and displays of host code.
#include "frontend/language/host/HostEvaluator.h"

#include "frontend/language/emit/Emitter.h"
#include "frontend/language/host/HostBudget.h"
#include "frontend/language/host/HostConstants.h"
#include "frontend/language/names/ModuleScope.h"
#include "frontend/language/syntax/ParserImpl.h"

#include <algorithm>
#include <cmath>

namespace tegula::lang {
void HostEvaluator::fail(Loc loc, const std::string &message) const { HostConstants(names_, time_).fail(loc, message); }

void HostEvaluator::notKnown(Loc loc) const {
  fail(loc, "the value of this expression cannot be known without running the host code in Python");
}

void HostEvaluator::raise(Loc loc, const std::string &message, const std::string &type) const {
  try {
    fail(loc, message);
  } catch (const Error &error) {
    throw HostRaise(error.diagnostic(), type);
  }
}

HostObject HostEvaluator::evaluate(const Expr &expr) const {
  Budget budget;
  return HostEvaluator(names_, time_, locals_, budget_ ? budget_ : &budget).eval(expr);
}

HostObject HostEvaluator::call(const HostObject &callee, std::vector<HostObject> args,
                               std::vector<std::pair<std::string, HostObject>> keywords, Loc loc) const {
  Budget budget;
  HostEvaluator inner(names_, time_, locals_, budget_ ? budget_ : &budget);
  Call call{loc, std::move(args), std::move(keywords)};
  if (auto *function = callee.as<HostFunction>())
    return inner.callFunction(*function, call);
  if (auto *lambda = callee.as<HostLambda>())
    return inner.callLambda(*lambda, call);
  notKnown(loc);
}

HostObject HostEvaluator::ofName(const std::string &name, Loc loc) const { return evaluate(NameExpr(loc, name)); }

std::optional<bool> HostEvaluator::truth(const Expr &expr) const {
  if (auto *unary = as<UnaryExpr>(&expr); unary && unary->op == UnaryOp::Not) {
    auto inner = truth(*unary->operand);
    return inner ? std::optional(!*inner) : std::nullopt;
  }
  if (auto *flags = as<BoolExpr>(&expr)) { // one operand may decide where others are not known
    bool allKnown = true;
    for (auto &operand : flags->operands) {
      auto one = truth(*operand);
      if (one && *one != flags->isAnd)
        return *one;
      allKnown &= one.has_value();
    }
    return allKnown ? std::optional(flags->isAnd) : std::nullopt;
  }
  try {
    return evaluate(expr).truth();
  } catch (const Error &) {
    return std::nullopt;
  }
}

bool HostEvaluator::isTrue(const Expr &expr) const {
  auto holds = eval(expr).truth();
  if (!holds)
    notKnown(expr.loc);
  return *holds;
}

HostObject HostEvaluator::eval(const Expr &expr) const {
  Budget::Step step(*budget_, *this, expr.loc);
  switch (expr.kind) {
  case ExprKind::Name: return name(static_cast<const NameExpr &>(expr));
  case ExprKind::Constant: return literal(static_cast<const ConstantExpr &>(expr));
  case ExprKind::Tuple:
  case ExprKind::List: return listDisplay(expr);
  case ExprKind::Dict: return dictDisplay(static_cast<const DictExpr &>(expr));
  case ExprKind::Unary: return unary(static_cast<const UnaryExpr &>(expr));
  case ExprKind::Binary: {
    auto &e = static_cast<const BinaryExpr &>(expr);
    return binary(e.opLoc, e.op, eval(*e.lhs), eval(*e.rhs));
  }
  case ExprKind::BoolOp: {
    auto &e = static_cast<const BoolExpr &>(expr);
    HostObject value = eval(*e.operands[0]);
    for (size_t i = 1; i < e.operands.size(); ++i) {
      auto holds = value.truth();
      if (!holds)
        notKnown(e.operands[i - 1]->loc);
      if (*holds != e.isAnd)
        break;
      value = eval(*e.operands[i]);
    }
    return value;
  }
  case ExprKind::Compare: return comparison(static_cast<const CompareExpr &>(expr));
  case ExprKind::Call: return call(static_cast<const CallExpr &>(expr));
  case ExprKind::Attribute: return attribute(static_cast<const AttributeExpr &>(expr));
  case ExprKind::Subscript: return subscript(static_cast<const SubscriptExpr &>(expr));
  case ExprKind::IfExp: {
    auto &e = static_cast<const IfExpr &>(expr);
    if (auto *value = unwrapped(e))
      return eval(*value);
    return eval(isTrue(*e.condition) ? *e.value : *e.other);
  }
  case ExprKind::Lambda: return HostLambda{static_cast<const LambdaExpr *>(&expr), &names_, time_, locals_};
  case ExprKind::Comprehension: return comprehension(static_cast<const ComprehensionExpr &>(expr));
  case ExprKind::FormatString: return formatted(static_cast<const FormatStringExpr &>(expr));
  case ExprKind::Slice:
  case ExprKind::Starred:
  case ExprKind::Opaque: notKnown(expr.loc);
  }
  notKnown(expr.loc);
}

HostObject HostEvaluator::literal(const ConstantExpr &constant) const {
  if (auto *flag = std::get_if<bool>(&constant.value))
    return *flag;
  if (auto *integer = std::get_if<Int>(&constant.value)) {
    if (*integer > INT64_MAX)
      fail(constant.loc, "this integer does not fit 64 bits");
    return static_cast<int64_t>(*integer);
  }
  if (auto *real = std::get_if<double>(&constant.value))
    return *real;
  if (auto *text = std::get_if<std::string>(&constant.value))
    return *text;
  if (std::holds_alternative<NoneLiteral>(constant.value))
    return {};
  fail(constant.loc, "'...' is not a value for a parameter");
}

HostObject HostEvaluator::listDisplay(const Expr &expr) const {
  auto result = std::make_shared<HostList>();
  result->isTuple = expr.kind == ExprKind::Tuple;
  forEachChild(expr, [&](const Expr &element) {
    if (auto *starred = as<StarredExpr>(&element))
      for (HostObject &item : elements(element.loc, eval(*starred->value)))
        result->items.push_back(std::move(item));
    else
      result->items.push_back(eval(element));
  });
  for (const HostObject &item : result->items)
    if (const HostList *inner = item.list())
      result->depth = std::max(result->depth, inner->depth + 1);
  if (result->depth > kMaxHostDepth)
    fail(expr.loc, "this host code nests lists too deeply to be evaluated");
  return result;
}

HostObject HostEvaluator::dictDisplay(const DictExpr &expr) const {
  auto result = std::make_shared<HostDict>();
  for (auto &[key, value] : expr.items) {
    if (key) {
      setItem(*result, eval(*key), eval(*value));
      continue;
    }
    HostObject mapping = eval(*value);
    if (!mapping.dict())
      notKnown(value->loc);
    for (auto &[k, v] : mapping.dict()->items)
      setItem(*result, k, v);
  }
  return result;
}

HostObject HostEvaluator::name(const NameExpr &name) const {
  if (locals_)
    if (auto local = locals_->find(name.id); local != locals_->end() && !local->second.as<HostGlobal>())
      return known(local->second);
  if (auto &changed = budget_->globals[&names_]; changed.contains(name.id))
    return known(changed[name.id]);
  if (auto *binding = names_.find(name.id, time_)) {
    if (!binding->isCertain())
      throw Error(names_.ambiguity(name.id, *binding, name.loc));
    return valueOf(name.id, binding->candidates[0], name.loc);
  }
  if (name.id == "__file__" && names_.modules())
    return names_.module().source->path;
  if (name.id == "__name__")
    return std::string("kernels"); // never "__main__": kernels are read as a module is imported
  if (isHostBuiltin(name.id))
    return HostPath{"builtins." + name.id};
  fail(name.loc, "'" + name.id + "' is not defined");
}

/// The value, which must be one that is known.
HostObject HostEvaluator::known(const HostObject &value) const {
  if (auto *unknown = value.as<HostUnknown>())
    throw Error(*unknown->why);
  return value;
}

HostObject HostEvaluator::defined(const std::string &name, const ModuleNames::Definition &definition, Loc loc) const {
  Budget budget;
  return HostEvaluator(names_, time_, locals_, budget_ ? budget_ : &budget).valueOf(name, definition, loc);
}

HostObject HostEvaluator::valueOfImport(const ImportStmt::Item &item, Loc loc) const {
  bool isStandard = importSucceeds(item) == true;
  if (isStandard || !names_.modules())
    return pathMember("", importedPath(item));
  return imported(names_.modules()->resolve(*names_.scope(), item), loc);
}

HostObject HostEvaluator::valueOf(const std::string &name, const ModuleNames::Definition &definition, Loc loc) const {
  if (definition.change)
    return changed(name, definition, loc);
  if (definition.import)
    return valueOfImport(*definition.import, loc);
  if (auto *function = as<FunctionStmt>(definition.statement))
    return HostFunction{function, &names_};
  if (const FunctionStmt *function = names_.hostFunction(*definition.statement))
    return HostFunction{function, &names_};
  if (const ClassStmt *type = names_.hostClass(*definition.statement))
    return HostClass{type, &names_};
  if (auto *changed = as<AugAssignStmt>(definition.statement)) {
    Budget::Once once(*budget_, *this, *definition.statement, loc);
    Budget::Apart apart(*budget_, names_.changesObjects(*changed));
    HostEvaluator before = in(names_, definition.time);
    return before.binary(changed->opLoc, changed->op, before.eval(*changed->target), before.eval(*changed->value));
  }
  auto *assignment = as<AssignStmt>(definition.statement);
  auto *annotated = as<AnnAssignStmt>(definition.statement);
  const Expr *value = assignment ? assignment->value.get() : annotated ? annotated->value.get() : nullptr;
  if (!value)
    fail(loc, "the value of '" + name + "' cannot be known without running the host code in Python");
  std::pair<const void *, std::string> key(definition.statement, name);
  if (auto before = budget_->values.find(key); before != budget_->values.end())
    return before->second;
  HostObject result = assigned(name, definition, *value, loc);
  return budget_->values[key] = result;
}

/// The part of an assignment's value that is `name`'s.
HostObject HostEvaluator::assigned(const std::string &name, const ModuleNames::Definition &definition,
                                   const Expr &value, Loc loc) const {
  Budget::Once once(*budget_, *this, *definition.statement, loc);
  Budget::Apart apart(*budget_, names_.changesObjects(*definition.statement));
  auto *assignment = as<AssignStmt>(definition.statement);
  HostObject result = in(names_, definition.time).eval(value);
  if (!assignment)
    return result;
  for (auto &target : assignment->targets) {
    if (auto *n = as<NameExpr>(target); n && n->id == name)
      return result;
    if (target->kind != ExprKind::Tuple && target->kind != ExprKind::List)
      continue;
    auto parts = std::make_shared<HostNames>();
    in(names_, definition.time, parts).assign(*target, result);
    if (auto part = parts->find(name); part != parts->end())
      return part->second;
  }
  notKnown(loc);
}

HostObject HostEvaluator::imported(const Imported &imported, Loc loc) const {
  switch (imported.kind) {
  case Imported::Kind::Language:
  case Imported::Kind::Unread:
    return pathMember("", imported.name.empty() ? imported.path : imported.path + "." + imported.name);
  case Imported::Kind::Module: return imported.scope;
  case Imported::Kind::Member: {
    const ModuleNames &names = imported.scope->names;
    if (auto &changed = budget_->globals[&names]; changed.contains(imported.name))
      return known(changed[imported.name]);
    if (!imported.binding->isCertain())
      throw Error(names.ambiguity(imported.name, *imported.binding, imported.binding->candidates[0].loc()));
    return in(names, ModuleNames::kEnd)
        .valueOf(imported.name, imported.binding->candidates[0], imported.binding->candidates[0].loc());
  }
  case Imported::Kind::Missing: fail(loc, imported.path + " has no '" + imported.name + "'");
  case Imported::Kind::Circle: fail(loc, "the imports of '" + imported.name + "' go in a circle");
  }
  notKnown(loc);
}

/// `path.name` where `path` is no file's module; of an empty path `name` itself.
HostObject HostEvaluator::pathMember(const std::string &path, const std::string &name) const {
  std::string full = path.empty() ? name : path + "." + name;
  if (full == "typing.TYPE_CHECKING")
    return false;
  if (full == "triton.__version__")
    return std::string("3.6.0"); // whose language this is
  if (full == "math.inf" || full == "math.pi" || full == "math.e")
    return full == "math.inf" ? HUGE_VAL : full == "math.pi" ? M_PI : M_E;
  if (full == "triton.language.core.CONSTEXPR_0") // a default of Triton's own functions
    return int64_t(0);
  if (path == "torch.version") // of the libraries for devices; there are none
    return {};
  // A type goes by the same name in triton.language and in the libraries of tensors: `torch.float16`.
  size_t dot = full.rfind('.');
  std::string last = full.substr(dot == std::string::npos ? 0 : dot + 1);
  bool isTypeName = last.find_first_of("0123456789") != std::string::npos;
  if (dot != std::string::npos && isTypeName)
    if (auto type = parseScalarType(last))
      return *type;
  return HostPath{full};
}

HostObject HostEvaluator::attribute(const AttributeExpr &expr) const {
  HostObject base = eval(*expr.base);
  if (auto *path = base.as<HostPath>())
    return pathMember(path->path, expr.name);
  if (auto *scope = base.as<const ModuleScope *>())
    return imported(names_.modules()->member(**scope, expr.name), expr.nameLoc);
  if (auto *config = base.as<std::shared_ptr<KernelConfig>>()) {
    auto field = [](const std::optional<int> &value) { return value ? HostObject(int64_t(*value)) : HostObject(); };
    if (expr.name == "num_warps")
      return int64_t((*config)->numWarps.value_or(4));
    if (expr.name == "num_stages")
      return int64_t((*config)->numStages.value_or(3));
    if (expr.name == "maxnreg")
      return field((*config)->maxRegisters);
    if (expr.name == "kwargs") {
      auto kwargs = std::make_shared<HostDict>(); // a copy, so it must not be changed
      kwargs->isFixed = true;
      for (auto &[key, value] : (*config)->constants)
        setItem(*kwargs, key, std::visit([](const auto &v) { return HostObject(v); }, value));
      return kwargs;
    }
  }
  if (auto found = attributeOfObject(base, expr.name, expr.loc))
    return *found;
  if (base.as<HostTarget>())
    return expr.name == "backend" ? HostObject(std::string("none")) : HostObject(int64_t(0));
  if (expr.name == "value" && base.constant()) // of a tl.constexpr
    return base;
  if (auto *tensor = base.as<HostTensor>(); tensor && expr.name == "dtype")
    return tensor->type;
  else if (tensor && (expr.name == "shape" || expr.name == "ndim"))
    return expr.name == "shape" ? HostObject(integersOf(tensor->shape)) : HostObject(int64_t(tensor->shape.size()));
  bool isOfParser = expr.name == "add_argument" || expr.name == "parse_args" || expr.name == "parse_known_args";
  if (base.list() || base.dict() || base.as<std::string>() || base.as<HostTensor>() || base.as<HostFile>() ||
      (base.as<HostArguments>() && isOfParser) || (base.integer() && expr.name == "bit_length"))
    return HostMethod{std::make_shared<HostObject>(base), expr.name};
  notKnown(expr.loc);
}

HostObject HostEvaluator::subscript(const SubscriptExpr &expr) const {
  HostObject base = eval(*expr.base);
  if (auto *path = base.as<HostPath>(); path && path->path == "os.environ") {
    HostObject key = eval(*expr.index);
    if (auto *text = key.as<std::string>(); text && names_.modules())
      if (auto value = names_.modules()->environment(*text))
        return *value;
    notKnown(expr.loc);
  }
  if (auto *type = base.as<HostClass>()) {
    HostObject key = eval(*expr.index);
    if (auto *text = key.as<std::string>())
      return classMember(*type, *text, expr.loc);
  }
  if (auto *dict = base.dict()) {
    HostObject key = eval(*expr.index);
    for (auto &[k, v] : dict->items)
      if (isEqual(k, key) == true)
        return v;
    raise(expr.loc, "this dictionary has no such key", "KeyError");
  }
  if (auto *list = base.list(); list && !list->isSet) {
    auto size = static_cast<int64_t>(list->items.size());
    if (auto *slice = as<SliceExpr>(expr.index)) {
      auto bound = [&](const ExprPtr &part, int64_t absent) {
        if (!part)
          return absent;
        auto value = eval(*part).integer();
        if (!value)
          notKnown(part->loc);
        return std::clamp(*value < 0 ? *value + size : *value, int64_t(0), size);
      };
      if (slice->step)
        notKnown(expr.loc);
      auto part = std::make_shared<HostList>();
      part->isTuple = list->isTuple;
      for (int64_t i = bound(slice->lower, 0), end = bound(slice->upper, size); i < end; ++i)
        part->items.push_back(list->items[static_cast<size_t>(i)]);
      return part;
    }
    auto index = eval(*expr.index).integer();
    if (!index)
      notKnown(expr.loc);
    if (*index < -size || *index >= size)
      raise(expr.loc, "the index " + std::to_string(*index) + " is outside a list of " + std::to_string(size),
            "IndexError");
    return list->items[static_cast<size_t>(*index < 0 ? *index + size : *index)];
  }
  notKnown(expr.loc);
}

HostObject HostEvaluator::comprehension(const ComprehensionExpr &expr) const {
  auto list = std::make_shared<HostList>();
  auto dict = std::make_shared<HostDict>();
  std::shared_ptr<HostNames> locals = names_.frames().make(locals_);
  HostEvaluator inner = in(names_, time_, locals);
  std::function<void(size_t)> descend = [&](size_t level) {
    if (level == expr.clauses.size()) {
      if (expr.key)
        setItem(*dict, inner.eval(*expr.key), inner.eval(*expr.element));
      else
        list->items.push_back(inner.eval(*expr.element));
      return;
    }
    const ComprehensionExpr::Clause &clause = expr.clauses[level];
    for (const HostObject &item : inner.elements(clause.iterable->loc, inner.eval(*clause.iterable))) {
      inner.assign(*clause.target, item);
      bool passes = true;
      for (auto &condition : clause.conditions)
        passes = passes && inner.isTrue(*condition);
      if (passes)
        descend(level + 1);
    }
  };
  descend(0);
  if (expr.form == ComprehensionExpr::Form::Dict)
    return dict;
  return list;
}

HostObject HostEvaluator::formatted(const FormatStringExpr &expr) const {
  std::string text;
  for (auto &piece : expr.pieces) {
    text += piece.text;
    if (!piece.value)
      continue;
    HostObject value = eval(*piece.value);
    if (!piece.format.empty() || piece.conversion)
      notKnown(piece.value->loc);
    if (auto *s = value.as<std::string>())
      text += *s;
    else if (auto *flag = value.as<bool>())
      text += *flag ? "True" : "False";
    else if (auto *whole = value.as<int64_t>())
      text += std::to_string(*whole);
    else
      notKnown(piece.value->loc);
  }
  return text;
}

void setItem(HostDict &dict, const HostObject &key, const HostObject &value) {
  for (auto &[k, v] : dict.items)
    if (isEqual(k, key) == true) {
      v = value;
      return;
    }
  dict.items.emplace_back(key, value);
}

} // namespace tegula::lang
