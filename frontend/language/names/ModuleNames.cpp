#include "frontend/language/names/ModuleNames.h"

#include "frontend/language/host/HostConstants.h"
#include "frontend/language/host/HostObject.h"
#include "frontend/language/names/ModuleChanges.h"
#include "frontend/language/names/ModuleScope.h"
#include "frontend/language/syntax/Parser.h"

#include <algorithm>
#include <functional>
#include <set>

namespace tegula::lang {

namespace {

using State = ModuleState;

bool sameCandidates(const ModuleNames::Binding &a, const ModuleNames::Binding &b) {
  auto same = [](const ModuleNames::Definition &x, const ModuleNames::Definition &y) {
    return x.statement == y.statement && x.import == y.import && x.change == y.change;
  };
  return std::equal(a.candidates.begin(), a.candidates.end(), b.candidates.begin(), b.candidates.end(), same);
}

} // namespace

/// One pass through the module's statements, in Python's order.
class ModuleNames::Run {
public:
  explicit Run(ModuleNames &names) : names_(names) {
    for (auto &statement : names.module_.body)
      run(*statement); // after a `raise` too: at worst a kernel is known that Python would not reach
  }

private:
  /// What running a statement or block comes to. After a lack (an import or attribute that exists in Triton, perhaps,
  /// but not here) the rest runs all the same: its kernels may do without. But other branches and handlers have
  /// precedence.
  enum Outcome : uint8_t { Completes, Lacks, Raises };
  using Alternative = std::function<Outcome()>;

  Outcome run(const Block &block) {
    Outcome outcome = Completes;
    for (auto &statement : block) {
      outcome = std::max(outcome, run(*statement));
      if (outcome == Raises)
        break;
    }
    return outcome;
  }

  Outcome run(const Stmt &statement) {
    const unsigned time = names_.clock_; // its value is of the time before it changes anything
    change(statement);
    if (auto *function = as<FunctionStmt>(&statement)) {
      bind(function->name, {&statement, nullptr, time});
    } else if (auto *aggregate = as<ClassStmt>(&statement)) {
      bind(aggregate->name, {&statement, nullptr, time});
    } else if (auto *assignment = as<AssignStmt>(&statement)) {
      Definition definition{&statement, nullptr, time};
      bool exists = now().pathExists(*assignment->value).value_or(true);
      for (auto &target : assignment->targets)
        bindTarget(*target, definition);
      return exists ? Completes : Lacks;
    } else if (auto *changed = as<AugAssignStmt>(&statement)) {
      bindTarget(*changed->target, {&statement, nullptr, time});
    } else if (auto *annotated = as<AnnAssignStmt>(&statement)) {
      if (annotated->value)
        bindTarget(*annotated->target, {&statement, nullptr, time});
    } else if (auto *opaque = as<OpaqueStmt>(&statement)) {
      for (const std::string &name : opaque->names)
        bind(name, {&statement, nullptr, time});
      return opaque->what == "raise" ? Raises : Completes;
    } else if (auto *import = as<ImportStmt>(&statement)) {
      bool succeeds = true;
      for (auto &item : import->items) {
        if (!item.alias.empty())
          bind(item.alias, {&statement, &item, names_.clock_});
        else if (item.name == "*")
          names_.stars_.push_back({++names_.clock_, import, &item});
        succeeds &= succeedsHere(item).value_or(true);
      }
      return succeeds ? Completes : Lacks;
    } else if (auto *branch = as<IfStmt>(&statement)) {
      if (auto holds = now().truth(*branch->condition))
        return run(*holds ? branch->body : branch->orelse);
      return fork(statement, {[&] { return run(branch->body); }, [&] { return run(branch->orelse); }});
    } else if (auto *attempt = as<TryStmt>(&statement)) {
      Outcome outcome = runTry(*attempt);
      return std::max(outcome, run(attempt->finally));
    } else if (auto *host = as<HostBlockStmt>(&statement)) {
      return runHostBlock(*host);
    }
    return Completes;
  }

