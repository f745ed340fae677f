// erfinv, erfcinv, normcdfinv: erfinv(x) = x Q(w) with w = -log(1 - x^2) = -log(y (2 - y)), y = 1 - x the argument of
// erfcinv. Q is smooth in w near 0 and in sqrt(w) far from it (M. Giles, "Approximating the erfinv function", GPU
// Computing Gems, Jade Edition, 2011). Fits are ours: tests/math/fit.py.
#pragma once

#include "core/math/ErrorComplement.h"

namespace tegula::elementary {

/// Q for w up to 6. Errors of the fit: 2^-31.7, 2^-58.8.
template <class N> Real<N> nearInverse(Real<N> w) {
  Real<N> d = clamped(w, 0, 6) - 3.0;
  return Format<N>::kIsSingle
             ? polynomial(d, {1.623542006e+00, 2.416304021e-01, -5.738135020e-03, -8.361750573e-04, 1.950614353e-04,
                              -1.272267844e-05, -1.748307930e-06, 4.525175364e-07, -2.353876048e-08, -5.980651314e-09,
                              1.081306938e-09, 2.222283601e-11, -1.504085955e-11})
             : polynomial(
                   d, {0x1.9fa072ed72dbbp+0,   0x1.eedbebdce73e7p-3,   -0x1.780def1d3f2d6p-8,  -0x1.b6666b152bb22p-11,
                       0x1.9912c04a4410cp-13,  -0x1.aab13d1bf04bap-17, -0x1.d539ca0b073e9p-20, 0x1.e32b0d4077a42p-22,
                       -0x1.96f821f4bba1cp-26, -0x1.77b39f88ef276p-28, 0x1.31558c11ad4edp-30,  -0x1.146c6f8d7ea43p-35,
                       -0x1.30dc097e44206p-36, 0x1.7bda434bbb51bp-39,  0x1.cba2077d66a96p-48,  -0x1.dcd57d1f8697dp-45,
                       0x1.c668da88cf0f1p-48,  0x1.3d53bd8b3b587p-52,  -0x1.6e14ca7fc2920p-53, 0x1.d7976b1eeb439p-57,
                       0x1.04524dad5abffp-59,  -0x1.c9838219fbfcep-62, 0x1.b75982ef34b2dp-70,  0x1.41b0c283b8ef0p-68,
                       -0x1.03b5293824654p-72});
}

/// Q by sqrt(w), with an error of 2^-30.
template <class N> Real<N> farInverse(Real<N> w) {
  Real<N> root = squareRoot(clamped(w, 6, 760));
  Real<N> a = clamped((root - 3.45) * (1 / 1.05), -1, 1), b = clamped((root - 7.4) * (1 / 2.9), -1, 1);
  Real<N> q = select(root < 4.5,
                     polynomial(a, {3.285125734e+00, 1.057376351e+00, 3.972991065e-03, -2.662871450e-03,
                                    1.556784435e-03, -1.045895604e-03, 6.890945049e-04, -3.690267356e-04,
                                    1.204166565e-04, 1.547214749e-05, -3.659740856e-05, 1.135816764e-05}),
                     polynomial(b, {7.272376415e+00, 2.923750609e+00, -4.206764620e-03, 3.356586049e-04,
                                    2.436527348e-04, -2.122006487e-04, 1.207980076e-04, -4.913065438e-05,
                                    1.886793454e-05, -1.732317351e-05, 8.454395714e-06}));
  if constexpr (!Format<N>::kIsSingle) {
    Real<N> c = clamped((root - 18.9) * (1 / 8.6), -1, 1);
    q = select(
        root < 10.3, q,
        polynomial(c, {0x1.2d34ac7848884p+4, 0x1.13e728a1fa7b6p+3, -0x1.dccffe588f18ep-8, 0x1.461ff24c923edp-9,
                       -0x1.bf5cae0d59c00p-11, 0x1.293b1d6410287p-12, -0x1.6aebcf1f3507dp-14, 0x1.099fbe0f35ff4p-15,
                       -0x1.bf9ccb8e108e3p-17, -0x1.003aec3607814p-18, 0x1.50ed337c9d5e0p-18}));
  }
  return q;
}

/// The t with erfc(t) = y for y < 1/8. In f64 one step of Newton's method on log(erfc(t)) = log(y), near a parabola.
template <class N> Real<N> inverseOfSmall(Real<N> y, Real<N> w) {
  Real<N> t = (1.0 - y) * farInverse(w);
  if constexpr (!Format<N>::kIsSingle) {
    Real<N> complement = scaledComplement(t); // log(erfc(t)) = log(complement) - t^2
    Pair<N> square = exactProduct(t, t);
    Real<N> residual = ((log(complement) - square.high) - square.low) - log(y);
    Real<N> step = residual * complement * 0x1.c5bf891b4ef6bp-1; // sqrt(pi) / 2
    t = t + step * (1.0 + step * (t - complement.of(0x1.20dd750429b6dp-1) / complement));
  }
  return t;
}

template <class N> Real<N> erfcinv(Real<N> y) {
  using F = Format<N>;
  Truth<N> isRight = 1.0 < y; // erfcinv(2 - y) = -erfcinv(y)
  Real<N> small = select(isRight, 2.0 - y, y);
  Truth<N> isPlain = (0.0 < small) & (small < 2.0);
  Real<N> safe = select(isPlain, small, y.of(1)), w = -log(safe * (2.0 - safe));
  Real<N> x = 1.0 - safe;
  Real<N> size = select(w < 6.0, x * nearInverse(w), inverseOfSmall(safe, w));
  size = select(small == y.of(0), special(y, F::kInfinity), size);
  Real<N> result = fromBits(bitsOf(size) ^ select(isRight, bitsOf(y).of(F::kSign), bitsOf(y).of(0)));
  result = select((y < 0.0) | (2.0 < y), special(y, F::kNan), result);
  return select(isNan(y), y, result);
}

template <class N> Real<N> erfinv(Real<N> x) {
  using F = Format<N>;
  Real<N> size = magnitude(x), y = 1.0 - size;
  Truth<N> isPlain = size < 1.0;
  Real<N> safe = select(isPlain, y, x.of(1)), w = -log(safe * (1.0 + select(isPlain, size, x.of(0))));
  Real<N> result = select(w < 6.0, size * nearInverse(w), inverseOfSmall(safe, w));
  result = select(size == x.of(1), special(x, F::kInfinity), result);
  result = select(1.0 < size, special(x, F::kNan), fromBits(bitsOf(result) | (bitsOf(x) & F::kSign)));
  return select(isNan(x), x, result);
}

/// The x with normcdf(x) = p.
template <class N> Real<N> normcdfinv(Real<N> p) { return erfcinv(p * 2.0) * -0x1.6a09e667f3bcdp+0; }

} // namespace tegula::elementary
