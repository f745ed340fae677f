// A matrix instruction on opaque fragments, as data: D (m x n) = A (m x k) * B (k x n) + C, done by one warp, where the
// machine keeps to itself which lane holds which element. Those with known places are in MatrixInstruction.h.
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
/// The product of that name; none where the text is no such name.
std::optional<FragmentProduct> parseFragmentProduct(std::string_view text);

} // namespace tegula
