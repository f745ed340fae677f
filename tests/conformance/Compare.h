// Whether a case's outputs are what they must be.
#pragma once

#include "tests/conformance/Host.h"

namespace tegula::conformance {

/// Nothing where `actual` agrees with `expected`, both the bytes of the whole allocation; else how many elements differ
/// and the first three of them.
std::optional<std::string> differences(const BufferSpec &spec, const std::vector<uint8_t> &actual,
                                       const std::vector<uint8_t> &expected, const Denormals &flushed = {});

} // namespace tegula::conformance
