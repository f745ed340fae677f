#!/usr/bin/env python3
"""Coefficients of the polynomials of core/math and of the CPU backend (`cpu_...`, in double).

`fit.py [NAME ...]` prints them with the largest weighted error of each.

Remez' exchange algorithm (E. Ya. Remez, 1934; J.-M. Muller, "Elementary Functions", chapter 3) in 50 digits on a grid
of Chebyshev points. The constant term first. An error is that of the function which the polynomial becomes part of,
relative to it, before coefficients are rounded to the format and before any rounding of the evaluation.
"""
import sys

from mpmath import (asin, atan, cos, erf, erfc, exp, log, log1p, loggamma, lu_solve, matrix, mp, mpf, pi, sin, sqrt,
                    tan)

mp.dps = 50


def remez(function, weight, low, high, degree, points=900):
    """The polynomial of this degree with the smallest maximum of |weight * (polynomial - function)|."""
    low, high = mpf(low), mpf(high)
    grid = [(low + high) / 2 - (high - low) / 2 * cos(pi * (i + mpf(1) / 2) / points) for i in range(points)]
    values, weights = [function(x) for x in grid], [weight(x) for x in grid]
    count = degree + 2
    chosen = [round((points - 1) * float((1 - cos(pi * i / (count - 1))) / 2)) for i in range(count)]
    for _ in range(40):
        a, b = matrix(count, count), matrix(count, 1)
        for row, at in enumerate(chosen):
            for k in range(degree + 1):
                a[row, k] = grid[at] ** k
            a[row, degree + 1] = (-1) ** row / weights[at]
            b[row] = values[at]
        solution = lu_solve(a, b)
        coefficients = [solution[k] for k in range(degree + 1)]

        def error(i):
            total = mpf(0)
            for c in reversed(coefficients):
                total = total * grid[i] + c
            return weights[i] * (total - values[i])

        errors = [error(i) for i in range(points)]
        # One extremum is kept of each run of equal signs; of surplus ones, the smaller end is removed.
        runs, start = [], 0
        for i in range(1, points + 1):
            if i == points or (errors[i] > 0) != (errors[start] > 0):
                runs.append(max(range(start, i), key=lambda j: abs(errors[j])))
                start = i
        while len(runs) > count:
            runs.pop(0 if abs(errors[runs[0]]) < abs(errors[runs[-1]]) else -1)
        largest = max(abs(e) for e in errors)
        if len(runs) < count or runs == chosen or largest < abs(solution[degree + 1]) * mpf("1.0001"):
            break
        chosen = runs
    return coefficients, largest


def quotient(function, series):
    """A quotient that cancels near zero, where its series is used."""
    return lambda x: series(x) if abs(x) < mpf("1e-12") else function(x)


LN2, HALF_PI = log(2), pi / 2
ROOT = sqrt(mpf(2))
QUARTER = (pi / 4) ** 2 * mpf("1.0001")

exp_tail = quotient(lambda r: (exp(r) - 1 - r) / r**2, lambda r: mpf(1) / 2 + r / 6)
exp2_tail = quotient(lambda f: (2**f - 1) / f, lambda f: LN2 + f * LN2**2 / 2)
log_tail = quotient(lambda f: (log1p(f) - f + f**2 / 2) / f**3, lambda f: mpf(1) / 3 - f / 4)
log_weight = quotient(lambda f: f**3 / log1p(f), lambda f: f**2)
sine_tail = quotient(lambda z: (sin(sqrt(z)) / sqrt(z) - 1) / z, lambda z: -mpf(1) / 6 + z / 120)
cosine_tail = quotient(lambda z: (cos(sqrt(z)) - 1 + z / 2) / z**2, lambda z: mpf(1) / 24 - z / 720)
erf_tail = quotient(lambda z: erf(sqrt(z)) / sqrt(z) - 1, lambda z: 2 / sqrt(pi) * (1 - z / 3) - 1)
erf_weight = quotient(lambda z: sqrt(z) / erf(sqrt(z)), lambda z: sqrt(pi) / 2)


def tanh_tail(z):
    """(tanh(s) / s - 1) / z with z = s^2."""
    s = sqrt(z)
    return (mp.tanh(s) / s - 1) / z


def atanh_tail(z):
    """(2 atanh(s) - 2 s) / s / z with z = s^2."""
    if z < mpf("1e-8"):
        return mpf(2) / 3 + 2 * z / 5 + 2 * z**2 / 7
    s = sqrt(z)
    return (log((1 + s) / (1 - s)) - 2 * s) / s / z


