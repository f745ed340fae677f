// lgamma. Near 1 and 2 by fits that have its zeros; up to 8 by the recurrence gamma(x + 1) = x gamma(x); beyond by
// Stirling's formula; negative arguments by Euler's reflection gamma(x) gamma(-x) = -pi / (x sin(pi x)). Fits are ours:
// tests/math/fit.py.
#pragma once

#include "core/math/Gamma.h"

namespace tegula::elementary {

/// log(gamma(1 + t)) for |t| <= 1/2 and log(gamma(2 + t)). Errors of the fits: 2^-28.8, 2^-60.3; 2^-28.7, 2^-59.5.
template <class N> Real<N> logGammaNearOne(Real<N> t) {
  Real<N> p =
      Format<N>::kIsSingle
          ? polynomial(t, {-5.772156661e-01, 8.224670267e-01, -4.006851729e-01, 2.705812367e-01, -2.074146594e-01,
                           1.695573564e-01, -1.433690929e-01, 1.252378501e-01, -1.187875288e-01, 1.046790218e-01,
                           -5.039700492e-02, 5.291082875e-02, -1.778969879e-01, 1.569728097e-01})
          : polynomial(t, {-0x1.2788cfc6fb619p-1, 0x1.a51a6625307d3p-1, -0x1.9a4d55beab2cap-2, 0x1.151322ac7d874p-2,
                           -0x1.a8b9c17aa7f93p-3, 0x1.5b40cb100984dp-3, -0x1.2703a1dc0cb32p-3, 0x1.010b36b00ab75p-3,
                           -0x1.c80670d726cbap-4, 0x1.9a01e375eebf6p-4, -0x1.748c23e4f6a18p-4, 0x1.556ad43073eddp-4,
                           -0x1.3b1f01679c7f1p-4, 0x1.249755b8a1b80p-4, -0x1.10fc23ae5f3a0p-4, 0x1.ffec708c2ccb3p-5,
                           -0x1.e3f2fce39cab4p-5, 0x1.c84c5db50b132p-5, -0x1.9e558cc481e2ap-5, 0x1.8e84ca62095a0p-5,
                           -0x1.e7df41c3a965dp-5, 0x1.bb643379106b8p-5, 0x1.573dde4438931p-8,  0x1.d1d33af0f7402p-9,
                           -0x1.659737cb97c00p-3, 0x1.3375508388d8bp-3, 0x1.907b45ab511dfp-3,  -0x1.559099108d10ep-3,
                           -0x1.ed02a2e6e1300p-3, 0x1.c40b3966ebb51p-3});
  return t * p;
}
template <class N> Real<N> logGammaNearTwo(Real<N> t) {
  Real<N> p =
      Format<N>::kIsSingle
          ? polynomial(t, {4.227843345e-01, 3.224670188e-01, -6.735221881e-02, 2.058160189e-02, -7.387427140e-03,
                           2.879056938e-03, -1.177842167e-03, 5.698211190e-04, -2.698510778e-04})
          : polynomial(t, {0x1.b0ee6072093cep-2, 0x1.4a34cc4a60fa7p-2, -0x1.13e001a557616p-4, 0x1.51322ac7d8009p-6,
                           -0x1.e404fc21888a7p-8, 0x1.7add6eae5596fp-9, -0x1.38ac5c309c6cfp-10, 0x1.0b36af367d0a6p-11,
                           -0x1.d3fd4943c0de8p-13, 0x1.a127dc291b2dbp-14, -0x1.78defda0a2058p-15, 0x1.5806f5025776fp-16,
                           -0x1.3ca940c7976f0p-17, 0x1.263ea90dc9057p-18, -0x1.131ce87bda481p-19, 0x1.ee176ea911baep-21,
                           -0x1.c30699d8996c2p-22, 0x1.2b074bcc0797dp-22, -0x1.33b5845ae3166p-23});
  return t * p;
}

/// For x > 0.
template <class N> Real<N> logGammaPositive(Real<N> x) {
  Real<N> small = log(select(x < 0.5, x, x.of(1))); // log(gamma(x)) = log(gamma(1 + x)) - log(x)
  Real<N> t = select(x < 0.5, x, select(x < 1.5, x - 1.0, x.of(0)));
  Real<N> low = logGammaNearOne(t) - small;
  Pair<N> lowered = loweredToTwo(clamped(x, 1.5, 8));
  Real<N> middle = log(lowered.low) + logGammaNearTwo(lowered.high - 2.0);
  Real<N> large = select(x < 8.0, x.of(8), x);
  constexpr double kRest = 0x1.acfe390c97d69p-2; // (log(2 pi) - 1) / 2
  Real<N> high = (large - 0.5) * (log(large) - 1.0) + (stirlingRest(large) + kRest);
  return select(x < 1.5, low, select(x < 8.0, middle, high));
}

template <class N> Real<N> lgamma(Real<N> x) {
  using F = Format<N>;
  Real<N> size = magnitude(x), infinity = special(x, F::kInfinity);
  // From -1/2 to 0 the logarithm of the shifted argument has no cancellation.
  Truth<N> isNegative = x < 0.0, isShifted = isNegative & !(x < -0.5);
  Real<N> bounded = select(isNegative & !isShifted & (size < double(F::kLeading)), size, x.of(0.5));
  Real<N> sine = magnitude(sinpi(bounded));
  Real<N> reflected = log(x.of(0x1.921fb54442d18p+1) / (sine * bounded));
  Real<N> shifted = logGammaNearOne(select(isShifted, x, x.of(0))) - log(select(isShifted, size, x.of(1)));
  Real<N> positive = logGammaPositive(select(isShifted | (size == x.of(0)), x.of(1), size));
  Real<N> result = select(isNegative, select(isShifted, shifted, reflected - positive), positive);
  result = select((x == x.of(1)) | (x == x.of(2)), x.of(0), result);
  result = select(size == x.of(0), infinity, result);
  result = select(isNegative & isWhole(size), infinity, result); // poles, minus infinity among them
  result = select(size == infinity, infinity, result);
  return select(isNan(x), x, result);
}

} // namespace tegula::elementary
