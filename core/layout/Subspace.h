// Subspaces of GF(2)^n as lists of vectors, with the operations that planning a conversion needs.
#pragma once

#include "core/layout/BitMatrix.h"

#include <span>

namespace tegula::layout {

using Vectors = std::vector<uint64_t>;

/// The candidates, in order, that are independent of `of` and of the candidates taken before. Together with `of` they
/// span the sum of both spans.
Vectors independentOf(const Vectors &of, const Vectors &candidates);
/// Independent vectors with the same span.
inline Vectors basisOf(const Vectors &vectors) { return independentOf({}, vectors); }
/// A basis of the intersection of both spans.
Vectors intersection(const Vectors &a, const Vectors &b);
Vectors joined(Vectors a, const Vectors &b);

/// `count` independent vectors of span(space) whose span has the smallest possible intersections with span(a) and with
/// span(b): only 0 if max(rank a, rank b) + count <= rank space. Both a and b lie in span(space).
/// With I the intersection, a = I + {x}, b = I + {y}: the sums x + y are in neither, nor are vectors outside both.
/// (Source: the optimal swizzle of arXiv 2505.23819, section 5.4; that two subspaces of one dimension have a common
/// complement holds over any field.)  The vectors that lie outside both come last.
Vectors commonComplement(const Vectors &a, const Vectors &b, const Vectors &space, size_t count);

} // namespace tegula::layout
