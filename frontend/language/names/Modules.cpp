// Where imported modules are found, and what their names stand for.
#include "frontend/language/host/HostConstants.h"
#include "frontend/language/names/ModuleScope.h"
#include "frontend/language/syntax/Parser.h"

#include "core/support/Environment.h"
#include "core/support/Files.h"

#include <llvm/ADT/ScopeExit.h>

#include <algorithm>
#include <filesystem>

namespace tegula::lang {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kMaxImports = 40; // imports of imports that one name is followed through

std::string folderOf(const std::string &file) {
  std::string folder = fs::path(file).parent_path().string();
  return folder.empty() ? "." : folder;
}

std::string joined(const std::string &folder, std::string_view name) {
  return (fs::path(folder) / name).lexically_normal().string();
}

std::string parentOf(const std::string &folder) { return joined(folder, "..").c_str(); }

std::string withoutSlash(std::string path) {
  while (path.size() > 1 && path.ends_with('/'))
    path.pop_back();
  return path.empty() ? "." : path;
}

unsigned leadingDots(std::string_view name) {
  size_t dots = std::min(name.find_first_not_of('.'), name.size());
  return static_cast<unsigned>(dots);
}

/// Source that came from no file has no folder.
bool isFile(const std::string &path) { return !path.starts_with('<'); }

const ImportStmt::Item *importOf(const ModuleNames::Binding &binding) {
  return binding.isCertain() ? binding.candidates[0].import : nullptr;
}

/// Of several possible definitions, the one that comes from triton: it is what conditions such as `if HAS_TRITON`
/// decide about, and here there is always a triton.
const ImportStmt::Item *languageImport(const ModuleNames::Binding &binding) {
  for (const ModuleNames::Definition &candidate : binding.candidates)
    if (candidate.import && isLanguagePath(candidate.import->module))
      return candidate.import;
  return nullptr;
}

} // namespace

bool isLanguagePath(std::string_view path) { return path == "triton" || path.starts_with("triton.") || path == "math"; }

bool Modules::exists(const std::string &path) {
  if (surroundings_.texts.contains(path))
    return true;
  auto known = surroundings_.files.find(path);
  if (known == surroundings_.files.end() && looks_)
    known = surroundings_.files.emplace(path, Surroundings::File{pathExists(path), std::nullopt}).first;
  return known != surroundings_.files.end() && known->second.exists;
}

const std::string *Modules::text(const std::string &path) {
  if (auto given = surroundings_.texts.find(path); given != surroundings_.texts.end())
    return &given->second;
  if (!exists(path))
    return nullptr;
  Surroundings::File &file = surroundings_.files[path];
  if (!file.text && looks_)
    file.text = surroundingText(path);
  return file.text ? &*file.text : nullptr;
}

std::optional<std::string> Modules::fileText(const std::string &path) {
  const std::string *found = text(path);
  return found ? std::optional(*found) : std::nullopt;
}

void Modules::addPath(const std::string &folder) {
  if (std::find(added_.begin(), added_.end(), folder) == added_.end())
    added_.push_back(folder);
}

std::optional<std::string> Modules::environment(const std::string &name) {
  auto known = surroundings_.environment.find(name);
  if (known != surroundings_.environment.end())
    return known->second;
  if (!looks_) // no guess: the value is not in the key of the compiled kernel
    throw Error("the environment variable " + name + " was not read when the kernel was described");
  return surroundings_.environment[name] = foreignVariable(name);
}

/// The file of module `name` ("a.b") in `folder`.
std::string Modules::below(const std::string &folder, std::string_view name) {
  std::string path = folder;
  for (size_t begin = 0; begin < name.size();) {
    size_t end = std::min(name.find('.', begin), name.size());
    path = joined(path, name.substr(begin, end - begin));
    begin = end + 1;
  }
  if (exists(path)) {
    std::string init = joined(path, "__init__.py");
    if (exists(init))
      return init;
  }
  if (!name.empty() && exists(path + ".py"))
    return path + ".py";
  return exists(path) ? path : std::string();
}

/// The folders in which a module whose name begins with `top` is searched, from `file`.
std::vector<std::string> Modules::roots(const std::string &file, const std::string &top) {
  std::vector<std::string> result;
  auto add = [&](std::string folder) {
    folder = withoutSlash(std::move(folder));
    if (std::find(result.begin(), result.end(), folder) == result.end())
      result.push_back(std::move(folder));
  };
  if (isFile(file)) {
    std::string folder = withoutSlash(folderOf(file)), inner = folder;
    while (exists(joined(inner, "__init__.py")) && inner != "/")
      inner = withoutSlash(parentOf(inner));
    add(inner);
    // If the file is somewhere below a folder with the package's name, that folder is the package, even if folders
    // between the two have no __init__.py.
    std::error_code ignored;
    std::string absolute = fs::absolute(folder, ignored).lexically_normal().string();
    for (fs::path at = withoutSlash(absolute); at.has_filename() && at != at.root_path(); at = at.parent_path())
      if (at.filename() == top)
        add(at.parent_path().string());
    // The file that was asked for may be a script. A module of a package does not see the files beside it, as in
    // Python: a `torch.py` there is another module.
    if (!scopes_.contains(file))
      add(folder);
  }
  for (const std::string &folder : surroundings_.modulePath)
    add(folder);
  for (const std::string &folder : added_)
    add(folder);
  return result;
}