  /// Notes which objects the statement changes. Those inside of a block are looked at when they run.
  void change(const Stmt &statement) {
    ChangesOf changes(names_, state_);
    if (auto *branch = as<IfStmt>(&statement))
      changes.expression(*branch->condition);
    else if (statement.kind != StmtKind::Try && statement.kind != StmtKind::HostBlock)
      changes.statement(statement);
    if (auto *changed = as<AugAssignStmt>(&statement); changed && as<NameExpr>(changed->target))
      changes.found[as<NameExpr>(changed->target)->id] = Change::Effect::Hidden; // of a list; the name follows
    change(statement, changes.found, statement.kind != StmtKind::If);
  }

  void change(const Stmt &statement, const std::map<std::string, Change::Effect> &found, bool runs) {
    Change change{&statement, names_.clock_, Change::Effect::Runs, {}, nullptr, 0};
    for (auto &[name, effect] : found) {
      change.names.push_back(name);
      runs &= effect == Change::Effect::Runs;
    }
    if (!found.empty())
      names_.changing_.insert(&statement);
    for (auto &[name, effect] : found) {
      change.effect = runs ? effect : std::max(effect, Change::Effect::Hidden);
      for (auto &[each, binding] : changed(state_, name, change))
        set(each, binding);
    }
  }

  /// A loop runs as a whole where it changes objects that were there before.
  void changeByLoop(const HostBlockStmt &block, const State &before) {
    ChangesOf changes(names_, before);
    changes.statement(block);
    std::map<std::string, Change::Effect> found;
    for (auto &[name, effect] : changes.found) {
      auto was = before.find(name);
      auto is = state_.find(name);
      if (was == before.end() || is == state_.end() || !is->second.isCertain() ||
          is->second.candidates[0].statement != was->second.candidates[0].statement)
        continue;
      set(name, was->second);
      found.emplace(name, effect);
    }
    change(block, found, block.loop != nullptr && found.size() == changes.found.size());
  }

  Outcome runHostBlock(const HostBlockStmt &block) {
    const State before = state_;
    for (const std::string &name : block.names)
      bind(name, {&block, nullptr, names_.clock_});
    if (block.what == "with")
      return run(block.body);
    fork(block, {[&] { return run(block.body); }, [] { return Completes; }}); // a loop may run its body or not
    changeByLoop(block, before);
    return run(block.orelse);
  }

  /// The body counts, unless it is known to fail. Where that is not known, the handlers count as well.
  Outcome runTry(const TryStmt &attempt) {
    ++tries_;
    Outcome outcome = runAttempt(attempt);
    --tries_;
    return outcome;
  }

  Outcome runAttempt(const TryStmt &attempt) {
    State before = state_;
    std::optional<State> atFailure;
    bool mayFail = false;
    Outcome outcome = Completes;
    for (size_t i = 0; outcome != Raises && i < attempt.body.size(); ++i) {
      mayFail |= canFail(*attempt.body[i]);
      outcome = std::max(outcome, run(*attempt.body[i]));
      if (outcome != Completes && !atFailure)
        atFailure = state_;
    }
    std::vector<Alternative> handlers;
    for (const Block &handler : attempt.handlers)
      handlers.push_back([&] { return run(handler); });
    if (handlers.empty())
      return std::max(outcome, run(attempt.orelse));
    State after = state_;
    if (atFailure) { // which handler takes it is not known where there are several
      restore(*atFailure);
      outcome = handlers.size() > 1 ? fork(attempt, handlers) : handlers[0]();
      supplement(after);
      return outcome;
    }
    if (!mayFail)
      return run(attempt.orelse);
    State inBetween = joined(attempt, {before, after});
    std::vector<Alternative> all{[&] {
      restore(after);
      return run(attempt.orelse);
    }};
    for (Alternative &handler : handlers)
      all.push_back([&] {
        restore(inBetween);
        return handler();
      });
    return fork(attempt, all);
  }

