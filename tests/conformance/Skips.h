// Cases that are not expected to pass on a device, each with the reason. What a device cannot run is run all the same:
// it must be refused with one located message, and one that passes fails the suite, so that this list cannot grow
// stale. Only what a driver compiles for about as long as a case may take is not tried; nothing tells when a newer
// driver is faster.
#pragma once

#include "tests/conformance/Case.h"

namespace tegula::conformance {

/// The reason why `device` does not run this case; nothing where it must.
std::optional<std::string> skipReason(const Case &made, const Device::Info &device);
/// The reason why this case is not tried on `device`; nothing where it is.
std::optional<std::string> untriedReason(const Case &made, const Device::Info &device);
/// `*` stands for any text, `?` for one character.
bool matches(std::string_view pattern, std::string_view text);

} // namespace tegula::conformance
