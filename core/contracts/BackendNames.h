// The backends of this project by name, whether they are built or not: messages about devices and targets name the
// backend that a user means.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tegula {

struct BackendNames {
  std::string_view name;                     // "cpu"
  std::span<const std::string_view> called;  // what users call its devices otherwise, in lower case: "host"
  std::span<const std::string_view> targets; // how the names of its targets begin
  std::string_view install;                  // the command by which Debian installs its driver; empty: it needs none
};

/// Generated from the registration lines.
std::span<const BackendNames> knownBackends();

/// By its name or by what users call it, in any case; null where it is none.
const BackendNames *backendCalled(std::string_view word);
/// By the spelling of a target; null where no backend's targets begin so.
const BackendNames *backendOfTarget(std::string_view target);

/// Targets of one backend, in the order of `targets`.
struct TargetFamily {
  std::string backend; // of targets of no known backend, the target
  std::vector<std::string> targets;
};
std::vector<TargetFamily> familiesOf(std::span<const std::string> targets);

/// "the cpu backend is not in this build, which has a and b; ..."
std::string missingBackend(std::string_view backend, std::span<const std::string> built);

/// The message for a name that is none of `targets`, those of this build.
std::string unknownTarget(std::string_view target, std::span<const std::string> targets);

} // namespace tegula
