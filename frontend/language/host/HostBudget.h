// Limits of running host code: it must end, whatever the file says; and the state that it changes. Included by the
// evaluator's files only.
#pragma once

#include "frontend/language/host/HostEvaluator.h"

#include <set>

namespace tegula::lang {

constexpr unsigned kMaxHostSteps = 200000; // expressions and statements that one evaluation may run
constexpr unsigned kMaxHostDepth = 300;    // nested expressions and calls
constexpr size_t kMaxHostLength = 1 << 20; // elements of a list and bytes of a string that are joined with another one
constexpr size_t kMaxHostJoined = 1 << 23; // elements and bytes of all that one evaluation joins

struct HostEvaluator::Budget {
  unsigned steps = 0, depth = 0;
  size_t joined = 0;                 // elements of lists and bytes of strings
  std::set<const Stmt *> evaluating; // assignments of modules: a repeated one is a circle
  unsigned tries = 0;                // bodies of `try` that run now

  // State of this evaluation only. Values of modules are computed at their first use.
  std::map<std::pair<const void *, std::string>, HostObject> values; // by the assignment or the change, and the name
  std::map<const ModuleNames *, HostNames> globals;                  // what functions have assigned
  std::map<const ClassStmt *, HostNames> members;                    // of classes, computed or assigned

  /// One expression or statement, while it lives.
  class Step {
  public:
    Step(Budget &budget, const HostEvaluator &evaluator, Loc loc) : budget_(budget) {
      if (++budget.steps > kMaxHostSteps || budget.depth >= kMaxHostDepth)
        evaluator.fail(loc, "this host code takes too many steps to be evaluated");
      ++budget.depth;
    }
    ~Step() { --budget_.depth; }
    Step(const Step &) = delete;
    Step &operator=(const Step &) = delete;

  private:
    Budget &budget_;
  };

  /// While it lives, changes of objects are not seen by others: those that the names have now are set aside.
  class Apart {
  public:
    Apart(Budget &budget, bool isNeeded) : budget_(budget), isNeeded_(isNeeded) { exchange(); }
    ~Apart() { exchange(); }
    Apart(const Apart &) = delete;
    Apart &operator=(const Apart &) = delete;

  private:
    void exchange() {
      if (!isNeeded_)
        return;
      std::swap(values_, budget_.values);
      std::swap(globals_, budget_.globals);
      std::swap(members_, budget_.members);
    }

    Budget &budget_;
    bool isNeeded_;
    decltype(Budget::values) values_;
    decltype(Budget::globals) globals_;
    decltype(Budget::members) members_;
  };

  /// An assignment whose value is being evaluated.
  class Once {
  public:
    Once(Budget &budget, const HostEvaluator &evaluator, const Stmt &statement, Loc loc)
        : budget_(budget), statement_(statement) {
      if (!budget.evaluating.insert(&statement).second)
        evaluator.fail(loc, "this value depends on itself");
    }
    ~Once() { budget_.evaluating.erase(&statement_); }
    Once(const Once &) = delete;
    Once &operator=(const Once &) = delete;

  private:
    Budget &budget_;
    const Stmt &statement_;
  };
};

/// An exception that Python is known to raise there; a `try` of host code catches it.
class HostRaise : public Error {
public:
  HostRaise(Diagnostic diagnostic, std::string type) : Error(std::move(diagnostic)), type(std::move(type)) {}
  std::string type; // of the exception; empty where it is not known
};

/// What a statement did to the flow of its function.
struct HostEvaluator::Flow {
  enum class Kind : uint8_t { Next, Break, Continue, Return };
  Kind kind = Kind::Next;
  HostObject value; // of a return
};

bool isEnum(const HostClass &type);

/// Whether Python has a function of this name of its own that host code may call here.
bool isHostBuiltin(std::string_view name);

} // namespace tegula::lang