std::vector<std::string> Modules::searched(const ModuleScope &from, const std::string &name) {
  const std::string &file = from.module->source->path;
  unsigned dots = leadingDots(name);
  if (!dots)
    return roots(file, name.substr(0, name.find('.')));
  std::string folder = folderOf(file);
  for (unsigned level = 1; level < dots; ++level)
    folder = withoutSlash(parentOf(folder));
  return {folder};
}

std::string Modules::locate(const ModuleScope &from, const std::string &name) {
  if (std::string given = givenPath(name); !given.empty())
    return given == from.module->source->path || exists(given) ? given : std::string();
  unsigned dots = leadingDots(name);
  const std::string &file = from.module->source->path;
  if (dots)
    return isFile(file) ? below(searched(from, name)[0], name.substr(dots)) : std::string();
  std::string top = name.substr(0, name.find('.'));
  for (const std::string &root : roots(file, top)) {
    if (below(root, top).empty())
      continue;
    // The first folder that has the outermost package decides, as in Python; only a folder without __init__.py may be
    // continued elsewhere.
    std::string found = below(root, name);
    if (!found.empty() || exists(joined(joined(root, top), "__init__.py")))
      return found;
  }
  return {};
}

const ModuleScope *Modules::read(const std::string &path) {
  std::unique_ptr<ModuleScope> &scope = scopes_[path];
  if (scope)
    return scope.get();
  if (!reading_.insert(path).second) // a circle: its conditions ask for names that no file has bound yet
    return nullptr;
  auto leave = llvm::make_scope_exit([&] { reading_.erase(path); });
  // A folder is a package without __init__.py, which binds no names.
  bool isFolder = !path.ends_with(".py") && !surroundings_.texts.contains(path);
  const std::string *source = isFolder ? nullptr : text(path);
  std::string place = isFolder ? joined(path, "__init__.py") : path;
  std::string whole = withGivenNames(source ? *source : std::string(), path, false, surroundings_.given);
  scope = std::make_unique<ModuleScope>(parseModule(place, std::move(whole), OnError::Keep), false, this);
  return scope.get();
}

const ModuleScope *Modules::find(const ModuleScope &from, const std::string &name) {
  std::string path = locate(from, name);
  if (path.empty())
    return nullptr;
  if (path == from.module->source->path)
    return &from;
  return read(path);
}

const ModuleScope *Modules::moduleOf(const ModuleNames &names, const Expr &expr) {
  Imported found;
  if (auto *attribute = as<AttributeExpr>(&expr)) {
    const ModuleScope *base = moduleOf(names, *attribute->base);
    if (!base)
      return nullptr;
    found = member(*base, attribute->name);
  } else if (auto *name = as<NameExpr>(&expr)) {
    auto *binding = names.find(name->id);
    if (!binding || !binding->isCertain() || !binding->candidates[0].import)
      return nullptr;
    found = resolve(*names.scope(), *binding->candidates[0].import);
  }
  return found.kind == Imported::Kind::Module ? found.scope : nullptr;
}

Imported Modules::member(const ModuleScope &scope, const std::string &name) { return follow(scope, name, 0); }

Imported Modules::follow(const ModuleScope &scope, const std::string &name, unsigned depth) {
  Imported result;
  result.scope = &scope;
  result.name = name;
  result.path = scope.module->source->path;
  result.kind = Imported::Kind::Circle;
  if (depth > kMaxImports)
    return result;
  if (const ModuleNames::Binding *binding = scope.names.find(name)) {
    const ImportStmt::Item *import = importOf(*binding);
    if (!import)
      import = languageImport(*binding);
    // `from package import inner` in the package itself, which has no such name yet, imports the module package.inner.
    bool isOwnModule = import && import->name == name && find(scope, import->module) == &scope;
    if (import && !isOwnModule)
      return resolve(scope, *import, depth + 1);
    result.binding = isOwnModule ? nullptr : binding;
    result.kind = Imported::Kind::Member;
    if (result.binding)
      return result;
  }
  const std::string &file = scope.module->source->path;
  bool isPackage = file.ends_with("__init__.py");
  std::string inner = isPackage && isFile(file) ? below(folderOf(file), name) : std::string();
  result.kind = Imported::Kind::Missing;
  if (!inner.empty()) {
    result.scope = read(inner);
    result.kind = result.scope ? Imported::Kind::Module : Imported::Kind::Circle;
  }
  return result;
}

Imported Modules::resolve(const ModuleScope &from, const ImportStmt::Item &item) { return resolve(from, item, 0); }

Imported Modules::resolve(const ModuleScope &from, const ImportStmt::Item &item, unsigned depth) {
  Imported result;
  result.name = item.name;
  bool isModule = item.name.empty();
  result.path = isModule ? importedPath(item) : item.module;
  if (isLanguagePath(item.module)) {
    result.kind = Imported::Kind::Language;
    return result;
  }
  const ModuleScope *scope = find(from, result.path);
  if (scope && isModule) {
    result.kind = Imported::Kind::Module;
    result.scope = scope;
    return result;
  }
  if (scope)
    return follow(*scope, item.name, depth);
  // A file alone, without its package: `from package.shim import tl, triton` can mean one thing only.
  if (item.name == "tl" || item.name == "triton") {
    result.kind = Imported::Kind::Language;
    result.path = item.name == "tl" ? "triton.language" : "triton";
    result.name.clear();
  }
  return result;
}

} // namespace tegula::lang
