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
//   | fma      | 0.5 | 0.5 |  all, rounded once
//   | fmod     |  0  |  0  |  all
//
// A target's own exp2 of f32 may have an error of 2.5 ulp, and give 0 for subnormal results. exp computed from it with
// a fused multiply-add (expByExp2) has at most 3.2, in the larger of the ulps of the exact and the computed result.
//
// f16 and bf16 are computed in f32 and rounded: at most one ulp, nearly always the nearest number.
#pragma once

#include "core/math/ErrorFunction.h"
#include "core/math/Exact.h"
#include "core/math/Exponential.h"
#include "core/math/Logarithm.h"
#include "core/math/Root.h"
#include "core/math/Trigonometric.h"
