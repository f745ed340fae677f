#include "frontend/language/names/InspectConstants.h"

#include "frontend/language/names/Annotations.h"
#include "frontend/language/names/ModuleScope.h"

#include <functional>
#include <vector>

namespace tegula::lang {

namespace {

using Visit = std::function<void(const Expr &)>;

/// Calls `visit` for `expr` and every expression below it, `expr` first.
void walk(const Expr *expr, const Visit &visit) {
  if (!expr)
    return;
  visit(*expr);
  auto all = [&](const std::vector<ExprPtr> &list) {
    for (auto &e : list)
      walk(e.get(), visit);
  };
  switch (expr->kind) {
  case ExprKind::Tuple: return all(static_cast<const TupleExpr *>(expr)->elements);
  case ExprKind::List: return all(static_cast<const ListExpr *>(expr)->elements);
  case ExprKind::Unary: return walk(static_cast<const UnaryExpr *>(expr)->operand.get(), visit);
  case ExprKind::BoolOp: return all(static_cast<const BoolExpr *>(expr)->operands);
  case ExprKind::Compare: return all(static_cast<const CompareExpr *>(expr)->operands);
  case ExprKind::Attribute: return walk(static_cast<const AttributeExpr *>(expr)->base.get(), visit);
  case ExprKind::Starred: return walk(static_cast<const StarredExpr *>(expr)->value.get(), visit);
  case ExprKind::Binary: {
    auto *e = static_cast<const BinaryExpr *>(expr);
    walk(e->lhs.get(), visit);
    return walk(e->rhs.get(), visit);
  }
  case ExprKind::Call: {
    auto *e = static_cast<const CallExpr *>(expr);
    walk(e->callee.get(), visit);
    all(e->args);
    for (auto &keyword : e->keywords)
      walk(keyword.value.get(), visit);
    return;
  }
  case ExprKind::Subscript: {
    auto *e = static_cast<const SubscriptExpr *>(expr);
    walk(e->base.get(), visit);
    return walk(e->index.get(), visit);
  }
  case ExprKind::IfExp: {
    auto *e = static_cast<const IfExpr *>(expr);
    walk(e->condition.get(), visit);
    walk(e->value.get(), visit);
    return walk(e->other.get(), visit);
  }
  default: return;
  }
}

/// Calls `visit` for each statement of the block and of nested blocks.
void walkStatements(const Block &block, const std::function<void(const Stmt &)> &visit) {
  for (auto &statement : block) {
    visit(*statement);
    if (auto *loop = as<ForStmt>(statement)) {
      walkStatements(loop->body, visit);
      walkStatements(loop->orelse, visit);
    } else if (auto *loop = as<WhileStmt>(statement)) {
      walkStatements(loop->body, visit);
      walkStatements(loop->orelse, visit);
    } else if (auto *branch = as<IfStmt>(statement)) {
      walkStatements(branch->body, visit);
      walkStatements(branch->orelse, visit);
    }
  }
}

/// The expressions that a statement evaluates itself, without those of its blocks.
std::vector<const Expr *> expressionsOf(const Stmt &statement) {
  switch (statement.kind) {
  case StmtKind::Return: return {static_cast<const ReturnStmt &>(statement).value.get()};
  case StmtKind::Assign: return {static_cast<const AssignStmt &>(statement).value.get()};
  case StmtKind::AugAssign: return {static_cast<const AugAssignStmt &>(statement).value.get()};
  case StmtKind::AnnAssign: return {static_cast<const AnnAssignStmt &>(statement).value.get()};
  case StmtKind::For: return {static_cast<const ForStmt &>(statement).iterable.get()};
  case StmtKind::While: return {static_cast<const WhileStmt &>(statement).condition.get()};
  case StmtKind::If: return {static_cast<const IfStmt &>(statement).condition.get()};
  case StmtKind::Expression: return {static_cast<const ExpressionStmt &>(statement).value.get()};
  default: return {};
  }
}

/// An argument of a builtin that must be constant: its position (-1: all) and its keyword.
struct Row {
  std::string_view function;
  int position;
  std::string_view keyword;
};
constexpr Row kRows[] = {
    {"arange", -1, "start"},
    {"arange", -1, "end"},
    {"static_range", -1, "stop"},
    {"zeros", 0, "shape"},
    {"full", 0, "shape"},
    {"reshape", 1, "shape"},
    {"view", 1, "shape"},
    {"broadcast_to", 1, "shape"},
    {"make_block_ptr", 4, "block_shape"},
    {"make_block_ptr", 5, "order"},
    {"make_tensor_descriptor", 3, "block_shape"},
    {"static_assert", 0, "cond"},
    {"program_id", 0, "axis"},
    {"num_programs", 0, "axis"},
    {"range", 99, "num_stages"},
    {"histogram", 1, "num_bins"},
};

/// Whether an expression calls a function whose result is no constant, so that the expression is none.
bool isRuntime(const Expr *expr) {
  bool found = false;
  walk(expr, [&](const Expr &e) {
    auto *call = as<CallExpr>(&e);
    if (!call)
      return;
    std::string_view name;
    if (auto *attribute = as<AttributeExpr>(call->callee))
      name = attribute->name;
    else if (auto *callee = as<NameExpr>(call->callee))
      name = callee->id;
    bool folds = false;
    for (std::string_view known :
         {"cdiv", "next_power_of_2", "min", "max", "abs", "int", "len", "constexpr", "isinstance"})
      folds |= name == known;
    found |= !folds && !name.starts_with("is_");
  });
  return found;
}

/// Adds the names whose values the expression uses. A name of which only an attribute is read (`x.dtype`, `tl.float32`)
/// is not added.
void addNames(const Expr *expr, std::set<std::string> &names) {
  std::set<const Expr *> bases;
  walk(expr, [&](const Expr &e) {
    if (auto *attribute = as<AttributeExpr>(&e))
      bases.insert(attribute->base.get());
    auto *name = as<NameExpr>(&e);
    if (name && !bases.contains(name))
      names.insert(name->id);
  });
}

class Inference {
public:
  explicit Inference(const ModuleNames &names) {
    forEachFunction(names.module(), [&](const FunctionStmt &function) { add({&function, &names}); });
    // A constant parameter of one function can make an argument of its callers constant: iterated to a fixed point.
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = 0; i < functions_.size(); ++i) // functions of other modules are added on the way
        changed |= infer(functions_[i]);
    }
  }
  std::map<const FunctionStmt *, std::set<std::string>> result;

private:
  /// A function and the module of its definition.
  struct Function {
    const FunctionStmt *statement = nullptr;
    const ModuleNames *names = nullptr;
  };

