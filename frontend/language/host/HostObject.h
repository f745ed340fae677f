// Values of host code: what a module's own statements, its plain functions and the arguments of decorators compute.
#pragma once

#include "core/contracts/Compiler.h"
#include "frontend/language/names/ModuleNames.h"

#include <memory>
#include <variant>

namespace tegula::lang {

struct HostObject;
using HostNames = std::map<std::string, HostObject, std::less<>>;

/// Lists and dictionaries are references, as in Python: if two names are bound to one list, an element that is appended
/// through the first name is seen through the second.
struct HostList {
  std::vector<HostObject> items;
  bool isTuple = false;
  bool isSet = false; // in no order that is known
  unsigned depth = 1; // of lists in it when it was made
};
struct HostDict {
  std::vector<std::pair<HostObject, HostObject>> items; // in the order in which the keys were added
  bool isFixed = false;                                 // a change of it is not known to those who share it
};
/// A module that is not read, or something in it: "triton.language", "os.environ.get", "builtins.len".
struct HostPath {
  std::string path;
};
/// A function of a file: a plain one, a constexpr_function, or a kernel.
struct HostFunction {
  const FunctionStmt *function = nullptr;
  const ModuleNames *names = nullptr;
  const ClassStmt *owner = nullptr;                    // the class that it stands in
  std::shared_ptr<HostObject> self = nullptr;          // of a method: what it gets as its first argument
  std::shared_ptr<HostNames> outer = nullptr;          // of a function inside of a function: the names around it
  std::shared_ptr<const HostNames> defaults = nullptr; // of such a function: as they were when it was defined
};
struct HostLambda {
  const LambdaExpr *lambda = nullptr;
  const ModuleNames *names = nullptr;
  unsigned time = ModuleNames::kEnd;
  std::shared_ptr<HostNames> locals;
};
/// `configs.append`, `text.lower`.
struct HostMethod {
  std::shared_ptr<HostObject> self;
  std::string name;
};
/// A class of host code; and a member of an Enum.
struct HostClass {
  const ClassStmt *definition = nullptr;
  const ModuleNames *names = nullptr;
};
struct HostMember {
  const ClassStmt *type = nullptr;
  std::string name;
  std::shared_ptr<HostObject> value;
};
/// What `triton.runtime.driver.active.get_current_target()` gives: no device.
struct HostTarget {};
/// A tensor that a launch passes, as far as host code may look at it.
struct HostTensor {
  ScalarType type = ScalarType::F32;
  std::vector<int64_t> shape, strides; // in elements
};
/// An object of a class of host code.
struct HostInstance;
/// `super()`: the members of `base`, which may be none, for `self`, an instance or a class.
struct HostSuper {
  std::optional<HostClass> base;
  std::shared_ptr<HostObject> self;
};
/// An open file, with its whole text.
struct HostFile {
  std::string text;
};
/// A parser of a program's arguments, with the defaults of those that it knows by name; and what it finds in a program
/// without any.
struct HostArguments {
  std::shared_ptr<HostDict> values;
};
/// What is bound to a name whose value cannot be known: the message for those who use the name.
struct HostUnknown {
  std::shared_ptr<const Diagnostic> why;
};
/// What is bound to a local name that is declared `global`.
struct HostGlobal {};
/// A version by its release numbers.
struct HostVersion {
  std::vector<int> release;
};

struct HostObject {
  std::variant<std::monostate, bool, int64_t, double, std::string, ScalarType, std::shared_ptr<HostList>,
               std::shared_ptr<HostDict>, std::shared_ptr<KernelConfig>, HostPath, const ModuleScope *, HostFunction,
               HostLambda, HostMethod, HostVersion, HostClass, HostMember, HostTarget, HostTensor,
               std::shared_ptr<HostInstance>, HostSuper, HostFile, HostArguments, HostUnknown, HostGlobal>
      v;
  HostObject() = default;
  template <class T>
    requires(!std::is_same_v<std::decay_t<T>, HostObject>)
  HostObject(T &&value) : v(std::forward<T>(value)) {}

  template <class T> const T *as() const { return std::get_if<T>(&v); }
  const HostList *list() const {
    auto *p = as<std::shared_ptr<HostList>>();
    return p ? p->get() : nullptr;
  }
  const HostDict *dict() const {
    auto *p = as<std::shared_ptr<HostDict>>();
    return p ? p->get() : nullptr;
  }
  /// Nothing where it is no constant that a kernel's parameter could have.
  std::optional<ConstantValue> constant() const;
  /// Python's truth; nothing where it is not known.
  std::optional<bool> truth() const;
  std::optional<double> number() const;   // of a bool, an integer or a float
  std::optional<int64_t> integer() const; // of a bool or an integer
};

struct HostInstance {
  HostClass type;
  HostNames attributes;
  bool isSpecial = false; // methods of its class decide its truth, or what it is equal to
};

/// A copy that shares no list, dictionary or instance with the original; nothing where these are nested deeper than
/// `depth`, as in a list that holds itself.
std::optional<HostObject> deepCopy(const HostObject &object, unsigned depth = 100);

/// A tuple of integers.
/// The local names of functions that host code runs. A function that is defined in another one, or a lambda, refers to
/// the names around it, which may refer to it: such circles are undone when this is destroyed.
class HostFrames {
public:
  HostFrames() = default;
  ~HostFrames();
  HostFrames(const HostFrames &) = delete;
  HostFrames &operator=(const HostFrames &) = delete;
  /// Names that begin with those of `outer`, which may be null.
  std::shared_ptr<HostNames> make(const std::shared_ptr<HostNames> &outer);

private:
  std::vector<std::weak_ptr<HostNames>> frames_;
  size_t kept_ = 64; // of the last look at which ones are alive
};

std::shared_ptr<HostList> integersOf(const std::vector<int64_t> &values);

/// Methods of tensors: element_size(), numel(), dim(), size([axis]), stride([axis]). Nothing for others.
std::optional<HostObject> callTensor(const HostTensor &tensor, std::string_view name,
                                     const std::vector<HostObject> &args);

/// Whether what the decorators make of a function returns what the function returns.
bool keepsResults(const FunctionStmt &function);

/// `dict[key] = value`
void setItem(HostDict &dict, const HostObject &key, const HostObject &value);

/// Python's `==`; nothing where it is not known.
std::optional<bool> isEqual(const HostObject &a, const HostObject &b);
/// Negative, zero or positive; nothing where Python has no order between the two, or it is not known.
std::optional<int> order(const HostObject &a, const HostObject &b);

} // namespace tegula::lang
