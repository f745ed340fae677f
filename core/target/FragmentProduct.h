// A matrix instruction on opaque fragments, as data: D (m x n) = A (m x k) * B (k x n) + C, executed by one warp. The
// device does not tell which lane holds which element. MatrixInstruction.h has the instructions whose element mapping
// is known.
#pragma once

#include "core/support/ScalarType.h"

#include <optional>
#include <string>
#include <string_view>

namespace tegula {

struct FragmentProduct {
  int64_t m = 0, n = 0, k = 0;
  ScalarType operand = ScalarType::F16;     // of A and B
  ScalarType accumulator = ScalarType::F32; // of C and D
  bool operator==(const FragmentProduct &) const = default;
};

/// `16x16x16.f16.f32`
std::string name(const FragmentProduct &product);
/// The inverse of `name`; none if the text is no such name.
std::optional<FragmentProduct> parseFragmentProduct(std::string_view text);

} // namespace tegula
