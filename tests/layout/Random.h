// Random layouts from seeds, and a layout's meaning by the paper's definition, written without the library's algebra.
#pragma once

#include "core/layout/Layouts.h"
#include "core/layout/SharedLayout.h"

#include <random>

namespace tegula::layout::test {

using Rng = std::mt19937_64;

uint32_t below(Rng &rng, uint32_t bound); // 0 .. bound - 1
bool chance(Rng &rng, uint32_t percent);

/// All coordinates of a layout, indexed by the flat input; each is the XOR of the bases of the set input bits.
std::vector<Coordinates> enumerate(const LinearLayout &layout);

/// The properties that both layouts of a conversion share.
struct Tensor {
  std::vector<uint32_t> shape;
  unsigned laneBits, warpBits;
};
Tensor randomTensor(Rng &rng);

/// A distributed layout that holds the whole tensor: random bases, permuted bits, blocked, sliced, or tiles of matrix
/// fragments for large tensors. It has copies where threads outnumber elements, and sometimes otherwise.
LinearLayout randomDistributed(Rng &rng, const Tensor &tensor);

/// A layout related to `from`: equal, or with other registers or other lanes.
LinearLayout randomRelative(Rng &rng, const LinearLayout &from);

/// Any layout, not necessarily surjective.
LinearLayout randomLayout(Rng &rng, std::vector<Dim> ins, std::vector<Dim> outs, unsigned maxBits);
LinearLayout randomInvertible(Rng &rng, std::vector<Dim> ins, std::vector<Dim> outs, unsigned bits);

} // namespace tegula::layout::test