def erfcx_scaled(u):
    """(1 + 2 x) e^(x^2) erfc(x) with u = (x - 4) / (x + 4); for x = infinity the limit."""
    x = 4 * (1 + u) / (1 - u)
    if x > 40:  # the asymptotic series
        total = term = mpf(1)
        for k in range(1, 40):
            term *= -(2 * k - 1) / (2 * x**2)
            total += term
        return (1 / x + 2) / sqrt(pi) * total
    return (1 + 2 * x) * exp(x**2) * erfc(x)


def cpu_erf(u):
    """erf(x) / x for x from 0 to 3.924, with u = x^2 / 7.7 - 1."""
    z = mpf("7.7") * (1 + u)
    return 2 / sqrt(pi) * (1 - z / 3) if z < mpf("1e-20") else erf(sqrt(z)) / sqrt(z)


def cpu_erfcx(u):
    """e^(x^2) erfc(x) for x from 0 to 10.1, with u = 6.25 / (2.5 + x) - 1.5."""
    x = mpf("6.25") / (u + mpf("1.5")) - mpf("2.5")
    return exp(x**2) * erfc(x)


def erfinv_scaled(w):
    """erfinv(x) / x with w = -log(1 - x^2), by Newton's method on log(erfc), which is nearly a parabola."""
    if w < mpf("1e-12"):
        return sqrt(pi) / 2 * (1 + w * pi / 12)
    x = sqrt(-mp.expm1(-w))
    if w < 1:
        return mp.erfinv(x) / x
    goal = -w - log1p(x)  # log(1 - x)
    t = sqrt(w)
    for _ in range(60):
        value = erfc(t)
        step = (log(value) - goal) * value * sqrt(pi) / -2 * exp(t**2)
        t -= step
        if abs(step) < t * mpf("1e-45"):
            break
    return t / x


def far_erfinv(low, high):
    """erfinv_scaled with sqrt(w) between these limits, which the argument reaches at -1 and 1."""
    middle, half = (mpf(low) + mpf(high)) / 2, (mpf(high) - mpf(low)) / 2
    return lambda d: erfinv_scaled((middle + half * d) ** 2)


def log_gamma_near(at):
    """log(gamma(at + t)) / t for at = 1 or 2, where it vanishes."""
    slope = mp.digamma(at)
    return lambda t: slope + t * mp.polygamma(1, at) / 2 if abs(t) < mpf("1e-15") else loggamma(at + t) / t


def stirling_rest(z):
    """The rest of Stirling's formula, times x, with z = 1 / x^2."""
    if z < mpf("1e-12"):
        return mpf(1) / 12 - z / 360
    x = 1 / sqrt(z)
    return (loggamma(x) - (x - mpf(1) / 2) * log(x) + x - log(2 * pi) / 2) * x


atan_tail = quotient(lambda z: (atan(sqrt(z)) / sqrt(z) - 1) / z, lambda z: -mpf(1) / 3 + z / 5)
asin_tail = quotient(lambda z: (asin(sqrt(z)) / sqrt(z) - 1) / z, lambda z: mpf(1) / 6 + 3 * z / 40)
Z_ATAN = tan(pi / 8) ** 2 * mpf("1.0001")
Z_ASIN = mpf("0.25001")
relative = lambda function: lambda x: 1 / function(x)

def power_tail(z, known):
    """What follows the first `known` terms of atanh(s) / s = 1 + z / 3 + z^2 / 5 + ..., over z^known."""
    return sum(z**k / (2 * (k + known) + 1) for k in range(60))


Z_LOG = ((ROOT - 1) / (ROOT + 1)) ** 2 * mpf("1.0001")
EXP = LN2 / 2 * mpf("1.001")
one = lambda x: mpf(1)

