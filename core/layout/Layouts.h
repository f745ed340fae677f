// Constructors of the distributed layouts that compilers use: blocked, sliced, and tiles made of matrix fragments.
#pragma once

#include "core/layout/LinearLayout.h"

namespace tegula::layout {

/// A layout for loads and stores: each thread has a small box of elements, a warp is a grid of threads, and a block is
/// a grid of warps. If the tensor is larger than the block, further registers repeat the block.
///
///   blocked({1,2}, {2,2}, {1,1}, {1,0}, {2,8}):     dim1  0    1    2    3    4    5    6    7
///     register: (0,1) (0,4); lane: (0,2) (1,0)   dim0 0  0:0  0:1  1:0  1:1  0:2  0:3  1:2  1:3    lane:register
///                                                     1  2:0  2:1  3:0  3:1  2:2  2:3  3:2  3:3
struct BlockedSpec {
  std::vector<uint32_t> sizePerThread, threadsPerWarp, warpsPerBlock; // one power of two for each dimension
  std::vector<unsigned> order;                                        // dimensions, fastest first: {1,0} is row-major
  std::vector<uint32_t> shape;                                        // extents of the tensor
};
/// Where the grid of threads is larger than the tensor, threads outside the tensor hold copies (bases 0), and registers
/// outside it are left out. Throws if the lists differ in length, a size is not a power of two, or the order is not a
/// permutation.
LinearLayout blocked(const BlockedSpec &spec);

/// The layout of the result of a reduction along dimension `dim`: each thread holds the results of the elements that it
/// held. Later dimensions move down by one; registers that become copies are removed.
///   sliced(register: (0,1); lane: (0,2) (1,0), 1)  =  register:; lane: (0) (1)
LinearLayout sliced(const LinearLayout &parent, unsigned dim);

/// `count` warps side by side along dimension `dim`. Without a dimension, the warps hold copies: operand A has such
/// warps if warps divide the result along n.
struct WarpSplit {
  std::optional<unsigned> dim;
  uint32_t count;
};

/// How a fragment (dim0 x dim1, held by one warp or one set of warps) is repeated to a tile. From the inside out: the
/// fragment; `repeat` copies of its layout in further registers, along dim1, then dim0; the warps; then further
/// registers along `order`, fastest first, until `shape` is covered.
struct TileSpec {
  std::vector<uint32_t> shape;
  std::vector<WarpSplit> warps;          // lowest warp bits first
  std::vector<uint32_t> repeat = {1, 1}; // along dim0, dim1
  std::vector<unsigned> order = {1, 0};
};
/// Throws if the fragment and the warps do not fit into the shape.
LinearLayout tiled(const LinearLayout &fragment, const TileSpec &spec);

/// Adds register bits along `order` to a layout, or drops bases outside the shape so that they make copies, until its
/// outputs are dim0, dim1, ... of this shape.
LinearLayout fitted(const LinearLayout &layout, const std::vector<uint32_t> &shape, const std::vector<unsigned> &order);

} // namespace tegula::layout