  /// Whether it is possible, as far as we know, that the statement raises an exception.
  bool canFail(const Stmt &statement) const {
    auto any = [&](const Block &block) {
      return std::any_of(block.begin(), block.end(), [&](const StmtPtr &s) { return canFail(*s); });
    };
    switch (statement.kind) {
    case StmtKind::Function:
    case StmtKind::Class: return false;
    case StmtKind::Import: {
      auto &items = static_cast<const ImportStmt &>(statement).items;
      return std::any_of(items.begin(), items.end(), [&](auto &item) { return succeedsHere(item) != true; });
    }
    case StmtKind::Assign: return !canEvaluate(*static_cast<const AssignStmt &>(statement).value);
    case StmtKind::AnnAssign: {
      auto &annotated = static_cast<const AnnAssignStmt &>(statement);
      return annotated.value && !canEvaluate(*annotated.value);
    }
    case StmtKind::If: {
      auto &branch = static_cast<const IfStmt &>(statement);
      return !now().truth(*branch.condition) || any(branch.body) || any(branch.orelse);
    }
    case StmtKind::Try: return false; // it has handlers of its own
    case StmtKind::Opaque: {
      auto &what = static_cast<const OpaqueStmt &>(statement).what;
      return what != "function" && what != "class";
    }
    default: return true;
    }
  }

  /// As importSucceeds, which knows what does not come from files. Files are looked for in a `try` only, where it
  /// matters whether the import fails.
  std::optional<bool> succeedsHere(const ImportStmt::Item &item) const {
    auto known = importSucceeds(item);
    if (known || !tries_ || !names_.modules_)
      return known;
    if (!names_.modules_->exists(*names_.scope_, item.module))
      return item.module.starts_with('.') ? std::optional(false) : std::nullopt;
    if (item.name.empty() || item.name == "*")
      return true;
    switch (names_.modules_->resolve(*names_.scope_, item).kind) {
    case Imported::Kind::Missing: return false;
    case Imported::Kind::Unread: return std::nullopt;
    default: return true;
    }
  }

  bool canEvaluate(const Expr &value) const {
    if (now().pathExists(value) == true)
      return true;
    try {
      now().evaluate(value);
      return true;
    } catch (const Error &) {
      return false;
    }
  }

  HostConstants now() const { return HostConstants(names_, names_.clock_); }

  void bind(const std::string &name, Definition definition) {
    names_.times_[definition.statement] = definition.time;
    set(name, {{definition}, nullptr});
  }

  void bindTarget(const Expr &target, const Definition &definition) {
    if (auto *name = as<NameExpr>(&target))
      return bind(name->id, definition);
    if (auto *starred = as<StarredExpr>(&target))
      return bindTarget(*starred->value, definition);
    if (target.kind == ExprKind::Tuple || target.kind == ExprKind::List)
      forEachChild(target, [&](const Expr &element) { bindTarget(element, definition); });
  }

  void set(const std::string &name, Binding binding) {
    names_.history_[name].emplace_back(++names_.clock_, binding);
    if (binding.candidates.empty())
      state_.erase(name);
    else
      state_[name] = std::move(binding);
  }

  void restore(const State &state) {
    std::set<std::string> names;
    for (const State *each : std::initializer_list<const State *>{&state, &state_})
      for (auto &[name, binding] : *each)
        names.insert(name);
    for (const std::string &name : names) {
      auto wanted = state.find(name);
      auto current = state_.find(name);
      bool isAbsent = wanted == state.end();
      if (isAbsent || current == state_.end() || !sameCandidates(wanted->second, current->second))
        set(name, isAbsent ? Binding() : wanted->second);
    }
  }

