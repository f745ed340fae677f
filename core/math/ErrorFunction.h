// erf. For |x| <= 1, x times a polynomial in x^2; beyond, 1 - 2^p, where the polynomial p approximates log2(erfc(x));
// an error of p matters less the smaller erfc is. Both fits are ours: tests/math/fit.py.
#pragma once

#include "core/math/Exponential.h"

namespace tegula::elementary {

/// Errors of the fits, relative to erf: 2^-29.6 and 2^-35 in f32, 2^-57 and 2^-54 in f64.
template <class N> Real<N> erf(Real<N> x) {
  using F = Format<N>;
  constexpr bool kIsSingle = F::kIsSingle;
  Real<N> size = magnitude(x), z = x * x;
  Real<N> near =
      kIsSingle
          ? polynomial(z, {1.283791657e-01, -3.761262582e-01, 1.128358515e-01, -2.685381195e-02, 5.188327731e-03,
                           -8.010194172e-04, 7.853863575e-05})
          : polynomial(z, {0x1.06eba8214db69p-3, -0x1.812746b0379e6p-2, 0x1.ce2f21a042b20p-4, -0x1.b82ce3128499cp-6,
                           0x1.565bcd0db02e6p-8, -0x1.c02db3d8ed2f2p-11, 0x1.f9a321a11f49cp-14, -0x1.f4d1df39696a5p-17,
                           0x1.b9def19f75d92p-20, -0x1.5f1d36cea3f67p-23, 0x1.f7a412aba595cp-27, -0x1.386ac22aee9e3p-30,
                           0x1.0579ae26c2b1ep-34});
  constexpr double kSmall = kIsSingle ? 0x1p-13 : 0x1p-27; // one product, so that no part of it is flushed alone
  near = select(size < kSmall, x * 0x1.20dd750429b6dp+0, x + x * near);
  // From 4 (6) on erf is 1.
  Real<N> t = clamped(size, 1, kIsSingle ? 4 : 6) - 1.0;
  Real<N> p =
      kIsSingle
          ? polynomial(t, {-2.668416697e+00, -3.807225346e+00, -1.216346406e+00, -5.996342730e-02, 1.449396619e-02,
                           -2.902653366e-03, 4.177002100e-04, -3.128732406e-05})
          : polynomial(t, {-0x1.558eada6637f3p+1, -0x1.e75328fe78b88p+1, -0x1.37627e9b61f22p+0, -0x1.eb31367a4eb74p-5,
                           0x1.da57621c2252bp-7, -0x1.7603a82f9e945p-9, 0x1.66fb5dc9ce234p-12, 0x1.3ec9a48eb93d7p-15,
                           -0x1.4a39cf650d7b3p-15, 0x1.da1871f75c572p-17, -0x1.b4e4989838926p-19, 0x1.cc9d680e6010dp-22,
                           0x1.83ac8c3db7a5ep-27, -0x1.56d14100a99bfp-26, 0x1.3d1ca3016de94p-28, -0x1.1f99f81acffefp-31,
                           0x1.b9b1f9450b48cp-36});
  Real<N> far = fromBits(bitsOf(1.0 - exp2(p)) | (bitsOf(x) & F::kSign));
  return select(1.0 < size, far, near); // NaN: near
}

} // namespace tegula::elementary
