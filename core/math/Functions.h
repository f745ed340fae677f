// Functions of floats for targets that have none, or none good enough. What this room is for: algorithms that need no
// more than correctly rounded sums, products, quotients and roots, and integers; each is written once, over numbers
// that are the host's (tests) or IR that is emitted (core/passes/ExpandMath.cpp). What may not enter it: MLIR, targets,
// tables in memory.
//
// Stated errors, in ulp of the exact result (below the normal numbers: of the smallest number); none uses a fused
// multiply-add, and each keeps its bound where products and sums are fused. NaN gives NaN; infinities, zeros and their
// signs are C's.
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
// A target's own exp2 of f32 may be off by 2.5; with it and a fused multiply-add exp is off by 3.2 at most (expByExp2),
// measured by the larger of the true result's and the found one's ulp.
//
// f16 and bf16 are computed in f32 and rounded: at most one ulp, nearly always the nearest number.
#pragma once

#include "core/math/ErrorFunction.h"
#include "core/math/Exact.h"
#include "core/math/Exponential.h"
#include "core/math/Logarithm.h"
#include "core/math/Root.h"
#include "core/math/Trigonometric.h"
