// Cases that a device cannot run, each with the reason. A skipped case is run all the same: it must be refused with one
// located message, and one that passes fails the suite, so that this list cannot grow stale.
#pragma once

#include "tests/conformance/Case.h"

namespace tegula::conformance {

/// The reason why `device` does not run this case; nothing where it must.
std::optional<std::string> skipReason(const Case &made, const Device::Info &device);
/// `*` stands for any text, `?` for one character.
bool matches(std::string_view pattern, std::string_view text);

} // namespace tegula::conformance
