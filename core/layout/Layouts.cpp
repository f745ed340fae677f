#include "core/layout/Layouts.h"
#include "core/support/Diagnostic.h"

#include <algorithm>
#include <bit>

namespace tegula::layout {
namespace {

std::string listed(const auto &values) {
  std::string out;
  for (auto value : values)
    out += (out.empty() ? "[" : ",") + std::to_string(value);
  return out.empty() ? "[]" : out + "]";
}

void checkSizes(const char *what, const std::vector<uint32_t> &sizes, size_t rank) {
  bool good = sizes.size() == rank;
  for (uint32_t size : sizes)
    good = good && std::has_single_bit(size);
  if (!good)
    throw Error("layout: " + std::string(what) + " is " + listed(sizes) + "; expected " + std::to_string(rank) +
                " powers of two");
}

void checkOrder(const std::vector<unsigned> &order, size_t rank) {
  std::vector<unsigned> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  bool good = sorted.size() == rank;
  for (unsigned i = 0; good && i < rank; ++i)
    good = sorted[i] == i;
  if (!good)
    throw Error("layout: order is " + listed(order) + "; expected a permutation of the " + std::to_string(rank) +
                " dimensions, fastest first");
}

std::vector<Dim> tensorDims(size_t rank) {
  std::vector<Dim> dims;
  for (unsigned i = 0; i < rank; ++i)
    dims.push_back(tensorDim(i));
  return dims;
}

/// The layout without register bits whose basis is 0: these only make copies within a thread.
LinearLayout withoutRegisterCopies(const LinearLayout &layout) {
  uint32_t kept = 0;
  std::vector<uint64_t> bases = layout.flatBases(kRegister);
  for (unsigned i = 0; i < bases.size(); ++i)
    kept |= uint32_t(bases[i] != 0) << i;
  return layout.keepInputBits(kRegister, kept);
}

} // namespace

LinearLayout fitted(const LinearLayout &layout, const std::vector<uint32_t> &shape,
                    const std::vector<unsigned> &order) {
  checkSizes("shape", shape, shape.size());
  checkOrder(order, shape.size());
  LinearLayout grown = layout;
  for (unsigned dim : order) {
    uint32_t have = layout.outputSize(tensorDim(dim));
    grown = grown * LinearLayout::identity(std::max(shape[dim] / have, 1u), kRegister, tensorDim(dim));
  }
  grown = grown.transposeOutputs(tensorDims(shape.size()));
  std::vector<InputBases> bases = grown.bases();
  for (InputBases &input : bases)
    for (Coordinates &basis : input.bases)
      for (size_t i = 0; i < shape.size(); ++i)
        basis[i] &= shape[i] - 1;
  return withoutRegisterCopies(LinearLayout(bases, tensorExtents(shape)));
}

LinearLayout blocked(const BlockedSpec &spec) {
  size_t rank = spec.shape.size();
  checkSizes("shape", spec.shape, rank);
  checkSizes("sizePerThread", spec.sizePerThread, rank);
  checkSizes("threadsPerWarp", spec.threadsPerWarp, rank);
  checkSizes("warpsPerBlock", spec.warpsPerBlock, rank);
  checkOrder(spec.order, rank);
  LinearLayout layout;
  for (const auto &[dim, sizes] : {std::pair(kRegister, &spec.sizePerThread), std::pair(kLane, &spec.threadsPerWarp),
                                   std::pair(kWarp, &spec.warpsPerBlock)})
    for (unsigned i : spec.order)
      layout = layout * LinearLayout::identity((*sizes)[i], dim, tensorDim(i));
  return fitted(layout, spec.shape, spec.order);
}

LinearLayout sliced(const LinearLayout &parent, unsigned dim) {
  if (!parent.hasOutput(tensorDim(dim)))
    throw Error("layout: cannot slice along " + name(tensorDim(dim)) + ", which " + parent.toText() + " lacks");
  std::vector<Dim> ins, kept;
  for (const Extent &extent : parent.inputs())
    ins.push_back(extent.dim);
  std::vector<Extent> renamed;
  for (const Extent &extent : parent.outputs())
    if (extent.dim != tensorDim(dim)) {
      kept.push_back(extent.dim);
      bool later = isTensorDim(extent.dim) && tensorIndex(extent.dim) > dim;
      renamed.push_back({later ? tensorDim(tensorIndex(extent.dim) - 1) : extent.dim, extent.size});
    }
  return withoutRegisterCopies(parent.sublayout(ins, kept).reshapeOutputs(renamed));
}

LinearLayout tiled(const LinearLayout &fragment, const TileSpec &spec) {
  checkSizes("shape", spec.shape, 2);
  checkSizes("repeat", spec.repeat, 2);
  LinearLayout layout = fragment;
  for (unsigned dim : {1u, 0u})
    layout = layout * LinearLayout::identity(spec.repeat[dim], kRegister, tensorDim(dim));
  for (const WarpSplit &split : spec.warps)
    layout = layout * (split.dim ? LinearLayout::identity(split.count, kWarp, tensorDim(*split.dim))
                                 : LinearLayout::zeros(split.count, kWarp, kDim0));
  for (unsigned dim : {0u, 1u})
    if (layout.outputSize(tensorDim(dim)) > spec.shape[dim])
      throw Error("layout: fragments and warps cover " + std::to_string(layout.outputSize(tensorDim(dim))) + " of " +
                  name(tensorDim(dim)) + ", which is only " + std::to_string(spec.shape[dim]));
  return fitted(layout, spec.shape, spec.order);
}

} // namespace tegula::layout
