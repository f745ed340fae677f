// Run-time if, for and while: `scf` ops whose results are the changed variables.
#include "core/ir/tile/Tile.h"
#include "frontend/language/emit/Merge.h"
#include "frontend/language/emit/RangeCounter.h"
#include "frontend/language/names/Annotations.h"

#include "llvm/ADT/ScopeExit.h"

#include <algorithm>

namespace tegula::lang {

using namespace mlir;

namespace {

constexpr Int kMaxUnrolled = 65536, kMaxUnrolledOfAll = 2 * kMaxUnrolled, kMaxConstexprRepetitions = 1 << 21;

void addTargets(const Expr &target, std::set<std::string> &names) {
  if (auto *name = as<NameExpr>(&target))
    names.insert(name->id);
  else if (auto *tuple = as<TupleExpr>(&target))
    for (auto &element : tuple->elements)
      addTargets(*element, names);
  else if (auto *list = as<ListExpr>(&target))
    for (auto &element : list->elements)
      addTargets(*element, names);
  else if (auto *starred = as<StarredExpr>(&target))
    addTargets(*starred->value, names);
  else if (auto *field = as<AttributeExpr>(&target)) // `self.x = ...` changes self
    addTargets(*field->base, names);
}

} // namespace

void addAssigned(const Stmt &statement, std::set<std::string> &names, const ModuleNames *constantsOf) {
  auto addAll = [&](const Block &block) {
    for (auto &inner : block)
      addAssigned(*inner, names, constantsOf);
  };
  if (auto *assign = as<AssignStmt>(&statement)) {
    for (auto &target : assign->targets)
      addTargets(*target, names);
  } else if (auto *augmented = as<AugAssignStmt>(&statement)) {
    addTargets(*augmented->target, names);
  } else if (auto *annotated = as<AnnAssignStmt>(&statement)) {
    if (!constantsOf || !isConstexprObject(*constantsOf, annotated->annotation.get(), ModuleNames::kEnd))
      addTargets(*annotated->target, names);
  } else if (auto *loop = as<ForStmt>(&statement)) {
    addTargets(*loop->target, names);
    addAll(loop->body);
  } else if (auto *loop = as<WhileStmt>(&statement)) {
    addAll(loop->body);
  } else if (auto *branch = as<IfStmt>(&statement)) {
    addAll(branch->body);
    addAll(branch->orelse);
  }
}

namespace {

using Names = std::map<std::string, Value>;

/// The names that a loop carries, their values from before the loop, and the run-time values among these.
struct Carried {
  std::vector<std::string> names;
  std::vector<Value> initial;
  SmallVector<mlir::Value> leaves;
  std::set<std::string> onlyInside;   // assigned in the body, unknown before it
  std::vector<std::string> constants; // constexpr parameters that the body may assign; a loop cannot carry them

  Carried(Emitter &e, Loc loc, const Block &body) {
    std::set<std::string> assigned;
    for (auto &statement : body)
      addAssigned(*statement, assigned, &e.frame->scope->names);
    for (const std::string &name : assigned) {
      auto it = e.frame->names.find(name);
      if (e.frame->constants.contains(name)) {
        constants.push_back(name);
        continue;
      }
      if (it == e.frame->names.end() || it->second.as<Unusable>()) {
        onlyInside.insert(name);
        continue;
      }
      Value value = it->second;
      makeRuntime(e, loc, value);
      names.push_back(name);
      initial.push_back(value);
      forEachLeaf(initial.back(), [&](mlir::Value &leaf) { leaves.push_back(leaf); });
    }
  }

  /// Binds the carried names to values whose run-time leaves are `replacements`, in order.
  void bind(Emitter &e, ValueRange replacements) const {
    size_t next = 0;
    for (size_t i = 0; i < names.size(); ++i) {
      Value value = initial[i];
      forEachLeaf(value, [&](mlir::Value &leaf) { leaf = replacements[next++]; });
      e.frame->names[names[i]] = std::move(value);
    }
  }

