// Functions of floats, for targets that lack them or have them with too large errors. What this room is for: algorithms
// that need only correctly rounded sums, products, quotients and square roots, and integers. Each is written once, over
// a number type that is the host's (in tests) or emits IR (core/passes/simt/ExpandMath.cpp). What may not enter it:
// MLIR, targets, tables in memory.
//
// Stated errors, in ulp of the exact result (for subnormal results: of the smallest number). No algorithm needs a fused
// multiply-add, and each keeps its bound if products and sums are fused. NaN gives NaN; infinities, zeros and their
// signs are those of C's functions.
//
//   | function | f32 | f64 |  arguments
//   |----------|-----|-----|
//   | exp      | 1.5 | 1.5 |  all
//   | exp2     | 1.5 | 1.5 |  all; whole ones exact
//   | expm1    |  2  | 2.5 |  all
//   | log      |  1  |  1  |  all; below the normal numbers too, also where the device flushes them
//   | log2     |  1  |  1  |  all, as log; powers of two exact
//   | log1p    | 1.5 | 1.5 |  all
//   | sin, cos |  1  |  1  |  all finite ones: reduction by as many digits of pi as the largest needs
//   | tanh     |  3  |  3  |  all
//   | erf      | 1.5 |  2  |  all
//   | rsqrt    | 1.6 | 1.6 |  all
//   | tan      | 2.5 | 2.5 |  all finite ones
//   | asin, acos |  1  |  1  |  -1 to 1
//   | atan     |  2  |  2  |  all
//   | atan2    | 2.5 | 2.5 |  all, zeros and infinities too
//   | sinh, cosh |  3  |  3  |  all
//   | asinh, acosh, atanh |  2  |  2  |  all
//   | cbrt     |  1  |  1  |  all
//   | hypot    |  2  |  2  |  all
//   | exp10    | 1.5 | 1.5 |  all
//   | pow      | 1.5 | 1.5 |  all, C's special results
//   | sinpi    | 1.5 | 1.5 |  all
//   | cospi    |  1  |  1  |  all
//   | erfc, erfcx |  4  |  4  |  all
//   | erfinv, erfcinv |  4  |  4  |  all
//   | normcdf  |  5  |  5  |  all
//   | normcdfinv |  5  |  5  |  all
//   | lgamma   |  4  |  4  |  from -2.2; below, see docs/math.md
//   | tgamma   |  6  |  6  |  all
//   | fma      | 0.5 | 0.5 |  all, rounded once; also down, up and towards zero, as IEEE 754 has it
//   | fmod     |  0  |  0  |  all
//
// A target's own exp2 of f32 may have an error of 2.5 ulp, and give 0 for subnormal results. exp computed from it with
// a fused multiply-add (expByExp2) has at most 3.2, in the larger of the ulps of the exact and the computed result.
//
// f16 and bf16 are computed in f32 and rounded: at most one ulp, nearly always the nearest number.
#pragma once

#include "core/math/ArcSine.h"
#include "core/math/ErrorFunction.h"
#include "core/math/ErrorInverse.h"
#include "core/math/Exact.h"
#include "core/math/Exponential.h"
#include "core/math/Hyperbolic.h"
#include "core/math/LogGamma.h"
#include "core/math/Logarithm.h"
#include "core/math/Power.h"
#include "core/math/Root.h"
#include "core/math/Trigonometric.h"
#include "core/math/TurnFunctions.h"