  /// Runs each alternative from the present state and joins the states of those with the best outcome. Names that only
  /// the others bind are kept.
  Outcome fork(const Stmt &at, const std::vector<Alternative> &alternatives) {
    const State before = state_;
    std::vector<State> ends[3];
    for (const Alternative &alternative : alternatives) {
      restore(before);
      Outcome outcome = alternative();
      ends[outcome].push_back(state_);
    }
    Outcome best = !ends[Completes].empty() ? Completes : !ends[Lacks].empty() ? Lacks : Raises;
    restore(joined(at, ends[best]));
    for (const State &state : ends[Lacks])
      supplement(state);
    return best;
  }

  /// Binds the names that only `state` binds.
  void supplement(const State &state) {
    for (auto &[name, binding] : state)
      if (!state_.contains(name))
        set(name, binding);
  }

  State joined(const Stmt &fork, const std::vector<State> &states) const {
    State result;
    for (const State &state : states)
      for (auto &[name, binding] : state) {
        auto [at, isNew] = result.emplace(name, binding);
        if (isNew || sameCandidates(at->second, binding))
          continue;
        for (const Definition &candidate : binding.candidates)
          add(at->second, candidate, fork);
        preferLanguage(at->second);
        if (!at->second.isCertain())
          at->second.fork = &fork;
      }
    return result;
  }

  /// Libraries choose a module of functions by a probe, and fall back to one of triton.language, whose modules share
  /// their functions here: `try: f = probe()`, `except ImportError: f = triton.language.math`. Then that one counts.
  void preferLanguage(Binding &binding) const {
    const Definition *module = nullptr;
    for (const Definition &candidate : binding.candidates) {
      auto *assignment = as<AssignStmt>(candidate.statement);
      auto path = assignment ? HostConstants(names_, candidate.time).modulePath(*assignment->value) : std::nullopt;
      bool isModule = path && (path->ends_with(".math") || path->ends_with(".libdevice"));
      if (isModule && path->starts_with("triton.language."))
        module = &candidate;
      else if (!assignment || assignment->value->kind != ExprKind::Call)
        return;
    }
    if (module)
      binding.candidates = {Definition(*module)};
  }

  /// Definitions that mean the same are one.
  void add(Binding &binding, const Definition &candidate, const Stmt &fork) const {
    for (Definition &known : binding.candidates) {
      bool isSame = known.statement == candidate.statement && known.import == candidate.import;
      if (isSame && known.change != candidate.change)
        known = mixed(known, candidate, fork);
      if (isSame || (!known.change && !candidate.change && meansTheSame(known, candidate)))
        return;
    }
    auto isLater = [](const Definition &a, const Definition &b) {
      return std::pair(a.loc().line, a.loc().column) < std::pair(b.loc().line, b.loc().column);
    };
    binding.candidates.insert(
        std::upper_bound(binding.candidates.begin(), binding.candidates.end(), candidate, isLater), candidate);
  }

  bool meansTheSame(const Definition &a, const Definition &b) const {
    // The modules of triton.language share their functions: `exp` is one, wherever it is imported from.
    if (a.import && b.import) {
      auto isLanguage = [](const ImportStmt::Item &item) {
        return item.module == "triton.language" || item.module.starts_with("triton.language.");
      };
      bool isMember = !a.import->name.empty() && a.import->name == b.import->name;
      return importedPath(*a.import) == importedPath(*b.import) ||
             (isMember && isLanguage(*a.import) && isLanguage(*b.import));
    }
    auto *x = as<AssignStmt>(a.statement), *y = as<AssignStmt>(b.statement);
    if (!x || !y || x->targets.size() != 1 || y->targets.size() != 1 || !as<NameExpr>(x->targets[0]) ||
        !as<NameExpr>(y->targets[0]))
      return false;
    try {
      return HostConstants(names_, a.time).evaluate(*x->value) == HostConstants(names_, b.time).evaluate(*y->value);
    } catch (const Error &) {
      return false;
    }
  }

