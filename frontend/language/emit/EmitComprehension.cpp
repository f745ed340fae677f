// `[f(x) for x in (a, b)]`: a list whose length is known when the kernel is compiled.
#include "frontend/language/emit/Emitter.h"

#include "llvm/ADT/ScopeExit.h"

namespace tegula::lang {
namespace {

constexpr Int kMaxElements = 65536;

/// Binds an element as it is: a number stays a constant.
void bindItem(Emitter &e, const Expr &target, const Value &item) {
  if (auto *name = as<NameExpr>(&target)) {
    e.frame->names[name->id] = item;
    return;
  }
  auto *values = item.as<Tuple>();
  std::vector<const Expr *> parts;
  forEachChild(target, [&](const Expr &part) { parts.push_back(&part); });
  if (!values || values->elements.size() != parts.size())
    e.fail(target.loc, "cannot unpack " + item.describe() + " into " + std::to_string(parts.size()) + " names");
  for (size_t i = 0; i < parts.size(); ++i)
    bindItem(e, *parts[i], values->elements[i]);
}

} // namespace

std::vector<Value> Emitter::constantElements(Loc loc, const Value &iterable) {
  if (auto *tuple = iterable.as<Tuple>())
    return tuple->elements;
  auto *range = iterable.as<std::shared_ptr<RangeValue>>();
  if (!range)
    fail(loc, "a comprehension runs over a tuple or a range of constants, found " + iterable.describe());
  Int start = constantInt(loc, (*range)->start, "the start of the range");
  Int stop = constantInt(loc, (*range)->stop, "the end of the range");
  Int step = constantInt(loc, (*range)->step, "the step of the range");
  if (step == 0 || (stop - start) / step > kMaxElements)
    fail(loc, "the range has a step of 0 or more than " + lang::str(kMaxElements) + " numbers");
  std::vector<Value> numbers;
  for (Int i = start; step > 0 ? i < stop : i > stop; i += step)
    numbers.push_back(Const(i));
  return numbers;
}

/// A list of constants or tensors, one for each element of a tuple or a constant range.
Value Emitter::emitComprehension(const ComprehensionExpr &expr) {
  if (expr.form != ComprehensionExpr::Form::List)
    fail(expr.loc, "only comprehensions of lists are part of the kernel language; write one in square brackets");
  Tuple result;
  std::map<std::string, Value> saved = frame->names;
  auto leave = llvm::make_scope_exit([&] { frame->names = std::move(saved); });
  std::function<void(size_t)> descend = [&](size_t level) {
    if (level == expr.clauses.size()) {
      result.elements.push_back(emit(*expr.element));
      return;
    }
    const ComprehensionExpr::Clause &clause = expr.clauses[level];
    for (Value &item : constantElements(clause.iterable->loc, emit(*clause.iterable))) {
      bindItem(*this, *clause.target, item);
      bool passes = true;
      for (auto &condition : clause.conditions) {
        auto truth = staticTruth(condition->loc, emit(*condition));
        if (!truth)
          fail(condition->loc, "the condition of a comprehension must be known when the kernel is compiled");
        passes = passes && *truth;
      }
      if (passes)
        descend(level + 1);
    }
  };
  descend(0);
  return checkedSize(expr.loc, std::move(result));
}

} // namespace tegula::lang
