// The names of all backends of this project, built or not, so that messages about devices and targets can name the
// backend that a user means.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tegula {

struct BackendNames {
  std::string_view name;                     // "cpu"
  std::span<const std::string_view> called;  // other names that users have for its devices, in lower case: "host"
  std::span<const std::string_view> targets; // prefixes of the names of its targets
  std::string_view install;                  // Debian's command to install its driver; empty: it needs none
};

/// Generated from the registration lines.
std::span<const BackendNames> knownBackends();

/// Finds a backend by its name or by a user's name for it, ignoring case; null if there is none.
const BackendNames *backendCalled(std::string_view word);
/// Finds a backend by a target's name; null if no backend's targets have this prefix.
const BackendNames *backendOfTarget(std::string_view target);

/// The targets of one backend, in the order of `targets`.
struct TargetFamily {
  std::string backend; // the backend's name; for a target of no known backend, the target's name
  std::vector<std::string> targets;
};
std::vector<TargetFamily> familiesOf(std::span<const std::string> targets);

/// The message "the cpu backend is not in this build, which has a and b; ..."
std::string missingBackend(std::string_view backend, std::span<const std::string> built);

/// The message for a name that is none of `targets`, the targets of this build.
std::string unknownTarget(std::string_view target, std::span<const std::string> targets);

} // namespace tegula