  /// The run-time values of the carried names at the end of the body, checked against those before the loop.
  SmallVector<mlir::Value> collect(Emitter &e, Loc loc, const Names &namesBefore) const {
    for (const std::string &name : constants)
      if (!identical(e.frame->names.at(name), namesBefore.at(name)))
        e.fail(loc, "'" + name +
                        "' is a tl.constexpr parameter to which an inner loop gives another value, and the "
                        "loop at line " +
                        std::to_string(loc.line) +
                        " does not carry it; choose another name for the inner "
                        "loop's variable");
    SmallVector<mlir::Value> result;
    auto end = e.builder.saveInsertionPoint();
    for (size_t i = 0; i < names.size(); ++i) {
      Value before = initial[i], after = e.frame->names[names[i]];
      if (auto *unusable = after.as<Unusable>())
        e.fail(loc, unusable->why);
      // A constant is converted to the type from before the loop, which is the loop result's type.
      unify(e, loc, {after, end}, {before, end}, [&](const std::string &now, const std::string &then) {
        return "'" + names[i] + "' is " + then + " before the loop at line " + std::to_string(loc.line) + " and " +
               now + " after a step of it";
      });
      forEachLeaf(after, [&](mlir::Value &leaf) { result.push_back(leaf); });
    }
    return result;
  }

  /// After the loop: binds the carried names to its results; names first assigned in the body become unusable.
  void finish(Emitter &e, Loc loc, ValueRange results) const {
    bind(e, results);
    for (const std::string &name : onlyInside)
      e.frame->names[name] =
          Unusable{"'" + name + "' is first assigned inside the loop at line " + std::to_string(loc.line) +
                       ", which may run zero times; assign it before the loop",
                   loc};
  }
};

} // namespace

Value Emitter::emitRuntimeIf(Loc loc, mlir::Value condition, const std::function<Value()> &thenPart,
                             const std::function<Value()> &elsePart) {
  Location location = at(loc);
  Names before = frame->names;
  // A constexpr parameter that one branch assigns is a variable after the `if`, but a constant in the other branch.
  std::set<std::string> constants = frame->constants, constantsAfter = constants;
  auto emitBranch = [&](mlir::Block &block, const std::function<Value()> &part, Names &names) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&block);
    Value value = part();
    names = std::exchange(frame->names, before);
    std::erase_if(constantsAfter, [&](const std::string &name) { return !frame->constants.contains(name); });
    frame->constants = constants;
    return std::make_pair(std::move(value), builder.saveInsertionPoint());
  };
  // The op's result types depend on both branches, so these are first emitted into separate regions.
  OperationState holder(location, scf::IfOp::getOperationName());
  auto *thenOwned = holder.addRegion();
  auto *elseOwned = holder.addRegion();
  holder.addOperands(condition);
  auto *thenBlock = new mlir::Block, *elseBlock = new mlir::Block;
  thenOwned->push_back(thenBlock);
  elseOwned->push_back(elseBlock);
  Operation *draft = builder.create(holder);
  Names thenNames, elseNames;
  auto [thenValue, thenEnd] = emitBranch(*thenBlock, thenPart, thenNames);
  auto [elseValue, elseEnd] = emitBranch(*elseBlock, elsePart, elseNames);
  frame->constants = constantsAfter;

  SmallVector<mlir::Value> thenLeaves, elseLeaves;
  auto join = [&](Value &a, Value &b, const Complaint &complain) {
    Value form = unify(*this, loc, {a, thenEnd}, {b, elseEnd}, complain);
    if (identical(a, b))
      return std::make_pair(form, false);
    forEachLeaf(a, [&](mlir::Value &leaf) { thenLeaves.push_back(leaf); });
    forEachLeaf(b, [&](mlir::Value &leaf) { elseLeaves.push_back(leaf); });
    return std::make_pair(a, true);
  };
  auto line = [&] { return std::to_string(loc.line); };
  auto [result, resultChanges] = join(thenValue, elseValue, [&](const std::string &a, const std::string &b) {
    return "one branch at line " + line() + " gives " + a + " and the other " + b;
  });
  std::vector<std::pair<std::string, Value>> joined;
  for (auto &[name, thenNamed] : thenNames) {
    auto it = elseNames.find(name);
    auto *thenUnusable = thenNamed.as<Unusable>();
    if (it == elseNames.end() || thenUnusable || it->second.as<Unusable>()) {
      if (thenUnusable && it != elseNames.end() && it->second.as<Unusable>())
        continue;
      frame->names[name] = Unusable{"'" + name + "' is assigned only in one branch of the if at line " + line() +
                                        "; assign it before the if or in both branches",
                                    loc};
      continue;
    }
    auto [form, changes] = join(thenNamed, it->second, [&, &name = name](const std::string &a, const std::string &b) {
      return "'" + name + "' is " + a + " in one branch of the if at line " + line() + " and " + b + " in the other";
    });
    if (changes)
      joined.emplace_back(name, form);
    else
      frame->names[name] = form;
  }
  for (auto &[name, value] : elseNames)
    if (!thenNames.contains(name))
      frame->names[name] = Unusable{"'" + name + "' is assigned only in one branch of the if at line " + line() +
                                        "; assign it before the if or in both branches",
                                    loc};

  auto finishBranch = [&](OpBuilder::InsertPoint end, ArrayRef<mlir::Value> leaves) {
    OpBuilder::InsertionGuard guard(builder);
    builder.restoreInsertionPoint(end);
    scf::YieldOp::create(builder, location, leaves);
  };
  finishBranch(thenEnd, thenLeaves);
  finishBranch(elseEnd, elseLeaves);
  auto op = scf::IfOp::create(builder, location, TypeRange(ValueRange(thenLeaves)), condition, false, false);
  op.getThenRegion().takeBody(draft->getRegion(0));
  op.getElseRegion().takeBody(draft->getRegion(1));
  draft->erase();
  size_t next = 0;
  auto patch = [&](Value &value) { forEachLeaf(value, [&](mlir::Value &leaf) { leaf = op.getResult(next++); }); };
  if (resultChanges)
    patch(result);
  for (auto &[name, value] : joined) {
    patch(value);
    frame->names[name] = value;
  }
  return result;
}

