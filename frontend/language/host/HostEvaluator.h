// Runs host code as far as it can be known without Python: expressions in decorators, defaults, constants and
// conditions of modules, and the plain functions that they call.
//
//   configs = [triton.Config({"BK": k}, num_warps=w) for k in (32, 64) for w in WARPS if k * w < 512]
//   @triton.autotune(configs=get_configs(fast=True) + EXTRA, key=[])
//
// Whatever depends on a module that is not read is not known, and is an error. Questions about devices are the
// exception: a kernel is one for all targets, so they are answered as on a machine that has no device.
#pragma once

#include "frontend/language/host/HostObject.h"

namespace tegula::lang {

class HostEvaluator {
public:
  /// Names have the values that they have at `time`.
  explicit HostEvaluator(const ModuleNames &names, unsigned time = ModuleNames::kEnd) : names_(names), time_(time) {}

  /// Throws tegula::Error, located, where the value cannot be known.
  HostObject evaluate(const Expr &expr) const;
  /// The result of a function or lambda of host code.
  HostObject call(const HostObject &callee, std::vector<HostObject> args,
                  std::vector<std::pair<std::string, HostObject>> keywords, Loc loc) const;
  /// Whether a condition holds; nothing where that cannot be known.
  std::optional<bool> truth(const Expr &expr) const;
  /// The value of a name of module `names` at its end.
  HostObject ofName(const std::string &name, Loc loc) const;
  HostObject defined(const std::string &name, const ModuleNames::Definition &definition, Loc loc) const;
  [[noreturn]] void fail(Loc loc, const std::string &message) const;

private:
  struct Budget;
  struct Flow;
  struct Call {
    Loc loc;
    std::vector<HostObject> args;
    std::vector<std::pair<std::string, HostObject>> keywords;
    const HostObject *find(size_t position, std::string_view keyword) const;
  };

  HostEvaluator(const ModuleNames &names, unsigned time, std::shared_ptr<HostNames> locals, Budget *budget)
      : names_(names), time_(time), locals_(std::move(locals)), budget_(budget) {}
  HostEvaluator in(const ModuleNames &names, unsigned time, std::shared_ptr<HostNames> locals = nullptr) const {
    return HostEvaluator(names, time, std::move(locals), budget_);
  }

  HostObject eval(const Expr &expr) const;
  [[noreturn]] void notKnown(Loc loc) const;
  [[noreturn]] void raise(Loc loc, const std::string &message, const std::string &type = "") const;
  bool isTrue(const Expr &expr) const;

  // HostEvaluator.cpp: names and displays
  HostObject literal(const ConstantExpr &constant) const;
  HostObject listDisplay(const Expr &expr) const;
  HostObject dictDisplay(const DictExpr &expr) const;
  HostObject name(const NameExpr &name) const;
  HostObject valueOf(const std::string &name, const ModuleNames::Definition &definition, Loc loc) const;
  HostObject changed(const std::string &name, const ModuleNames::Definition &definition, Loc loc) const;
  HostObject changedBy(const ModuleNames::Change &change, const std::string &name, const HostObject &value,
                       Loc loc) const;
  HostObject assigned(const std::string &name, const ModuleNames::Definition &definition, const Expr &value,
                      Loc loc) const;
  HostObject imported(const struct Imported &imported, Loc loc) const;
  HostObject attribute(const AttributeExpr &expr) const;
  HostObject pathMember(const std::string &path, const std::string &name) const;
  HostObject subscript(const SubscriptExpr &expr) const;
  HostObject known(const HostObject &value) const;
  HostObject comprehension(const ComprehensionExpr &expr) const;
  HostObject formatted(const FormatStringExpr &expr) const;

  // HostOperators.cpp
  HostObject unary(const UnaryExpr &expr) const;
  HostObject binary(Loc loc, BinaryOp op, const HostObject &lhs, const HostObject &rhs) const;
  HostObject integers(Loc loc, BinaryOp op, int64_t a, int64_t b) const;
  HostObject floats(Loc loc, BinaryOp op, double a, double b) const;
  HostObject comparison(const CompareExpr &expr) const;
  bool compare(Loc loc, CompareOp op, const HostObject &lhs, const HostObject &rhs) const;

