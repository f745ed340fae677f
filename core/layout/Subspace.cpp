#include "core/layout/Subspace.h"

#include <algorithm>

namespace tegula::layout {

Vectors independentOf(const Vectors &of, const Vectors &candidates) {
  Echelon echelon;
  for (uint64_t vector : of)
    echelon.add(vector);
  Vectors result;
  for (uint64_t vector : candidates)
    if (!echelon.contains(vector)) {
      echelon.add(vector);
      result.push_back(vector);
    }
  return result;
}

Vectors intersection(const Vectors &a, const Vectors &b) {
  Vectors left = basisOf(a), right = basisOf(b);
  // The kernel of (left, right): combinations that XOR to 0. The left part of each combination lies in both spans.
  BitMatrix both{64, joined(left, right)};
  BitMatrix leftOnly{64, left};
  Vectors result;
  for (uint64_t combination : both.kernel())
    result.push_back(leftOnly.apply(combination & ((uint64_t(1) << left.size()) - 1)));
  return basisOf(result);
}

Vectors joined(Vectors a, const Vectors &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Vectors commonComplement(const Vectors &a, const Vectors &b, const Vectors &space, size_t count) {
  Vectors shared = intersection(a, b);
  Vectors x = independentOf(shared, a), y = independentOf(shared, b);
  Vectors outside = independentOf(joined(joined(shared, x), y), space);
  size_t pairs = std::min(x.size(), y.size());
  Vectors inner;
  for (size_t i = 0; i < pairs; ++i)
    inner.push_back(x[i] ^ y[i]);
  // Then come the vectors of the larger space that have no partner and lie in it only, then `shared`, which lies in
  // both spaces.
  const Vectors &larger = x.size() > y.size() ? x : y;
  inner.insert(inner.end(), larger.begin() + static_cast<ptrdiff_t>(pairs), larger.end());
  inner.insert(inner.end(), shared.begin(), shared.end());
  size_t fromOutside = std::min(count, outside.size());
  inner.resize(std::min(inner.size(), count - fromOutside));
  outside.resize(fromOutside);
  return joined(inner, outside);
}

} // namespace tegula::layout
