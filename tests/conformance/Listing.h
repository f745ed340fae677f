// Cases as JSON.
#pragma once

#include "tests/conformance/Runner.h"

#include <nlohmann/json.hpp>

namespace tegula::conformance {

/// {name, family, file, kernel, signature, constants, num_warps, grid}: all that compiling the case's kernel needs, in
/// the words of `tegula compile`.
nlohmann::ordered_json describe(const Case &made, const Folders &folders);

} // namespace tegula::conformance
