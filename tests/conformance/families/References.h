// References of whole kernels, in extended precision and by their definitions.
#pragma once

#include "tests/conformance/Case.h"

namespace tegula::conformance {

/// softmax along rows of `columns` of buffer `k`.
Reference softmaxRows(size_t k, int64_t columns);
/// (x - mean) / sqrt(variance + eps) * weight + bias along rows of `columns`; x, weight and bias are buffers.
Reference layernormRows(size_t x, size_t weight, size_t bias, int64_t columns, double eps);
/// C[i, j] = sum over p of A[i * am + p * ak] * B[p * bk + j * bn], buffers 0 and 1, C row-major with n columns. Whole
/// numbers are exact.
Reference matrixProduct(int64_t n, int64_t k, int64_t am, int64_t ak, int64_t bk, int64_t bn);
/// softmax(Q K^T scale) V of buffers 0, 1 and 2, each heads x length x width; causal: the last query sees the last key.
Reference attentionOf(int64_t queries, int64_t keys, int64_t width, double scale, bool causal);
/// What attention_gradients computes of buffers 0 to 5 (queries, keys, values, gradients of the result, each
/// length x width; logarithms of the rows' sums, and the rows' products of result and gradient): gradients of the
/// queries (0), keys (1) or values (2). Weights are powers of two.
Reference gradientsOf(unsigned operand, int64_t length, int64_t width, bool causal);

/// Finite numbers of all sizes; infinities; what is not a number; with `largest`, also numbers whose nearest tf32 is
/// infinite. Element (i, i % k) of a matrix with k columns has the i-th, all others are zero.
Fill extremesOnDiagonal(int64_t columns, bool largest);

} // namespace tegula::conformance
