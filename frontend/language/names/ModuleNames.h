// What the names of a module stand for. Python runs a module from top to bottom, so a name has the value of the last
// statement that bound it, and branches that are not taken bind nothing. This follows that order: conditions of the
// module level are evaluated as far as they can be read (HostConstants.h), and where one cannot, both branches count:
//
//   if False:                     f is B, whatever stands in the first branch
//       @triton.jit
//       def f(x): ...  # A
//   else:
//       @triton.jit
//       def f(x): ...  # B
//
//   HAS_FAST = probe()            what probe() gives is not known: f is A or B, and a use of f is a message
//   if HAS_FAST: ...
//
// Inspection, emission and the tree that is printed all ask here, so that they mean the same function by a name.
#pragma once

#include "core/support/Diagnostic.h"
#include "frontend/language/syntax/Ast.h"

#include <climits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tegula::lang {

class HostFrames;
class Modules;
struct ModuleScope;

class ModuleNames {
public:
  /// `module` must live as long as this. `modules` finds what the module imports, as seen from `scope`; without them
  /// nothing outside of the file is known.
  explicit ModuleNames(const Module &module, Modules *modules = nullptr, const ModuleScope *scope = nullptr);
  ~ModuleNames();

  /// A statement behind a name's definition that may change the object, as in `configs.append(c)`.
  struct Change {
    enum class Effect : uint8_t {
      Runs,   // the statement can be evaluated
      Hidden, // what becomes of the object is not known; of a number or a text nothing can
      Binds,  // the name may stand for something else
    };
    const Stmt *statement = nullptr;
    unsigned time = 0; // names in the statement are those of this time
    Effect effect = Effect::Hidden;
    std::vector<std::string> names;       // whose objects the statement changes
    std::shared_ptr<const Change> before; // of an effect that runs
    unsigned count = 0;                   // of the changes so far
  };
  /// One statement that binds a name. Times count bindings in the order in which Python makes them.
  struct Definition {
    const Stmt *statement = nullptr;          // a function, aggregate, assignment, import or OpaqueStmt
    const ImportStmt::Item *import = nullptr; // of an import
    unsigned time = 0;                        // names in the statement's value and defaults are those of this time
    std::shared_ptr<const Change> change = nullptr; // the last one
    Loc loc() const;
  };
  struct Binding {
    std::vector<Definition> candidates; // in the order of the text; several where it is not known which one holds
    const Stmt *fork = nullptr;         // where there are several: the If, Try or HostBlock that decides
    bool isCertain() const { return candidates.size() == 1; }
  };

  /// When the module has run: what kernels see, since they are launched after that.
  static constexpr unsigned kEnd = UINT_MAX;

  /// What `name` stands for at `time`; null where nothing has bound it.
  const Binding *find(std::string_view name, unsigned time = kEnd) const;
  /// The jit function (or constexpr_function) that `name` stands for; null where it is none or not certain.
  const FunctionStmt *function(std::string_view name) const;
  /// Whether evaluating the statement may change objects that names of the module are bound to.
  bool changesObjects(const Stmt &statement) const { return changing_.contains(&statement); }
  /// When the statement bound its name; kEnd for one that never runs.
  unsigned timeOf(const Stmt &statement) const;
  /// All definitions that the name has had.
  std::vector<Definition> everything(std::string_view name) const;
  /// All names that are bound at the end.
  std::vector<std::string_view> names() const;

  /// For a name that is not certain: that it has several definitions, what decides, and what to do. `notes` are the
  /// definitions. `use` is where the name is used.
  Diagnostic ambiguity(std::string_view name, const Binding &binding, Loc use) const;

  const Module &module() const { return module_; }
  Modules *modules() const { return modules_; }
  /// Owns what host code leaves behind: values of host code must not outlive this.
  HostFrames &frames() const { return *frames_; }
  const ModuleScope *scope() const { return scope_; }

  /// The plain function or the class that host code defines there, parsed; null where the statement is none or cannot
  /// be parsed.
  const FunctionStmt *hostFunction(const Stmt &statement) const { return as<FunctionStmt>(hostDefinition(statement)); }
  const ClassStmt *hostClass(const Stmt &statement) const { return as<ClassStmt>(hostDefinition(statement)); }

private:
  class Run;

  /// What star imports after `time` give the name.
  const Binding *findInStars(std::string_view name, unsigned after, unsigned time) const;

  const Module &module_;
  Modules *modules_;
  const ModuleScope *scope_;
  struct Star {
    unsigned time;
    const ImportStmt *statement;
    const ImportStmt::Item *item;
  };
  std::vector<Star> stars_;                                       // `from m import *`, in order
  mutable std::map<std::string, Binding, std::less<>> fromStars_; // by time and name
  mutable std::vector<std::unique_ptr<ImportStmt::Item>> starItems_;
  const Stmt *hostDefinition(const Stmt &statement) const;
  mutable std::map<const Stmt *, StmtPtr> hostDefinitions_;
  std::unique_ptr<HostFrames> frames_;
  /// Each change of a name's binding, with the time from which it holds. Where branches join, the joined binding is a
  /// change, and so is the return to the state before the first branch at the beginning of the second.
  std::map<std::string, std::vector<std::pair<unsigned, Binding>>, std::less<>> history_;
  mutable std::map<const Stmt *, unsigned> times_;
  std::set<const Stmt *> changing_;
  unsigned clock_ = 0;
};

} // namespace tegula::lang
