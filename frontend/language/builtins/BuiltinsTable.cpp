// The table of builtins: lookup by name, and messages for names that are missing.
#include "core/support/Suggest.h"
#include "frontend/language/builtins/Builtins.h"

#include <map>

namespace tegula::lang {

namespace {

using Table = std::map<std::string_view, const Builtin *, std::less<>>;

const Table &languageTable() {
  static const Table table = [] {
    Table rows;
    for (auto family :
         {creationBuiltins(), shapeBuiltins(), indexBuiltins(), memoryBuiltins(), descriptorBuiltins(),
          atomicBuiltins(), mathBuiltins(), operatorBuiltins(), reduceBuiltins(), scanBuiltins(), controlBuiltins(),
          assemblyBuiltins(), externBuiltins(), debugBuiltins(), typeBuiltins(), targetBuiltins()})
      for (const Builtin &builtin : family)
        if (!rows.emplace(builtin.name, &builtin).second)
          throw InternalError("two builtins are named '" + std::string(builtin.name) + "'");
    return rows;
  }();
  return table;
}

const Table &pythonTable() {
  static const Table table = [] {
    Table rows;
    for (const Builtin &builtin : pythonBuiltins())
      rows.emplace(builtin.name, &builtin);
    return rows;
  }();
  return table;
}

const Builtin *find(const Table &table, std::string_view name) {
  auto it = table.find(name);
  return it == table.end() ? nullptr : it->second;
}

struct Absent {
  std::string_view name, why;
};

/// Names of Triton's API that kernels may use but that do not exist here, with the alternative for the message.
constexpr Absent kAbsent[] = {
    {"aggregate_replace", "tl.aggregate_replace is not available; construct a new instance with the changed fields"},
    {"float8e4b15",
     "the type float8e4b15 is not available; use tl.float8e4nv, tl.float8e5, tl.float8e4b8 or tl.float8e5b16"},
    {"float4e2m1", "4-bit floats are not available; unpack them with shifts and masks"},
};

} // namespace

const Builtin *findBuiltin(std::string_view name) { return find(languageTable(), name); }

const Builtin *findPythonBuiltin(std::string_view name) { return find(pythonTable(), name); }

std::vector<std::string_view> builtinNames() {
  std::vector<std::string_view> names;
  for (auto &[name, builtin] : languageTable())
    if (name.find('.') == std::string_view::npos)
      names.push_back(name);
  return names;
}

std::string_view unavailable(std::string_view name) {
  for (const Absent &row : kAbsent)
    if (row.name == name)
      return row.why;
  return {};
}

std::string suggestion(std::string_view name, const std::vector<std::string_view> &names) {
  std::vector<std::string> candidates(names.begin(), names.end());
  return tegula::suggestion(name, candidates);
}

} // namespace tegula::lang