  void add(const Function &function) {
    if (!known_.insert(function.statement).second)
      return;
    functions_.push_back(function);
    for (const Param &param : function.statement->params)
      if (readAnnotation(*function.names, param.annotation.get(), function.names->timeOf(*function.statement))
              .isConstexpr)
        result[function.statement].insert(param.name);
  }

  Function definitionOf(const Imported &imported) const {
    if (imported.kind != Imported::Kind::Member || !imported.binding->isCertain())
      return {};
    return {as<FunctionStmt>(imported.binding->candidates[0].statement), &imported.scope->names};
  }

  /// The jit function that a call is of, in this file or another one; no function where it is none.
  Function calleeOf(const ModuleNames &names, const Expr &callee) const {
    Modules *modules = names.modules();
    if (auto *name = as<NameExpr>(&callee)) {
      if (const FunctionStmt *function = names.function(name->id))
        return {function, &names};
      auto *binding = modules ? names.find(name->id) : nullptr;
      if (binding && binding->isCertain() && binding->candidates[0].import)
        return definitionOf(modules->resolve(*names.scope(), *binding->candidates[0].import));
    }
    auto *attribute = as<AttributeExpr>(&callee);
    const ModuleScope *scope = attribute && modules ? modules->moduleOf(names, *attribute->base) : nullptr;
    return scope ? definitionOf(modules->member(*scope, attribute->name)) : Function{};
  }

