// Quotients and square roots of f32, correctly rounded, by fused multiply-adds: Newton's step for the reciprocal, then
// the result put right by its exact rest (P. Markstein, 'Computation of elementary functions on the IBM RISC
// System/6000 processor', IBM J. Res. Dev. 34, 1990). For operands within the bounds nothing overflows or is denormal
// on the way. `Numbers` has a type `Number` and fma(a, b, c), rounded once, multiply(a, b), rounded, negate(a),
// number(value), magnitude(a), withSign(a, b), selectIfZero(x, a, b), and inverseRoot(x), which may be off by 2 ulp.
#pragma once

#include <cstdint>

namespace tegula::vulkan {

/// Operands' magnitudes are from 2^-60 to below 2^60, as bits of f32. A dividend may be zero, too; a radicand is
/// positive.
inline constexpr uint32_t kFusedLeast = (127u - 60u) << 23;
inline constexpr uint32_t kFusedEnd = (127u + 60u) << 23;
/// A divisor's digits behind the first, as an integer, are below this. In units of the last place and with Y, its
/// digits as an integer, a quotient is at least 1 / 2Y away from the middle between two numbers, and the last step errs
/// by Y 2^-49 (1 + 2^-17) at most: half a unit that was missing, times the reciprocal's error. That is less where Y is
/// not almost 2^24.
inline constexpr uint32_t kFusedDivisorDigits = 0x7fffff - 63;

/// x / y.
template <class Numbers>
typename Numbers::Number divideFused(Numbers &n, typename Numbers::Number x, typename Numbers::Number y) {
  using Number = typename Numbers::Number;
  Number minusY = n.negate(y);
  // Off by 2^-20.8 at most: twice the root's error, and one rounding.
  Number root = n.inverseRoot(n.magnitude(y));
  Number reciprocal = n.withSign(n.multiply(root, root), y);
  reciprocal = n.fma(reciprocal, n.fma(minusY, reciprocal, n.number(1)), reciprocal);
  Number first = n.multiply(x, reciprocal);
  Number second = n.fma(n.fma(minusY, first, x), reciprocal, first);
  Number third = n.fma(n.fma(minusY, second, x), reciprocal, second);
  return n.selectIfZero(x, first, third); // a zero has the sign of the product
}

/// The square root of x. The test tries all digits.
template <class Numbers> typename Numbers::Number squareRootFused(Numbers &n, typename Numbers::Number x) {
  using Number = typename Numbers::Number;
  Number inverse = n.inverseRoot(x), root = n.multiply(x, inverse), half = n.multiply(inverse, n.number(0.5f));
  Number error = n.fma(n.negate(root), half, n.number(0.5f));
  root = n.fma(root, error, root);
  half = n.fma(half, error, half);
  return n.fma(n.fma(n.negate(root), root, x), half, root);
}

} // namespace tegula::vulkan
