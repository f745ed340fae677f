// How close results must come, in one place. A device's result is compared with the CPU backend's, and the CPU
// backend's with a reference in extended precision, by the same policy.
//
// clang-format off
// | what                                   | f32, f64 | 16 bits | why                                                 |
// |----------------------------------------|----------|---------|-----------------------------------------------------|
// | movement, casts, comparisons, integers | bits     | bits    | nothing is rounded, or once, to nearest even        |
// | add sub mul fma abs floor ceil min     | bits     | bits    | IEEE 754 operations; of 16 bits: in f32, rounded    |
// | div_rn sqrt_rn, float %                | bits     | bits    | rounded correctly, as their names say; % is exact   |
// | /, fdiv, sqrt                          | 3        | 1       | devices divide and take roots by approximations     |
// |                                        |          |         | within 2.5 (OpenCL, Vulkan) and 3 ulp               |
// | rsqrt                                  | 4        | 1       | a reciprocal of a root: two roundings more          |
// | exp exp2 log log2                      | 4        | 1       | what core/math's expansions must reach              |
// | sin cos erf                            | 4        | 1       | the same; arguments within +-100                    |
// | sigmoid                                | 8        | 1       | exp, then a division                                |
// | x * y + z                              | bound    | bound   | a device may fuse it                                |
// | sums of whole numbers                  | bits     | bits    | exact in any order                                  |
// | sums of n reals                        | bound    | bound   | (n - 1) * 2^-p * sum |x|, Higham's bound for any    |
// |                                        |          |         | order of additions                                  |
// | dot of whole numbers                   | bits     | bits    | exact in any order and with fused additions         |
// | dot of reals over K                    | bound    | bound   | K * 2^-p * sum |a| |b|, p of the accumulator, and   |
// |                                        |          |         | the rounding of the inputs where the hardware       |
// |                                        |          |         | narrows them (tf32)                                 |
// | dot of f32 in n parts (tf32x3, bf16x3, | bound    |         | the bound for the sums of all parts' products, and  |
// | bf16x6)                                |          |         | 4 * 2^(-n p) * sum |a| |b|, p of a part: the        |
// |                                        |          |         | products that are left out                          |
// clang-format on
//
// f16 and bf16 functions are computed in f32 and rounded once: 1 ulp allows for results beside a rounding boundary.
// Where a device does not keep denormals (see Denormals in Host.h), inputs hold none and results that are denormal, or
// were on their way, may be zero.
#pragma once

#include "tests/conformance/Case.h"

namespace tegula::conformance {

/// Bit for bit.
inline Policy exact() { return {}; }
/// Bit for bit but for the sign of zero.
inline Policy exactAnyZero() { return {.anyZero = true}; }
/// Bit for bit, of results that were numbers of another type on their way.
inline Policy exactThrough(DType type) { return {.through = type}; }
inline Policy multiset() { return {.kind = Policy::Kind::Multiset}; }
inline Policy ignored() { return {.kind = Policy::Kind::Ignored}; }
inline Policy ulps(double count) { return {.kind = Policy::Kind::Close, .ulps = count, .anyZero = true}; }
inline Policy near(double absolute, double relative = 0, double ulps = 1) {
  return {.kind = Policy::Kind::Close, .ulps = ulps, .relative = relative, .absolute = absolute, .anyZero = true};
}
/// The row of the table above: "add", "exp", ... of elements of `type`.
Policy ofFunction(const std::string &function, DType type);
/// Sum of n numbers of at most `magnitude` in an accumulator of type `accumulator`, stored as `result`.
Policy ofSum(int64_t n, double magnitude, DType accumulator = DType::F32);
/// Products of numbers of at most `magnitude` summed over k. f32 inputs may be rounded to tf32.
Policy ofDot(int64_t k, double magnitude, DType inputs, DType accumulator = DType::F32);
/// Products of f32 numbers of at most `magnitude` summed over k, with an input precision of `tl.dot`.
Policy ofPrecision(const std::string &precision, int64_t k, double magnitude);

} // namespace tegula::conformance
