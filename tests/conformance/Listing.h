// Cases and results as JSON.
#pragma once

#include "tests/conformance/Suite.h"

#include <nlohmann/json.hpp>

namespace tegula::conformance {

/// {name, family, file, kernel, signature, constants, num_warps, grid}: all that compiling the case's kernel needs, in
/// the words of `tegula compile`.
nlohmann::ordered_json describe(const Case &made, const Folders &folders);
/// {device, target, flushed, results: [{name, status, detail, compile_ms, cold, products: [eligible, served]}]}
nlohmann::ordered_json describe(const Device::Info &device, const Denormals &flushed,
                                const std::vector<Report> &reports);

} // namespace tegula::conformance
