// A parsed file, and the files whose modules it imports.
//
//   from .utils import f                beside the file
//   from ..ops.softmax import f as g    in the folder above
//   import package.utils as u           in the folder that holds the outermost package of the file (a package is a
//                                       folder with an __init__.py), then beside the file, then in the module path
//
// A module is read when the first of its names is asked for; what no kernel uses is never looked for.
#pragma once

#include "core/contracts/Surroundings.h"
#include "frontend/language/names/ModuleNames.h"

#include <map>
#include <memory>
#include <set>
#include <string>

namespace tegula::lang {

class Modules;

/// A parsed file and the bindings of its names, whose values are evaluated at their first use.
struct ModuleScope {
  std::unique_ptr<Module> module;
  bool isPrelude = false;
  ModuleNames names;
  explicit ModuleScope(std::unique_ptr<Module> parsed, bool isPrelude = false, Modules *modules = nullptr)
      : module(std::move(parsed)), isPrelude(isPrelude), names(*module, modules, this) {}
};

/// What an import gives to its name.
struct Imported {
  // clang-format off
  enum class Kind : uint8_t {
    Language, // `path` of triton, of one of its modules, or of Python's math; with `name` a member of it
    Member,   // `binding` of `name` in `scope`, which is no import that can be followed
    Module,   // `scope`
    Missing,  // the module was read, and has no `name`
    Unread,   // no such module was found, or its names cannot be known; `path` is its full name
    Circle,   // `name` is imported from a module that imports it from here
  };
  // clang-format on
  Kind kind = Kind::Unread;
  std::string path, name;
  const ModuleScope *scope = nullptr;
  const ModuleNames::Binding *binding = nullptr;
};

/// The modules that one compilation has read, from the file system or from the record of an earlier reading.
class Modules {
public:
  /// Reads files, and records in `surroundings` what it finds and what it does not.
  static constexpr bool kLooks = true;
  /// Knows what `surroundings` records; the rest does not exist.
  static constexpr bool kRecorded = false;
  Modules(Surroundings &surroundings, bool looks) : surroundings_(surroundings), looks_(looks) {}

  /// What `item` of a file imports; follows imports of imports.
  Imported resolve(const ModuleScope &from, const ImportStmt::Item &item);
  /// `name` of module `scope`: a binding there, or a module inside of the package.
  Imported member(const ModuleScope &scope, const std::string &name);
  /// The module that `name`, "package.utils" or "..utils", is in file `from`; null where there is none, or while it is
  /// being read: a module that asks for it then stands in a circle. Throws tegula::Error for a file that cannot be
  /// parsed.
  const ModuleScope *find(const ModuleScope &from, const std::string &name);
  /// The module that `package.utils` or `u` stands for in a file; null where it is none that is read.
  const ModuleScope *moduleOf(const ModuleNames &names, const Expr &expr);
  /// Whether there is such a module; it is not read.
  bool exists(const ModuleScope &from, const std::string &name) { return !locate(from, name).empty(); }
  /// The text of a file that host code reads; nothing where there is none.
  std::optional<std::string> fileText(const std::string &path);
  bool fileExists(const std::string &path) { return exists(path); }
  /// A folder that host code adds to the module path.
  void addPath(const std::string &folder);
  /// The variable's value; nothing where it is not set.
  std::optional<std::string> environment(const std::string &name);
  /// The folders in which `name` was searched, for messages.
  std::vector<std::string> searched(const ModuleScope &from, const std::string &name);

private:
  bool exists(const std::string &path);
  const std::string *text(const std::string &path);
  /// The module's file, or the folder of a package without __init__.py; empty where there is none.
  std::string locate(const ModuleScope &from, const std::string &name);
  std::string below(const std::string &folder, std::string_view name);
  /// Null while the module is being read.
  const ModuleScope *read(const std::string &path);
  std::vector<std::string> roots(const std::string &file, const std::string &top);
  Imported follow(const ModuleScope &scope, const std::string &name, unsigned depth);
  Imported resolve(const ModuleScope &from, const ImportStmt::Item &item, unsigned depth);

  Surroundings &surroundings_;
  bool looks_;
  std::vector<std::string> added_;                             // by host code, behind the module path
  std::map<std::string, std::unique_ptr<ModuleScope>> scopes_; // by path
  std::set<std::string> reading_;                              // paths
};

/// Whether a path of modules begins with triton or is Python's math: what kernels can use without a file.
bool isLanguagePath(std::string_view path);

} // namespace tegula::lang