  ModuleNames &names_;
  State state_;
  unsigned tries_ = 0; // `try` statements around the one that runs
};

ModuleNames::ModuleNames(const Module &module, Modules *modules, const ModuleScope *scope)
    : module_(module), modules_(modules), scope_(scope), frames_(std::make_unique<HostFrames>()) {
  Run run(*this);
}

ModuleNames::~ModuleNames() = default;

Loc ModuleNames::Definition::loc() const {
  auto *function = as<FunctionStmt>(statement);
  return function ? function->nameLoc : statement->loc;
}

const ModuleNames::Binding *ModuleNames::find(std::string_view name, unsigned time) const {
  auto it = history_.find(name);
  if (it == history_.end())
    return findInStars(name, 0, time);
  auto &changes = it->second;
  auto after = std::upper_bound(changes.begin(), changes.end(), time,
                                [](unsigned t, const auto &change) { return t < change.first; });
  if (after == changes.begin() || std::prev(after)->second.candidates.empty())
    return findInStars(name, 0, time);
  const Binding *fromStar = findInStars(name, std::prev(after)->first, time);
  return fromStar ? fromStar : &std::prev(after)->second;
}

const ModuleNames::Binding *ModuleNames::findInStars(std::string_view name, unsigned after, unsigned time) const {
  if (name.starts_with('_') || !modules_)
    return nullptr;
  for (auto star = stars_.rbegin(); star != stars_.rend() && star->time > after; ++star) {
    if (star->time > time)
      continue;
    std::string key = std::to_string(star->time) + " " + std::string(name);
    if (auto known = fromStars_.find(key); known != fromStars_.end()) {
      if (known->second.candidates.empty())
        continue;
      return &known->second;
    }
    fromStars_[key] = {}; // what is being searched is not found in a circle of imports
    auto item = std::make_unique<ImportStmt::Item>(*star->item);
    item->name = item->alias = name;
    bool isThere = false;
    if (isLanguagePath(item->module)) {
      isThere = importSucceeds(*item) == true;
    } else if (const ModuleScope *scope = modules_->find(*scope_, item->module)) {
      isThere = scope->names.find(name) != nullptr;
    }
    if (!isThere)
      continue;
    starItems_.push_back(std::move(item));
    Binding &binding = fromStars_[key];
    binding.candidates.push_back({star->statement, starItems_.back().get(), star->time});
    return &binding;
  }
  return nullptr;
}

const Stmt *ModuleNames::hostDefinition(const Stmt &statement) const {
  auto *opaque = as<OpaqueStmt>(&statement);
  if (!opaque)
    return nullptr;
  auto [at, isNew] = hostDefinitions_.try_emplace(&statement);
  if (isNew)
    try {
      at->second = parseHostDefinition(*module_.source, *opaque);
      if (auto bound = times_.find(&statement); bound != times_.end() && at->second)
        times_.emplace(at->second.get(), bound->second);
    } catch (const Error &) {
      // Python may understand more than this parser; then the function's result is not known.
    }
  return at->second.get();
}

const FunctionStmt *ModuleNames::function(std::string_view name) const {
  const Binding *binding = find(name);
  return binding && binding->isCertain() ? as<FunctionStmt>(binding->candidates[0].statement) : nullptr;
}

unsigned ModuleNames::timeOf(const Stmt &statement) const {
  auto it = times_.find(&statement);
  return it == times_.end() ? kEnd : it->second;
}

std::vector<ModuleNames::Definition> ModuleNames::everything(std::string_view name) const {
  std::vector<Definition> result;
  if (auto it = history_.find(name); it != history_.end())
    for (auto &[time, binding] : it->second)
      result.insert(result.end(), binding.candidates.begin(), binding.candidates.end());
  return result;
}

std::vector<std::string_view> ModuleNames::names() const {
  std::vector<std::string_view> result;
  for (auto &[name, changes] : history_)
    if (!changes.back().second.candidates.empty())
      result.push_back(name);
  return result;
}

} // namespace tegula::lang
