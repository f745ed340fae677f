#include "backends/cpu/kernels/Functions.h"

#include <cfenv>
#include <cmath>
#include <numbers>

namespace tegula::cpu {
namespace {

/// The type in which a function of T is computed.
template <class T> struct WiderType;
template <> struct WiderType<float> {
  using Type = double;
};
template <> struct WiderType<double> {
  using Type = long double;
};

// --- functions that libm does not have ---

template <class W> constexpr W kPi = std::numbers::pi_v<W>;

/// sin(pi x) or cos(pi x). The argument is reduced without rounding: x modulo 2, and its difference from the nearest
/// multiple of 1/2, are exact.
template <class W> W ofTurns(W x, bool isCosine) {
  if (!std::isfinite(x))
    return std::numeric_limits<W>::quiet_NaN();
  const W rest = std::remainder(std::abs(x), W(2)), nearest = std::nearbyint(rest * 2);
  const W angle = (rest - nearest / 2) * kPi<W>;
  const int quadrant = (static_cast<int>(nearest) + 4 + isCosine) % 4;
  W result = quadrant % 2 ? std::cos(angle) : std::sin(angle);
  result = quadrant >= 2 ? -result : result;
  if (result == 0)
    result = 0;
  return !isCosine && std::signbit(x) ? -result : result;
}

template <class W> W sinpi(W x) { return ofTurns(x, false); }
template <class W> W cospi(W x) { return ofTurns(x, true); }
template <class W> W exp10(W x) { return std::pow(W(10), x); }

/// e^(x^2) erfc(x). For large x, by the continued fraction of sqrt(pi) e^(x^2) erfc(x) (M. Abramowitz and I. A. Stegun,
/// "Handbook of Mathematical Functions", 7.1.14), evaluated from its 120th term backwards.
template <class W> W erfcx(W x) {
  if (!(x > 5))
    return std::exp(x * x) * std::erfc(x);
  W tail = x;
  for (int k = 120; k > 0; --k)
    tail = x + W(k) / 2 / tail;
  return 1 / (std::sqrt(kPi<W>) * tail);
}

/// Solves erfc(t) = y for 0 < y <= 1/2 by Newton's method on log(erfc(t)) = log(y); log(erfc(t)) is nearly a parabola
/// in t, so the method converges in few steps.
template <class W> W inverseComplement(W y) {
  const W goal = std::log(y);
  W t = std::sqrt(-goal);
  for (int i = 0; i < 100; ++i) {
    const W complement = erfcx(t), step = (std::log(complement) - t * t - goal) * complement * std::sqrt(kPi<W>) / 2;
    t += step;
    if (std::abs(step) <= std::abs(t) * std::numeric_limits<W>::epsilon())
      break;
  }
  return t;
}

/// Solves erf(t) = x for |x| <= 1/2 by Newton's method.
template <class W> W inverseNearZero(W x) {
  W t = x * std::sqrt(kPi<W>) / 2;
  for (int i = 0; i < 100 && x != 0; ++i) {
    const W step = (std::erf(t) - x) * std::exp(t * t) * std::sqrt(kPi<W>) / 2;
    t -= step;
    if (std::abs(step) <= std::abs(t) * std::numeric_limits<W>::epsilon())
      break;
  }
  return t;
}

template <class W> W erfcinv(W y) {
  if (std::isnan(y) || y < 0 || y > 2)
    return std::numeric_limits<W>::quiet_NaN();
  if (y == 0 || y == 2)
    return y == 0 ? std::numeric_limits<W>::infinity() : -std::numeric_limits<W>::infinity();
  if (y > W(0.5) && y < W(1.5))
    return inverseNearZero(1 - y);
  return y > 1 ? -inverseComplement(2 - y) : inverseComplement(y);
}

template <class W> W erfinv(W x) {
  const W size = std::abs(x);
  return size < W(0.5) ? inverseNearZero(x) : std::copysign(erfcinv(1 - size), x);
}

template <class W> W normcdf(W x) { return std::erfc(-x * (std::numbers::sqrt2_v<W> / 2)) / 2; }
template <class W> W normcdfinv(W p) { return -erfcinv(2 * p) * std::numbers::sqrt2_v<W>; }
template <class W> W lgamma(W x) {
  int sign = 0; // lgamma_r, because lgamma would write a global variable
  if constexpr (sizeof(W) > sizeof(double))
    return ::lgammal_r(x, &sign);
  else
    return ::lgamma_r(x, &sign);
}
template <class W> W tgamma(W x) { return std::tgamma(x); }

// --- rows ---

template <class T, auto function> void rowOfOne(void *out, const void *const *in, size_t count, unsigned uniform) {
  using W = typename WiderType<T>::Type;
  auto *x = static_cast<const T *>(in[0]);
  auto *result = static_cast<T *>(out);
  for (size_t i = 0; i < count; ++i)
    result[i] = static_cast<T>(function(static_cast<W>(x[uniform & 1 ? 0 : i])));
}

template <class T> void rowOfHypot(void *out, const void *const *in, size_t count, unsigned uniform) {
  using W = typename WiderType<T>::Type;
  auto *x = static_cast<const T *>(in[0]), *y = static_cast<const T *>(in[1]);
  auto *result = static_cast<T *>(out);
  for (size_t i = 0; i < count; ++i)
    result[i] =
        static_cast<T>(std::hypot(static_cast<W>(x[uniform & 1 ? 0 : i]), static_cast<W>(y[uniform & 2 ? 0 : i])));
}

/// A row of libm's fma, computed in the rounding mode `mode`. fma is called through a volatile pointer, so that the
/// compiler can neither evaluate it in the default rounding mode nor move it out of the code between the two calls of
/// fesetround.
template <class T, int mode> void rowOfFma(void *out, const void *const *in, size_t count, unsigned uniform) {
  static T (*volatile const multiplyAdd)(T, T, T) = [](T a, T b, T c) { return std::fma(a, b, c); };
  const T *operands[3];
  for (unsigned k = 0; k < 3; ++k)
    operands[k] = static_cast<const T *>(in[k]);
  auto *result = static_cast<T *>(out);
  const int before = std::fegetround();
  std::fesetround(mode);
  auto at = [&](unsigned k, size_t i) { return operands[k][uniform >> k & 1 ? 0 : i]; };
  for (size_t i = 0; i < count; ++i)
    result[i] = multiplyAdd(at(0, i), at(1, i), at(2, i));
  std::fesetround(before);
}

template <class T> RowKernel kernelOf(FunctionKind kind) {
  using W = typename WiderType<T>::Type;
  using One = W (*)(W);
  switch (kind) {
  case FunctionKind::Acosh: return rowOfOne<T, static_cast<One>(std::acosh)>;
  case FunctionKind::Asinh: return rowOfOne<T, static_cast<One>(std::asinh)>;
  case FunctionKind::Atanh: return rowOfOne<T, static_cast<One>(std::atanh)>;
  case FunctionKind::Cbrt: return rowOfOne<T, static_cast<One>(std::cbrt)>;
  case FunctionKind::Cospi: return rowOfOne<T, cospi<W>>;
  case FunctionKind::Erfc: return rowOfOne<T, static_cast<One>(std::erfc)>;
  case FunctionKind::Erfcinv: return rowOfOne<T, erfcinv<W>>;
  case FunctionKind::Erfcx: return rowOfOne<T, erfcx<W>>;
  case FunctionKind::Erfinv: return rowOfOne<T, erfinv<W>>;
  case FunctionKind::Exp10: return rowOfOne<T, exp10<W>>;
  case FunctionKind::Hypot: return rowOfHypot<T>;
  case FunctionKind::Lgamma: return rowOfOne<T, lgamma<W>>;
  case FunctionKind::Normcdf: return rowOfOne<T, normcdf<W>>;
  case FunctionKind::Normcdfinv: return rowOfOne<T, normcdfinv<W>>;
  case FunctionKind::Sinpi: return rowOfOne<T, sinpi<W>>;
  case FunctionKind::Tgamma: return rowOfOne<T, tgamma<W>>;
  case FunctionKind::FmaDown: return rowOfFma<T, FE_DOWNWARD>;
  case FunctionKind::FmaUp: return rowOfFma<T, FE_UPWARD>;
  case FunctionKind::FmaZero: return rowOfFma<T, FE_TOWARDZERO>;
  }
  return nullptr;
}

} // namespace

RowKernel functionKernel(const KernelTable &table, FunctionKind kind, bool isWide) {
  if (isWide)
    return kernelOf<double>(kind);
  const RowKernel own = table.functions[static_cast<size_t>(kind)];
  return own ? own : kernelOf<float>(kind);
}

} // namespace tegula::cpu
