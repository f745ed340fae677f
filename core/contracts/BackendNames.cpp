#include "core/contracts/BackendNames.h"
#include "core/support/Suggest.h"

#include <algorithm>
#include <cctype>

namespace tegula {
namespace {

bool equalsIgnoringCase(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  });
}

/// Lists families by their first and last targets: "a, b (b1 ... b9)".
std::string describe(const std::vector<TargetFamily> &families) {
  std::vector<std::string> texts;
  for (const TargetFamily &family : families)
    texts.push_back(family.targets.size() == 1
                        ? family.targets.front()
                        : family.backend + " (" + family.targets.front() + " ... " + family.targets.back() + ")");
  return listed(texts);
}

} // namespace

const BackendNames *backendCalled(std::string_view word) {
  for (const BackendNames &backend : knownBackends()) {
    auto isWord = [&](std::string_view name) { return equalsIgnoringCase(name, word); };
    if (isWord(backend.name) || std::ranges::any_of(backend.called, isWord))
      return &backend;
  }
  return nullptr;
}

const BackendNames *backendOfTarget(std::string_view target) {
  for (const BackendNames &backend : knownBackends())
    if (std::ranges::any_of(backend.targets, [&](std::string_view begin) { return target.starts_with(begin); }))
      return &backend;
  return nullptr;
}

std::vector<TargetFamily> familiesOf(std::span<const std::string> targets) {
  std::vector<TargetFamily> families;
  for (const std::string &target : targets) {
    const BackendNames *backend = backendOfTarget(target);
    std::string name = backend ? std::string(backend->name) : target;
    auto family = std::ranges::find(families, name, &TargetFamily::backend);
    if (family == families.end())
      family = families.insert(family, {name, {}});
    family->targets.push_back(target);
  }
  return families;
}

std::string missingBackend(std::string_view backend, std::span<const std::string> built) {
  return "the " + std::string(backend) + " backend is not in this build, which has " + listed(built) +
         "; configure Tegula with -DTEGULA_BACKENDS=" + std::string(backend) + " for one that has it";
}

std::string unknownTarget(std::string_view target, std::span<const std::string> targets) {
  std::string unknown = "unknown target '" + std::string(target) + "'";
  std::vector<TargetFamily> families = familiesOf(targets);
  std::vector<std::string> built;
  for (const TargetFamily &family : families)
    built.push_back(family.backend);
  std::string word(target.substr(0, target.find(':')));
  const BackendNames *called = backendCalled(word);
  const BackendNames *backend = called ? called : backendOfTarget(target);
  if (!backend)
    return unknown + "; this build compiles for " + describe(families) + "; `tegula targets` lists all" +
           suggestion(target, targets);
  auto family = std::ranges::find(families, backend->name, &TargetFamily::backend);
  if (family == families.end())
    return unknown + ": " + missingBackend(backend->name, built);
  std::string of = std::string(backend->name) + " backend are " + listed(family->targets);
  if (called)
    return unknown + ": it names devices; targets of the " + of;
  return unknown + "; targets of the " + of + suggestion(target, family->targets);
}

} // namespace tegula