Tensor Emitter::runtimeCondition(Loc loc, const Value &value, const std::string &of, const std::string &advice) {
  if (frame->isConstructor)
    fail(loc, "the condition of " + of +
                  " in a constructor must be known when the kernel is compiled; use tl.where, or "
                  "decide in a @triton.jit function");
  Tensor condition = tensor(loc, value, "the condition");
  if (elementCount(condition.shape) != 1)
    fail(loc, "the condition of " + of + " must be a scalar, found " + condition.str() + "; " + advice);
  return toBool(loc, unsplat(*this, loc, condition)); // as in Triton's `if`, a tensor of one element is one
}

void Emitter::emitIf(const IfStmt &statement) {
  Value condition = emit(*statement.condition);
  Loc at = statement.condition->loc;
  if (auto truth = staticTruth(at, condition))
    return emitBlock(*truth ? statement.body : statement.orelse);
  Tensor c = runtimeCondition(at, condition, "an if", "use tl.where, or reduce it with tl.max");
  auto part = [&](const lang::Block &block) {
    return [&] {
      emitBlock(block);
      return Value(Const(None{}));
    };
  };
  emitRuntimeIf(statement.loc, c.value, part(statement.body), part(statement.orelse));
}

void Emitter::countRepetition(Loc loc) {
  if (frame->isConstexprCode) {
    if (++constexprRepetitions_ > kMaxConstexprRepetitions)
      fail(loc, "the loops of constexpr functions repeat their bodies more than " + str(kMaxConstexprRepetitions) +
                    " times in all");
  } else if (++unrolled_ > kMaxUnrolledOfAll) {
    fail(loc, "the loops over static_range and tuples of this kernel repeat their bodies more than " +
                  str(kMaxUnrolledOfAll) + " times in all; use tl.range");
  }
}

