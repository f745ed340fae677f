// Subspaces of GF(2)^n as lists of vectors, with the operations that planning a conversion needs.
#pragma once

#include "core/layout/BitMatrix.h"

#include <span>

namespace tegula::layout {

using Vectors = std::vector<uint64_t>;

/// A subsequence of `candidates`: each is taken if it is independent of `of` and of the candidates taken before it.
/// `of` and the result together span the sum of both spans.
Vectors independentOf(const Vectors &of, const Vectors &candidates);
/// A basis of the span of `vectors`.
inline Vectors basisOf(const Vectors &vectors) { return independentOf({}, vectors); }
/// A basis of the intersection of both spans.
Vectors intersection(const Vectors &a, const Vectors &b);
Vectors joined(Vectors a, const Vectors &b);

/// A subspace basis of `count` vectors within span(space) that intersects span(a) and span(b) as little as possible: in
/// 0 only, if max(rank a, rank b) + count <= rank space. Both a and b lie in span(space). Construction: with I the
/// intersection, a = I + {x} and b = I + {y}. The sums x + y are in neither a nor b, and vectors outside both are in
/// neither. (Source: the optimal swizzle of arXiv 2505.23819, section 5.4. Two subspaces of one dimension have a common
/// complement over any field.) The vectors that lie outside both a and b come last in the result.
Vectors commonComplement(const Vectors &a, const Vectors &b, const Vectors &space, size_t count);

} // namespace tegula::layout