  bool infer(Function each) {
    const FunctionStmt &function = *each.statement;
    const ModuleNames &names = *each.names;
    std::set<std::string> needed;
    auto need = [&](const Expr *expr) {
      if (!isRuntime(expr))
        addNames(expr, needed);
    };
    walkStatements(function.body, [&](const Stmt &statement) {
      for (const Expr *expr : expressionsOf(statement))
        walk(expr, [&](const Expr &e) {
          if (auto *call = as<CallExpr>(&e))
            visitCall(names, *call, need);
        });
    });
    // Constants through local names: `half = BLOCK // 2; tl.arange(0, half)` makes BLOCK a constant.
    for (size_t before = 0; before != needed.size();) {
      before = needed.size();
      walkStatements(function.body, [&](const Stmt &statement) {
        auto *annotated = as<AnnAssignStmt>(&statement); // also `half: tl.constexpr = ...`, which may hold any value
        if (auto *name = annotated ? as<NameExpr>(annotated->target) : nullptr; name && needed.contains(name->id))
          need(annotated->value.get());
        if (auto *assignment = as<AssignStmt>(&statement))
          for (auto &target : assignment->targets)
            if (auto *name = as<NameExpr>(target); name && needed.contains(name->id))
              need(assignment->value.get());
      });
    }
    // A parameter that the body assigns is a variable, never a constant.
    std::set<std::string> assigned;
    walkStatements(function.body, [&](const Stmt &statement) {
      if (auto *assignment = as<AssignStmt>(&statement))
        for (auto &target : assignment->targets)
          if (auto *name = as<NameExpr>(target))
            assigned.insert(name->id);
    });
    bool changed = false;
    for (const Param &param : function.params)
      if (needed.contains(param.name))
        changed |= needs_[&function].insert(param.name).second;
    for (const Param &param : function.params)
      if (!param.annotation && needed.contains(param.name) && !assigned.contains(param.name))
        changed |= result[&function].insert(param.name).second;
    return changed;
  }

  void visitCall(const ModuleNames &names, const CallExpr &call, const std::function<void(const Expr *)> &need) {
    std::string name;
    bool isMethod = false;
    if (auto *attribute = as<AttributeExpr>(call.callee)) {
      name = attribute->name;
      auto *base = as<NameExpr>(attribute->base);
      isMethod = !base || (base->id != "tl" && base->id != "language");
    } else if (auto *callee = as<NameExpr>(call.callee)) {
      name = callee->id;
    }
    if (Function callee = calleeOf(names, *call.callee); callee.statement) {
      add(callee);
      auto &params = callee.statement->params;
      // What is declared constant takes a run-time value, too, unless a use in the callee needs the constant.
      const std::set<std::string> constants = needs_[callee.statement];
      for (size_t i = 0; i < call.args.size() && i < params.size(); ++i)
        if (constants.contains(params[i].name))
          need(call.args[i].get());
      for (auto &keyword : call.keywords)
        if (constants.contains(keyword.name))
          need(keyword.value.get());
      return;
    }
    for (const Row &row : kRows) {
      if (row.function != name)
        continue;
      int shift = isMethod ? 1 : 0;
      for (size_t i = 0; i < call.args.size(); ++i)
        if (row.position == -1 || static_cast<int>(i) + shift == row.position)
          need(call.args[i].get());
      for (auto &keyword : call.keywords)
        if (keyword.name == row.keyword)
          need(keyword.value.get());
    }
  }

  std::map<const FunctionStmt *, std::set<std::string>> needs_; // parameters that a use makes constants
  std::vector<Function> functions_;
  std::set<const FunctionStmt *> known_;
};

} // namespace

std::map<const FunctionStmt *, std::set<std::string>> constantParams(const ModuleNames &names) {
  return Inference(names).result;
}

} // namespace tegula::lang