bool Emitter::beginWhileIteration(const WhileStmt &loop) {
  if (!loop.orelse.empty())
    fail(loop.loc, "'else' after a loop is not part of the kernel language");
  auto truth = staticTruth(loop.condition->loc, emit(*loop.condition));
  if (!truth)
    fail(loop.condition->loc, "the condition of a while in a constexpr function must be known when the kernel is "
                              "compiled");
  if (*truth)
    countRepetition(loop.loc);
  return *truth;
}

void Emitter::repeatWhile(const WhileStmt &loop) {
  while (beginWhileIteration(loop))
    emitBlock(loop.body);
}

void Emitter::emitLoopBody(const Block &body, const Names &before) {
  ++frame->loopDepth;
  auto leave = llvm::make_scope_exit([this, saved = std::exchange(frame->namesBeforeLoop, &before)] {
    frame->namesBeforeLoop = saved;
    --frame->loopDepth;
  });
  emitBlock(body);
}

void Emitter::emitWhile(const WhileStmt &loop) {
  if (frame->isConstexprCode)
    return repeatWhile(loop);
  if (!loop.orelse.empty())
    fail(loop.loc, "'else' after a loop is not part of the kernel language");
  {
    // A condition known at compile time: a false one removes the loop, a true one would never end and is an error.
    OpBuilder::InsertionGuard guard(builder);
    if (auto *constant = as<ConstantExpr>(loop.condition)) {
      Value value = emit(*constant);
      if (auto truth = staticTruth(loop.condition->loc, value)) {
        if (!*truth)
          return;
        fail(loop.condition->loc, "this loop never ends: its condition is always true");
      }
    }
  }
  Carried carried(*this, loop.loc, loop.body);
  Location location = at(loop.loc);
  auto op = scf::WhileOp::create(builder, location, TypeRange(ValueRange(carried.leaves)), carried.leaves);
  SmallVector<Location> locations(carried.leaves.size(), location);
  TypeRange types = ValueRange(carried.leaves).getTypes();
  Names before = frame->names;
  {
    OpBuilder::InsertionGuard guard(builder);
    mlir::Block *block = builder.createBlock(&op.getBefore(), {}, types, locations);
    carried.bind(*this, block->getArguments());
    Value value = emit(*loop.condition);
    Tensor condition = staticTruth(loop.condition->loc, value)
                           ? scalarConstant(loop.loc, Const(*staticTruth(loop.condition->loc, value)), ScalarType::I1)
                           : runtimeCondition(loop.condition->loc, value, "a while", "reduce it with tl.max");
    scf::ConditionOp::create(builder, location, condition.value, block->getArguments());
    block = builder.createBlock(&op.getAfter(), {}, types, locations);
    frame->names = before;
    carried.bind(*this, block->getArguments());
    tile::MayNotEndOp::create(builder, location);
    emitLoopBody(loop.body, before);
    scf::YieldOp::create(builder, location, carried.collect(*this, loop.loc, before));
  }
  frame->names = before;
  carried.finish(*this, loop.loc, op.getResults());
}

namespace {

void setHints(scf::ForOp op, const RangeValue &range, OpBuilder &builder) {
  auto number = [&](const char *name, std::optional<int64_t> value) {
    if (value)
      op->setAttr(name, builder.getI32IntegerAttr(static_cast<int32_t>(*value)));
  };
  auto flag = [&](const char *name, bool value) {
    if (value)
      op->setAttr(name, builder.getUnitAttr());
  };
  number("tile.num_stages", range.numStages);
  number("tile.loop_unroll_factor", range.unrollFactor);
  flag("tile.flatten", range.flatten);
  flag("tile.warp_specialize", range.warpSpecialize);
  flag("tile.disallow_acc_multi_buffer", range.disallowAccMultiBuffer);
  flag("tile.disable_licm", range.disableLicm);
}

} // namespace

Value Emitter::emitIterable(const ForStmt &loop) {
  if (!loop.orelse.empty())
    fail(loop.loc, "'else' after a loop is not part of the kernel language");
  Value iterable = emit(*loop.iterable);
  if (!iterable.as<Tuple>() && !iterable.as<std::shared_ptr<RangeValue>>())
    fail(loop.iterable->loc,
         "a for loop runs over range(), tl.range(), tl.static_range() or a tuple, found " + iterable.describe());
  return iterable;
}

