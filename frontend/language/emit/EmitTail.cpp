// The body of a function: early returns, and loops that are unrolled around them.
#include "frontend/language/emit/Emitter.h"

#include "llvm/ADT/ScopeExit.h"

#include <algorithm>

namespace tegula::lang {

namespace {

/// What follows an `if` on its paths is emitted once for each of them, inside it. Beyond this many statements, and
/// beyond this depth, a message: passes take time with the depth's square and more, and the stack ends.
constexpr unsigned kMaxTailStatements = 20000, kMaxTailDepth = 256;

/// Whether the statement may end what is around it early: the function by a return, or a loop by `break` or `continue`.
bool mayLeave(const Stmt &statement) {
  auto any = [](const Block &block) {
    return std::any_of(block.begin(), block.end(), [](const StmtPtr &inner) { return mayLeave(*inner); });
  };
  switch (statement.kind) {
  case StmtKind::Return:
  case StmtKind::Break:
  case StmtKind::Continue: return true;
  case StmtKind::For: return any(static_cast<const ForStmt &>(statement).body);
  case StmtKind::While: return any(static_cast<const WhileStmt &>(statement).body);
  case StmtKind::If: {
    auto &branch = static_cast<const IfStmt &>(statement);
    return any(branch.body) || any(branch.orelse);
  }
  default: return false;
  }
}

/// What remains to be emitted of a function's body, the next step last.
class Tail {
public:
  struct Step {
    const Stmt *statement = nullptr;
    /// The statement is a loop, to be gone on with; a `for` whose variable takes value `next` of these now.
    bool isLoop = false;
    std::shared_ptr<const Unrolling> unrolling = nullptr;
    Int next = 0;
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
        e_.fail(statement.loc, "the returns nested in ifs multiply this function beyond " +
                                   std::to_string(kMaxTailStatements) +
                                   " statements; join their conditions with 'and', or use one flag");
      if (auto *result = as<ReturnStmt>(&statement))
        return result->value ? e_.emit(*result->value) : Value(Const(None{}));
      auto *branch = as<IfStmt>(&statement);
      if (branch && mayLeave(statement)) {
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
    auto names = e_.frame->names;
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
    ++counts_.depth;
    auto leave = llvm::make_scope_exit([this] { --counts_.depth; });
    return e_.emitRuntimeIf(branch.loc, condition.value, path(branch.body), path(branch.orelse));
  }

  /// A `break` or `continue` of a loop of a constexpr function.
  bool leavesLoop(Tail &tail, const Stmt &statement) {
    bool isBreak = statement.kind == StmtKind::Break;
    if (!e_.frame->isHostCode || (!isBreak && statement.kind != StmtKind::Continue) || !tail.isInLoop())
      return false;
    tail.leaveIteration(isBreak);
    return true;
  }

  /// A loop that is left early and runs in the compiler: its iterations become steps of the tail.
  bool startsLoop(Tail &tail, const Stmt &statement) {
    if (!mayLeave(statement))
      return false;
    if (auto *loop = as<ForStmt>(&statement)) {
      Value iterable = e_.emitIterable(*loop);
      if (auto unrolling = e_.unrolling(*loop, iterable))
        tail.push({loop, true, std::make_shared<Unrolling>(std::move(*unrolling))});
      else
        e_.emitRuntimeFor(*loop, iterable);
      return true;
    }
    if (statement.kind != StmtKind::While || !e_.frame->isHostCode)
      return false;
    tail.push({&statement, true});
    return true;
  }

  void repeat(Tail &tail, Tail::Step step) {
    if (auto *loop = as<WhileStmt>(step.statement)) {
      if (!e_.holdsAgain(*loop))
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
