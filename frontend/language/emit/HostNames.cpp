#include "frontend/language/emit/HostNames.h"
#include "core/contracts/Surroundings.h"
#include "core/support/Suggest.h"
#include "frontend/language/emit/Emitter.h"

#include <algorithm>

namespace tegula::lang {
namespace {

struct Spelling {
  std::string_view name, spelling;
};

/// Names that triton.language spells otherwise.
constexpr Spelling kSpellings[] = {
    {"absolute", "tl.abs"},   {"amax", "tl.max"},        {"amin", "tl.min"},           {"bool", "tl.int1"},
    {"bool_", "tl.int1"},     {"clip", "tl.clamp"},      {"concat", "tl.cat"},         {"concatenate", "tl.cat"},
    {"double", "tl.float64"}, {"fabs", "tl.abs"},        {"float", "tl.float32"},      {"half", "tl.float16"},
    {"inf", "float('inf')"},  {"int", "tl.int32"},       {"long", "tl.int64"},         {"matmul", "tl.dot"},
    {"mm", "tl.dot"},         {"nan", "float('nan')"},   {"relu", "tl.maximum(x, 0)"}, {"short", "tl.int16"},
    {"single", "tl.float32"}, {"transpose", "tl.trans"},
};

std::string languageName(const std::string &name) {
  return memberOf(Namespace{"triton.language"}, name) ? "tl." + name : std::string();
}

} // namespace

std::string kernelSpelling(const std::string &name) {
  const auto *other = std::ranges::find(kSpellings, name, &Spelling::name);
  if (other != std::end(kSpellings))
    return std::string(other->spelling);
  if (std::string spelling = languageName(name); !spelling.empty())
    return spelling;
  return libdeviceMember(name) ? "tl.extra.libdevice." + name : std::string();
}

std::string languageSuggestion(const std::string &name) {
  if (std::string spelling = languageName(name); !spelling.empty())
    return "; did you mean '" + spelling + "'?";
  std::vector<std::string> names;
  for (std::string_view known : builtinNames())
    names.emplace_back(known);
  std::string near = name.size() < 4 ? std::string() : nearestName(name, names); // any three letters are near some name
  return near.empty() ? near : "; did you mean 'tl." + near + "'?";
}

bool isHostPackage(std::string_view module) {
  constexpr std::string_view packages[] = {"cupy", "jax", "numpy", "scipy", "torch"};
  std::string_view name = module.substr(0, module.find('.'));
  std::string path = givenPath(module); // "/usr/lib/python3/dist-packages/numpy/__init__.py"
  constexpr std::string_view kInstalled = "-packages/";
  if (size_t at = path.find(kInstalled); at != std::string::npos) {
    name = std::string_view(path).substr(at + kInstalled.size());
    name = name.substr(0, name.find('/'));
  }
  return std::ranges::count(packages, name) > 0;
}

std::string hostNameMessage(const std::string &shown, const std::string &name) {
  std::string spelling = kernelSpelling(name);
  return shown + " is Python's; " +
         (spelling.empty() ? "a kernel can use triton, math, and what its own file defines"
                           : "in a kernel write " + spelling);
}

} // namespace tegula::lang
