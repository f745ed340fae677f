#include "core/passes/layouts/OperandBuffer.h"

#include "core/layout/SharedLayout.h"

#include <algorithm>

using namespace mlir;

namespace tegula::tile {

/// The axes of a matrix, fastest first. `fast` is one of the last two of `rank` axes.
static std::vector<unsigned> orderOf(unsigned fast, unsigned rank) {
  return fast == rank - 2 ? std::vector<unsigned>{0, 1} : std::vector<unsigned>{1, 0};
}

/// The layout of a buffer for a batch of matrices, one after another, from the layout of one matrix. `batch` is 0 for a
/// single matrix.
static layout_ir::SharedAttr withBatch(MLIRContext *context, const layout::LinearLayout &matrix, int64_t batch,
                                       ArrayRef<int64_t> padding) {
  SmallVector<int64_t> bases;
  for (unsigned bit = 0; bit < matrix.inputBits(layout::kOffset); ++bit) {
    layout::Coordinates basis = matrix.basis(layout::kOffset, bit);
    if (batch)
      bases.push_back(0);
    bases.append(basis.begin(), basis.end());
  }
  for (int64_t step = 1; step < batch; step *= 2)
    bases.append({step, 0, 0});
  return layout_ir::SharedAttr::get(context, batch ? 3 : 2, bases, padding);
}

layout_ir::SharedAttr operandBuffer(MLIRContext *context, ArrayRef<int64_t> shape, unsigned fast, int64_t elementBytes,
                                    int64_t mostLine) {
  constexpr int64_t kMostSpan = 128;
  unsigned rank = shape.size();
  std::vector<uint32_t> matrix = {uint32_t(shape[rank - 2]), uint32_t(shape[rank - 1])};
  std::vector<unsigned> order = orderOf(fast, rank);
  int64_t span = std::min(std::min(shape[fast], mostLine) * elementBytes, kMostSpan);
  layout::LinearLayout linear = shape[fast] * elementBytes < kLeastSpanBytes
                                    ? layout::arrayLayout(matrix, order)
                                    : layout::spanSwizzled({matrix, uint32_t(span), uint32_t(elementBytes), order});
  return withBatch(context, linear, rank == 3 ? shape[0] : 0, {});
}

layout_ir::SharedAttr paddedBuffer(MLIRContext *context, ArrayRef<int64_t> shape, unsigned fast, int64_t elementBytes) {
  unsigned rank = shape.size();
  layout::LinearLayout linear =
      layout::arrayLayout({uint32_t(shape[rank - 2]), uint32_t(shape[rank - 1])}, orderOf(fast, rank));
  return withBatch(context, linear, rank == 3 ? shape[0] : 0, {shape[fast], kPieceBytes / elementBytes});
}

layout_ir::SharedAttr transposedBuffer(MLIRContext *context, ArrayRef<int64_t> shape, unsigned fast,
                                       int64_t elementBytes, int64_t share) {
  unsigned rank = shape.size(), across = fast == rank - 1 ? rank - 2 : rank - 1;
  if (shape[across] <= share)
    return paddedBuffer(context, shape, fast, elementBytes);
  SmallVector<int64_t> bases;
  auto add = [&](unsigned axis, int64_t begin, int64_t end) {
    for (int64_t step = begin; step < end; step *= 2) {
      bases.append(rank, 0);
      bases[bases.size() - rank + axis] = step;
    }
  };
  add(fast, 1, shape[fast]);
  add(across, share, shape[across]);
  add(across, 1, share);
  if (rank == 3)
    add(0, 1, shape[0]);
  int64_t padding = kPieceBytes / elementBytes, group = shape[fast] * (shape[across] / share);
  return layout_ir::SharedAttr::get(context, rank, bases, {shape[fast], padding, group, padding});
}

} // namespace tegula::tile
