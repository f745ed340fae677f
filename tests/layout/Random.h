// Random layouts by seed, and the meaning of a layout as the paper defines it, written without the library's algebra.
#pragma once

#include "core/layout/Layouts.h"
#include "core/layout/SharedLayout.h"

#include <random>

namespace tegula::layout::test {

using Rng = std::mt19937_64;

uint32_t below(Rng &rng, uint32_t bound); // 0 .. bound - 1
bool chance(Rng &rng, uint32_t percent);

/// All coordinates of a layout, indexed by the flat input: the XOR of the bases of the set bits, bit by bit.
std::vector<Coordinates> enumerate(const LinearLayout &layout);

/// The parameters that both layouts of a conversion share.
struct Tensor {
  std::vector<uint32_t> shape;
  unsigned laneBits, warpBits;
};
Tensor randomTensor(Rng &rng);

/// A distributed layout that holds the whole tensor: random bases, permuted bits, blocked, sliced, or tiles of matrix
/// fragments where the tensor is large enough; with copies where threads outnumber elements, and sometimes besides.
LinearLayout randomDistributed(Rng &rng, const Tensor &tensor);

/// One like `from`: other registers, or other lanes, or the same.
LinearLayout randomRelative(Rng &rng, const LinearLayout &from);

/// Any layout at all.
LinearLayout randomLayout(Rng &rng, std::vector<Dim> ins, std::vector<Dim> outs, unsigned maxBits);
LinearLayout randomInvertible(Rng &rng, std::vector<Dim> ins, std::vector<Dim> outs, unsigned bits);

} // namespace tegula::layout::test