  // HostCalls.cpp
  HostObject call(const CallExpr &expr) const;
  HostObject callPath(const std::string &path, const Call &call) const;
  std::optional<HostObject> makeSequence(const std::string &name, const Call &call) const;
  HostObject range(const Call &call) const;
  HostObject zip(const Call &call) const;
  HostObject extreme(bool isLeast, const std::vector<HostObject> &items, Loc loc) const;
  HostObject makeSet(const Call &call) const;
  std::optional<HostObject> convert(const std::string &name, const Call &call) const;
  HostObject callBuiltin(const std::string &name, const Call &call) const;
  std::optional<HostObject> aboutDevices(const std::string &path, const Call &call) const;
  /// The result of a function of the modules of triton; nothing for one that is not known.
  std::optional<HostObject> callTriton(const std::string &path, const Call &call) const;
  /// `x` of `x.value if isinstance(x, tl.constexpr) else x`, or of the same with `not`; null for other expressions.
  /// This evaluator does not tell a constexpr from its value and cannot know the condition; the result is x either way.
  const Expr *unwrapped(const IfExpr &expr) const;
  HostObject callMath(const std::string &name, const Call &call) const;
  HostObject makeConfig(const Call &call) const;
  std::optional<HostObject> callOfText(const CallExpr &expr) const;

  // HostMethods.cpp
  HostObject callMethod(const HostMethod &method, const Call &call) const;
  HostObject methodOfText(const std::string &text, const std::string &name, const Call &call) const;
  HostObject formatText(const std::string &text, const Call &call) const;
  HostObject methodOfList(HostList &list, const std::string &name, const Call &call) const;
  HostObject methodOfDict(HostDict &dict, const std::string &name, const Call &call) const;
  HostObject methodOfArguments(const HostArguments &parser, const std::string &name, const Call &call) const;

  // HostClasses.cpp
  HostObject classMember(const HostClass &type, const std::string &name, Loc loc) const;
  std::optional<HostClass> baseOf(const HostClass &type) const;
  HostObject classValue(const HostClass &type, size_t statement, const Expr &value) const;
  std::optional<HostObject> memberBefore(const HostClass &type, size_t end, const std::string &name) const;
  HostObject makeInstance(const HostClass &type) const;
  std::optional<HostObject> findMember(const HostClass &type, const std::string &name) const;
  std::optional<HostObject> memberOf(const HostClass &type, const std::string &name,
                                     const std::shared_ptr<HostObject> &self, Loc loc) const;
  std::optional<HostObject> attributeOfObject(const HostObject &object, const std::string &name, Loc loc) const;
  bool isInstance(const HostObject &object, const HostObject &type, Loc loc) const;
  bool isMade(const HostClass &type) const;
  HostObject instantiate(const HostClass &type, const Call &call) const;
  void fillFields(HostInstance &instance, const Call &call) const;
  HostObject superOf(const CallExpr &expr) const;
  void assignAttribute(const AttributeExpr &target, const HostObject &value) const;

  // HostFiles.cpp
  std::optional<HostObject> callFiles(const std::string &path, const Call &call) const;
  std::optional<HostObject> callPaths(const std::string &name, const Call &call) const;
  HostObject importModule(const std::string &name, Loc loc) const;

  // HostStatements.cpp
  HostObject callFunction(const HostFunction &function, const Call &call) const;
  HostObject callLambda(const HostLambda &lambda, const Call &call) const;
  Flow run(const Block &block) const;
  Flow run(const Stmt &statement) const;
  void runAssignment(const Stmt &statement) const;
  HostObject valueOrUnknown(const Expr &expr) const;
  Flow runWith(const WithStmt &with) const;
  Flow runTry(const TryStmt &attempt) const;
  const Block *handlerOf(const TryStmt &attempt, const std::string &type) const;
  void runImport(const ImportStmt &import) const;
  HostObject valueOfImport(const ImportStmt::Item &item, Loc loc) const;
  Flow runFor(const ForStmt &loop) const;
  /// Runs a loop's body once. The flow behind the loop if this ends it; nothing if the loop goes on.
  std::optional<Flow> runRound(const Block &body) const;
  void assign(const Expr &target, const HostObject &value) const;
  /// Of a set only where no result depends on their order.
  std::vector<HostObject> elements(Loc loc, const HostObject &value, bool inAnyOrder = false) const;

  const ModuleNames &names_;
  unsigned time_;
  std::shared_ptr<HostNames> locals_; // of the function that runs; null at module level
  Budget *budget_ = nullptr;
  friend class HostConstants;
};

} // namespace tegula::lang
