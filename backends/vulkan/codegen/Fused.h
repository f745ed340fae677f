// Quotients and square roots of f32, correctly rounded, by fused multiply-adds: a Newton step for the reciprocal, then
// corrections by the exact remainder (P. Markstein, 'Computation of elementary functions on the IBM RISC System/6000
// processor', IBM J. Res. Dev. 34, 1990). For operands within the bounds below no intermediate result overflows or is
// subnormal. `Numbers` has a type `Number` and the functions fma(a, b, c), rounded once, multiply(a, b), rounded,
// negate(a), number(value), magnitude(a), withSign(a, b), selectIfZero(x, a, b), and inverseRoot(x), with an error of
// up to 2 ulp.
#pragma once

#include <cstdint>

namespace tegula::vulkan {

/// Bounds of the operands' magnitudes, 2^-60 inclusive to 2^60 exclusive, as bits of f32. A dividend may also be zero;
/// a radicand must be positive.
inline constexpr uint32_t kFusedLeast = (127u - 60u) << 23;
inline constexpr uint32_t kFusedEnd = (127u + 60u) << 23;
/// Upper bound of a divisor's stored significand. Let Y be the divisor's whole significand as an integer. In units of
/// the last place, an exact quotient is at least 1 / 2Y away from the midpoint of two adjacent numbers. The last step's
/// error is at most Y 2^-49 (1 + 2^-17): half a unit of error in `second`, times the reciprocal's relative error. This
/// is less than 1 / 2Y unless Y is close to 2^24.
inline constexpr uint32_t kFusedDivisorDigits = 0x7fffff - 63;

/// x / y.
template <class Numbers>
typename Numbers::Number divideFused(Numbers &n, typename Numbers::Number x, typename Numbers::Number y) {
  using Number = typename Numbers::Number;
  Number minusY = n.negate(y);
  // Relative error at most 2^-20.8: twice the inverse root's, and one rounding.
  Number root = n.inverseRoot(n.magnitude(y));
  Number reciprocal = n.withSign(n.multiply(root, root), y);
  reciprocal = n.fma(reciprocal, n.fma(minusY, reciprocal, n.number(1)), reciprocal);
  Number first = n.multiply(x, reciprocal);
  Number second = n.fma(n.fma(minusY, first, x), reciprocal, first);
  Number third = n.fma(n.fma(minusY, second, x), reciprocal, second);
  return n.selectIfZero(x, first, third); // for x = 0 the product has the right sign
}

/// The square root of x. A test tries all significands.
template <class Numbers> typename Numbers::Number squareRootFused(Numbers &n, typename Numbers::Number x) {
  using Number = typename Numbers::Number;
  Number inverse = n.inverseRoot(x), root = n.multiply(x, inverse), half = n.multiply(inverse, n.number(0.5f));
  Number error = n.fma(n.negate(root), half, n.number(0.5f));
  root = n.fma(root, error, root);
  half = n.fma(half, error, half);
  return n.fma(n.fma(n.negate(root), root, x), half, root);
}

} // namespace tegula::vulkan
