// Quotients of f32, correctly rounded, by fused multiply-adds: Newton's step for the reciprocal, then the quotient put
// right by its exact rest, twice (P. Markstein, 'Computation of elementary functions on the IBM RISC System/6000
// processor', IBM J. Res. Dev. 34, 1990). For operands within the bounds nothing overflows or is denormal on the way.
#pragma once

#include <cstdint>

namespace tegula::vulkan {

/// |y| and |x| from 2^-60 to below 2^60, as bits of f32; x may be zero, too.
inline constexpr uint32_t kFusedDivisionLeast = (127u - 60u) << 23;
inline constexpr uint32_t kFusedDivisionEnd = (127u + 60u) << 23;
/// y's digits behind the first, as an integer, are below this. In units of the last place and with Y, y's digits as an
/// integer, a quotient is at least 1 / 2Y away from the middle between two numbers, and the last step errs by Y 2^-49
/// (1 + 2^-20) at most: half a unit that was missing, times the reciprocal's error. That is less where Y is not almost
/// 2^24.
inline constexpr uint32_t kFusedDivisionDigits = 0x7fffff - 63;

/// x / y. `Numbers` has a type `Number` and fma(a, b, c), rounded once, multiply(a, b), rounded, negate(a), one(),
/// selectIfZero(x, a, b), and reciprocal(y), which may be off by 2.5 ulp.
template <class Numbers>
typename Numbers::Number divideFused(Numbers &n, typename Numbers::Number x, typename Numbers::Number y) {
  using Number = typename Numbers::Number;
  Number minusY = n.negate(y);
  Number reciprocal = n.reciprocal(y);
  reciprocal = n.fma(reciprocal, n.fma(minusY, reciprocal, n.one()), reciprocal);
  Number first = n.multiply(x, reciprocal);
  Number second = n.fma(n.fma(minusY, first, x), reciprocal, first);
  Number third = n.fma(n.fma(minusY, second, x), reciprocal, second);
  return n.selectIfZero(x, first, third); // a zero has the sign of the product
}

} // namespace tegula::vulkan
