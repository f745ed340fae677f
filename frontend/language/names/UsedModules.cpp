// The closure of what jit functions use: names in their bodies, decorators and defaults, and what these names use.
#include "frontend/language/host/HostConstants.h"
#include "frontend/language/host/HostEvaluator.h"
#include "frontend/language/names/Inspect.h"

#include <set>

namespace tegula::lang {
namespace {

class Walk {
public:
  void function(const ModuleScope &scope, const FunctionStmt &function) {
    if (!seen_.insert(&function).second)
      return;
    for (auto &decorator : function.decorators)
      expression(scope, decorator.get());
    for (const Param &param : function.params) {
      expression(scope, param.annotation.get());
      expression(scope, param.defaultValue.get());
      if (std::string given = givenConstant(function.name, param.name); scope.names.find(given))
        use(scope, given);
    }
    block(scope, function.body);
  }

private:
  void block(const ModuleScope &scope, const Block &block) {
    for (auto &each : block)
      statement(scope, *each);
  }

  void statement(const ModuleScope &scope, const Stmt &statement) {
    auto one = [&](const ExprPtr &e) { expression(scope, e.get()); };
    if (auto *s = as<FunctionStmt>(&statement))
      function(scope, *s);
    else if (auto *s = as<ReturnStmt>(&statement))
      one(s->value);
    else if (auto *s = as<AssignStmt>(&statement))
      one(s->value);
    else if (auto *s = as<AugAssignStmt>(&statement))
      one(s->value);
    else if (auto *s = as<AnnAssignStmt>(&statement))
      one(s->annotation), one(s->value);
    else if (auto *s = as<ExpressionStmt>(&statement))
      one(s->value);
    else if (auto *s = as<AssertStmt>(&statement))
      one(s->condition), one(s->message);
    else if (auto *s = as<ForStmt>(&statement))
      one(s->iterable), block(scope, s->body), block(scope, s->orelse);
    else if (auto *s = as<WhileStmt>(&statement))
      one(s->condition), block(scope, s->body), block(scope, s->orelse);
    else if (auto *s = as<IfStmt>(&statement))
      one(s->condition), block(scope, s->body), block(scope, s->orelse);
    else if (auto *s = as<HostBlockStmt>(&statement); s && s->loop)
      this->statement(scope, *s->loop);
    else if (auto *s = as<OpaqueStmt>(&statement); s && s->parsed)
      this->statement(scope, *s->parsed);
    else if (auto *s = as<ClassStmt>(&statement))
      block(scope, s->body);
    else if (auto *s = as<TryStmt>(&statement)) {
      for (const Block *part : {&s->body, &s->orelse, &s->finally})
        block(scope, *part);
      for (const Block &handler : s->handlers)
        block(scope, handler);
    }
  }

  void expression(const ModuleScope &scope, const Expr *expr) {
    if (!expr)
      return;
    if (auto *name = as<NameExpr>(expr))
      return use(scope, name->id);
    if (auto *attribute = as<AttributeExpr>(expr))
      if (const ModuleScope *module = scope.names.modules()->moduleOf(scope.names, *attribute->base))
        return imported(scope.names.modules()->member(*module, attribute->name));
    forEachChild(*expr, [&](const Expr &child) { expression(scope, &child); });
  }

  void use(const ModuleScope &scope, const std::string &name) {
    if (!used_.insert({&scope, name}).second)
      return;
    // A name may have been bound before, too, for a default or a decorator: both are followed.
    for (const ModuleNames::Definition &definition : scope.names.everything(name))
      define(scope, definition);
    if (auto *binding = scope.names.find(name)) // also from a star import
      for (const ModuleNames::Definition &definition : binding->candidates)
        define(scope, definition);
    evaluate(scope, name);
  }

  void define(const ModuleScope &scope, const ModuleNames::Definition &definition) {
    for (auto *change = definition.change.get(); change && changes_.insert(change).second;
         change = change->before.get())
      statement(scope, *change->statement);
    if (!defined_.insert({definition.statement, definition.import}).second)
      return;
    if (definition.import)
      imported(scope.names.modules()->resolve(scope, *definition.import));
    else if (const FunctionStmt *host = scope.names.hostFunction(*definition.statement))
      function(scope, *host);
    else if (const ClassStmt *type = scope.names.hostClass(*definition.statement))
      block(scope, type->body);
    else
      statement(scope, *definition.statement);
  }

  void imported(const Imported &imported) {
    if (imported.kind == Imported::Kind::Member)
      for (const ModuleNames::Definition &candidate : imported.binding->candidates)
        define(*imported.scope, candidate);
    if (imported.kind == Imported::Kind::Member)
      evaluate(*imported.scope, imported.name);
  }

  /// The value may depend on environment variables, which only evaluation asks for.
  static void evaluate(const ModuleScope &scope, const std::string &name) {
    try {
      HostEvaluator(scope.names).ofName(name, {1, 1});
    } catch (const Error &) {
      // It is not host code's to compute.
    }
  }

  std::set<const FunctionStmt *> seen_;
  std::set<std::pair<const ModuleScope *, std::string>> used_;
  std::set<std::pair<const Stmt *, const ImportStmt::Item *>> defined_;
  std::set<const ModuleNames::Change *> changes_;
};

} // namespace

void readUsedModules(const ModuleScope &scope) {
  Walk walk;
  forEachFunction(*scope.module, [&](const FunctionStmt &function) {
    try {
      walk.function(scope, function);
    } catch (const Error &) {
      // A file that cannot be read or parsed.
    }
  });
}

} // namespace tegula::lang
