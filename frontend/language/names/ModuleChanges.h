// Statements of a module that change objects which names are bound to: configs.append(c), D["a"] = 2, register(D), C.x
// = 5, del N, and calls of the file's functions that do so or that declare names `global`.
#pragma once

#include "frontend/language/names/ModuleNames.h"

#include <set>

namespace tegula::lang {

using ModuleState = std::map<std::string, ModuleNames::Binding, std::less<>>;

/// What a statement may change.
class ChangesOf {
public:
  using Effect = ModuleNames::Change::Effect;
  ChangesOf(const ModuleNames &names, const ModuleState &state) : names_(names), state_(state) {}

  void statement(const Stmt &statement);
  void expression(const Expr &expr);
  /// By the name that the file has for the object.
  std::map<std::string, Effect> found;

private:
  void block(const Block &block);
  void call(const CallExpr &call);
  void callOfName(const std::string &name, const CallExpr &call);
  void target(const Expr &target);
  void loop(const Expr &target, const Expr &iterable, const Block &body);
  void body(const FunctionStmt &function);
  void add(const Expr *root, Effect effect);
  void add(const std::string &name, Effect effect);
  bool isOfLanguage(const Expr &callee) const;

  const ModuleNames &names_;
  const ModuleState &state_;
  std::set<std::string, std::less<>> locals_;    // of the function that is looked at
  std::set<std::string, std::less<>> variables_; // of the loops around
  std::set<const FunctionStmt *> seen_;
  bool inFunction_ = false;
};

/// Notes in `state` that `statement` changes the object of `name`, and perhaps those that share parts with it. Returns
/// the names whose binding this changes, each with its new one.
ModuleState changed(const ModuleState &state, const std::string &name, ModuleNames::Change change);

/// Whether a statement of a function or a class binds the name.
bool bindsName(const Stmt &statement, const std::string &name);

/// The definition, of which one way through the branches of `fork` has changed the object and another has not.
ModuleNames::Definition mixed(ModuleNames::Definition one, const ModuleNames::Definition &other, const Stmt &fork);

} // namespace tegula::lang
