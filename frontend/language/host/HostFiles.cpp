// Files that host code reads, paths, and modules that it imports by name.
#include "frontend/language/host/HostBudget.h"
#include "frontend/language/host/HostYaml.h"
#include "frontend/language/names/ModuleScope.h"

#include <filesystem>

namespace tegula::lang {

namespace fs = std::filesystem;

/// Functions of os.path, by their last name; nothing for others.
std::optional<HostObject> HostEvaluator::callPaths(const std::string &name, const Call &call) const {
  std::vector<std::string> texts;
  for (const HostObject &arg : call.args) {
    if (!arg.as<std::string>())
      notKnown(call.loc);
    texts.push_back(*arg.as<std::string>());
  }
  if (texts.empty() || !call.keywords.empty())
    return std::nullopt;
  fs::path path = texts[0];
  if (name == "join") {
    for (size_t i = 1; i < texts.size(); ++i)
      path /= texts[i];
    return HostObject(path.string());
  }
  if (texts.size() != 1)
    return std::nullopt;
  std::error_code ignored;
  if (name == "abspath" || name == "realpath" || name == "normpath") {
    fs::path normal = (name == "normpath" ? path : fs::absolute(path, ignored)).lexically_normal();
    if (!normal.has_filename() && normal.has_relative_path()) // "a/"
      normal = normal.parent_path();
    return HostObject(normal.empty() ? std::string(".") : normal.string());
  }
  if (name == "dirname")
    return HostObject(path.parent_path().string());
  if (name == "basename")
    return HostObject(path.filename().string());
  if (name == "exists" || name == "isfile")
    return HostObject(names_.modules()->fileExists(texts[0]));
  return std::nullopt;
}

HostObject HostEvaluator::importModule(const std::string &name, Loc loc) const {
  if (isLanguagePath(name))
    return HostPath{name};
  if (const ModuleScope *found = names_.modules()->find(*names_.scope(), name))
    return found;
  fail(loc, "the module " + name + " is not found; --module-path names folders of modules");
}

/// Calls that read files or look for them. Nothing for others.
std::optional<HostObject> HostEvaluator::callFiles(const std::string &path, const Call &call) const {
  auto *first = call.args.empty() ? nullptr : &call.args[0];
  auto *text = first ? first->as<std::string>() : nullptr;
  if (path == "argparse.ArgumentParser")
    return HostObject(HostArguments{std::make_shared<HostDict>()});
  if (path == "object.__init__")
    return HostObject();
  if (path == "object.__new__" && first && first->as<HostClass>())
    return makeInstance(*first->as<HostClass>());
  if ((path == "copy.deepcopy" || path == "copy.copy") && first && call.args.size() == 1)
    return path == "copy.copy" ? std::nullopt : deepCopy(*first);
  if (!names_.modules() || !first)
    return std::nullopt;
  if (path.starts_with("os.path."))
    return callPaths(path.substr(8), call);
  if (path == "importlib.import_module" && text && call.args.size() == 1)
    return importModule(*text, call.loc);
  if ((path == "sys.path.append" || path == "sys.path.insert") && call.args.back().as<std::string>()) {
    names_.modules()->addPath(*call.args.back().as<std::string>());
    return HostObject();
  }
  if (path == "builtins.open" && text) {
    auto *mode = call.find(1, "mode");
    if (mode && !(mode->as<std::string>() && mode->as<std::string>()->starts_with("r")))
      notKnown(call.loc);
    try {
      if (auto contents = names_.modules()->fileText(*text))
        return HostObject(HostFile{std::move(*contents)});
    } catch (const Error &error) { // the file's kind, size or permissions
      fail(call.loc, error.diagnostic().message);
    }
    raise(call.loc, "there is no file " + *text, "FileNotFoundError");
  }
  bool reads = path == "yaml.safe_load" || path == "yaml.load" || path == "yaml.full_load" || path == "json.load" ||
               path == "json.loads";
  auto *file = first->as<HostFile>();
  if (!reads || (!file && !text))
    return std::nullopt;
  std::string problem;
  if (auto value = readYaml(file ? file->text : *text, problem))
    return value;
  fail(call.loc, "the text that is read here cannot be understood: " + problem);
}

} // namespace tegula::lang
