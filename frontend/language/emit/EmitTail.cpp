// The body of a function: early returns, and loops that are unrolled around them.
#include "frontend/language/emit/Emitter.h"

#include "llvm/ADT/ScopeExit.h"

#include <algorithm>

namespace tegula::lang {

namespace {

/// Statements after a run-time `if` that may return are emitted inside its branches, once for each path. Limits on the
/// number of statements emitted there and on the nesting of such ifs: the time of passes grows faster than the square
/// of the nesting, and deep nesting overflows the stack.
constexpr unsigned kMaxTailStatements = 20000, kMaxTailDepth = 256;

/// A stack of what remains of a function's body: statements, and loops that have begun. The next step is on top.
class Tail {
public:
  struct Step {
    const Stmt *statement = nullptr;
    bool isLoop = false;                                  // the statement is a loop that has begun
    std::shared_ptr<const Unrolling> unrolling = nullptr; // of a `for`
    Int next = 0;                                         // the index into `unrolling` of its next iteration
  };

  void push(const Block &block) {
    for (auto it = block.rbegin(); it != block.rend(); ++it)
      steps_.push_back({it->get()});
  }
  void push(Step step) { steps_.push_back(std::move(step)); }
  Step pop() {
    Step step = std::move(steps_.back());
    steps_.pop_back();
    return step;
  }
  bool empty() const { return steps_.empty(); }

  bool isInLoop() const {
    return std::any_of(steps_.begin(), steps_.end(), [](const Step &step) { return step.isLoop; });
  }
  /// Drops what remains of the innermost loop's iteration, and the loop too where it ends.
  void leaveIteration(bool endsLoop) {
    while (!steps_.back().isLoop)
      steps_.pop_back();
    if (endsLoop)
      steps_.pop_back();
  }

private:
  std::vector<Step> steps_;
};

/// Decides whether a statement may skip the statements after it: by a `return` or, in constexpr code, by `break` or
/// `continue`. True in doubt. A branch of an `if` counts as dead if the condition is a constant that the statement does
/// not change.
class Leaving {
public:
  Leaving(Emitter &emitter, const Stmt &statement) : e_(emitter), statement_(statement) {}

  bool mayLeave() { return mayLeave(statement_); }

private:
  bool mayLeave(const Stmt &statement) {
    switch (statement.kind) {
    case StmtKind::Return: return true;
    case StmtKind::Break:
    case StmtKind::Continue: return e_.frame->isConstexprCode;
    case StmtKind::For: return any(static_cast<const ForStmt &>(statement).body);
    case StmtKind::While: return any(static_cast<const WhileStmt &>(statement).body);
    case StmtKind::If: {
      auto &branch = static_cast<const IfStmt &>(statement);
      auto truth = known(*branch.condition);
      return (truth != false && any(branch.body)) || (truth != true && any(branch.orelse));
    }
    default: return false;
    }
  }
  bool any(const Block &block) {
    return std::any_of(block.begin(), block.end(), [this](const StmtPtr &inner) { return mayLeave(*inner); });
  }

  std::optional<bool> known(const Expr &condition) {
    if (!isKnown(condition))
      return std::nullopt;
    try {
      return e_.staticTruth(condition.loc, e_.emit(condition));
    } catch (const Error &) { // reported when the condition itself is emitted
      return std::nullopt;
    }
  }
  /// Whether the expression is made of literals, operators, names of constants that the statement does not assign, and
  /// attributes of names that it does not assign, which may be tensors (`x.dtype`).
  bool isKnown(const Expr &expr) {
    if (auto *name = as<NameExpr>(&expr)) {
      auto found = e_.frame->names.find(name->id);
      bool isConstant = found == e_.frame->names.end() || found->second.as<Const>();
      return isConstant && !assigned().contains(name->id);
    }
    if (auto *attribute = as<AttributeExpr>(&expr)) {
      auto *name = as<NameExpr>(attribute->base);
      return name ? !assigned().contains(name->id) : isKnown(*attribute->base);
    }
    switch (expr.kind) {
    case ExprKind::Constant:
    case ExprKind::Unary:
    case ExprKind::Binary:
    case ExprKind::BoolOp:
    case ExprKind::Compare: break;
    default: return false;
    }
    bool all = true;
    forEachChild(expr, [&](const Expr &child) { all = all && isKnown(child); });
    return all;
  }
  const std::set<std::string> &assigned() {
    if (!assigned_) {
      assigned_.emplace();
      addAssigned(statement_, *assigned_);
    }
    return *assigned_;
  }