std::optional<Unrolling> Emitter::unrolling(const ForStmt &loop, const Value &iterable) {
  Unrolling result;
  if (auto *tuple = iterable.as<Tuple>()) {
    result.elements = std::make_shared<Tuple>(*tuple);
    result.count = static_cast<Int>(tuple->elements.size());
    return result;
  }
  const RangeValue &range = **iterable.as<std::shared_ptr<RangeValue>>();
  if (!range.isStatic && !frame->isConstexprCode)
    return std::nullopt;
  Loc at = loop.iterable->loc;
  const std::string name = range.isStatic ? "static_range" : "range";
  Int stop = constantInt(at, range.stop, name + "'s end");
  result.start = constantInt(at, range.start, name + "'s start");
  result.step = constantInt(at, range.step, name + "'s step");
  if (result.step == 0)
    fail(at, name + "'s step must not be zero");
  bool up = result.step > 0;
  Int distance = up ? stop - result.start : result.start - stop, stride = up ? result.step : -result.step;
  result.count = distance > 0 ? (distance + stride - 1) / stride : 0;
  if (result.count > kMaxUnrolled && !frame->isConstexprCode)
    fail(at, "static_range would repeat the loop's body " + str(result.count) + " times; at most " + str(kMaxUnrolled) +
                 ", use tl.range");
  if (result.count && !as<NameExpr>(loop.target))
    fail(loop.target->loc, "a loop over " + name + " assigns one name");
  return result;
}

void Emitter::beginIteration(const ForStmt &loop, const Unrolling &unrolling, Int i) {
  countRepetition(loop.iterable->loc);
  if (unrolling.elements)
    assign(*loop.target, unrolling.elements->elements[static_cast<size_t>(i)]);
  else
    bindName(loop.target->loc, as<NameExpr>(loop.target)->id, Const(unrolling.start + i * unrolling.step));
}

void Emitter::emitFor(const ForStmt &loop) {
  Value iterable = emitIterable(loop);
  auto unrolled = unrolling(loop, iterable);
  if (!unrolled)
    return emitRuntimeFor(loop, iterable);
  for (Int i = 0; i < unrolled->count; ++i) {
    beginIteration(loop, *unrolled, i);
    emitBlock(loop.body);
  }
}

void Emitter::emitRuntimeFor(const ForStmt &loop, const Value &iterable) {
  const RangeValue &range = **iterable.as<std::shared_ptr<RangeValue>>();
  Loc at = loop.iterable->loc;
  auto *target = as<NameExpr>(loop.target);
  if (!target)
    fail(loop.target->loc, "a loop over a range assigns one name");

  RangeCounter counter(*this, at, range);
  Carried carried(*this, loop.loc, loop.body);
  Location location = this->at(loop.loc);
  auto op = scf::ForOp::create(builder, location, counter.lower().value, counter.upper().value, counter.step().value,
                               carried.leaves);
  setHints(op, range, builder);
  Names before = frame->names;
  {
    OpBuilder::InsertionGuard guard(builder);
    mlir::Block *block = op.getBody();
    if (!block->empty()) // a loop without carried values is built with its terminator
      block->getTerminator()->erase();
    builder.setInsertionPointToEnd(block);
    carried.bind(*this, op.getRegionIterArgs());
    frame->names[target->id] = counter.variable(op.getInductionVar());
    emitLoopBody(loop.body, before);
    SmallVector<mlir::Value> yielded = carried.collect(*this, loop.loc, before);
    scf::YieldOp::create(builder, location, yielded);
  }
  frame->names = before;
  carried.finish(*this, loop.loc, op.getResults());
  frame->names[target->id] =
      Unusable{"'" + target->id + "' is the variable of the loop at line " + std::to_string(loop.loc.line) +
                   " and has no value after it; assign what you need of it to another name before the loop",
               loop.loc};
}

} // namespace tegula::lang