FITS = {  # function, weight, low, high, degree
    "exp32": (exp_tail, lambda r: r**2 / exp(r), -EXP, EXP, 4),
    "exp64": (exp_tail, lambda r: r**2 / exp(r), -EXP, EXP, 9),
    "exp2_32": (exp2_tail, lambda f: f / 2**f, -0.5, 0.5, 5),
    "exp2_64": (exp2_tail, lambda f: f / 2**f, -0.5, 0.5, 10),
    "log32": (log_tail, log_weight, 1 / ROOT - 1 - mpf("1e-6"), ROOT - 1 + mpf("1e-6"), 7),
    "log64": (atanh_tail, lambda z: z / 2, 0, Z_LOG, 6),
    "sin32": (sine_tail, lambda z: z, 0, QUARTER, 2),
    "sin64": (sine_tail, lambda z: z, 0, QUARTER, 5),
    "cos32": (cosine_tail, lambda z: z**2, 0, QUARTER, 2),
    "cos64": (cosine_tail, lambda z: z**2, 0, QUARTER, 5),
    "erf32": (erf_tail, erf_weight, 0, 1, 6),
    "erf64": (erf_tail, erf_weight, 0, 1, 12),
    # The far part's argument is relative to 1, where its errors matter most.
    "erfc32": (lambda t: log(erfc(t + 1)) / LN2, lambda t: erfc(t + 1), 0, 3, 7),
    "erfc64": (lambda t: log(erfc(t + 1)) / LN2, lambda t: erfc(t + 1), 0, 5, 16),
    "atan32": (atan_tail, lambda z: z, 0, Z_ATAN, 4),
    "atan64": (atan_tail, lambda z: z, 0, Z_ATAN, 10),
    "asin32": (asin_tail, lambda z: z, 0, Z_ASIN, 4),
    "asin64": (asin_tail, lambda z: z, 0, Z_ASIN, 12),
    # atanh(s) / s = 1 + z / 3 + z^2 (...): the terms before this rest are added in pairs.
    "pow32": (lambda z: power_tail(z, 2), lambda z: z**2, 0, Z_LOG, 2),
    "pow64": (lambda z: power_tail(z, 2), lambda z: z**2, 0, Z_LOG, 7),
    "erfcx32": (erfcx_scaled, relative(erfcx_scaled), -1, mpf("0.999999"), 13),
    "erfcx64": (erfcx_scaled, relative(erfcx_scaled), -1, mpf("0.999999"), 26),
    "cuda_tanh32": (tanh_tail, lambda z: z, mpf("1e-10"), mpf("0.625") ** 2, 4),
    "cpu_erf64": (cpu_erf, relative(cpu_erf), -1, 1, 18),
    "cpu_erfc64": (cpu_erfcx, relative(cpu_erfcx), mpf("-1.004"), 1, 12),
    "erfinv_near32": (lambda d: erfinv_scaled(d + 3), lambda d: 1 / erfinv_scaled(d + 3), -3, 3, 12),
    "erfinv_near64": (lambda d: erfinv_scaled(d + 3), lambda d: 1 / erfinv_scaled(d + 3), -3, 3, 24),
    # The argument runs over sqrt(w); in f64 these are what an iteration starts from.
    "erfinv_a32": (far_erfinv("2.4", "4.5"), relative(far_erfinv("2.4", "4.5")), -1, 1, 11),
    "erfinv_b32": (far_erfinv("4.5", "10.3"), relative(far_erfinv("4.5", "10.3")), -1, 1, 10),
    "erfinv_c64": (far_erfinv("10.3", "27.5"), relative(far_erfinv("10.3", "27.5")), -1, 1, 10),
    "lgamma_one32": (log_gamma_near(1), relative(log_gamma_near(1)), -0.5, 0.5, 13),
    "lgamma_two32": (log_gamma_near(2), relative(log_gamma_near(2)), -0.5, 0.5, 8),
    "lgamma_one64": (log_gamma_near(1), relative(log_gamma_near(1)), -0.5, 0.5, 29),
    "lgamma_two64": (log_gamma_near(2), relative(log_gamma_near(2)), -0.5, 0.5, 18),
    "gamma_two32": (lambda t: mp.gamma(2 + t), lambda t: 1 / mp.gamma(2 + t), -0.5, 0.5, 9),
    "gamma_two64": (lambda t: mp.gamma(2 + t), lambda t: 1 / mp.gamma(2 + t), -0.5, 0.5, 21),
    "stirling32": (stirling_rest, lambda z: sqrt(z), 0, mpf(1) / 64, 1),
    "stirling64": (stirling_rest, lambda z: sqrt(z), 0, mpf(1) / 64, 5),
}


def main():
    for name in sys.argv[1:] or FITS:
        coefficients, largest = remez(*FITS[name])
        print(f"{name}: error 2^{float(log(largest) / LN2):.1f}")
        for c in coefficients:
            print("   ", float(c).hex() if name.endswith("64") else f"{float(c):.9e}", end=",\n")


if __name__ == "__main__":
    main()
