// Correctly rounded f32 quotients and square roots by fused multiply-adds: a Newton step improves the reciprocal, then
// the exact remainder corrects the result (P. Markstein, 'Computation of elementary functions on the IBM RISC
// System/6000 processor', IBM J. Res. Dev. 34, 1990). If the operands are within the bounds below, no intermediate
// result overflows or is subnormal. `Numbers` supplies the arithmetic: a type `Number` and the functions fma(a, b, c),
// which rounds once, multiply(a, b), which rounds, negate(a), number(value) for a constant, magnitude(a), withSign(a,
// b) for a with the sign of b, selectIfZero(x, a, b) for a if x is zero and b otherwise, and inverseRoot(x) for 1 /
// sqrt(x) with an error of up to 2 ulp.
#pragma once

#include <cstdint>

namespace tegula::vulkan {

/// Bounds of the operands' magnitudes as bits of f32: at least 2^-60 and less than 2^60. A dividend may also be zero; a
/// radicand must be positive.
inline constexpr uint32_t kFusedLeast = (127u - 60u) << 23;
inline constexpr uint32_t kFusedEnd = (127u + 60u) << 23;
/// Upper bound of the significand bits (without the leading one) of a divisor for which divideFused rounds correctly.
/// Let Y be the divisor's whole significand as an integer. In units of the last place, an exact quotient is at least
/// 1/(2Y) away from the midpoint of two adjacent numbers. The last step's error is at most Y 2^-49 (1 + 2^-17): half a
/// unit of error in `second`, the quotient before the last step, times the reciprocal's relative error. This is less
/// than 1/(2Y) unless Y is close to 2^24.
inline constexpr uint32_t kFusedDivisorDigits = 0x7fffff - 63;

/// Returns x / y, correctly rounded.
template <class Numbers>
typename Numbers::Number divideFused(Numbers &n, typename Numbers::Number x, typename Numbers::Number y) {
  using Number = typename Numbers::Number;
  Number minusY = n.negate(y);
  // The square of `root`, an approximation of 1 / |y|, has a relative error of at most 2^-20.8: twice that of `root`,
  // and one rounding.
  Number root = n.inverseRoot(n.magnitude(y));
  Number reciprocal = n.withSign(n.multiply(root, root), y);
  reciprocal = n.fma(reciprocal, n.fma(minusY, reciprocal, n.number(1)), reciprocal);
  Number first = n.multiply(x, reciprocal);
  Number second = n.fma(n.fma(minusY, first, x), reciprocal, first);
  Number third = n.fma(n.fma(minusY, second, x), reciprocal, second);
  return n.selectIfZero(x, first, third); // for x = 0 the product has the right sign
}

/// Returns the square root of x, correctly rounded. A test tries all significands.
template <class Numbers> typename Numbers::Number squareRootFused(Numbers &n, typename Numbers::Number x) {
  using Number = typename Numbers::Number;
  Number inverse = n.inverseRoot(x), root = n.multiply(x, inverse), half = n.multiply(inverse, n.number(0.5f));
  Number error = n.fma(n.negate(root), half, n.number(0.5f));
  root = n.fma(root, error, root);
  half = n.fma(half, error, half);
  return n.fma(n.fma(n.negate(root), root, x), half, root);
}

} // namespace tegula::vulkan