  Emitter &e_;
  const Stmt &statement_;
  std::optional<std::set<std::string>> assigned_; // once a condition asks
};

/// Emits a body; what remains is copied into both branches of each run-time `if` that may leave.
class TailEmitter {
public:
  TailEmitter(Emitter &emitter, TailCounts &counts) : e_(emitter), counts_(counts) {}

  Value emit(Tail tail) {
    while (!tail.empty()) {
      Tail::Step step = tail.pop();
      const Stmt &statement = *step.statement;
      if (step.isLoop) {
        repeat(tail, std::move(step));
        continue;
      }
      if (counts_.depth && ++counts_.statements > kMaxTailStatements)
        e_.fail(statement.loc, "more than " + std::to_string(kMaxTailStatements) +
                                   " statements follow an if with a return, with copies for each path and called "
                                   "functions counted; join conditions of returns with 'and', use one flag, or move "
                                   "the loop to tl.range");
      if (auto *result = as<ReturnStmt>(&statement))
        return result->value ? e_.emit(*result->value) : Value(Const(None{}));
      auto *branch = as<IfStmt>(&statement);
      if (branch && Leaving(e_, statement).mayLeave()) {
        Value condition = e_.emit(*branch->condition);
        Loc loc = branch->condition->loc;
        auto truth = e_.staticTruth(loc, condition);
        if (!truth)
          return emitBranches(
              *branch, e_.runtimeCondition(loc, condition, "an if", "use tl.where, or reduce it with tl.max"), tail);
        tail.push(*truth ? branch->body : branch->orelse);
      } else if (!leavesLoop(tail, statement) && !startsLoop(tail, statement)) {
        e_.emitStatement(statement);
      }
    }
    return Const(None{});
  }

private:
  Value emitBranches(const IfStmt &branch, const Tensor &condition, const Tail &rest) {
    auto names = e_.frame->names; // nothing follows, so branches need not agree on them
    auto path = [&](const Block &block) {
      return [&] {
        Tail tail = rest;
        tail.push(block);
        Value result = emit(std::move(tail));
        e_.frame->names = names;
        return result;
      };
    };
    if (counts_.depth == kMaxTailDepth)
      e_.fail(branch.loc, "more than " + std::to_string(kMaxTailDepth) +
                              " ifs with returns follow one another; join their conditions with 'or', or use one flag");
    if (counts_.depth++ == 0)
      counts_.statements = 0;
    auto leave = llvm::make_scope_exit([this] { --counts_.depth; });
    return e_.emitRuntimeIf(branch.loc, condition.value, path(branch.body), path(branch.orelse));
  }

  /// Carries out `break` and `continue` of constexpr code; false for other statements.
  bool leavesLoop(Tail &tail, const Stmt &statement) {
    bool isBreak = statement.kind == StmtKind::Break;
    if (!e_.frame->isConstexprCode || (!isBreak && statement.kind != StmtKind::Continue) || !tail.isInLoop())
      return false;
    tail.leaveIteration(isBreak);
    return true;
  }

  /// A loop that may be left early and runs in the compiler: its iterations become steps of the tail.
  bool startsLoop(Tail &tail, const Stmt &statement) {
    if (auto *loop = as<ForStmt>(&statement); loop && Leaving(e_, statement).mayLeave()) {
      Value iterable = e_.emitIterable(*loop);
      if (auto unrolling = e_.unrolling(*loop, iterable))
        tail.push({loop, true, std::make_shared<Unrolling>(std::move(*unrolling))});
      else
        e_.emitRuntimeFor(*loop, iterable);
      return true;
    }
    auto *loop = as<WhileStmt>(&statement);
    if (!loop || !e_.frame->isConstexprCode || !Leaving(e_, statement).mayLeave())
      return false;
    tail.push({&statement, true});
    return true;
  }

  void repeat(Tail &tail, Tail::Step step) {
    if (auto *loop = as<WhileStmt>(step.statement)) {
      if (!e_.beginWhileIteration(*loop))
        return;
      tail.push(step);
      tail.push(loop->body);
      return;
    }
    if (step.next == step.unrolling->count)
      return;
    auto &loop = static_cast<const ForStmt &>(*step.statement);
    e_.beginIteration(loop, *step.unrolling, step.next++);
    tail.push(std::move(step));
    tail.push(loop.body);
  }

  Emitter &e_;
  TailCounts &counts_;
};

} // namespace

Value Emitter::emitBody(const Block &body) {
  Tail tail;
  tail.push(body);
  return TailEmitter(*this, tails_).emit(std::move(tail));
}

} // namespace tegula::lang
